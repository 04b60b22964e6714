"""A chain of joints as screws in the base: all geometry that inverse kinematics needs.

At joint positions q the frame stands at T = e1(q1) … en(qn) · home, where e turns about (or slides along) the joint's
axis as it lies in the base at q = 0 (product of exponentials: Murray, Li, Sastry, ch. 3).
"""
from typing import NamedTuple

import numpy as np

from ..spatial import pose_matrix, rodrigues


class Screw(NamedTuple):
    """Axis of a joint at q = 0 in base axes: direction h, a point p on it [m], and whether it turns or slides."""

    h: tuple
    p: tuple
    turns: bool


class Chain(NamedTuple):
    """Screws from the base to a frame, the coordinate of q that drives each, and the frame's pose (4, 4) at q = 0."""

    screws: tuple
    coordinates: tuple
    home: np.ndarray


def chain_to(model, frame=None):
    """Chain from the base to a frame, or None when a floating base or a mimic joint lies between."""
    frame = model.frame(frame)
    R, p, screws, coordinates = np.eye(3), np.zeros(3), [], []
    for i in np.flatnonzero(model.path[frame.body]):
        body = model.bodies[i]
        if i == 0:
            continue
        if body.joint.kind == "floating" or body.joint.mimic is not None:
            return None
        p, R = p + R @ body.p, R @ body.R
        h = R @ body.joint.axis
        screws.append(Screw(tuple(map(float, h)), tuple(map(float, p)), body.joint.kind != "prismatic"))
        coordinates.append(model.q_slice[i].start)
    return Chain(tuple(screws), tuple(coordinates), pose_matrix(R @ frame.R, p + R @ frame.p))


def chain_pose(chain, q):
    """Pose (4, 4) of the frame at joint positions q (n,)."""
    T = np.eye(4)
    for (h, p, turns), x in zip(chain.screws, q, strict=True):
        R = rodrigues(np.array(h), x) if turns else np.eye(3)
        T = T @ pose_matrix(R, p - R @ p if turns else x * np.array(h))
    return T @ chain.home


def parallel(a, b, tolerance):
    """Whether the directions of two screws agree but for the sign [rad]."""
    return np.linalg.norm(np.cross(a.h, b.h)) < tolerance


def meeting_point(screws, tip, tolerance):
    """A point (3,) that turning about the axes leaves where it is; the tip when there are none, None without one."""
    if len(screws) < 2:
        return screws[0].p if screws else tip
    return intersection(screws, tolerance)


def intersection(screws, tolerance):
    """The point (3,) that all axes pass, or None: the least-squares point when it misses none by the tolerance [m]."""
    planes = [np.eye(3) - np.outer(s.h, s.h) for s in screws]
    total = sum(planes)
    if np.linalg.eigvalsh(total)[0] < tolerance:
        return None
    point = np.linalg.solve(total, sum(P @ s.p for P, s in zip(planes, screws, strict=True)))
    worst = max(np.linalg.norm(P @ (point - s.p)) for P, s in zip(planes, screws, strict=True))
    return point if worst < tolerance else None
