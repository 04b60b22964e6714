"""What the public API accepts: arguments are checked here, once, and nowhere deeper."""
from collections.abc import Mapping
from functools import update_wrapper
from numbers import Real

import numpy as np

from .errors import RdynError

UNIT = 1e-6   # how far the quaternion of a floating base may be from length 1
POSITIONS = ("q", "q0", "q1")


def vector(model, name, value, size, many=True):
    """`value` as float64 (size,) or, if `many`, with one leading batch axis, (N, size); finite."""
    try:
        array = np.asarray(value)
        if array.dtype.kind not in "biufO":
            raise TypeError
        array = np.require(np.atleast_1d(array), float, "CA")       # aligned, too: packed records are not
    except (TypeError, ValueError, OverflowError):
        raise RdynError(f"{name} must be numbers, {size} of them for {model.name}; got {value!r}") from None
    if array.ndim not in (1, 1 + many) or array.shape[-1] != size:
        raise RdynError(f"{name} has shape {array.shape}; {model.name} takes ({size},)"
                        + (f" or (N, {size})" if many else ", one at a time" if array.ndim > 1 else ""))
    if not np.isfinite(array).all():
        place = np.argwhere(~np.isfinite(array))[0].tolist()
        raise RdynError(f"{name}{place} is {array[tuple(place)]}; only finite numbers are allowed")
    return array


def state(model, **values):
    """The vectors q (nq), qd, qdd, tau, v (nv), checked, in the order given; batches must agree in length."""
    arrays = {name: vector(model, name, value, model.nq if name in POSITIONS else model.nv)
              for name, value in values.items()}
    one_length(arrays)
    if model.floating_base:
        for name in arrays.keys() & POSITIONS:
            unit_quaternion(name, arrays[name])
    return list(arrays.values())


def position(model, name, value):
    """One position q (nq,), checked."""
    q = vector(model, name, value, model.nq, many=False)
    if model.floating_base:
        unit_quaternion(name, q)
    return q


def unit_quaternion(name, q):
    """Refuses positions (nq,) or (N, nq) of a floating base whose quaternion has not length 1."""
    length = np.linalg.norm(q[..., 3:7], axis=-1).ravel()
    wrong = abs(length - 1.0) > UNIT
    if wrong.any():
        raise RdynError(f"the quaternion {name}[3:7] of the floating base has length {length[wrong][0]:g}; "
                        "it must be 1")


def one_length(arrays):
    """The {name: array} that carry a batch axis must agree in its length, which must not be 0."""
    batches = {name: len(array) for name, array in arrays.items() if array.ndim == 2}
    if len(set(batches.values())) > 1 or 0 in batches.values():
        sizes = ", ".join(f"{name} {n}" for name, n in batches.items())
        raise RdynError(f"batches have the lengths {sizes}; give one length > 0, or one vector for all")


def wrenches(model, f_ext):
    """{frame name: wrench (6,) or (N, 6)}, checked; None is no wrench."""
    if f_ext is None:
        return {}
    if not isinstance(f_ext, Mapping):
        raise RdynError(f"f_ext must be a dict of frame name: (fx fy fz tx ty tz); got {f_ext!r}")
    named = {model.frame(name).name: vector(model, f"f_ext['{name}']", f, 6) for name, f in f_ext.items()}
    if len(named) < len(f_ext):
        raise RdynError(f"f_ext names a frame twice: {', '.join(map(str, f_ext))}; None is {model.frame(None).name}")
    return named


def choice(name, value, allowed):
    """`value` when it is one of the allowed words."""
    if isinstance(value, np.ndarray) or value not in allowed:
        raise RdynError(f"{name} is {value!r}; allowed are {', '.join(map(repr, allowed))}")
    return value


def amount(name, value):
    """A finite number >= 0."""
    if not (isinstance(value, Real) and np.isfinite(value) and value >= 0):
        raise RdynError(f"{name} is {value!r}; it must be a finite number >= 0")
    return float(value)


def hybrid(model, known):
    """(qdd, tau, prescribed) from {"qdd": {joint: value}, "tau": {joint: value}}: every joint in exactly one.

    A floating base is called "base" and takes six values; when it is in neither, its tau is zero. Values may
    carry a batch axis.
    """
    names = [*(["base"] if model.floating_base else []), *model.joint_names]
    if (not isinstance(known, Mapping) or set(known) - {"qdd", "tau"}
            or not all(isinstance(given, Mapping) for given in known.values())):
        raise RdynError('known must be {"qdd": {joint: value}, "tau": {joint: value}}; got ' + repr(known))
    qdd, tau = dict(known.get("qdd", {})), dict(known.get("tau", {}))
    if model.floating_base and "base" not in qdd:
        tau.setdefault("base", np.zeros(6))
    if strange := [name for name in (*qdd, *tau) if name not in names]:
        raise RdynError(f"known names {strange[0]!r}; allowed are {', '.join(names)}")
    if wrong := [name for name in names if (name in qdd) == (name in tau)]:
        raise RdynError(f"joint '{wrong[0]}' must have its qdd or its tau given, and not both")
    filled, zero = [], {name: np.zeros(6) if name == "base" else 0.0 for name in names}
    for given in (qdd, tau):
        parts = {name: _values(model, name, given.get(name, zero[name])) for name in names}
        one_length(parts)
        batch = np.broadcast_shapes(*(part.shape[:-1] for part in parts.values()))
        filled.append(np.concatenate([np.broadcast_to(p, (*batch, p.shape[-1])) for p in parts.values()], axis=-1))
    widths = [6 if name == "base" else 1 for name in names]
    return *filled, np.repeat([name in qdd for name in names], widths)


def solvable(model, joint):
    """Refuses a robot with a joint that moves no inertia; None is a sound robot."""
    if joint is not None:
        raise RdynError(f"{model.name}: the mass matrix is singular, joint '{joint}' moves no inertia; give "
                        "its link a mass and inertia, or the joint a rotor inertia")


def finite(model, result):
    """A result, or several, when all its numbers are finite."""
    if all(np.isfinite(array).all() for array in (result if isinstance(result, tuple) else (result,))):
        return result
    raise RdynError(f"{model.name}: the result is not finite for these inputs; numbers so large have no meaning here")


def regular(model, M):
    """Refuses a mass matrix (..., nv, nv) that is singular."""
    if (np.linalg.matrix_rank(M, hermitian=True) < M.shape[-1]).any():
        raise RdynError(f"{model.name}: the mass matrix is singular at this state, some joint moves no inertia; "
                        "give every moving link a mass and inertia, or its joint a rotor inertia")


class GivingOut:
    """A method of a robot with `out`: an array, or a tuple of arrays, that takes the result."""

    def __init__(self, method):
        update_wrapper(self, method)

    def __call__(self, *arguments, out=None, **options):
        """Result of the method; `out` itself where it is given."""
        result = self.__wrapped__(*arguments, **options)
        return result if out is None else _stored(result, out)

    def __reduce__(self):
        return getattr, (self.__wrapped__.__self__, self.__name__)


def _stored(result, out):
    """Puts a result into `out`, arrays of the result's shape, and returns it."""
    results, arrays = (result, out) if isinstance(result, tuple) else ((result,), (out,))
    shapes = [np.shape(value) for value in results]
    if not isinstance(arrays, tuple) or len(arrays) != len(results) or not all(map(_takes, arrays, shapes)):
        wanted = ", ".join(map(str, shapes))
        raise RdynError(f"out must be writeable float arrays of shape {wanted}, in a tuple when there are "
                        f"several; got {out!r}")
    for value, array in zip(results, arrays, strict=True):
        array[...] = value
    return out


def _takes(array, shape):
    return (isinstance(array, np.ndarray) and array.shape == shape and array.flags.writeable
            and np.can_cast(float, array.dtype, "same_kind"))


def _values(model, name, value):
    """The six values of the base, or the one of a joint."""
    if name == "base":
        return vector(model, "known base", value, 6)
    try:
        column = np.asarray(value)[..., None]
    except ValueError:          # rows of different lengths
        column = value
    return vector(model, f"known '{name}'", column, 1)
