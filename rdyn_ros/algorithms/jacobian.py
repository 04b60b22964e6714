"""Jacobians of frames and their time derivatives, in base and link axes (source 001, ch. 5 and 7)."""
import numpy as np

from ..model import Frame
from ..spatial import Transform, cross
from .assemble import assemble
from .kinematics import body_poses, frame_transform


def point_jacobian(model, q, point, frame=None, axes="base"):
    """J (6, nv) of a point (3,) [m] fixed in the frame, given in its axes; else as `jacobian`."""
    on = model.frame(frame)
    return _of_frame(model, q, Frame(on.name, on.body, on.R, on.p + on.R @ point), axes)


def jacobian(model, q, frame=None, axes="base"):
    """J (6, nv): J qd = velocity of the frame's origin, rows vx vy vz wx wy wz, in base or local axes."""
    return _of_frame(model, q, model.frame(frame), axes)


def _of_frame(model, q, frame, axes):
    pose = body_poses(model, q)
    X = frame_transform(model, pose, frame)
    J = _spread(model, frame, [_column(model, pose, X.p, j) for j in _joints(model, frame)])
    return J if axes == "base" else _turn(X.R.T, J)


def jacobian_dot(model, q, qd, frame=None, axes="base"):
    """dJ/dt (6, nv) along the motion qd, in base axes or, as seen by the turning frame, in local axes.

    A column is fixed in its link j: its angular part turns with ω_j, its linear part also moves with the arm
    p_j - p between link j and the frame (source 001, 7.1 and 7.2 with the indices put right).
    """
    frame, pose = model.frame(frame), body_poses(model, q)
    v, w = _velocities(model, pose, qd)
    X = frame_transform(model, pose, frame)
    v_frame = v[frame.body] + cross(w[frame.body], X.p - pose[frame.body].p)
    columns = []
    for j in _joints(model, frame):
        linear, angular = pose[j].R @ model.S[j][:3], pose[j].R @ model.S[j][3:]
        arm, arm_dot = pose[j].p - X.p, v[j] - v_frame
        turned = cross(w[j], angular)
        columns.append(np.concatenate(
            [cross(w[j], linear) + cross(arm_dot, angular) + cross(arm, turned), turned]))
    J_dot = _spread(model, frame, columns)
    if axes == "base":
        return J_dot
    J = _spread(model, frame, [_column(model, pose, X.p, j) for j in _joints(model, frame)])
    W = w[frame.body]
    return _turn(X.R.T, J_dot - np.concatenate([cross(W, J[:3]), cross(W, J[3:])]))


def _joints(model, frame):
    return [j for j in range(1, frame.body + 1) if model.path[frame.body, j]]


def _column(model, pose, point, j):
    """Motion (6, k) that joint j gives the point, in base axes."""
    return Transform(pose[j].R, pose[j].p - point).inverse(model.S[j])


def _spread(model, frame, columns):
    every = slice(None)
    places = (model.v_slice[j] for j in _joints(model, frame))
    return assemble((6, model.nv), ((every, s, c) for s, c in zip(places, columns, strict=True)))


def _turn(R, J):
    return np.concatenate([R @ J[:3], R @ J[3:]])


def _velocities(model, pose, qd):
    """Per body the velocity of its origin and its angular velocity, in base axes."""
    v, w = [np.zeros(3)], [np.zeros(3)]
    for i, p in model.edges:
        vJ = model.S[i] @ qd[model.v_slice[i]]
        v.append(v[p] + cross(w[p], pose[i].p - pose[p].p) + pose[i].R @ vJ[:3])
        w.append(w[p] + pose[i].R @ vJ[3:])
    return v, w
