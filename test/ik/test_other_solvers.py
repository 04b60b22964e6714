"""The number of solutions is that of ik-geo and EAIK, two closed-form solvers from PyPI."""
import ik_geo
import numpy as np
import pytest
from eaik.IK_HP import HPRobot

from rdyn_ros.ik.closed_form import recognise_chain
from rdyn_ros.ik.screws import chain_pose
from support.ik_arms import PAN, WRIST, chain


def directions_and_steps(arm, meeting):
    """Axes (6, 3) and the steps (7, 3) between them at zero; both solvers want axes that meet to share a point."""
    points = np.array([meeting.get(i, s.p) for i, s in enumerate(arm.screws)] + [arm.home[:3, 3]])
    return np.array([s.h for s in arm.screws]), np.diff(points, axis=0, prepend=np.zeros((1, 3)))


def one_way(arm):
    """The arm with its second to fourth axis pointing the same way, as both solvers want parallel axes."""
    same = arm.screws[1].h
    return arm._replace(screws=tuple(s._replace(h=same) if abs(np.dot(s.h, same)) > 0.999 else s for s in arm.screws))


def distinct(found, arm, T):
    """How many configurations really reach T and differ."""
    found = [np.array(q) for q in found if abs(chain_pose(arm, q) - T).max() < 1e-8]
    new = [q for k, q in enumerate(found)
           if all(abs(np.angle(np.exp(1j * (q - other)))).max() > 1e-5 for other in found[:k])]
    return len(new)


def ours(arm, T):
    with np.errstate(invalid="ignore"):
        branches = recognise_chain(arm).branches(T)
    return distinct(branches[np.isfinite(branches).all(axis=1)], arm, T)


SPHERE = {3: WRIST, 4: WRIST, 5: WRIST}
CASES = {"offsets and spherical wrist": ("spherical_two_parallel", SPHERE),
         "axes 1 and 2 meet": ("spherical_two_intersecting", {0: PAN, 1: PAN, **SPHERE}),
         "axes in general position": ("spherical", SPHERE),
         "three parallel axes, the last two apart": ("three_parallel", {}),
         "three parallel axes": ("three_parallel_two_intersecting", {4: (0.8, 0.2, 0.0), 5: (0.8, 0.2, 0.0)})}


@pytest.mark.parametrize("name", CASES)
def test_as_many_solutions_as_ik_geo(name):
    arm, random = one_way(chain(name)), np.random.default_rng(1)
    kind, meeting = CASES[name]
    judge = getattr(ik_geo.Robot, kind)(*directions_and_steps(arm, meeting))
    for q in random.uniform(-3.0, 3.0, (20, 6)):
        T = chain_pose(arm, q)
        theirs = [x for x, _ in judge.get_ik(arm.home[:3, :3] @ T[:3, :3].T, T[:3, 3].copy())]   # Rᵀ: by columns
        assert ours(arm, T) == distinct(theirs, arm, T)


@pytest.mark.parametrize("name", CASES)
def test_as_many_solutions_as_eaik(name):
    arm, random = one_way(chain(name)), np.random.default_rng(2)
    judge = HPRobot(*directions_and_steps(arm, CASES[name][1]))
    for q in random.uniform(-3.0, 3.0, (20, 6)):
        T = chain_pose(arm, q)
        turned = T.copy()
        turned[:3, :3] = T[:3, :3] @ arm.home[:3, :3].T
        assert ours(arm, T) == distinct(judge.IK(turned).Q, arm, T)
