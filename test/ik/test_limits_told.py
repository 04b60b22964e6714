"""A target that only joints outside their limits reach is answered with these joints, and by how much they leave."""
import numpy as np
import pytest
from scipy.optimize import minimize

from rdyn_ros import load
from rdyn_ros.ik.failure import limits, violations
from rdyn_ros.ik.options import IkOptions
from rdyn_ros.ik.rotation_error import rotation_vector
from support.ik_arms import arm_of, inside, real, robot_of, six


@pytest.mark.parametrize("method", ["closed_form", "numeric"])
def test_beyond_the_limits_is_told_with_joints_and_by_how_much(method):
    robot, told = load("kawasaki_fs20n"), 0
    lower, upper = robot.limits[:2]
    for q in inside(robot, np.random.default_rng(2), 60):
        q[1:6:2] = upper[1:6:2] + 0.3
        result = robot.ik(robot.fk(q), seed=np.clip(q, lower, upper), method=method, timeout=10.0)
        if result.success:                                  # another arm shape reaches it inside
            assert ((lower <= result.q) & (result.q <= upper)).all()
            continue
        told += 1
        assert result.reason == "limits"
        assert set(result.violations) <= set(robot.joint_names)
        assert 0.0 < max(result.violations.values()) <= 0.3 + 1e-6          # by which q itself leaves them
        assert all(f"{joint} by {excess:.4g} rad" in result.message for joint, excess in result.violations.items())
        if method == "closed_form":
            beyond = np.maximum(lower - result.q, result.q - upper)
            assert result.violations == pytest.approx({robot.joint_names[k]: beyond[k] for k in np.flatnonzero(
                beyond > 1e-6)})
    assert told > 10


def test_limits_names_the_one_joint_that_is_in_the_way():
    robot = load("planar_2r")
    q = np.array([3.12, 0.5])                               # the shoulder ends at ±3.1
    result = robot.ik(robot.fk(q), timeout=10.0)
    assert result.reason == "limits"
    assert result.violations == pytest.approx({"shoulder": 0.02}, abs=1e-5)
    assert "shoulder by 0.02" in result.message


@pytest.mark.parametrize("method", ["closed_form", "numeric"])
def test_limits_names_no_joint_that_is_outside_by_the_tolerance_only(method):
    robot = load("cartesian")
    q = robot.limits.upper + np.array([0.0, 0.0, 0.3])      # the others end where their limits do
    result = robot.ik(robot.fk(q), method=method, timeout=10.0)
    assert result.reason == "limits"
    assert result.violations == pytest.approx({"y": 0.3}, abs=1e-5)


def test_joints_that_the_tolerance_lets_outside_are_told_only_when_no_other_is():
    robot = load("planar_2r")
    geometry, upper = robot._ik.geometry((robot.model.frame().name,)), robot.limits.upper
    told = [limits(geometry, violations(geometry, upper + by), IkOptions()).violations
            for by in ([1e-7, 0.2], [1e-7, 0.0], [1e-7, 2e-6])]
    assert [*map(set, told)] == [{"elbow"}, {"shoulder"}, {"elbow"}]


@pytest.mark.parametrize("restarts", [0, 40, 100, 150])
def test_as_many_starts_are_made_as_were_asked_for(restarts):
    robot, counts = load("kawasaki_fs20n"), []
    for q in inside(robot, np.random.default_rng(2), 20):
        q[1:6:2] = robot.limits.upper[1:6:2] + 0.3
        result = robot.ik(robot.fk(q), method="numeric", max_restarts=restarts, timeout=10.0)
        counts += [result.restarts] * (result.reason == "limits")
    assert len(counts) > 3 and set(counts) == {restarts}


@pytest.mark.parametrize("restarts", [0, 1, 5])
def test_a_few_starts_are_no_proof_that_limits_are_in_the_way(restarts):
    robot, random = real("panda"), np.random.default_rng(0)
    answers = [robot.ik(T, max_restarts=restarts, timeout=10.0) for T in robot.fk(inside(robot, random, 200))]
    assert sum(result.success for result in answers) > 190
    for result in answers:
        assert result.violations if result.reason == "limits" else result.success
        assert ((result.q >= robot.limits.lower) & (result.q <= robot.limits.upper)).all()


@pytest.mark.parametrize(("name", "options"), [
    ("talos_left_arm", {}), ("panda", {}), ("arm_6r", {"position_only": True})])
def test_joints_leave_their_limits_by_little_more_than_they_have_to(name, options):
    """Judged by SLSQP, from where the target was made: the least of the largest excess over the solutions."""
    robot, ratios = arm_of(name), []
    lower, upper = (np.clip(limit, -4.0, 4.0) for limit in robot.limits[:2])
    for q in np.random.default_rng(2).uniform(lower - 0.3, upper + 0.3, (1000, robot.nq)):
        T = robot.fk(q)
        result = robot.ik(T, timeout=10.0, **options)
        if result.reason == "limits":
            ratios.append(max(result.violations.values()) / least_excess(robot, T, q, "position_only" in options))
        if len(ratios) == 12:
            break
    assert len(ratios) == 12
    assert np.median(ratios) < 1.1
    assert max(ratios) < 4.0                                # 100 where only starts all over the limits are tried


def least_excess(robot, T, q, position_only):
    """The least [rad] by which the worst joint leaves its limits that SLSQP finds from the solution q."""
    ends = np.isfinite(robot.limits.lower)
    lower, upper = robot.limits.lower[ends], robot.limits.upper[ends]

    def excess(q):
        return np.maximum(lower - q[ends], q[ends] - upper).max()

    def missed(x):
        X = robot.fk(x[:-1])
        e = X[:3, 3] - T[:3, 3]
        return e if position_only else np.concatenate([e, rotation_vector(T[:3, :3] @ X[:3, :3].T)])
    end = minimize(lambda x: x[-1], np.append(q, excess(q)), jac=lambda x: np.eye(len(x))[-1], method="SLSQP",
                   constraints=[{"type": "eq", "fun": missed},
                                {"type": "ineq", "fun": lambda x: np.append(x[:-1][ends] - lower, upper - x[:-1][ends])
                                 + x[-1]}], options={"maxiter": 200}).x
    return max(excess(end[:-1]), 1e-4) if abs(missed(end)).max() < 1e-6 else excess(q)


def test_joints_that_are_on_their_limits_are_none_that_leave_them():
    robot = robot_of(*[("0.3 0 0", "0 0 1")] * 2)               # planar, each ±3: a pose has one solution
    for beyond in np.linspace(3.01, 3.1, 40):
        result = robot.ik(robot.fk([3.0, beyond]), method="numeric", timeout=10.0)
        assert result.reason == "limits"
        assert result.violations.keys() == {"j2"}


def test_a_request_that_ends_outside_the_limits_because_its_time_is_up_says_so():
    robot, T = load("arm_7r"), np.eye(4)
    T[:3, 3] = 0.3, 0.2, 0.3
    robot.ik(T)
    result = robot.ik(T, timeout=1e-6)
    assert result.reason == "timeout"
    excess = np.maximum(robot.limits.lower - result.q, result.q - robot.limits.upper)
    assert result.violations == {name: e for name, e in zip(robot.joint_names, excess.tolist(), strict=True) if e > 0.0}
    assert result.violations


@pytest.mark.parametrize("given", [{"indices": {"ke": 1}}, {"indices": {"ke": -1}}])
def test_limits_are_told_only_when_all_arm_angles_were_sought(given):
    robot, few = load("arm_7r"), []
    for q in inside(robot, np.random.default_rng(3), 60):
        T = robot.fk(q)
        if robot.ik(T, timeout=10.0, **given).success:
            short = robot.ik(T, timeout=2e-5, **given)
            assert short.success or short.reason == "timeout"
            few += [short] * (not short.success)
    assert few
    assert all("give more time" in each.message and each.violations for each in few)


def test_limits_are_not_told_while_a_search_for_others_is_cut_short():
    robot, short = load("arm_7r"), []
    q = [-2.92311411, -0.24272682, -0.14081145, -0.00041426, 1.57736765, -2.09534521, -0.50370596]     # on limits
    seed = np.array([-2.94463499, -1.75715201, -0.18842931, 0.5517879, 0.90522196, 0.3780752, -1.67561566])
    T = robot.fk(q)
    assert robot.ik(T, seed=seed, timeout=10.0).success
    for timeout in np.geomspace(1e-5, 5e-3, 100):
        result = robot.ik(T, seed=seed, timeout=timeout)
        assert result.success or (result.reason == "timeout" and result.violations)
        short += [result] * (not result.success)
    assert short


def test_a_family_without_a_member_inside_the_limits_is_told_by_the_one_that_leaves_them_least_or_not_in_time():
    arm, told, late = six("0 0 0.4", half_range=1.5), 0, 0      # a spherical wrist
    for q in np.random.default_rng(0).uniform(-1.4, 1.4, (30, 6)):
        q[3:] = 0.3, 0.0, np.pi - 0.3                       # its first and last axis have to turn by half a turn
        T = arm.fk(q)
        for signs in np.ndindex(2, 2, 2):
            asked = {"indices": dict(zip(("ks", "ke", "kw"), (1 - 2 * s for s in signs), strict=True)), "seed": q}
            result = arm.ik(T, timeout=10.0, **asked)
            if result.reason != "limits" or abs(result.q[:3] - q[:3]).max() > 1e-6:
                continue                                    # another arm shape
            told += 1
            out = np.maximum(abs(result.q) - 1.5, 0.0)
            assert max(out[3:]) == pytest.approx(np.pi - 3.0, abs=1e-3)     # one on its limit, the other beyond
            assert result.violations == pytest.approx(
                {f"j{k + 1}": out[k] for k in np.flatnonzero(out > 1e-6)}, abs=1e-9)
            for timeout in (2e-4, 4e-4, 6e-4, 1e-3):
                short = arm.ik(T, timeout=timeout, **asked)
                late += short.reason == "timeout"
                assert short.reason == "timeout" or short.violations == pytest.approx(result.violations)
    assert told > 20 and late


@pytest.mark.parametrize("name", ["arm_6r", "arm_7r", "ur5_like"])
def test_without_a_branch_the_seed_within_the_limits_is_what_a_miss_ends_with(name):
    robot, random = load(name), np.random.default_rng(2)
    lower, upper = (np.clip(limit, -9.0, 9.0) for limit in robot.limits[:2])
    for metres in (0.3, 9.0):                               # beyond the arm, and far beyond
        T, seed = robot.fk(inside(robot, random, 1)[0]), random.uniform(2.0 * lower, 2.0 * upper)
        T[:3, 3] += metres * T[:3, 3] / np.linalg.norm(T[:3, 3]) + 0.9 * robot._ik.geometry((robot.tips[0],)).lever
        answers = [robot.ik(T, seed=seed, timeout=10.0), robot.ik_all(T, seed=seed, timeout=10.0)]
        for q in (*(each.q for each in answers), robot.ik_batch(T[None], seeds=seed).q[0]):
            np.testing.assert_array_equal(q, np.clip(seed, lower, upper))
        assert {each.reason for each in answers} == {"out_of_reach"}
