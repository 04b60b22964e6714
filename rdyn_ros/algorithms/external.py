"""External wrenches on frames, brought to where the recursions want them."""
import numpy as np

from ..spatial import cross
from .jacobian import jacobian
from .kinematics import body_poses, frame_transform


def external_torque(model, q, f_ext):
    """Σ Jᵀ f (nv,): what wrenches {frame: (6,)} at the frames' origins, in base axes, do in the joints."""
    return sum((jacobian(model, q, name).T @ f for name, f in f_ext.items()), np.zeros(model.nv))


def body_wrenches(model, q, f_ext):
    """The same wrenches per body, at the body's origin in body axes: the `f_ext` of rnea."""
    pose, total = body_poses(model, q), [np.zeros(6)] * (model.n + 1)
    for name, f in f_ext.items():
        frame = model.frame(name)
        R, arm = pose[frame.body].R, frame_transform(model, pose, frame).p - pose[frame.body].p
        at_body = np.concatenate([R.T @ f[:3], R.T @ (f[3:] + cross(arm, f[:3]))])
        total[frame.body] = total[frame.body] + at_body
    return total
