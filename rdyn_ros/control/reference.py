"""Streamed references: which are taken, and for how long one goes on with its velocity when no next one comes."""
import numpy as np

from ..errors import RdynError


def check_reference(reference, present, limits, step, joints):
    """Raises RdynError that names the joint when a reference is not to be followed.

    It must be within step [rad or m] of the present one and within the limits; a joint beyond them may come
    back, but go no further out.
    """
    q, qd = reference.q, reference.qd
    lower, upper = np.minimum(limits.lower, present.q), np.maximum(limits.upper, present.q)
    for i, joint in enumerate(joints):
        name, unit = joint.name, joint.unit
        distance = abs(q[i] - present.q[i])
        if not distance <= step:
            raise RdynError(f"reference of joint {name} is {distance:.4g} from the present one; at most "
                            f"{step:g} {unit} is taken: send a trajectory instead")
        if not lower[i] <= q[i] <= upper[i]:
            raise RdynError(f"reference of joint {name} is {q[i]:.4g}; its limits are {limits.lower[i]:.4g} .. "
                            f"{limits.upper[i]:.4g} {unit}: stay within")
        if not abs(qd[i]) <= limits.velocity[i]:
            raise RdynError(f"reference of joint {name} moves at {qd[i]:.4g}; its limit is "
                            f"{limits.velocity[i]:.4g} {unit}/s: move more slowly")


def patience(reference, limits, step, longest):
    """Time [s], at most longest, for which a reference may keep its velocity.

    On the way no joint moves further than step or beyond its limits.
    """
    q, qd = reference.q, reference.qd
    room = np.minimum(step, np.maximum(0.0, np.where(qd > 0.0, limits.upper - q, q - limits.lower)))
    moving = qd != 0.0
    return float(np.min(room[moving] / np.abs(qd[moving]), initial=longest))
