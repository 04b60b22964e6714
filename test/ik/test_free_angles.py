"""Singular poses: angles that are free stay where the seed has them, and what is lost is told."""
import itertools
from functools import partial

import numpy as np
import pytest
from scipy.optimize import least_squares, minimize_scalar

from rdyn_ros import load
from rdyn_ros.ik import problem
from rdyn_ros.ik.closed_form import recognise, recognise_chain
from rdyn_ros.ik.explain import residuals
from rdyn_ros.ik.ranking import by_distance
from rdyn_ros.ik.result import Branches
from rdyn_ros.ik.screws import Chain, chain_pose, intersection
from rdyn_ros.ik.solver import InverseKinematics
from rdyn_ros.spatial import pose_matrix, rodrigues
from support.ik_arms import CLOSED, FRAMES, chain, distances, inside, real, six


@pytest.mark.parametrize("name", ["kawasaki_fs20n", "arm_6r", "arm_7r", "ur5_like"])
def test_where_joints_stand_at_right_angles_solutions_are_exact_and_lost_directions_told(name):
    """Where singularities meet, families of solutions reach beyond the limits, and one pivot hides another."""
    robot, random = load(name), np.random.default_rng(1)
    lower, upper = (np.clip(bound, -np.pi, np.pi) for bound in (robot.limits.lower, robot.limits.upper))
    lost = 0
    for k in range(400):
        q = np.clip(np.round(random.uniform(lower, upper) / (np.pi / 2)) * (np.pi / 2), lower, upper)
        q[random.integers(robot.nv)] = random.uniform(-1.0, 1.0) if k % 2 else 0.0
        T = robot.fk(q)
        result = robot.ik_all(T)
        assert result.success
        assert abs(robot.fk(result.solutions) - T).max() < 1e-10
        speeds = np.linalg.svd(robot.jacobian(result.solutions), compute_uv=False)
        singular, ratio = np.array(result.singular), speeds[:, -1] / speeds[:, 0]
        assert singular[ratio < 1e-9].all() and not singular[ratio > 1e-3].any()
        lost += (ratio < 1e-9).sum()
    assert lost > 100


def test_a_branch_that_ends_next_to_a_singularity_is_exact():
    robot = load("ur5_like")
    five = robot.with_tool("five", frame=robot.model.link_names[4])     # the shoulder is nearly over the base axis
    T = five.fk([0.75786942, 2.72987696, -2.77330039, -3.09034673, 1.30297377, 0.0])
    found = five.ik_all(T, method="closed_form").solutions
    assert len(found) == 2
    assert abs(five.fk(found) - T).max() < 1e-10


@pytest.mark.parametrize("name", [*CLOSED, "ur5_robot"])
@pytest.mark.parametrize("off", [0.0, 1e-15, 1e-9, 1e-8, 1e-6])
def test_an_aligned_wrist_gives_a_valid_representative_marked_singular(name, off):
    robot, random = (real if name in FRAMES else load)(name), np.random.default_rng(5)
    wrist = -2 if name not in ("ur5_like", "ur5_robot") else 4
    for q in inside(robot, random, 10):
        q[wrist] = off
        T = robot.fk(q)
        result = robot.ik_all(T, seed=q, timeout=10.0)
        assert result.success, result
        formulas = result.method == "closed_form"
        assert formulas or wrist != 4               # a spherical wrist may be out of its limits
        assert abs(robot.fk(result.solutions) - T).max() < 1e-10
        if off < 1e-6 and robot.nv == 6:            # seven axes keep all six directions
            assert any(result.singular)
            assert result.reason == ("singular" if result.singular[0] else "converged")


@pytest.mark.parametrize("name", ["ur5_like", "ur5_robot"])
@pytest.mark.parametrize("wrist", [0.0, np.pi, -np.pi])
@pytest.mark.parametrize("seeded", [True, False])
def test_an_aligned_wrist_of_three_parallel_axes_is_answered_by_the_formulas(name, wrist, seeded):
    robot = (real if name in FRAMES else load)(name)
    Q = inside(robot, np.random.default_rng(3), 500)
    Q[:, 4] = wrist
    for k, q in enumerate(Q):
        T = robot.fk(q)
        result = robot.ik_all(T, seed=q if seeded else None)
        assert (result.success, result.method) == (True, "closed_form"), q
        assert abs(robot.fk(result.solutions) - T).max() < 1e-10
        assert all(set(named) == {"ks", "ke", "kw"} for named in result.indices)
        lost = [named["ks"] for named, singular in zip(result.indices, result.singular, strict=True) if singular]
        assert lost
        if seeded:                                  # the free angle is that of the seed
            assert abs(result.q - q).max() < 1e-6
        for ke, kw in itertools.product((1, -1), repeat=2) if k < 50 else ():
            one = robot.ik(T, seed=q, indices={"ks": lost[0], "ke": ke, "kw": kw})
            assert one.reason == "singular"
            assert abs(robot.fk(one.q) - T).max() < 1e-10


def test_the_free_angle_of_an_aligned_wrist_is_followed_in_a_batch_and_read_from_the_tip():
    robot = load("ur5_like")
    Q = inside(robot, np.random.default_rng(3), 20)
    Q[:, 4] = 0.0
    assert abs(robot.ik_batch(robot.fk(Q), seeds=Q).q - Q).max() < 1e-6
    arm = chain("spherical shoulder, offset elbow")
    form = recognise_chain(arm)
    for q in np.random.default_rng(4).uniform(-3.0, 3.0, (20, 6)):
        q[1] = 0.5 * np.pi                          # axis 1 parallel to axes 3, 4 and 5
        T = chain_pose(arm, q)
        branches = form.branches(T, near=q)
        whole = branches[np.isfinite(branches).all(axis=1)]
        assert max(abs(chain_pose(arm, x) - T).max() for x in whole) < 1e-10
        assert distances(whole, q, True).min() < 1e-6


STRAIGHT = {        # elbow, and its angle in a stretched arm
    "kawasaki_fs20n": (2, -np.arctan2(0.1, 0.55)), "arm_6r": (2, -np.arctan(9.0)), "arm_7r": (3, 0.0),
    "ur5_like": (2, 0.0)}


FREE = [            # arm, joints at zero that set others free: of wrists, of a shoulder, and under a wrist over axis 1
    ("kawasaki_fs20n", [4]), ("kawasaki_fs20n", [1, 2]), ("kawasaki_fs20n", [1, 2, 4]), ("arm_6r", [4]),
    ("arm_7r", [5]), ("arm_7r", [1]), ("arm_7r", [1, 5]), ("ur5_like", [4])]


@pytest.mark.parametrize(("name", "zero"), FREE)
@pytest.mark.parametrize("straight", [False, True])
def test_a_seed_that_is_a_solution_is_the_answer_where_angles_are_free(name, zero, straight):
    robot = load(name)
    Q = inside(robot, np.random.default_rng(8), 200)
    if straight:                                    # where half of the digits of the elbow are lost
        elbow, angle = STRAIGHT[name]
        Q[:, elbow] = angle
    Q[:, zero] = 0.0
    poses = robot.fk(Q)
    batch = robot.ik_batch(poses, seeds=Q)
    assert batch.success.all()
    assert abs(batch.q - Q).max() < 1e-6
    for q, T in zip(Q, poses, strict=True):
        one, every = robot.ik(T, seed=q), robot.ik_all(T, seed=q)
        assert (one.success, one.method, every.method) == (True, "closed_form", "closed_form")
        assert abs(one.q - q).max() < 1e-6
        assert abs(every.q - q).max() < 1e-6
        assert abs(robot.fk(every.solutions) - T).max() < 1e-10


@pytest.mark.parametrize(("name", "zero"), FREE)
def test_where_angles_are_free_no_solution_comes_twice_and_each_has_its_indices(name, zero):
    robot = load(name)
    Q = inside(robot, np.random.default_rng(9), 20)
    Q[:, zero] = 0.0
    for q in Q:
        T = robot.fk(q)
        psi = robot.ik(T, seed=q).arm_angles[:1]
        at = {"arm_angle": psi[0]} if psi else {}
        every = robot.ik_all(T, seed=q, **at)
        for k, (x, named) in enumerate(zip(every.solutions, every.indices, strict=True)):
            again = robot.ik_all(T, seed=x, indices=dict(named), **at)
            assert len(again.solutions) == 1
            assert abs(again.q - x).max() < 1e-6
            assert distances(np.delete(every.solutions, k, axis=0), x, True).min(initial=1.0) > 1e-6


@pytest.mark.parametrize("name", ["kawasaki_fs20n", "arm_7r"])
def test_the_solver_in_python_keeps_free_angles_too(name, monkeypatch):
    monkeypatch.setattr(problem, "Solver", None)
    robot = load(name)
    Q = inside(robot, np.random.default_rng(8), 3)
    Q[:, -2] = 0.0
    assert abs(robot.ik_batch(robot.fk(Q), seeds=Q).q - Q).max() < 1e-6


def test_a_free_angle_of_a_spherical_wrist_is_that_of_a_seed_elsewhere_too():
    robot, random = load("kawasaki_fs20n"), np.random.default_rng(9)
    for q in inside(robot, random, 50):
        q[4] = 0.0
        seed = q + random.uniform(-0.01, 0.01, 6)
        result = robot.ik(robot.fk(q), seed=seed)
        assert result.success
        assert abs(result.q - seed).max() < 0.03


def test_a_free_angle_of_a_seed_outside_the_limits_stays_at_them():
    robot = load("kawasaki_fs20n")
    for q in inside(robot, np.random.default_rng(9), 20):
        q[[1, 2]] = 0.0                             # the wrist is over axis 1
        seed = q.copy()
        seed[0] = robot.limits.upper[0] + 0.1
        result = robot.ik(robot.fk(q), seed=seed)
        assert (result.reason, result.method) == ("singular", "closed_form")
        assert abs(result.q[0] - robot.limits.upper[0]) < 1e-9


def test_a_stretched_elbow_and_a_wrist_over_the_base_axis_give_representatives():
    robot = load("arm_7r")
    q = np.array([0.3, 0.6, 0.2, 0.0, 0.4, 0.8, 0.1])
    result = robot.ik_all(robot.fk(q), seed=q)
    assert result.reason == "singular"
    assert abs(robot.fk(result.solutions) - robot.fk(q)).max() < 1e-10
    q = np.array([0.3, 0.0, 0.2, 0.0, 0.4, 0.8, 0.1])
    result = robot.ik_all(robot.fk(q), seed=q)
    assert result.reason == "singular"
    assert abs(robot.fk(result.solutions) - robot.fk(q)).max() < 1e-10


@pytest.mark.parametrize("name", ["kawasaki_fs20n", "arm_6r"])
def test_a_wrist_over_the_first_axis_and_a_stretched_elbow_of_six_axes_give_representatives(name):
    robot = load(name)
    form = recognise(robot.model, robot.tips[0])
    wrist = intersection(form.chain.screws[3:], 1e-6)
    arm = Chain(form.chain.screws[:3], (0, 1, 2), pose_matrix(np.eye(3), wrist))
    axis, on = np.array(form.chain.screws[0].h), np.array(form.chain.screws[0].p)

    def centre(x):
        return chain_pose(arm, [0.3, *x])[:3, 3] - on
    over = least_squares(lambda x: np.cross(axis, centre(x)), [0.4, -0.9], xtol=1e-15, ftol=1e-15, gtol=1e-15)
    assert over.cost < 1e-24
    shoulder = np.array(form.chain.screws[1].p) - on
    far = minimize_scalar(lambda b: -np.linalg.norm(centre([0.0, b]) - rodrigues(axis, 0.3) @ shoulder),
                          bounds=(-2.0, 2.0), method="bounded", options={"xatol": 1e-12})
    for two, three in (over.x, (0.3, far.x)):
        q = np.array([0.3, two, three, 0.4, 0.8, 0.1])
        result = robot.ik_all(robot.fk(q), seed=q, timeout=10.0)
        assert result.success, result
        assert any(result.singular)
        assert abs(robot.fk(result.solutions) - robot.fk(q)).max() < (1e-10 if result.method == "closed_form" else 2e-6)


def test_branches_found_from_another_seed_are_told_by_the_distance_to_the_one_given():
    arm = six("0 0 0.4")
    request = InverseKinematics(arm.model).request(None, {})

    def missed(q, T):
        return residuals(request.geometry, T, q, request.options)
    for q, seed in np.random.default_rng(1).uniform(-2.0, 2.0, (50, 2, 6)):
        T = arm.fk(q)
        found = Branches._make(request.solver.branches(T, q, None, True))
        off = found.q[0] + 1e-8                             # the first comes only near
        near = found._replace(q=np.vstack([off, found.q[1:]]), sharp=False)
        for given in (found, near):
            told = by_distance(given, seed, partial(missed, T=T))
            away = np.linalg.norm(told.q - seed, axis=1)
            assert (np.diff(away) >= 0.0).all()
            assert told.sharp == (abs(arm.fk(told.q[0]) - T).max() < 1e-10)
            assert abs(arm.fk(told.q[1:]) - T).max(initial=0.0) < 1e-10
            residual = np.linalg.norm(arm.fk(told.q[0])[:3, 3] - T[:3, 3])
            assert abs(told.position - residual) < 1e-12
            assert len(told.indices) == len(told.singular) == len(told.q)
        assert len(by_distance(found, seed, lambda q: (0.0, 0.0)).q) == len(found.q)


def test_an_aligned_wrist_keeps_the_limits_at_a_given_arm_angle():
    robot, ended = load("arm_7r"), 0
    for q in inside(robot, np.random.default_rng(1), 200):
        q[5] = 0.0
        T = robot.fk(q)
        psi = robot.ik(T, seed=q).arm_angles[0]
        result = robot.ik(T, arm_angle=psi, timeout=10.0)
        assert result.success
        assert abs(robot.fk(result.q) - T).max() < 1e-10
        assert result.arm_angles[0] == pytest.approx(psi, abs=1e-6)
        short = robot.ik(T, arm_angle=psi, timeout=2e-5)
        assert short.success or short.reason == "timeout"       # nothing else, since others were not sought
        ended += not short.success
    assert ended


@pytest.mark.parametrize("psi", [0.5, -2.0, 3.0])
def test_the_arm_angle_asked_for_is_told_to_the_last_digit(psi):
    robot, told = load("arm_7r"), 0
    for q in inside(robot, np.random.default_rng(3), 20):
        result = robot.ik_all(robot.fk(q), arm_angle=psi, timeout=10.0)
        assert set(result.arm_angles) <= {psi}
        told += len(result.arm_angles)
    assert told > 20
