"""Description -> Model: order the links and merge the fixed ones into their parents."""
import warnings

import numpy as np

from ..errors import RobotWarning
from ..spatial.tensors import MassProperties, compose, rotate_tensor
from .checks import check_bodies, check_parts
from .description import IDENTITY, Placement
from .ordering import tree_order
from .parts import Body, Frame, Joint, Mimic
from .tree import Model

WORLD = "world"
SAME_IN_JOINT = ("lower", "upper", "velocity", "effort", "viscous", "coulomb", "rotor_inertia", "gear_ratio")


def assemble(description, findings, floating_base=None, allow_massless=False):
    """Model of a described robot; None, with findings, when it is not a tree of bodies that can move."""
    check_parts(description, findings)
    root, order = tree_order(description, findings)
    if findings.errors:
        return None
    floating = description.floating_base if floating_base is None else floating_base
    bodies, frames, owned = place_links(description, root, order, floating)
    bodies = tuple(body_with_mass(body, parts) for body, parts in zip(bodies, owned, strict=True))
    check_bodies(bodies, {link.name: link.line for link in description.links}, findings)
    if allow_massless:
        pardon_massless(findings)
    tips = description.tips or default_tips(root, order)
    for tip in set(tips) - {frame.name for frame in frames}:
        findings.error("unknown-name", None, f"tip '{tip}'", "there is no link or frame of that name")
    if findings.errors:
        return None
    return Model(description.name, bodies, tuple(frames), description.gravity, tips, description.where)


def place_links(description, root, order, floating):
    """Bodies (no mass yet), frames, and per body the mass properties of its links in body axes.

    The body's axes are those of its link; its origin lies on the joint axis, where `before` puts it.
    """
    links = {link.name: link for link in description.links}
    if floating:
        world = WORLD if WORLD not in links else f"{WORLD}_of_{root}"
        free = Joint(f"{root}_floating", "floating", np.array([0.0, 0.0, 1.0]))
        bodies, frames = [Body(world, -1), Body(root, 0, free)], [Frame(world, 0), Frame(root, 1)]
    else:
        bodies, frames = [Body(root, -1)], [Frame(root, 0)]
    place = {root: (len(bodies) - 1, IDENTITY)}
    for joint in order:
        body, at = place[joint.parent]
        at = at @ joint.before
        if joint.kind == "fixed":
            at = at @ joint.after
        else:
            turned = joint.after.R
            moved_by = model_joint(joint, turned.T @ joint.axis)
            bodies.append(Body(joint.child, body, moved_by, at.R @ turned, at.p))
            body, at = len(bodies) - 1, Placement(np.eye(3), turned.T @ joint.after.p)
        place[joint.child] = body, at
        frames.append(Frame(joint.child, body, at.R, at.p))
    owned = [[] for _ in bodies]
    for name, (body, at) in place.items():
        link = links[name]
        if link.mass > 0 or np.any(link.inertia):
            tensor = link.inertia if np.array_equal(at.R, np.eye(3)) else rotate_tensor(link.inertia, at.R)
            owned[body].append(MassProperties(link.mass, at.R @ link.com + at.p, tensor))
    return bodies, frames, owned


def model_joint(spec, axis):
    """Joint of the model with its axis in body axes."""
    mimic = Mimic(*spec.mimic) if spec.mimic else None
    same = {key: getattr(spec, key) for key in SAME_IN_JOINT}
    return Joint(spec.name, spec.kind, axis, mimic=mimic, **same)


def body_with_mass(body, parts):
    """The body with the mass properties of all links merged into it."""
    if not parts:
        return body
    heavy = [part for part in parts if part.mass > 0]
    mass, com, inertia = heavy[0] if len(heavy) == 1 else compose(heavy) if heavy else (0.0, body.com, 0.0)
    inertia = inertia + sum(part.tensor for part in parts if part.mass == 0)
    return Body(body.name, body.parent, body.joint, body.R, body.p, mass, com, inertia)


def pardon_massless(findings):
    """Turn the errors about massless links into one RobotWarning that names them."""
    massless = [item for item in findings.items if item.code == "massless"]
    if massless:
        findings.items = [item for item in findings.items if item.code != "massless"]
        places = ", ".join(item.place.split(": ")[-1] for item in massless)
        text = f"{findings.where}: moving links without mass, allowed by the caller: {places}"
        warnings.warn(text, RobotWarning, stacklevel=4)


def default_tips(root, order):
    """One end of every chain of moving links, the longest chain first; the root when nothing moves."""
    body, moves = {root: root}, {root: 0}         # of each link: the link it is merged into, joints below it
    for joint in order:
        moved = joint.kind != "fixed"
        body[joint.child] = joint.child if moved else body[joint.parent]
        moves[joint.child] = moves[joint.parent] + moved
    inner_links = {joint.parent for joint in order}
    inner_bodies = {body[joint.parent] for joint in order if joint.kind != "fixed"}
    tips = {}
    for link in body:
        if moves[link] and link not in inner_links and body[link] not in inner_bodies:
            tips.setdefault(body[link], link)
    return tuple(sorted(tips.values(), key=lambda link: -moves[link])) or (root,)
