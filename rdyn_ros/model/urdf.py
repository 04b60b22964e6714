"""URDF text -> Description. What the URDF specification requires is required here; nothing is guessed."""

import math

import numpy as np

from .checks import too_many
from .description import MOVING_KINDS, Description, JointSpec, LinkSpec
from .placements import unit
from .tree import GRAVITY
from .urdf_attributes import UrdfAttributes
from .xml_text import parse_xml

TENSOR = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
REFUSED_KINDS = {
    "floating": "a floating joint inside a URDF is not supported: drop it and load with floating_base=True",
    "planar": "planar joints are not supported: use two prismatic joints and a revolute one",
    "spherical": "spherical joints are not supported: use three revolute joints",
}


def read_urdf(text, findings):
    """Description of the robot in a URDF text; what is wrong goes to `findings` (None: not even a URDF)."""
    robot = parse_xml(text, findings)
    if robot is None:
        return None
    if robot.tag != "robot":
        findings.error("format", robot.line, f"<{robot.tag}>", "the root element of a URDF is <robot>")
        return None
    if expand := next((child for child in robot.children if child.tag.startswith("xacro:")), None):
        message = "xacro is only read from a path that ends in .xacro; expand it first"
        findings.error("format", expand.line, f"<{expand.tag}>", message)
        return None
    links, joints = robot.all("link"), robot.all("joint")
    if too_many(links, "link", findings) or too_many(joints, "joint", findings):
        return None
    reader = UrdfReader(findings)
    links, joints = tuple(map(reader.link, links)), tuple(map(reader.joint, joints))
    if not links:
        findings.error("missing", robot.line, "robot", "there is no <link>; a robot has at least one")
    extra = robot.first("rdyn")
    gravity = reader.vector(extra, "gravity", GRAVITY, 3, "rdyn") if extra else GRAVITY
    return Description(
        name=reader.name(robot, "name", "robot"),
        links=links,
        joints=joints,
        order="file" if extra and extra.attributes.get("order") == "file" else "name",
        where=findings.where,
        gravity=tuple(gravity),
        tips=tuple(reader.name(tip, "link", "tip") for tip in extra.all("tip")) if extra else (),
        floating_base=bool(extra) and extra.attributes.get("floating_base") == "true",
    )


class UrdfReader(UrdfAttributes):
    """<link> and <joint> elements to specs."""

    def link(self, element):
        """<link> to LinkSpec: the inertia tensor is turned into the link's axes."""
        name = self.name(element, "name", "link")
        thing = f"link '{name}'"
        size = self.size(element, thing)
        inertial = self.only(element, "inertial", thing)
        if inertial is None:
            return LinkSpec(name, element.line, size=size)
        mass, tensor = (self.only(inertial, tag, thing) for tag in ("mass", "inertia"))
        for tag, node in (("mass", mass), ("inertia", tensor)):
            if node is None:
                self.findings.error("missing", inertial.line, thing, f"<inertial> has no <{tag}>")
        kilograms = 0.0 if mass is None else self.number(mass, "value", None, thing)
        if mass is None or tensor is None:
            return LinkSpec(name, element.line, size=size)
        xx, xy, xz, yy, yz, zz = (self.number(tensor, key, None, thing) for key in TENSOR)
        J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        place = self.placement(inertial, thing)
        turned = J if np.array_equal(place.R, np.eye(3)) else place.R @ J @ place.R.T
        return LinkSpec(name, element.line, kilograms, place.p, turned, size)

    def size(self, element, thing):
        """Reach of a link's boxes, cylinders and spheres from its origin [m]; None when not told."""
        reach = []
        for shape in element.all("collision") + element.all("visual"):
            far = np.linalg.norm(self.placement(shape, thing).p)
            geometry = shape.first("geometry")
            for solid in geometry.children if geometry else ():
                if solid.tag == "box":
                    reach.append(far + np.linalg.norm(self.vector(solid, "size", None, 3, thing)) / 2)
                elif solid.tag == "sphere":
                    reach.append(far + self.number(solid, "radius", None, thing))
                elif solid.tag in ("cylinder", "capsule"):
                    half = self.number(solid, "length", None, thing) / 2
                    reach.append(far + math.hypot(half, self.number(solid, "radius", None, thing)))
                else:
                    return None  # a mesh: its size is not in the file
        return max(reach, default=None)

    def joint(self, element):
        """<joint> to JointSpec."""
        name = self.name(element, "name", "joint")
        thing = f"joint '{name}'"
        kind = self.attribute(element, "type", thing)
        if kind and kind not in (*MOVING_KINDS, "fixed"):
            allowed = "revolute, continuous, prismatic or fixed expected"
            message = REFUSED_KINDS.get(kind, f"unknown joint type '{kind}': {allowed}")
            self.findings.error("joint-type", element.line, thing, message)
            kind = "fixed"
        ends = {}
        for end in ("parent", "child"):
            node = self.only(element, end, thing)
            if node is None:
                self.findings.error("missing", element.line, thing, f"there is no <{end} link=.../>")
            ends[end] = self.name(node, "link", thing) if node else ""
        place = self.placement(element, thing)
        if kind not in MOVING_KINDS:
            return JointSpec(name, "fixed", line=element.line, before=place, **ends)
        motion = self.axis(element, thing) | self.limits(element, kind, thing) | self.drive(element, thing)
        own = element.first("rdyn")
        if kind == "continuous" and own and own.attributes.get("type") == "revolute":
            kind = "revolute"                                  # without limits: URDF has no word for it
        return JointSpec(name, kind, line=element.line, before=place, **ends, **motion)

    def axis(self, element, thing):
        """Unit axis; (1, 0, 0) when there is no <axis>, as URDF has it."""
        node = self.only(element, "axis", thing)
        axis = np.array([1.0, 0.0, 0.0]) if node is None else self.vector(node, "xyz", None, 3, thing)
        length = np.linalg.norm(axis)
        if length < 1e-9:
            self.findings.error("zero-axis", node.line, thing, "the axis is zero; a direction is needed")
            return {}
        if abs(length - 1.0) > 1e-3:
            message = f"the axis has length {length:.6g}; only its direction is used"
            self.findings.warning("axis-length", node.line, thing, message)
        return {"axis": unit(axis)}

    def limits(self, element, kind, thing):
        """Position, velocity and effort limits; required but for continuous joints."""
        node = self.only(element, "limit", thing)
        if node is None:
            if kind != "continuous":
                message = f"there is no <limit>, which URDF requires for a {kind} joint"
                self.findings.error("limits-missing", element.line, thing, message)
            return {}
        limits = {key: self.limit(node, key, None, thing) for key in ("velocity", "effort")}
        if kind != "continuous":
            if not {"lower", "upper"} <= node.attributes.keys():
                message = "<limit> lacks 'lower' or 'upper', which URDF then takes as 0"
                self.findings.warning("limits-missing", node.line, thing, message)
            limits |= {key: self.limit(node, key, 0.0, thing) for key in ("lower", "upper")}
        elif self.limit(node, "lower", 0.0, thing) < self.limit(node, "upper", 0.0, thing):
            message = "a continuous joint turns without end: 'lower' and 'upper' are not used (those of revolute are)"
            self.findings.warning("limits-ignored", node.line, thing, message)
        return limits

    def drive(self, element, thing):
        """Friction of <dynamics>, the rotor of our <rdyn> element, and <mimic>."""
        values = {}
        if node := self.only(element, "dynamics", thing):
            values["viscous"] = self.number(node, "damping", 0.0, thing)
            values["coulomb"] = self.number(node, "friction", 0.0, thing)
        if node := self.only(element, "rdyn", thing):
            values["rotor_inertia"] = self.number(node, "rotor_inertia", 0.0, thing)
            values["gear_ratio"] = self.number(node, "gear_ratio", 1.0, thing)
        if node := self.only(element, "mimic", thing):
            leader = self.name(node, "joint", thing)
            ratio = self.number(node, "multiplier", 1.0, thing)
            values["mimic"] = (leader, ratio, self.number(node, "offset", 0.0, thing))
        return values
