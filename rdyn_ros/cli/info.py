"""`rdyn info`: a robot as a tree in the terminal."""
import json
import math

from ..ik import recognise
from .counted import counted
from .robot_arguments import add_robot_arguments, given_model

HELP = "draw a robot as a tree with masses, limits and frames"


def add_arguments(parser):
    """Declares the arguments of the verb."""
    add_robot_arguments(parser)
    parser.add_argument("--frame", help="frame to which inverse kinematics is told (default: every tip)")
    parser.add_argument("--json", action="store_true", help="machine-readable output")


def run(arguments):
    """Print the tree."""
    model = given_model(arguments, allow_massless=True)
    forms = closed_forms(model, model.tips if arguments.frame is None else [model.frame(arguments.frame).name])
    print(json.dumps(summary(model, forms), indent=2) if arguments.json else "\n".join(drawing(model, forms)))


def summary(model, forms):
    """The robot and its closed_forms as plain data; null where a limit is infinite."""
    def finite(values):
        return [float(x) if math.isfinite(x) else None for x in values]

    return {"name": model.name, "nq": model.nq, "nv": model.nv, "gravity": model.gravity.tolist(),
            "floating_base": model.floating_base, "tips": list(model.tips), "joints": list(model.joint_names),
            "links": [{"name": body.name, "mass": body.mass} for body in model.bodies],
            "limits": {key: finite(values) for key, values in model.limits._asdict().items()},
            "frames": list(model.frame_names), "closed_form": forms}


def closed_forms(model, frames):
    """{frame: what kind of arm leads to it when inverse kinematics has a closed form, else None}."""
    forms = {frame: recognise(model, frame) for frame in frames}
    return {frame: form and form.kind for frame, form in forms.items()}


def drawing(model, forms):
    """Lines of the tree: a heading, every body under its parent with its joint and its frames, and closed_forms."""
    mass = sum(body.mass for body in model.bodies)
    base = ", floating base" if model.floating_base else ""
    size = f"{counted(len(model.joint_names), 'joint')}, nq = {model.nq}, nv = {model.nv}, {mass:.4g} kg"
    yield f"{model.name}: {size}{base}"
    gravity = " ".join(f"{x:g}" for x in model.gravity)
    yield f"gravity {gravity} m/s², tips {', '.join(model.tips)}"
    stack = [(0, "", "")]
    while stack:
        i, lead, below = stack.pop()
        body = model.bodies[i]
        weight = f"  {body.mass:.4g} kg" if body.mass else ""
        yield f"{lead}{body.name}{weight}" + (f"  <- {joint_words(body.joint)}" if i else "")
        names = [frame.name for frame in model.frames if frame.body == i and frame.name != body.name]
        children = model.children[i]
        if names:
            yield f"{below}{'│' if children else ' '}  frames: {', '.join(names)}"
        for child in reversed(children):                # the last child is pushed first and drawn last
            mark, rail = ("└─ ", "   ") if child == children[-1] else ("├─ ", "│  ")
            stack.append((child, below + mark, below + rail))
    for frame, kind in forms.items():
        yield f"inverse kinematics to {frame}: {f'closed form ({kind})' if kind else 'numeric'}"


def joint_words(joint):
    """A joint in words: name, kind, limits, what it follows."""
    words = f"{joint.name} ({joint.kind})"
    if math.isfinite(joint.lower) or math.isfinite(joint.upper):
        words += f" {joint.lower:g} .. {joint.upper:g} {joint.unit}"
    if math.isfinite(joint.velocity):
        words += f", {joint.velocity:g} {joint.unit}/s"
    if math.isfinite(joint.effort):
        words += f", {joint.effort:g} {joint.effort_unit}"
    if joint.mimic:
        leader, ratio, offset = joint.mimic
        words += f", = {ratio:g} · {leader} + {offset:g}"
    return words
