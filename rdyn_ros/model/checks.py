"""What no robot can have: double names, negative masses, reversed limits, mimic chains."""
import numpy as np

from .parts import INF

MAX_LINKS = 5000


def too_many(things, what, findings):
    """Whether there are more links, or joints, than any robot has, which is told."""
    if len(things) > MAX_LINKS:
        message = f"{len(things)} {what}s; at most {MAX_LINKS} are read"
        findings.error("size", things[MAX_LINKS].line, "robot", message)
    return len(things) > MAX_LINKS


def check_parts(description, findings):
    """Names, masses, inertias and limits that no robot can have."""
    links, joints = description.links, description.joints
    too_many(links, "link", findings)
    for kind, things in (("link", links), ("joint", joints)):
        seen = set()
        for thing in things:
            if thing.name in seen:
                message = f"another {kind} has this name"
                findings.error("duplicate-name", thing.line, f"{kind} '{thing.name}'", message)
            seen.add(thing.name)
    for link in links:
        if link.mass < 0:
            message = f"mass {link.mass:g} kg; it cannot be negative"
            findings.error("negative-mass", link.line, f"link '{link.name}'", message)
    moving = {joint.name: joint for joint in joints if joint.kind != "fixed"}
    names = {link.name for link in links}
    for joint in joints:
        check_joint(joint, names, moving, findings)


def check_joint(joint, link_names, moving, findings):
    """Refuse unknown ends, reversed limits, negative friction, rotors and rates, and mimic chains."""
    thing = f"joint '{joint.name}'"
    for end in (joint.parent, joint.child):
        if end not in link_names:
            findings.error("unknown-name", joint.line, thing, f"there is no link '{end}'")
    if joint.lower > joint.upper or joint.lower == INF or joint.upper == -INF:
        message = f"limits are reversed: lower {joint.lower:g} is above upper {joint.upper:g}"
        findings.error("limits-reversed", joint.line, thing, message)
    for key in ("velocity", "effort", "viscous", "coulomb", "rotor_inertia"):
        if getattr(joint, key) < 0:
            message = f"{key} is {getattr(joint, key):g}; it cannot be negative"
            findings.error("negative", joint.line, thing, message)
    if joint.mimic:
        leader = moving.get(joint.mimic[0])
        if leader is None or leader is joint:
            message = f"mimics '{joint.mimic[0]}', which is not another moving joint"
            findings.error("mimic", joint.line, thing, message)
        elif leader.mimic:
            message = f"mimics '{leader.name}', which mimics '{leader.mimic[0]}': mimic that one directly"
            findings.error("mimic-chain", joint.line, thing, message)


def check_bodies(bodies, lines, findings):
    """Refuse moving bodies without mass and tensors that no distribution of mass has.

    Asked of the bodies, fixed links merged: a sensor without inertia on a heavy link does no harm.
    """
    for body in bodies[1:]:
        thing, line = f"link '{body.name}'", lines[body.name]
        if body.mass == 0:
            message = "moves but has no mass: give it an inertia, fix its joint, or load it with allow_massless"
            findings.error("massless", line, thing, message)
        moments = np.linalg.eigvalsh(body.inertia)
        if moments[0] < -1e-9 * max(moments[-1], 1e-6):
            message = f"the inertia tensor has a negative principal moment ({moments[0]:.3g} kg m²)"
            findings.error("inertia-not-positive", line, thing, message)
