"""Links and joints that can be read but are hard to believe; what is refused already is not asked again."""
import math

import numpy as np

TRIANGLE = 1e-3            # relative excess of the largest principal moment that rounding does not explain
MASS_RATIO = 1000.0        # between neighbours
FAR = 2.0                  # centre of mass, in reaches of the link
GYRATION = (1e-4, 3.0)     # [m] radii of gyration of robot links lie between


def check_links(description, findings):
    """Inertia tensors and centres of mass of every link that has a mass."""
    child_joints = {}
    for joint in description.joints:
        child_joints.setdefault(joint.parent, []).append(joint)
    moved_by = {joint.child: joint for joint in description.joints}
    for link in description.links:
        if findings.refuses(f"link '{link.name}'"):
            continue
        if link.mass > 0:
            reach = link_reach(link, moved_by.get(link.name), child_joints.get(link.name, ()))
            check_tensor(link, findings)
            check_centre(link, reach, findings)
        elif np.any(link.inertia):
            message = "has an inertia tensor but no mass"
            findings.warning("zero-mass", link.line, f"link '{link.name}'", message)


def link_reach(link, joint, children):
    """How far the link extends from its origin [m]: its geometry, its own joint and those it carries."""
    ends = [np.linalg.norm(child.before.p) for child in children]
    ends += [np.linalg.norm(joint.after.p)] if joint else []
    return max([*ends, link.size or 0.0])


def check_tensor(link, findings):
    """Principal moments a <= b <= c: a > 0, c <= a + b, and a believable radius of gyration."""
    thing, moments = f"link '{link.name}'", np.linalg.eigvalsh(link.inertia)
    a, b, c = moments
    if c <= 0:
        message = "the inertia tensor is zero: a point mass; real links have an extent"
        findings.warning("inertia-zero", link.line, thing, message)
        return
    if a < -1e-9 * c:
        message = f"the inertia tensor is not positive definite: moments {a:.3g}, {b:.3g}, {c:.3g} kg m²"
        findings.warning("inertia-not-positive", link.line, thing, message)
    elif a < 1e-9 * c:
        message = f"the inertia tensor is singular: principal moments {a:.3g}, {b:.3g}, {c:.3g} kg m²"
        findings.warning("inertia-singular", link.line, thing, message)
    elif c - a - b > TRIANGLE * c:
        message = f"broken triangle inequality: {c:.4g} > {a:.4g} + {b:.4g} kg m²: no body is like that"
        findings.error("triangle", link.line, thing, message)
    radius = math.sqrt(np.trace(link.inertia) / (2 * link.mass))
    if not GYRATION[0] < radius < GYRATION[1]:
        message = f"radius of gyration {radius:.3g} m; are mass [kg] and inertia [kg m²] in SI units?"
        findings.warning("inertia-scale", link.line, thing, message)


def check_centre(link, reach, findings):
    """Centre of mass within twice the reach of the link, where the file tells its reach."""
    distance = float(np.linalg.norm(link.com))
    radius = math.sqrt(max(np.trace(link.inertia), 0.0) / (2 * link.mass))
    allowed = FAR * max(reach, radius, 0.05)
    if distance > allowed and (reach > 0 or distance > 1.0):
        message = f"centre of mass {distance:.3g} m from the origin of a link that reaches {reach:.3g} m"
        findings.warning("com-outside", link.line, f"link '{link.name}'", message)


def check_joints(description, findings):
    """Limits that are missing, zero or closed."""
    for joint in description.joints:
        thing = f"joint '{joint.name}'"
        if joint.kind == "fixed" or findings.refuses(thing):
            continue
        if joint.kind != "continuous" and math.isinf(joint.upper - joint.lower):
            findings.warning("limits-missing", joint.line, thing, "no position limits")
        elif joint.lower == joint.upper:
            message = f"lower = upper = {joint.lower:g}: it cannot move"
            findings.warning("limits-closed", joint.line, thing, message)
        for key in ("velocity", "effort"):
            value = getattr(joint, key)
            if math.isinf(value):
                findings.warning("limits-missing", joint.line, thing, f"no {key} limit")
            elif value == 0:
                findings.warning("limits-zero", joint.line, thing, f"{key} limit 0: it cannot be driven")


def check_mass_ratios(model, description, findings):
    """Neighbouring bodies whose masses differ by more than a factor of 1000."""
    lines = {link.name: link.line for link in description.links}
    for i, p in model.edges:
        below, above = model.bodies[i], model.bodies[p]
        if p and not 1 / MASS_RATIO < below.mass / above.mass < MASS_RATIO:
            message = f"{below.mass:.3g} kg on '{above.name}' of {above.mass:.3g} kg: beyond reason"
            findings.warning("mass-ratio", lines[below.name], f"link '{below.name}'", message)
