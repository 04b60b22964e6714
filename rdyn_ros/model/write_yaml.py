"""Model -> YAML robot file, to the last digit."""
import math

import numpy as np
import yaml

from ..spatial import matrix_rpy
from .flatten import flatten
from .yaml_text import FLOAT, WORDS


def write_yaml(model):
    """Text of a YAML robot file with the same bodies, joints, frames, gravity and tips as the model."""
    flat = flatten(model)
    data = {"name": model.name, "gravity": numbers(model.gravity), "floating_base": model.floating_base,
            "base": {"name": flat.root_name, **inertia(flat.root)},
            "links": [{"name": name, "parent": parent, **origin(body), "joint": joint(body.joint),
                       **inertia(body)} for name, parent, body in flat.moving],
            "frames": [{"name": frame.name, "link": link, **origin(frame)} for link, frame in flat.frames],
            "tips": list(model.tips)}
    return yaml.dump(data, Dumper=_Dumper, sort_keys=False, default_flow_style=None, width=110, allow_unicode=True)


class _Dumper(yaml.SafeDumper):
    """Quotes names that our reader would take for something else, such as 1e3 and tRUE, too."""


_Dumper.add_representer(str, lambda dumper, text: dumper.represent_scalar(
    "tag:yaml.org,2002:str", text, style="'" if FLOAT.match(text) or text.lower() in WORDS else None))


def numbers(values):
    """Plain floats of an array."""
    return [float(value) for value in values]


def origin(placed):
    """`origin` of a body or frame; nothing when it is the identity."""
    given = {"xyz": numbers(placed.p)} if np.any(placed.p) else {}
    if not np.array_equal(placed.R, np.eye(3)):
        given["rpy"] = numbers(matrix_rpy(placed.R))
    return {"origin": given} if given else {}


def inertia(body):
    """`inertia` of a body; nothing when it has no mass."""
    if body.mass == 0 and not np.any(body.inertia):
        return {}
    J = body.inertia
    tensor = {"xx": J[0, 0], "yy": J[1, 1], "zz": J[2, 2], "xy": J[0, 1], "xz": J[0, 2], "yz": J[1, 2]}
    tensor = {key: float(value) for key, value in tensor.items()}
    return {"inertia": {"mass": float(body.mass), "com": numbers(body.com), "tensor": tensor}}


def joint(spec):
    """`joint` of a link; unlimited, frictionless and the like is left out."""
    keys = ("lower", "upper", "velocity", "effort")
    limits = {key: getattr(spec, key) for key in keys if math.isfinite(getattr(spec, key))}
    friction = {key: getattr(spec, key) for key in ("viscous", "coulomb") if getattr(spec, key)}
    data = {"name": spec.name, "type": spec.kind, "axis": numbers(spec.axis)}
    data |= {"limits": limits} if limits else {}
    data |= {"friction": friction} if friction else {}
    if spec.rotor_inertia:
        data["rotor"] = {"inertia": spec.rotor_inertia, "gear_ratio": spec.gear_ratio}
    if spec.mimic:
        data["mimic"] = {"joint": spec.mimic.leader, "ratio": spec.mimic.ratio, "offset": spec.mimic.offset}
    return data
