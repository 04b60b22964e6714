"""Model -> URDF, to the last digit. What URDF has no words for stands in <rdyn>, which others skip."""
import math
from xml.etree import ElementTree

import numpy as np

from ..spatial import matrix_rpy
from .flatten import flatten
from .urdf_attributes import UNLIMITED

ENTRIES = {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2), "iyy": (1, 1), "iyz": (1, 2), "izz": (2, 2)}


def write_urdf(model):
    """Text of a URDF with the same bodies, joints and frames; <rdyn> keeps gravity, tips, rotors, order of the joints.

    A revolute joint without position limits is continuous to others, as URDF has no word for it; <rdyn> keeps
    its type.
    """
    flat = flatten(model)
    robot = ElementTree.Element("robot", name=model.name)
    extra = ElementTree.SubElement(robot, "rdyn", gravity=words(model.gravity),
                                   floating_base=str(model.floating_base).lower(), order="file")
    for tip in model.tips:
        ElementTree.SubElement(extra, "tip", link=tip)
    link(robot, flat.root_name, flat.root)
    for name, parent, body in flat.moving:
        link(robot, name, body)
        joint(robot, name, parent, body)
    taken = {body.joint.name for _, _, body in flat.moving}
    for parent, frame in flat.frames:
        ElementTree.SubElement(robot, "link", name=frame.name)
        title = f"{frame.name}_fixed"
        while title in taken:
            title += "_"
        taken.add(title)
        connect(robot, title, "fixed", parent, frame.name, frame)
    ElementTree.indent(robot)
    return ElementTree.tostring(robot, encoding="unicode", xml_declaration=False) + "\n"


def words(values):
    """Numbers as URDF writes them, to the last digit."""
    return " ".join(repr(float(value)) for value in np.atleast_1d(values))


def link(robot, name, body):
    """<link> with its <inertial>, axes parallel to the link's."""
    element = ElementTree.SubElement(robot, "link", name=name)
    if body.mass == 0 and not np.any(body.inertia):
        return
    inertial = ElementTree.SubElement(element, "inertial")
    ElementTree.SubElement(inertial, "origin", xyz=words(body.com), rpy="0 0 0")
    ElementTree.SubElement(inertial, "mass", value=words(body.mass))
    ElementTree.SubElement(inertial, "inertia", {key: words(body.inertia[at]) for key, at in ENTRIES.items()})


def connect(robot, name, kind, parent, child, placed):
    """<joint> with parent, child and origin."""
    element = ElementTree.SubElement(robot, "joint", name=name, type=kind)
    ElementTree.SubElement(element, "parent", link=parent)
    ElementTree.SubElement(element, "child", link=child)
    ElementTree.SubElement(element, "origin", xyz=words(placed.p), rpy=words(matrix_rpy(placed.R)))
    return element


def joint(robot, name, parent, body):
    """Moving <joint> with axis, limits, friction, rotor and mimic."""
    spec = body.joint
    free = spec.kind == "revolute" and math.isinf(spec.lower) and math.isinf(spec.upper)
    kind = "continuous" if free else spec.kind
    element = connect(robot, spec.name, kind, parent, name, body)
    ElementTree.SubElement(element, "axis", xyz=words(spec.axis))
    keys = ("velocity", "effort") if kind == "continuous" else ("lower", "upper", "velocity", "effort")
    if kind != "continuous" or math.isfinite(spec.velocity) or math.isfinite(spec.effort):
        values = np.clip([getattr(spec, key) for key in keys], -UNLIMITED, UNLIMITED)
        ElementTree.SubElement(element, "limit", dict(zip(keys, map(words, values), strict=True)))
    if spec.viscous or spec.coulomb:
        ElementTree.SubElement(element, "dynamics", damping=words(spec.viscous), friction=words(spec.coulomb))
    own = {"type": spec.kind} if kind != spec.kind else {}
    if spec.rotor_inertia:
        own |= {"rotor_inertia": words(spec.rotor_inertia), "gear_ratio": words(spec.gear_ratio)}
    if own:
        ElementTree.SubElement(element, "rdyn", own)
    if spec.mimic:
        leader, ratio, offset = spec.mimic
        ElementTree.SubElement(element, "mimic", joint=leader, multiplier=words(ratio), offset=words(offset))
