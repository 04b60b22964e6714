"""Forces and moments in the joints, in link and base axes (source 001, 8.1 to 8.3), and statics (8.5)."""
import numpy as np

from .kinematics import body_poses
from .rnea import joint_wrenches, rnea


def joint_reactions(model, q, qd, qdd, f_ext=None, axes="local"):
    """Wrench (n, 6) that each joint transmits to its link: force [N], moment [N m] about the link's origin.

    One row per moving body, in the axes of the link (`local`) or of the base; `f_ext` as for rnea. The rotor
    inertia acts inside the drive and is not part of what the bearing carries. The base feels minus the first
    rows.
    """
    f = joint_wrenches(model, q, qd, qdd, f_ext=f_ext)
    if axes == "local":
        return np.array(f[1:]).reshape(model.n, 6)
    pose = body_poses(model, q)
    turned = [np.concatenate([pose[i].R @ f[i][:3], pose[i].R @ f[i][3:]]) for i, _ in model.edges]
    return np.array(turned).reshape(model.n, 6)


def static_torque(model, q, f_ext=None):
    """Drive torques (nv,) that hold the robot still under gravity and external wrenches (source 001, 8.5)."""
    still = np.zeros(model.nv)
    return rnea(model, q, still, still, f_ext=f_ext)
