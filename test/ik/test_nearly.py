"""Arms that fit their class only nearly, as files with rounded numbers have them: sharp, next to the seed, labelled."""
import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from rdyn_ros import load
from rdyn_ros.ik import problem
from rdyn_ros.ik.closed_form import recognise
from support.ik_arms import distances, inside, real, robot_of, six

HALF = 0.5 * np.pi
UR = [((0, 0, 0.1), (0, 0, 0)), ((0, 0.13, 0), (HALF, 0, 0)), ((0.42, 0, 0), (0, 0, 0)), ((0.39, 0, 0), (0, 0, 0)),
      ((0, 0, 0.1), (HALF, 0, 0)), ((0, 0, 0.09), (-HALF, 0, 0))]
OFFSETS = ["0 1e-9 0.4", "0 1e-8 0.4", "0 1e-7 0.4", "0 3e-6 0.4"]   # by so much the wrist misses a point


def calibrated(off, random):
    """An arm like a UR whose every dimension is off by up to so much [m, rad]."""
    def written(numbers):
        return " ".join(repr(float(x)) for x in numbers + random.uniform(-off, off, 3))
    arm = robot_of(*((written(xyz), "0 0 1", "revolute", written(rpy)) for xyz, rpy in UR))
    assert arm.ik_class() == "three parallel axes"
    return arm


def aligned(seed, count):
    Q = np.random.default_rng(seed).uniform(-3.0, 3.0, (count, 6))
    Q[:, 4] = 0.0
    return Q


@pytest.mark.parametrize("wrist", OFFSETS)
def test_solutions_are_sharp_and_a_seed_that_is_one_is_the_answer_where_a_wrist_is_aligned(wrist):
    arm, Q = six(wrist), aligned(1, 300)
    assert arm.ik_class() == "spherical wrist"
    poses = np.array([arm.fk(q) for q in Q])
    for q, T in zip(Q, poses, strict=True):
        result = arm.ik_all(T, seed=q)
        assert (result.success, result.method) == (True, "closed_form")
        assert abs(arm.fk(result.solutions) - T).max() < 1e-10
        assert abs(result.q - q).max() <= 1e-6
        assert all(set(named) == {"ks", "ke", "kw"} for named in result.indices)
    batch = arm.ik_batch(poses, seeds=Q)
    assert batch.success.all()
    assert abs(arm.fk(batch.q) - poses).max() < 1e-10
    assert abs(batch.q - Q).max() <= 1e-6


@pytest.mark.parametrize("off", [0.0, 1e-9, 1e-8, 1e-7, 1e-6])
def test_angles_written_with_twelve_digits_cost_no_branch_of_a_straight_elbow(off):
    robot, random = real("kinova"), np.random.default_rng(7)
    assert robot._ik.geometry(("tip",)).closed_form.kind == "spherical wrist"
    for q in random.uniform([-3.0, 0.9, 0.4, -3.0, 0.6, -3.0], [3.0, 5.3, 5.8, 3.0, 5.6, 3.0], (100, 6)):
        q[2] = np.pi + off
        T = robot.fk(q)
        every = robot.ik_all(T)
        assert every.method == "closed_form"
        assert distances(every.solutions, q, True).min() < 1e-4     # rounding alone bends a straight elbow by 1e-6
        assert all(set(named) == {"ks", "ke", "kw"} for named in every.indices)
        for named in every.indices[:2]:
            one = robot.ik(T, indices=named)
            assert one.success and one.indices[0] == named


@pytest.mark.parametrize("wrist", OFFSETS)
def test_solutions_are_sharp_without_a_seed_too(wrist):
    arm = six(wrist)
    for q in aligned(2, 200):
        T = arm.fk(q)
        result = arm.ik_all(T)
        assert (result.success, result.method) == (True, "closed_form")
        assert abs(arm.fk(result.solutions) - T).max() < 1e-10


@pytest.mark.parametrize("off", [1e-8, 1e-6, 3e-6])
@pytest.mark.parametrize("elbow", [0.0, 1e-6, 1e-4])
def test_a_seed_that_is_a_solution_is_the_answer_beside_a_stretched_elbow(off, elbow):
    random = np.random.default_rng(4)
    arm = calibrated(off, random)
    for q in random.uniform(-1.5, 1.5, (100, 6)):
        q[2] = elbow
        T = arm.fk(q)
        result = arm.ik_all(T, seed=q)
        assert (result.success, result.method) == (True, "closed_form")
        assert abs(arm.fk(result.solutions) - T).max() < 1e-10
        assert abs(result.q - q).max() <= 1e-6


def test_a_solution_that_the_formulas_lose_has_the_indices_of_its_branch():
    random = np.random.default_rng(5)
    arm = calibrated(3e-6, random)
    for q in random.uniform(-1.5, 1.5, (100, 6)):
        q[1:3], q[4] = (0.5 * q[1], 1e-4), np.sign(q[4]) * (0.2 + abs(q[4]))     # not with the wrist over axis 1
        bent = q.copy()
        bent[2] = 0.1
        here, there = (arm.ik(arm.fk(x), seed=x).indices[0] for x in (q, bent))
        assert (here["ks"], here["kw"]) == (there["ks"], there["kw"])       # the elbow is the one that is stretched


def jumps(arm, joint, off, count=200):
    """How often an answer is more than ten times as far as a seed that is off a solution by up to so much [rad]."""
    random, far = np.random.default_rng(6), 0
    for q in 0.8 * inside(arm, random, count):
        q[joint] = 0.0
        seed = q + random.uniform(-off, off, arm.nv)
        result = arm.ik(arm.fk(q), seed=seed)
        assert result.success
        far += abs(result.q - seed).max() > 10.0 * off
    return far


@pytest.mark.parametrize("wrist", OFFSETS)
@pytest.mark.parametrize("off", [1e-3, 1e-2])
def test_an_arm_on_its_way_through_an_aligned_wrist_does_not_jump(wrist, off):
    assert jumps(six(wrist), 4, off) <= 10                  # where two singularities meet


@pytest.mark.parametrize("joint", [2, 4])
def test_a_calibrated_arm_does_not_jump_either(joint):
    assert jumps(calibrated(1e-6, np.random.default_rng(4)), joint, 1e-2) <= 10


@pytest.mark.parametrize("joint", [1, 3, 5])
def test_seven_axes_stay_next_to_the_seed_where_shoulder_elbow_or_wrist_are_aligned(joint):
    arm = load("arm_7r")
    angle = recognise(arm.model, arm.tips[0]).arm.angle
    assert jumps(arm, joint, 1e-3) <= 10
    for q in 0.8 * inside(arm, np.random.default_rng(7), 50):
        q[joint] = 0.0
        T, seed = arm.fk(q), q + 1e-3
        result = arm.ik(T, seed=seed)
        assert abs(arm.fk(result.solutions) - T).max() < 1e-10
        for solved in (result, arm.ik(T, seed=seed, arm_angle=result.arm_angles[0] + 0.3), arm.ik_all(T, seed=seed)):
            for q, psi in zip(solved.solutions, solved.arm_angles, strict=True):
                if joint != 3:                              # a stretched arm has any arm angle
                    assert abs(np.exp(1j * angle(q)) - np.exp(1j * psi)) < 1e-6


@pytest.mark.parametrize("tolerance", [1e-6, 1e-5, 1e-3])
def test_seven_axes_have_the_arm_angles_that_are_told_and_asked_for(tolerance):
    arm, random = load("arm_7r"), np.random.default_rng(15)
    angle = recognise(arm.model, arm.tips[0]).arm.angle

    def off(q, psi):
        return abs(np.angle(np.exp(1j * (np.array([angle(each) for each in q]) - psi)))).max(initial=0.0)
    for q in inside(arm, random, 80):
        T, psi = arm.fk(q), random.uniform(-3.0, 3.0)
        every = arm.ik_all(T, tolerance=tolerance)
        assert off(every.solutions, every.arm_angles) < 1e-6
        apart = abs(every.solutions[:, None] - every.solutions).max(axis=2)
        assert (apart + np.eye(len(apart)) > 1e-6).all()
        asked = arm.ik_all(T, arm_angle=psi, tolerance=tolerance)
        assert off(asked.solutions, asked.arm_angles) < 1e-6
        assert abs(np.angle(np.exp(1j * (np.array(asked.arm_angles) - psi)))).max(initial=0.0) < 100.0 * tolerance


@pytest.mark.parametrize("tolerance", [1e-8, 1e-10])
def test_an_aligned_wrist_is_in_reach_at_any_tolerance(tolerance):
    arm = six("0 1e-6 0.4")
    for q in aligned(9, 100):
        for seed in (q, q + 0.01, None):
            seed = None if seed is None else np.clip(seed, -3.0, 3.0)
            result = arm.ik(arm.fk(q), seed=seed, tolerance=tolerance)
            assert result.success
            assert max(result.residual) <= tolerance


def test_a_seed_on_a_limit_that_is_a_solution_is_the_answer_though_a_branch_outside_is_beside_it():
    arm = six("0 1e-8 0.4")
    for k, q in enumerate(aligned(10, 200)):
        q[3 + 2 * (k % 2)] = 3.0
        assert abs(arm.ik(arm.fk(q), seed=q).q - q).max() <= 1e-6


def test_a_seed_within_the_tolerance_gives_way_to_the_solution_near_it():
    arm = load("kawasaki_fs20n")
    for q in 0.8 * inside(arm, np.random.default_rng(11), 200):
        q[4] = 1e-5
        T, seed = arm.fk(q), q + [0.0, 0.0, 0.0, 0.03, 0.0, -0.03]
        result = arm.ik(T, seed=seed)
        assert (result.method, max(result.residual) < 1e-10) == ("closed_form", True)


def test_a_solution_that_the_formulas_lose_is_found_by_its_indices():
    random = np.random.default_rng(12)
    arm = calibrated(1e-6, random)
    found = 0
    for q in random.uniform(-1.5, 1.5, (200, 6)):
        q[2] = 1e-3
        T = arm.fk(q)
        result = arm.ik(T, seed=q)
        again = arm.ik(T, seed=q, indices=result.indices[0])
        found += again.success and abs(again.q - result.q).max() < 1e-6
    assert found >= 195                                     # beside other singularities indices change


def test_given_indices_are_kept_where_the_formulas_only_come_near():
    arm = six("0 1e-8 0.4")
    for q in aligned(3, 100):
        T = arm.fk(q)
        indices = arm.ik(T, seed=q).indices[0]
        result = arm.ik(T, seed=q, indices=indices)
        assert (result.success, dict(result.indices[0])) == (True, dict(indices))
        assert max(result.residual) < 1e-6
        if result.method == "closed_form":
            assert abs(arm.fk(result.solutions) - T).max() < 1e-10


def test_a_pose_that_only_the_class_reaches_is_answered_to_the_tolerance_next_to_the_seed():
    exact, arm = six("0 0 0.4"), six("0 3e-7 0.4")
    vague = 0
    for q in aligned(7, 200):
        T = exact.fk(q)                                     # not quite in the workspace of the other, for this elbow
        result = arm.ik(T, seed=q)
        assert result.success
        assert max(result.residual) <= 1e-6
        assert abs(result.q[:3] - q[:3]).max() < 1e-3       # the arm stays, whatever the digits
        assert result.method == ("closed_form" if max(result.residual) <= 1e-10 else "numeric")
        vague += result.method == "numeric"
    assert vague > 0


@pytest.mark.parametrize("off", [1e-9, 1e-7, 3e-6])
def test_random_poses_are_sharp_and_complete(off):
    random = np.random.default_rng(8)
    arm = calibrated(off, random)
    for q in inside(arm, random, 300):
        T = arm.fk(q)
        result = arm.ik_all(T, seed=q)
        assert (result.success, result.method) == (True, "closed_form")
        assert abs(arm.fk(result.solutions) - T).max() < 1e-10
        assert abs(result.q - q).max() < 1e-6


def test_a_solution_that_is_only_nearly_refined_stays_beside_sharper_ones_elsewhere():
    random = np.random.default_rng(0)
    arm = six("0 1e-8 0.4")
    for q in random.uniform(-1.5, 1.5, (200, 6)):
        q[2] = arm_stretched(arm) + 1e-4 * random.choice([-1.0, 1.0])
        result = arm.ik(arm.fk(q), seed=q, timeout=10.0)
        assert result.success
        assert abs(result.q - q).max() < 0.5


def arm_stretched(arm):
    """The angle of joint 3 at which the wrist is farthest from joint 2."""
    def reach(angle):
        return -np.linalg.norm(arm.fk([0, 0, angle, 0, 0, 0], "l5")[:3, 3] - arm.fk(np.zeros(6), "l2")[:3, 3])
    return minimize_scalar(reach, bounds=(-3.0, 3.0), method="bounded", options={"xatol": 1e-12}).x


@pytest.mark.parametrize("tolerance", [1e-6, 1e-3])
@pytest.mark.parametrize("name", ["kawasaki_fs20n", "arm_6r", "arm_7r"])
def test_by_closed_form_means_exact_also_where_a_joint_is_put_on_its_limit(name, tolerance):
    arm, vague, random = load(name), 0, np.random.default_rng(13)
    for k, q in enumerate(inside(arm, random, 150)):
        joint = k // 2 % arm.nq
        q[joint] = arm.limits.upper[joint] + 0.5 * tolerance if k % 2 else arm.limits.lower[joint] - 0.5 * tolerance
        T = arm.fk(q)
        result = arm.ik_all(T, seed=q, tolerance=tolerance)
        assert ((result.solutions >= arm.limits.lower) & (result.solutions <= arm.limits.upper)).all()
        if result.success:
            first = 0 if result.method == "closed_form" else 1
            assert all(abs(arm.fk(x) - T).max() < 1e-10 for x in result.solutions[first:])
            vague += first
    assert vague or arm.nq == 7                             # which has other arm angles


@pytest.mark.parametrize("solver", ["C", "SciPy"])
def test_beside_an_exact_solution_of_an_arm_with_fewer_axes_none_only_comes_near(solver, monkeypatch):
    if solver == "SciPy":
        monkeypatch.setattr(problem, "Solver", None)
    arm = robot_of(("0 0 0.3", "0 0 1"), ("0.1 0 0", "0 1 0"), ("0.5 0 0", "0 1 0"), ("0.4 0 0.05", "1 0 0"),
                   ("0 0 0", "0 1 0"))
    assert arm.ik_class() == "arm with two wrist axes"
    for q in inside(arm, np.random.default_rng(16), 200 if solver == "C" else 10):
        q[3] = 1e-7                                         # with the other elbow the wrist misses by little
        T = arm.fk(q)
        result = arm.ik_all(T, seed=q, timeout=10.0)
        assert (result.method, abs(arm.fk(result.solutions) - T).max() < 1e-10) == ("closed_form", True)


def test_an_arm_with_fewer_axes_tells_which_poses_it_reaches_exactly():
    arm = load("ur5_like")
    arm = arm.with_tool("tip", frame=arm.model.link_names[4])
    for q in inside(arm, np.random.default_rng(14), 50):
        T = arm.fk(q)
        exact = arm.ik_all(T, seed=q)
        assert (exact.method, abs(arm.fk(exact.solutions) - T).max() < 1e-10) == ("closed_form", True)
        T[:3, 3] += 3e-7 * np.array([0.5, -0.7, 0.5])
        near = arm.ik_all(T, seed=q)
        assert near.method == ("closed_form" if max(near.residual) <= 1e-10 else "numeric")
        assert len(near.solutions) >= len(exact.solutions) - 1      # none is left out for being near only


def test_branches_that_the_formulas_lose_where_two_of_them_nearly_meet_are_found():
    robot = six("0 3e-6 0.4")                               # next to a stretched elbow, or with the wrist near axis 1
    q = np.random.default_rng(7).uniform(*robot.limits[:2], (11_000, 6))
    for k in (3108, 3254, 5023, 5661, 5968, 10873):
        result = robot.ik_all(robot.fk(q[k]), timeout=10.0)
        assert distances(result.solutions, q[k], np.ones(6, dtype=bool)).min() < 1e-6
        assert abs(robot.fk(result.solutions) - robot.fk(q[k])).max() < 1.001e-6
