"""A target without a solution is answered with the reason; a request that makes no sense is refused."""
import copy
import itertools
import pickle
import warnings

import numpy as np
import pytest
from scipy.optimize import minimize

from rdyn_ros import RdynError, load
from rdyn_ros.boundary import UNIT
from rdyn_ros.ik import IkResult, constants, problem
from rdyn_ros.ik._solve import CONSTANTS, FIELDS
from support.ik_arms import inside, real, six

ARMS = ["kawasaki_fs20n", "ur5_like", "arm_7r", "panda"]


def robot_of(name):
    return real(name) if name == "panda" else load(name)


@pytest.mark.parametrize("name", [*ARMS, "arm_6r", "anthropomorphic", "spherical", "cylindrical", "cartesian"])
def test_a_target_beyond_the_length_of_the_arm_is_never_told_as_timeout(name):
    robot = robot_of(name)
    robot.ik_prepare()
    places = robot.nv == 3
    T = robot.fk(inside(robot, np.random.default_rng(0), 1)[0])
    T[:3, 3] = 10.0, 0.0, 0.0
    for timeout in (1e-4, 1e-6):
        result = robot.ik(T, position_only=places, timeout=timeout)
        if name in ("spherical", "cylindrical", "cartesian"):       # their slides would reach it without limits
            assert result.reason == "limits"
            assert result.violations
            continue
        assert result.reason == "out_of_reach"
        assert result.distance > 5.0
        assert "outside the workspace" in result.message


@pytest.mark.parametrize("name", ARMS)
def test_a_far_target_is_told_out_of_reach_with_its_distance_at_once(name):
    robot = robot_of(name)
    T = robot.fk(inside(robot, np.random.default_rng(0), 1)[0])
    T[:3, 3] = 10.0, 0.0, 0.0
    result = robot.ik(T, timeout=10.0)
    assert not result
    assert (result.reason, len(result.solutions)) == ("out_of_reach", 0)
    assert 7.0 < result.distance < 10.0
    assert f"{result.distance:.4g} m" in result.message
    assert result.residual_position == pytest.approx(np.linalg.norm(robot.fk(result.q)[:3, 3] - T[:3, 3]))
    reach = max(np.linalg.norm(X[:3, 3]) for X in robot.fk(inside(robot, np.random.default_rng(1), 200)))
    assert abs(10.0 - reach - result.distance) < 0.5


@pytest.mark.parametrize("name", ARMS)
def test_absurdly_far_targets_are_answered_too_each_for_itself(name):
    robot, T = robot_of(name), np.eye(4)
    for far in (1e30, 1e100, 1e200, 1.7e308):
        T[:3, 3] = far, -far, far
        for options in ({}, {"position_only": True}, {"weights": [1, 1, 1, 0.3, 0.3, 0.3]}):
            with warnings.catch_warnings(action="error"):
                result = robot.ik(T, timeout=10.0, **options)
            assert result.reason == "out_of_reach"
            assert result.distance >= far
            assert np.isfinite(result.distance) or far > 1e308
            assert np.isfinite(result.q).all()


def test_the_distance_is_that_to_the_sphere_of_a_stretched_arm():
    robot = load("planar_2r")                               # 1.0 + 0.8 m
    for angle in (0.3, 2.0):
        T = np.eye(4)
        T[:3, 3] = 3.0 * np.cos(angle), 0.0, 3.0 * np.sin(angle)
        assert robot.ik(T, position_only=True, timeout=10.0).distance == pytest.approx(1.2, abs=1e-6)
        T[:3, 3] *= 0.05 / 3.0                              # inside the hole of 0.2 m
        assert robot.ik(T, position_only=True, timeout=10.0).distance == pytest.approx(0.15, abs=1e-6)


@pytest.mark.parametrize("name", ["arm_6r", "kawasaki_fs20n"])
@pytest.mark.parametrize("far", [4.0, 1e3])
def test_the_distance_is_the_least_that_any_joint_angles_have(name, far):
    robot, random = load(name), np.random.default_rng(5)
    for way in [(-0.292, 0.254, -0.921), (-0.0164, 0.4968, -0.8677), *random.normal(size=(4, 3))]:
        T = np.eye(4)
        T[:3, 3] = far * np.array(way) / np.linalg.norm(way)

        def distance(q, p=T[:3, 3]):
            return np.linalg.norm(robot.fk(q)[:3, 3] - p)
        least = min(minimize(distance, q, method="BFGS", options={"gtol": 1e-9}).fun
                    for q in random.uniform(-2.0, 2.0, (6, robot.nq)))
        assert robot.ik(T, timeout=10.0).distance < least + 1e-5


def test_weights_count_by_their_ratios_where_not_all_can_be_had():
    robot, T = load("kawasaki_fs20n"), np.eye(4)
    T[:3, 3] = 1.3, 0.8, 0.9
    misses = [robot.ik(T, weights=np.multiply(factor, (1, 1, 1, 0.3, 0.3, 0)), timeout=10.0).residual
              for factor in (1.0, 2.0, 1.000001)]
    assert min(misses[0]) > 0.01
    np.testing.assert_allclose(misses[1:], misses[:1] * 2, atol=1e-4)


@pytest.mark.parametrize("weights", [(1, 1, 1, 100, 100, 100), (1e-3,) * 3 + (1,) * 3, (1e-5,) * 3 + (1,) * 3])
def test_what_can_be_reached_does_not_depend_on_weights(weights):
    robot = load("kawasaki_fs20n")
    for q in inside(robot, np.random.default_rng(0), 40):
        assert robot.ik(robot.fk(q), weights=weights, timeout=10.0).success


@pytest.mark.parametrize("name", ["kawasaki_fs20n", "panda"])
def test_beyond_the_limits_is_told_with_joints_and_by_how_much(name):
    robot = robot_of(name)
    for q in inside(robot, np.random.default_rng(2), 3):
        k = 2 if name == "kawasaki_fs20n" else 3
        q[k] = robot.limits.upper[k] + 0.2
        result = robot.ik(robot.fk(q), seed=np.clip(q, robot.limits.lower, robot.limits.upper), timeout=10.0)
        if result.success:                                  # another arm shape reaches it inside
            assert (result.q <= robot.limits.upper).all()
            continue
        assert result.reason == "limits"
        assert result.violations
        assert set(result.violations) <= set(robot.joint_names)
        assert min(result.violations.values()) > 0.0
        assert next(iter(result.violations)) in result.message


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


def test_an_orientation_that_the_arm_cannot_take_is_told_apart():
    robot = load("anthropomorphic")
    T = robot.fk([0.3, 0.4, 0.5])
    T[:3, :3] = T[:3, :3] @ np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    result = robot.ik(T, timeout=10.0)
    assert result.reason == "out_of_reach"
    assert "orientation" in result.message
    assert robot.ik(T, position_only=True).success


@pytest.mark.parametrize("restarts", [0, 1, 5])
def test_a_few_starts_are_no_proof_that_limits_are_in_the_way(restarts):
    robot, random = real("panda"), np.random.default_rng(0)
    answers = [robot.ik(T, max_restarts=restarts, timeout=10.0) for T in robot.fk(inside(robot, random, 200))]
    assert sum(result.success for result in answers) > 190
    for result in answers:
        assert result.violations if result.reason == "limits" else result.success
        assert ((result.q >= robot.limits.lower) & (result.q <= robot.limits.upper)).all()


@pytest.mark.parametrize("name", ARMS)
def test_an_answer_belongs_to_the_one_who_asked(name):
    robot, far, seed = robot_of(name), np.eye(4), np.full(robot_of(name).nq, 0.1)
    far[0, 3] = 30.0
    first = robot.ik(far).q.copy()
    for given in (None, seed):
        robot.ik(far, seed=given).q[:] = 1.0
    assert (robot.ik(far).q == first).all()
    assert (seed == 0.1).all()


def test_residuals_are_those_of_the_answer():
    arm = six("0 3e-6 0.4")
    T = arm.fk(np.full(6, 0.4))
    for signs in itertools.product((1, -1), repeat=3):
        result = arm.ik(T, indices=dict(zip(("ks", "ke", "kw"), signs, strict=True)))
        if result.success:
            miss = np.linalg.norm((arm.fk(result.q) - T)[:3, 3])
            assert result.residual_position == pytest.approx(miss, abs=2e-15)
    far = np.eye(4)
    far[0, 3] = 30.0
    for method in ("closed_form", "numeric"):
        result = load("anthropomorphic").ik(far, position_only=True, method=method)
        assert result.residual == pytest.approx((28.954317, 0.0), abs=1e-5)


@pytest.mark.parametrize("built", [True, False])
def test_what_is_rigid_is_the_same_for_one_and_for_many(built, monkeypatch):
    if not built:
        monkeypatch.setattr(problem, "Solver", None)
    robot, random = load("kawasaki_fs20n"), np.random.default_rng(3)
    poses = robot.fk(inside(robot, random, 60))
    for T, scale, last in zip(poses, random.uniform(0.0, 3e-7, 60), random.uniform(0.0, 2e-6, 60), strict=True):
        T[:3, :3] *= 1.0 + scale
        T[3, 0] = last * (random.random() < 0.5)
    for k, (place, value) in enumerate([((1, 3), np.inf), ((0, 0), np.nan), ((2, 2), 1e200), ((0, 3), 1e6)]):
        poses[k], poses[k][place] = poses[20], value
    refused = robot.ik_batch(poses, timeout=20.0).reasons == "bad_input"
    assert 5 < refused.sum() < 55
    for T, bad in zip(poses, refused, strict=True):
        if bad:
            with pytest.raises(RdynError, match="no rigid pose" if np.isfinite(T).all() else "only finite"):
                robot.ik(T)
        else:
            assert robot.ik(T, timeout=20.0).reason != "bad_input"


def test_numbers_that_c_and_python_share_are_equal():
    for name, value in CONSTANTS.items():
        if name == "STATUSES":
            assert value == len(constants.STATUSES)
        elif not name.startswith("MOST"):
            assert value == (UNIT if name == "UNIT" else getattr(constants, name))
    assert {name: IkResult._fields.index(name) for name in FIELDS} == FIELDS


@pytest.mark.parametrize("options", [{"indices": {"ks": 1}}, {"axis": [0.0, 0.0, 1.0]}, {"posture": np.zeros(6)},
                                     {"weights": {"tool": [1.0] * 6}}])
def test_options_in_dicts_lists_and_arrays_are_read_once_and_again_when_they_changed(options):
    robot = load("kawasaki_fs20n")
    first = robot._ik.request(None, options)
    for _ in range(2):
        assert robot._ik.request(None, copy.deepcopy(options)) is first
    (value,) = options.values()
    if isinstance(value, dict):
        value[next(iter(value))] = -1 if "indices" in options else [0.5] * 6
    else:
        value[0] = 1.0
    assert robot._ik.request(None, options).options != first.options


def test_a_solver_that_another_thread_strikes_off_the_list_still_answers():
    class Forgetful(dict):
        def __setitem__(self, key, value):
            pass
    robot = load("ur5_like")
    robot._ik.geometry((robot.tips[0],))._solvers = Forgetful()
    assert robot.ik(robot.fk(np.full(6, 0.3)), method="numeric", timeout=10.0).success


BAD = {
    "a matrix that scales": (np.diag([2.0, 2.0, 2.0, 1.0]), {}, "rigid"),
    "a mirror": (np.diag([1.0, 1.0, -1.0, 1.0]), {}, "mirror"),
    "a wrong last row": (np.ones((4, 4)), {}, "last row"),
    "not a number": (np.full((4, 4), np.nan), {}, "nan"),
    "another shape": (np.eye(3), {}, r"\(3, 3\)"),
    "no numbers": ("somewhere", {}, "pose"),
    "no target": ({}, {}, "at least one"),
    "unknown frame": (np.eye(4), {"frame": "tip_of_the_moon"}, "no frame 'tip_of_the_moon'"),
    "seed too short": (np.eye(4), {"seed": [0.0]}, r"seed has shape \(1,\); \w+ takes \(6,\), one at a time"),
    "seed not a number": (np.eye(4), {"seed": [np.nan] * 6}, "seed"),
    "unknown option": (np.eye(4), {"fast": True}, "no option fast"),
    "no time": (np.eye(4), {"timeout": 0.0}, "timeout"),
    "time not a number": (np.eye(4), {"timeout": np.nan}, "timeout"),
    "negative tolerance": (np.eye(4), {"tolerance": -1.0}, "tolerance"),
    "axis of length 0": (np.eye(4), {"axis": (0, 0, 0)}, "axis"),
    "unknown axis": (np.eye(4), {"axis": "w"}, "'x', 'y', 'z' or three numbers"),
    "weights all 0": (np.eye(4), {"weights": [0] * 6}, "weights"),
    "weights in words": (np.eye(4), {"weights": "heavy"}, "weights"),
    "weights for nobody": (np.eye(4), {"weights": {}}, "at least one frame"),
    "weights for an unknown frame": (np.eye(4), {"weights": {"moon": [1] * 6}}, "no frame 'moon'"),
    "weights for a frame without target": (np.eye(4), {"weights": {"base": [1] * 6}}, "base, which has no target"),
    "too few weights for a frame": (np.eye(4), {"weights": {"base": [1] * 5}}, "6 finite numbers"),
    "a weight that is no number": (np.eye(4), {"weights": [np.nan] * 6}, "6 finite numbers"),
    "a posture that is too short": (np.eye(4), {"posture": [0.0]}, "6 finite numbers"),
    "an unknown posture": (np.eye(4), {"posture": "lazy"}, "'centre'"),
    "an arm angle in words": (np.eye(4), {"arm_angle": "big"}, "arm_angle must be a finite number"),
    "an arm angle for six axes": (np.eye(4), {"arm_angle": 0.3}, "only seven-axis arms"),
    "time in words": (np.eye(4), {"timeout": "1"}, "timeout must be a finite number; got '1'"),
    "a tolerance below rounding": (np.eye(4), {"tolerance": 1e-20}, "at least 1e-12"),
    "a complex pose": (np.eye(4) * (1.0 + 1e-9j), {}, "must be a pose"),
    "nothing": (None, {}, "must be a pose"),
    "seed with two axes": (np.eye(4), {"seed": np.zeros((1, 6))}, r"shape \(1, 6\)"),
    "seed in words": (np.eye(4), {"seed": "home"}, "seed must be numbers"),
    "three tolerances": (np.eye(4), {"tolerance": [1e-6] * 3}, "tolerance"),
    "frames named twice over": ({"flange": np.eye(4)}, {"frame": "flange"}, "no frame beside it"),
    "half a restart": (np.eye(4), {"max_restarts": 0.5}, "max_restarts"),
    "endless restarts": (np.eye(4), {"max_restarts": 10**30}, "from 0 to 1e"),
    "weights inside weights": (np.eye(4), {"weights": {"tool": {"tool": [1] * 6}}}, "6 finite numbers"),
    "a position that does not count": (np.eye(4), {"position_only": True, "weights": [0, 0, 0, 1, 1, 1]}, "nothing to"),
    "an axis that does not count": (np.eye(4), {"axis": "z", "weights": [1, 1, 1, 0, 0, 0]}, "one weight above 0"),
    "an axis with three weights": (np.eye(4), {"axis": "z", "weights": [1, 1, 1, 1, 1, 0]}, "one weight above 0"),
    "half an index": (np.eye(4), {"indices": {"ks": 1.7}}, "indices"),
    "two frames for one pose": (np.eye(4), {"frame": ("tool", "base")}, "no frame"),
    "a frame named twice": ({"tool": np.eye(4), None: np.eye(4)}, {}, "name a frame twice; None is tool"),
    "a frame in a tuple": (np.eye(4), {"frame": ("tool",)}, "no frame"),
    "unknown method": (np.eye(4), {"method": "magic"}, "'closed_form'"),
    "two masks": (np.eye(4), {"axis": "z", "position_only": True}, "choose one"),
    "indices without a closed form": (np.eye(4), {"axis": "z", "indices": {"ks": 1}}, "closed form"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_in_words(case):
    target, options, words = BAD[case]
    robot = load("kawasaki_fs20n")
    for solve in (robot.ik, robot.ik_all):
        with pytest.raises(RdynError, match=words):
            solve(target, **options)


def test_bad_input_is_refused_in_the_same_words_without_the_c_extension(monkeypatch):
    monkeypatch.setattr(problem, "Solver", None)
    robot = load("kawasaki_fs20n")
    for target, options, words in BAD.values():
        with pytest.raises(RdynError, match=words):
            robot.ik(target, **options)
    T = robot.fk(np.full(6, 0.3))
    for same in (T, T.tolist(), T.astype(np.float32), np.asfortranarray(T), {robot.tips[0]: T}):
        assert robot.ik(same, seed=[0] * 6, timeout=20.0).success


@pytest.mark.parametrize("name", ARMS)
def test_seeds_are_checked_whatever_finds_the_solution(name):
    robot = robot_of(name)
    T = robot.fk(np.full(robot.nq, 0.2))
    for seed in ([np.inf] * robot.nq, np.full(robot.nq, np.nan), "home", np.zeros((1, robot.nq)), [0.0]):
        for solve in (robot.ik, robot.ik_all):
            with pytest.raises(RdynError, match="seed"):
                solve(T, seed=seed)
    result = robot.ik(T, seed=[1e9] * robot.nq, timeout=10.0)
    assert result.success
    assert abs(robot.fk(result.q) - T).max() < 2e-6


def test_only_the_ratio_of_weights_counts():
    robot = real("panda")
    T = robot.fk(np.full(robot.nq, 0.2))
    weights = np.array([1.0, 1.0, 1.0, 0.3, 0.3, 0.3])
    answers = [robot.ik(T, weights=scale * weights, timeout=10.0).q for scale in (1.0, 2.0**500, 2.0**-500)]
    assert (answers[0] == answers[1]).all()
    assert (answers[0] == answers[2]).all()


@pytest.mark.parametrize("name", ARMS)
def test_targets_in_lists_and_integers_are_fine(name):
    robot = robot_of(name)
    T = robot.fk(np.full(robot.nq, 0.3))
    assert robot.ik(T.tolist(), seed=[0] * robot.nq, timeout=10.0).success
    assert robot.ik(np.asfortranarray(T), timeout=10.0).success
    assert robot.ik({robot.tips[0]: T}, timeout=10.0).success
    assert robot.ik_all(T.tolist(), seed=[0] * robot.nq, timeout=10.0).success


def test_a_result_can_be_sent_to_another_process():
    robot = load("kawasaki_fs20n")
    result = robot.ik_all(robot.fk(np.full(6, 0.3)))
    copy = pickle.loads(pickle.dumps(result))
    assert copy.indices == tuple(map(dict, result.indices))
    assert (copy.solutions == result.solutions).all()


@pytest.mark.parametrize("built", [True, False])
def test_a_robot_that_cannot_move_is_where_it_is(built, monkeypatch):
    if not built:
        monkeypatch.setattr(problem, "Solver", None)
    robot = load('<robot name="still"><link name="a"/><link name="b"><inertial><mass value="1"/><inertia ixx="1" '
                 'iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="j" type="fixed">'
                 '<parent link="a"/><child link="b"/><origin xyz="1 0 0"/></joint></robot>')
    T = robot.fk(np.zeros(0), "b")
    options = {"timeout": 20.0, "max_restarts": 2}
    assert robot.ik(T, "b", **options).success
    assert len(robot.ik_all(T, "b", **options).solutions) == 1
    assert robot.ik(np.eye(4), "b", **options).reason == "out_of_reach"
    batch = robot.ik_batch(np.stack([T, np.eye(4)]), "b", **options)
    assert batch.reasons.tolist() == ["converged", "out_of_reach"]
