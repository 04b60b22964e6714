"""New models from old ones: payload, tool, gravity. The old model stays as it is."""
import dataclasses

import numpy as np

from ..errors import RdynError
from ..spatial import rotation_rpy
from ..spatial.tensors import MassProperties, compose, rotate_tensor
from .parts import Frame

NO_TENSOR = np.zeros((3, 3))
ROUNDING = 1e-6      # relative to the largest entry: tensors come with few digits


def with_gravity(model, gravity):
    """Gravity (3,) [m/s²] in base axes, e.g. for a robot on a wall."""
    return model.replace(gravity=_numbers("gravity", gravity, (3,)))


def with_payload(model, mass, com=(0.0, 0.0, 0.0), inertia=NO_TENSOR, frame=None):
    """A rigid mass [kg] on a frame; com (3,) [m] and inertia (3, 3) about it [kg m²] in the frame's axes."""
    frame = model.frame(frame)
    mass, com = float(_numbers("mass", mass, ())), _numbers("com", com, (3,))
    tensor = _numbers("inertia", inertia, (3, 3))
    if mass < 0 or (mass == 0 and tensor.any()):
        raise RdynError(f"payload of mass {mass} kg; give a mass > 0, or 0 and no inertia for none")
    a, b, c = np.linalg.eigvalsh(tensor)
    rounding = ROUNDING * abs(tensor).max()
    if abs(tensor - tensor.T).max() > rounding or a < -rounding or c > a + b + rounding:
        raise RdynError(f"payload inertia {tensor.tolist()} must be symmetric and positive, and no principal moment "
                        "larger than the sum of the two others")
    if mass == 0:
        return model
    body = model.bodies[frame.body]
    load = MassProperties(mass, frame.p + frame.R @ com, rotate_tensor(tensor, frame.R))
    own = [MassProperties(body.mass, body.com, body.inertia)] if body.mass > 0 else []
    with np.errstate(over="ignore", invalid="ignore"):
        mass, com, inertia = compose([*own, load])
        if not own:                         # a tensor without a mass is the same about every point
            inertia = inertia + body.inertia
    if not np.isfinite([mass, *com, *inertia.flat]).all():
        raise RdynError(f"payload of {load.mass:g} kg at {load.com.tolist()} m is beyond what numbers can hold")
    loaded = dataclasses.replace(body, mass=mass, com=com, inertia=inertia)
    return model.replace(bodies=(*model.bodies[:frame.body], loaded, *model.bodies[frame.body + 1:]))


def with_tool(model, name="tool", xyz=(0.0, 0.0, 0.0), rpy=(0.0, 0.0, 0.0), frame=None):
    """A new frame `name` at xyz [m], rpy [rad] of another frame; it becomes the default tip."""
    if not isinstance(name, str) or not name:
        raise RdynError(f"the name of a tool is {name!r}; give a word")
    if name in model.frame_names:
        raise RdynError(f"{model.name} already has a frame '{name}'; give the tool another name")
    on = model.frame(frame)
    R, p = rotation_rpy(_numbers("rpy", rpy, (3,))), _numbers("xyz", xyz, (3,))
    tool = Frame(name, on.body, on.R @ R, on.p + on.R @ p)
    return model.replace(frames=(*model.frames, tool), tips=(name, *model.tips))


def _numbers(name, value, shape):
    try:
        array = np.array(value)
        if array.dtype.kind not in "biufO":
            raise TypeError
        array = array.astype(float)
    except (TypeError, ValueError):
        raise RdynError(f"{name} must be numbers of shape {shape}; got {value!r}") from None
    if array.shape != shape or not np.isfinite(array).all():
        raise RdynError(f"{name} must be finite numbers of shape {shape}; got {value!r}")
    return array
