"""The closed form of a frame as one flat function, to be traced and compiled."""
import numpy as np

from .recognise import recognise


def closed_form_angles(model, target, psi, near, signs, frame):
    """Angles (n,) of one branch: upper rows (12,) of a target pose, arm angle (1,), the seed's angles (n,), indices."""
    with np.errstate(invalid="ignore"):         # NaN is the answer of a branch that does not reach
        return np.array(recognise(model, frame).angles(target, *psi, near, signs))


def arm_angle(model, q, frame):
    """Arm angle (1,) [rad] of the seven-axis arm to a frame at q (nq,)."""
    form = recognise(model, frame)
    return np.array([form.arm.angle([q[i] for i in form.chain.coordinates])])
