"""Many targets at once, and joint velocities for a twist."""
import pickle

import numpy as np
import pytest

from rdyn_ros import RdynError, load
from rdyn_ros.ik import damped_velocity
from support.ik_arms import HALF, inside, real, robot_of, six


@pytest.mark.parametrize("name", ["kawasaki_fs20n", "arm_7r", "ur5_like", "panda"])
def test_a_batch_answers_every_target_like_a_single_request(name):
    robot = real(name) if name == "panda" else load(name)
    q = inside(robot, np.random.default_rng(1), 40)
    T = robot.fk(q)
    batch = robot.ik_batch(T, seeds=q[0], timeout=10.0)
    assert batch.success.all()
    assert set(batch.reasons) <= {"converged", "singular"}
    assert abs(robot.fk(batch.q) - T).max() < 2e-6
    assert ((batch.q >= robot.limits.lower) & (batch.q <= robot.limits.upper)).all()
    single = np.array([robot.ik(t, seed=q[0], timeout=10.0).q for t in T])
    np.testing.assert_allclose(batch.q, single, atol=1e-6)


def test_a_numeric_batch_without_seeds_answers_like_single_requests():
    robot = real("panda")
    T = robot.fk(inside(robot, np.random.default_rng(4), 60))
    T[7, 0, 0] = np.nan
    T[8, :3, 3] = 9.0
    batch = robot.ik_batch(T, timeout=10.0)
    assert batch.reasons[[7, 8]].tolist() == ["bad_input", "out_of_reach"]
    for i in set(range(60)) - {7}:
        one = robot.ik(T[i], timeout=10.0)
        np.testing.assert_allclose(batch.q[i], one.q, atol=1e-6)        # lanes round otherwise than one search alone
        assert (batch.success[i], batch.reasons[i]) == one[:2]
        assert (batch.iterations[i], batch.restarts[i]) == (one.iterations, one.restarts)


@pytest.mark.parametrize("options", [
    {}, {"position_only": True}, {"axis": "z"}, {"weights": (1, 1, 1, 0.5, 0.2, 0)}, {"posture": "centre"},
    {"tolerance": 1e-9}, {"max_restarts": 0}], ids=str)
@pytest.mark.parametrize("name", ["panda", "ur5_like", "walker", "kawasaki_fs20n", "cylindrical"])
def test_searches_side_by_side_end_where_each_would_alone(name, options):
    """Also across half a turn, on walls, after failed starts, with slides and several frames."""
    robot = real(name) if name == "panda" else load(name)
    frames = ("left_hand", "right_hand") if name == "walker" else robot.tips[:1]
    q = inside(robot, np.random.default_rng(8), 30)
    T, options = {frame: robot.fk(q, frame) for frame in frames}, {"method": "numeric", "timeout": 60.0, **options}
    batch = robot.ik_batch(T, **options)
    apart = 0
    for i in range(len(q)):
        one = robot.ik({frame: T[frame][i] for frame in frames}, **options)
        assert (batch.success[i], batch.reasons[i]) == (one.success, one.reason)
        apart += abs(batch.q[i] - one.q).max() > 1e-4       # rounding may lead to another solution
        if one.success:
            assert max(batch.residual_position[i], batch.residual_rotation[i]) <= 1e-6
            assert ((batch.q[i] >= robot.limits.lower) & (batch.q[i] <= robot.limits.upper)).all()
    assert apart <= 1


def test_an_answer_does_not_depend_on_what_is_asked_beside_it():
    robot = real("panda")
    T = robot.fk(inside(robot, np.random.default_rng(9), 23))
    T[5, :3, 3] = 9.0                                       # out of reach, found at once
    whole = robot.ik_batch(T, timeout=20.0)
    order = np.random.default_rng(1).permutation(23)
    for rows in (order, order[:1], order[3:8]):
        part = robot.ik_batch(T[rows], timeout=20.0)
        for name in ("q", "reasons", "residual_position", "iterations", "restarts"):
            assert (getattr(part, name) == getattr(whole, name)[rows]).all(), name


@pytest.mark.parametrize("robot", [load("ur5_like"), load("arm_7r"), six("0 3e-7 0.4")], ids=lambda robot: robot.name)
@pytest.mark.parametrize("options", [{}, {"indices": {"ke": 1}}])
def test_a_batch_by_closed_form_is_as_exact_and_tells_the_same_as_single_requests(robot, options):
    q = inside(robot, np.random.default_rng(5), 30)
    q[::3, 4] = 0.0                                         # where the wrists of six axes are singular
    T = robot.fk(q)
    batch, single = robot.ik_batch(T, seeds=q, timeout=10.0, **options), [
        robot.ik(t, seed=seed, timeout=10.0, **options) for t, seed in zip(T, q, strict=True)]
    assert batch.reasons.tolist() == [result.reason for result in single]
    for k, result in enumerate(single):
        np.testing.assert_allclose(batch.q[k], result.q, atol=1e-6)
        if result.success:
            assert abs(robot.fk(batch.q[k]) - T[k]).max() < (1e-10 if result.reason == "converged" else 1e-6)
    assert robot.nq == 7 or "singular" in batch.reasons


@pytest.mark.parametrize("name", ["kawasaki_fs20n", "panda", "walker"])
def test_every_row_of_a_batch_tells_what_a_single_request_tells(name):
    robot = real(name) if name == "panda" else load(name)
    frames = ("left_hand", "right_hand") if name == "walker" else robot.tips[:1]
    q = inside(robot, np.random.default_rng(6), 6)
    q[3] += 0.4                                             # perhaps outside the limits
    T = {frame: robot.fk(q, frame) for frame in frames}
    T[frames[0]][4, 0, 3] += 9.0
    T[frames[0]][5, 0, 0] = np.nan
    batch = pickle.loads(pickle.dumps(robot.ik_batch(T, seeds=q[0], timeout=10.0)))
    for i in range(5):
        one = robot.ik({frame: T[frame][i] for frame in frames}, seed=q[0], timeout=10.0)
        assert (batch.success[i], batch.reasons[i], batch.messages[i]) == (one.success, one.reason, one.message)
        np.testing.assert_allclose(batch.q[i], one.q, atol=1e-6)
        assert batch.indices[i] == (dict(one.indices[0]) if one.indices else {})
        assert (batch.distance[i], batch.iterations[i], batch.restarts[i]) == (
            one.distance, one.iterations, one.restarts)
        assert batch.violations[i] == one.violations
        assert batch.method[i] == one.method == ("numeric" if name != "kawasaki_fs20n" else "closed_form")
        assert 0.0 < batch.time[i] < 10.1
    assert batch.reasons[4:].tolist() == ["out_of_reach", "bad_input"]
    assert batch.distance[4] > 5.0
    assert "nan" in batch.messages[5]
    assert batch.method[5] == ""


def test_a_batch_tells_by_which_method_each_row_was_answered():
    exact, arm = six("0 0 0.4"), six("0 3e-7 0.4")          # poses that the second reaches only nearly
    Q = np.random.default_rng(7).uniform(-3.0, 3.0, (200, 6))
    Q[:, 4] = 0.0
    T = exact.fk(Q)
    batch = arm.ik_batch(T, seeds=Q)
    assert batch.method.tolist() == [arm.ik(pose, seed=q).method for pose, q in zip(T, Q, strict=True)]
    assert {*batch.method} == {"closed_form", "numeric"}
    assert {*arm.ik_batch(T[:5], seeds=Q[:5], method="numeric").method} == {"numeric"}


def test_a_batch_is_printed_as_one_line():
    robot = load("kawasaki_fs20n")
    T = np.stack([robot.fk(np.full(6, 0.3))] * 3 + [np.zeros((4, 4))])
    T[0, :3, 3] = 9.0
    batch = robot.ik_batch(T)
    assert str(batch) == "2 of 4 solved: converged 2, out_of_reach 1, bad_input 1"
    assert str(robot.ik_batch(T[:0])) == "0 of 0 solved"


def test_a_batch_of_nothing_is_answered_with_nothing():
    for robot in (real("panda"), load("kawasaki_fs20n")):
        batch = robot.ik_batch(np.zeros((0, 4, 4)))
        assert batch.q.shape == (0, robot.nq)
        assert batch.success.shape == (0,)


def test_a_row_that_no_branch_reaches_takes_nothing_over_from_another_robot():
    many, one = load("kawasaki_fs20n"), load("cartesian")
    q = inside(many, np.random.default_rng(3), 20)
    many.ik_batch(many.fk(q), seeds=q)                      # the last answer is of some branch that `one` has not
    T = np.tile(np.eye(4), (3, 1, 1))
    T[:, :3, 3] = 100.0
    batch = one.ik_batch(T, position_only=True, method="closed_form")
    assert not batch.success.any()


def test_a_bad_row_does_not_spoil_the_batch():
    robot = load("kawasaki_fs20n")
    T = robot.fk(inside(robot, np.random.default_rng(2), 4))
    T[1, 0, 0] = np.nan
    T[2, :3, 3] = 9.0
    batch = robot.ik_batch(T, timeout=10.0)
    assert batch.reasons.tolist() == ["converged", "bad_input", "out_of_reach", "converged"]
    assert batch.success.tolist() == [True, False, False, True]
    with pytest.raises(RdynError, match="N, 4, 4"):
        robot.ik_batch(np.eye(4))
    with pytest.raises(RdynError, match="N, 4, 4") as refusal:
        robot.ik_batch([T[0], None])
    assert len(str(refusal.value)) < 160 and "\n" not in str(refusal.value)
    with pytest.raises(RdynError, match="have 3 and 4 targets"):
        robot.ik_batch({"tool": T, "base": T[:3]})
    for given, words in (({"frame": ("tool", "base")}, "no frame"), ({"seeds": 0.3}, r"\(6,\) or \(4, 6\)"),
                         ({"seeds": np.zeros((4, 1))}, r"shape \(4, 1\)"), ({"seeds": "home"}, "'home'"),
                         ({"seed": np.zeros(6)}, "of ik_batch its name is seeds")):
        with pytest.raises(RdynError, match=words):
            robot.ik_batch(T, **given)


ROBOT = load("arm_7r")
Q = np.array([0.4, 0.7, -0.3, -1.2, 0.5, 0.9, 0.2])
TWIST = np.array([0.1, -0.05, 0.02, 0.1, 0.0, -0.1])


def test_away_from_singularities_the_twist_is_exact():
    answer = ROBOT.ik_velocity(Q, TWIST)
    assert (answer.scale, answer.damping) == (1.0, 0.0)
    np.testing.assert_allclose(ROBOT.jacobian(Q) @ answer.qd, TWIST, atol=1e-12)
    np.testing.assert_allclose(answer.achieved, TWIST, atol=1e-12)


@pytest.mark.parametrize(("name", "floating"), [("quadruped", False), ("quadruped", True), ("walker", False),
                                                ("tree_6", False), ("planar_2r", False)])
def test_every_frame_of_a_tree_moves_by_least_squares_and_nothing_else_does(name, floating):
    robot, random = load(name, floating_base=floating), np.random.default_rng(0)
    free, exact = np.arange(robot.nv) >= 6 * floating, 0
    for frame in robot.frame_names:
        q, twist = robot.integrate(robot.neutral(), random.uniform(-1.0, 1.0, robot.nv)), random.normal(size=6)
        answer, J = robot.ik_velocity(q, 1e-3 * twist, frame), robot.jacobian(q, frame) * free
        np.testing.assert_allclose(answer.achieved, J @ answer.qd, atol=1e-15)
        assert not answer.qd[~J.any(axis=0)].any()
        metres = np.repeat([1.0 / robot._ik.geometry((frame,)).lever, 1.0], 3)
        missed = metres * (answer.achieved - 1e-3 * twist)
        assert np.linalg.norm(missed) <= np.linalg.norm(1e-3 * metres * twist) * (1.0 + 1e-12)
        if answer.damping == 0.0 and J.any():               # then nothing that joints can do makes it less
            assert answer.scale == 1.0
            assert abs((metres[:, None] * J).T @ missed).max() < 1e-14
            exact += 1
    assert exact > 0


def test_near_a_singularity_velocities_stay_calm_and_damping_fades_in():
    stretched = np.array([0.4, 0.7, 0.0, 0.0, 0.0, 0.0, 0.2])
    J = ROBOT.jacobian(stretched)
    exact = np.linalg.pinv(ROBOT.jacobian(stretched + [0, 0, 0, 1e-4, 0, 0, 0])) @ TWIST
    answer = damped_velocity(J, TWIST, np.full(7, np.inf))
    assert answer.damping > 0.04
    assert abs(answer.qd).max() < 10.0 < abs(exact).max()
    dampings = [ROBOT.ik_velocity(stretched + [0, 0, 0, bend, 0, bend, 0], TWIST).damping
                for bend in (0, 0.03, 0.1, 0.5)]
    assert dampings == sorted(dampings, reverse=True)
    assert dampings[-1] == 0.0


def sized(scale):
    """Six axes with a spherical wrist in another size."""
    turned = {k: ["revolute", f"{sign}{HALF} 0 0"] for k, sign in ((1, ""), (3, ""), (4, "-"), (5, ""))}
    steps = np.array([[0, 0, 0.3], [0.1, 0, 0], [0.5, 0, 0], [0.05, 0, 0], [0, 0, 0.4], [0, 0, 0]]) * scale
    return robot_of(*((" ".join(map(str, step)), "0 0 1", *turned.get(k, [])) for k, step in enumerate(steps)))


@pytest.mark.parametrize("q", [[0.3, -0.4, 1.2, 0.6, 1.0, 0.8], [0.3, -0.4, 1.2, 0.6, 0.02, 0.8],
                               [0.3, -0.4, 1.2, 0.6, 0.0, 0.8]], ids=["free", "near a singularity", "singular"])
def test_the_size_of_an_arm_does_not_count(q):
    answers = {}
    for scale in (1.0, 0.1, 10.0):
        metres = np.repeat([scale, 1.0], 3)
        robot, twist = sized(scale), metres * [0.02, 0.0, 0.01, 0.0, 0.03, 0.0]
        answers[scale] = robot.ik_velocity(q, twist)
        assert (answers[scale].damping == 0.0) == (q[4] == 1.0)
        np.testing.assert_allclose(answers[scale].qd, answers[1.0].qd, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(answers[scale].achieved, metres * answers[1.0].achieved, atol=1e-9 * scale)
        if q[4] == 1.0:
            np.testing.assert_allclose(answers[scale].achieved, twist, atol=1e-12 * scale)
        assert abs(answers[scale].qd).max() < 0.5           # without damping 4.3 near the singularity


def test_neither_does_that_of_an_arm_with_slides():
    J, limit = np.random.default_rng(0).normal(size=(6, 7)), np.full(7, np.inf)
    slides = np.arange(7) == 2
    J[3:, slides] = 0.0
    for smallest in (0.05, 10.0):                           # without damping, with damping
        plain = damped_velocity(J, TWIST, limit, np.ones(7), 1.0, smallest)
        for scale in (0.01, 100.0):
            metres, joints = np.repeat([scale, 1.0], 3), np.where(slides, scale, 1.0)
            scaled = damped_velocity(metres[:, None] * J / joints, metres * TWIST, limit, joints, scale, smallest)
            np.testing.assert_allclose(scaled.qd, joints * plain.qd, rtol=1e-9, atol=1e-12)
            assert scaled.damping == pytest.approx(plain.damping)


def test_velocity_limits_slow_the_motion_but_keep_its_direction():
    answer = ROBOT.ik_velocity(Q, 100.0 * TWIST)
    assert answer.scale < 1.0
    assert (abs(answer.qd) <= ROBOT.limits.velocity * (1.0 + 1e-12)).all()
    np.testing.assert_allclose(answer.achieved, answer.scale * 100.0 * TWIST, atol=1e-9)


def test_free_motion_follows_the_null_space_term_without_disturbing_the_task():
    towards = np.array([0.1, 0.0, 0.3, 0.0, -0.2, 0.0, 0.0])
    plain, moved = ROBOT.ik_velocity(Q, TWIST), ROBOT.ik_velocity(Q, TWIST, towards=towards)
    np.testing.assert_allclose(moved.achieved, plain.achieved, atol=1e-12)
    assert towards @ moved.qd > towards @ plain.qd + 1e-3
    assert (abs(moved.qd) <= ROBOT.limits.velocity).all()


def test_bad_velocity_requests_are_refused():
    with pytest.raises(RdynError, match=r"twist has shape \(2,\); \w+ takes \(6,\)$"):
        ROBOT.ik_velocity(Q, [1.0, 2.0])
    with pytest.raises(RdynError, match=r"q has shape \(2, 7\); \w+ takes \(7,\), one at a time"):
        ROBOT.ik_velocity([Q, Q], TWIST)
    with pytest.raises(RdynError, match="too large"):
        ROBOT.ik_velocity(Q, [1e308, 0, 0, 0, 0, 0])


def test_a_robot_without_joints_has_a_velocity_of_none():
    none = load("<robot name='none'><link name='base'/></robot>")
    assert none.ik_velocity([], [0.1, 0, 0, 0, 0, 0], towards=[]).qd.shape == (0,)
    with pytest.raises(RdynError, match="towards"):
        ROBOT.ik_velocity(Q, TWIST, towards=[np.nan] * 7)
