"""Poses, velocities and accelerations of all bodies and frames (source 001, ch. 3, 5 and 7)."""
import numpy as np

from ..spatial import Transform, cross, cross_motion, pose_matrix
from .joint_kinematics import joint_transforms


def body_poses(model, q):
    """Per body its Transform from the base: its axes R and origin p, in base axes (eq. 2.4 and 3.2)."""
    X = joint_transforms(model, q)
    pose = [Transform(np.eye(3), np.zeros(3))]
    for i, p in model.edges:
        pose.append(pose[p].then(X[i]) if p else X[i])
    return pose


def frame_transform(model, pose, frame):
    """Transform from the base to a Frame of the model, `pose` from `body_poses`."""
    return pose[frame.body].then(Transform(frame.R, frame.p))


def frame_pose(model, q, frame=None):
    """Pose (4, 4) of the named frame in the base; the default is the tip."""
    X = frame_transform(model, body_poses(model, q), model.frame(frame))
    return pose_matrix(X.R, X.p)


def frame_poses(model, q):
    """Poses (n_frames, 4, 4) of all frames in the base, in the order of model.frame_names."""
    pose = body_poses(model, q)
    placed = [frame_transform(model, pose, frame) for frame in model.frames]
    return np.array([pose_matrix(X.R, X.p) for X in placed])


def body_velocities(model, q, qd):
    """Per body its spatial velocity (6,) at its origin in its axes: v = X v_λ + S qd."""
    X, v = joint_transforms(model, q), [np.zeros(6)]
    for i, p in model.edges:
        v.append(X[i] @ v[p] + model.S[i] @ qd[model.v_slice[i]])
    return v


def body_accelerations(model, q, qd, qdd):
    """Per body v and spatial acceleration a (6,) in body axes: a = X a_λ + S qdd + v × S qd, no gravity."""
    X, v, a = joint_transforms(model, q), body_velocities(model, q, qd), [np.zeros(6)]
    for i, p in model.edges:
        s, S = model.v_slice[i], model.S[i]
        a.append(X[i] @ a[p] + S @ qdd[s] + cross_motion(v[i], S @ qd[s]))
    return v, a


def frame_velocity(model, q, qd, frame=None, axes="base"):
    """Velocity (6,) of the frame's origin, linear [m/s] then angular [rad/s], in base or local axes."""
    frame = model.frame(frame)
    v = Transform(frame.R, frame.p) @ body_velocities(model, q, qd)[frame.body]
    return v if axes == "local" else _in_base(model, q, frame, v)


def frame_acceleration(model, q, qd, qdd, frame=None, axes="base"):
    """Acceleration (6,) of the frame's origin: linear [m/s²], then angular [rad/s²], base or local axes."""
    frame = model.frame(frame)
    v, a = (Transform(frame.R, frame.p) @ x[frame.body] for x in body_accelerations(model, q, qd, qdd))
    a = np.concatenate([a[:3] + cross(v[3:], v[:3]), a[3:]])
    return a if axes == "local" else _in_base(model, q, frame, a)


def _in_base(model, q, frame, x):
    R = frame_transform(model, body_poses(model, q), frame).R
    return np.concatenate([R @ x[:3], R @ x[3:]])
