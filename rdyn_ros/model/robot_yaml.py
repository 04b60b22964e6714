"""YAML robot file -> Description: the three styles of placement, inertia as numbers or as parts."""
import json
from functools import cache
from importlib.resources import files
from itertools import islice

import numpy as np

from ..spatial import rotation_rpy, tensors
from .description import IDENTITY, Description, JointSpec, LinkSpec
from .parts import frozen_rotation
from .placements import denavit_hartenberg, installation, origin, unit
from .tree import GRAVITY
from .yaml_text import dotted, parse_yaml

ZERO = (0.0, 0.0, 0.0)
MAX_ERRORS = 100
STYLES = ("origin", "installation", "dh")


@cache
def validator():
    """Validator of robot files, from the schema shipped with the package."""
    from jsonschema import Draft202012Validator  # a tenth of a second that URDF does not need
    schema = files(__package__).joinpath("schema/robot.schema.json").read_text()
    return Draft202012Validator(json.loads(schema))


def read_yaml(text, findings):
    """Description of the robot in a YAML text; None, with findings, when it does not follow the schema."""
    data, lines = parse_yaml(text, findings)
    if findings.errors:
        return None
    told = dict.fromkeys((tuple(error.absolute_path), explain(error))           # several may say the same
                         for error in islice(validator().iter_errors(data), MAX_ERRORS))
    for path, sentence in told:
        findings.error("schema", lines[path], dotted(path) or "robot file", sentence)
    if findings.errors:
        return None
    reader = _Reader(findings, lines)
    base = data.get("base", {"name": "base"})
    links, joints = [reader.mass(base, ("base",))], []
    for index, item in enumerate(data["links"]):
        links.append(reader.mass(item, ("links", index)))
        joints.append(reader.joint(item, ("links", index)))
    for index, item in enumerate(data.get("frames", [])):
        links.append(LinkSpec(item["name"], lines["frames", index]))
        joints.append(reader.frame(item, ("frames", index)))
    return Description(data["name"], tuple(links), tuple(joints), "file", findings.where,
                       tuple(data.get("gravity", GRAVITY)), tuple(data.get("tips", ())),
                       data.get("floating_base", False))


def explain(error):
    """What a schema error means: the value given and what is allowed."""
    given = repr(error.instance)
    given = given if len(given) <= 60 else given[:57] + "..."
    if error.validator == "required":
        missing = [f"'{key}'" for key in error.validator_value if key not in error.instance]
        return f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing"
    if error.validator == "additionalProperties":
        allowed = error.schema["properties"]
        unknown = [key for key in error.instance if key not in allowed]
        names = "', '".join(map(str, unknown))
        return f"unknown key{'s' if len(unknown) > 1 else ''} '{names}'; allowed are {', '.join(allowed)}"
    return f"{given} given; allowed is {error.schema.get('description', error.message)}"


def radians(angle):
    """An angle [rad] given as a number [rad] or as text such as "90 deg"."""
    return np.deg2rad(float(angle.removesuffix(" deg"))) if isinstance(angle, str) else float(angle)


class _Reader:
    """Items that follow the schema, to specs; what the schema cannot tell becomes a finding."""

    def __init__(self, findings, lines):
        self.findings, self.lines = findings, lines

    def mass(self, item, path):
        """LinkSpec with the inertia given as numbers or composed from parts."""
        name, line = item["name"], self.lines.get(path)
        if self.only_one(item, ("inertia", "parts"), path) == "parts":
            return LinkSpec(name, line, *tensors.compose([part_mass(part) for part in item["parts"]]))
        if "inertia" not in item:
            return LinkSpec(name, line)
        given = item["inertia"]
        J = matrix(given["tensor"])
        if "rpy" in given:
            J = tensors.rotate_tensor(J, turn(given["rpy"]))
        return LinkSpec(name, line, float(given["mass"]), np.array(given["com"], dtype=float), J)

    def joint(self, item, path):
        """JointSpec of a link's joint, placed in one of the three styles."""
        joint, style = item["joint"], self.only_one(item, STYLES, path)
        before, after = self.placement(item, style)
        line, thing = self.lines[*path, "joint"], f"joint '{joint['name']}'"
        spec = {"name": joint["name"], "kind": joint["type"], "parent": item["parent"], "child": item["name"],
                "line": line, "before": before, "after": after}
        if joint["type"] == "fixed":
            for key in joint.keys() - {"name", "type"}:
                place = self.lines[*path, "joint", key]
                self.findings.error("unused", place, thing, f"a fixed joint has no {key}")
            return JointSpec(**spec)
        if "axis" in joint and style in ("installation", "dh"):
            message = f"the {style} style has its axis along z; leave 'axis' out"
            self.findings.error("unused", self.lines[*path, "joint", "axis"], thing, message)
        axis = np.array(joint.get("axis", (0.0, 0.0, 1.0)), dtype=float)
        if np.linalg.norm(axis) < 1e-9:
            line = self.lines[*path, "joint", "axis"]
            self.findings.error("zero-axis", line, thing, "the axis is zero; a direction is needed")
            axis = np.array([0.0, 0.0, 1.0])
        given = joint.get("limits", {})
        if joint["type"] == "prismatic" and any(isinstance(value, str) for value in given.values()):
            line = self.lines[*path, "joint", "limits"]
            self.findings.error("number", line, thing, "a prismatic joint has limits in m; give numbers")
        limits = {key: radians(value) for key, value in given.items()}
        if joint["type"] == "continuous" and limits.keys() & {"lower", "upper"}:
            line = self.lines[*path, "joint", "limits"]
            self.findings.error("unused", line, thing, "a continuous joint has no lower and upper limit")
        return JointSpec(**spec, **limits, **drive(joint), axis=unit(axis))

    def frame(self, item, path):
        """Fixed JointSpec that carries a named frame."""
        before, after = self.placement(item, self.only_one(item, STYLES, path))
        name = item["name"]
        return JointSpec(f"{name} (frame)", "fixed", item["link"], name, self.lines[path], before, after)

    def placement(self, item, style):
        """(before, after) of the joint; identity when no style is given."""
        given = item.get(style)
        if style == "installation":
            return IDENTITY, installation([radians(a) for a in given["angles"]], given["length"])
        if style == "dh":
            angles = {key: radians(given[key]) for key in ("alpha", "theta")}
            return denavit_hartenberg(**{**given, **angles})
        given = given or {}
        return origin(given.get("xyz", ZERO), [radians(a) for a in given.get("rpy", ZERO)]), IDENTITY

    def only_one(self, item, keys, path):
        """Which of the keys is given; a finding when there are several."""
        given = [key for key in keys if key in item]
        if len(given) > 1:
            message = f"{' and '.join(given)} are given; only one of {', '.join(keys)} is allowed"
            self.findings.error("ambiguous", self.lines.get(path), dotted(path), message)
        return given[0] if given else None


def drive(joint):
    """Friction, rotor and mimic of a joint, as JointSpec has them."""
    rotor, mimic = joint.get("rotor", {}), joint.get("mimic")
    follow = mimic and (mimic["joint"], float(mimic.get("ratio", 1.0)), float(mimic.get("offset", 0.0)))
    friction = {key: float(value) for key, value in joint.get("friction", {}).items()}
    return friction | {"rotor_inertia": float(rotor.get("inertia", 0.0)), "mimic": follow,
                       "gear_ratio": float(rotor.get("gear_ratio", 1.0))}


def turn(rpy):
    """Rotation (3, 3) of roll, pitch, yaw given as angles of the file."""
    return frozen_rotation(rotation_rpy([radians(angle) for angle in rpy]))


def matrix(tensor):
    """Symmetric (3, 3) of a mapping with xx, yy, zz and products that are 0 when left out."""
    xx, xy, xz, yy, yz, zz = (float(tensor.get(key, 0.0)) for key in ("xx", "xy", "xz", "yy", "yz", "zz"))
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def part_mass(part):
    """MassProperties of a placed cylinder (along z), box, sphere or point, in link axes."""
    mass = float(part["mass"])
    tensor = {
        "cylinder": lambda: tensors.cylinder(mass, part["radius"], part["length"]),
        "box": lambda: tensors.box(mass, *part["size"]),
        "sphere": lambda: tensors.sphere(mass, part["radius"]),
        "point": lambda: tensors.point(mass),
    }[part["shape"]]()
    tensor = tensors.rotate_tensor(tensor, turn(part.get("rpy", ZERO)))
    return tensors.MassProperties(mass, np.array(part.get("xyz", ZERO), dtype=float), tensor)
