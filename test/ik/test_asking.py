"""What may be asked, in which forms, and what the answers are made of."""
import gc
import pickle

import numpy as np
import pytest

from rdyn_ros import RdynError, load
from rdyn_ros.boundary import UNIT
from rdyn_ros.ik import IkResult, constants, problem
from rdyn_ros.ik._solve import CONSTANTS, FIELDS
from rdyn_ros.spatial import pose_matrix, rotation_rpy
from support.ik_arms import ARMS, arm_of, inside, real, robot_of


def test_numbers_that_c_and_python_share_are_equal():
    for name, value in CONSTANTS.items():
        if name == "STATUSES":
            assert value == len(constants.STATUSES)
        elif not name.startswith("MOST"):
            assert value == (UNIT if name == "UNIT" else getattr(constants, name))
    assert {name: IkResult._fields.index(name) for name in FIELDS} == FIELDS


def test_an_axis_may_be_of_any_length():
    robot = load("kawasaki_fs20n")
    axes = [robot._ik.request(None, {"axis": axis}).options.axis for axis in (
        (1.0, 1.0, 0.0), (1.7e308, 1.7e308, 0.0), (5e-324, 5e-324, 0.0), np.array([3, 3, 0]))]
    assert np.ptp(axes, axis=0).max() < 1e-15
    assert np.linalg.norm(axes[0]) == pytest.approx(1.0, abs=1e-15)


def test_an_index_is_a_number_of_any_kind():
    T = load("kawasaki_fs20n").fk(np.full(6, 0.3))
    one, *others = (load("kawasaki_fs20n").ik(T, indices={"ks": sign, "ke": 1}).q
                    for sign in (1, 1.0, 1 + 0j, np.int8(1), True))
    assert all((q == one).all() for q in others)


def test_q_may_be_changed_without_the_solutions():
    for built in (load("kawasaki_fs20n"), load("arm_7r"), real("panda")):
        result = built.ik(built.fk(built.ik_seed() + 0.1), timeout=10.0)
        before = result.solutions.copy()
        result.q[:] = 9.0
        assert (result.solutions == before).all()


def test_only_the_ratio_of_weights_counts():
    robot, weights = real("panda"), np.array([1.0, 1.0, 1.0, 0.3, 0.3, 0.0])
    T = np.eye(4)
    T[:3, 3] = 0.9, 0.6, 0.2                                # a miss: only of that they decide
    assert not robot.ik(T, weights=weights, timeout=10.0).success
    answers = [robot.ik(T, weights=scale * weights, timeout=10.0).q for scale in (1.0, 2.0**500, 2.0**-500)]
    assert (answers[0] == answers[1]).all()
    assert (answers[0] == answers[2]).all()


@pytest.mark.parametrize("name", ARMS)
def test_targets_in_lists_and_integers_are_fine(name):
    robot = arm_of(name)
    T = robot.fk(np.full(robot.nq, 0.3))
    assert robot.ik(T.tolist(), seed=[0] * robot.nq, timeout=10.0).success
    assert robot.ik(np.asfortranarray(T), timeout=10.0).success
    assert robot.ik({robot.tips[0]: T}, timeout=10.0).success
    assert robot.ik_all(T.tolist(), seed=[0] * robot.nq, timeout=10.0).success


@pytest.mark.parametrize("name", ARMS)
def test_arrays_that_are_not_aligned_are_fine(name):
    robot = arm_of(name)
    packed = np.zeros(2, dtype=[("flag", "u1"), ("T", "f8", (4, 4)), ("q", "f8", robot.nq)])
    packed["q"] = robot.ik_seed() + 0.1
    packed["T"] = robot.fk(np.array(packed["q"]))
    T, q = packed["T"][0], packed["q"][0]
    assert not T.flags.aligned and not q.flags.aligned
    for solve in (robot.ik, robot.ik_all):
        assert abs(robot.fk(solve(T, seed=q).q) - T).max() < 2e-6
    assert robot.ik_batch(packed["T"], seeds=packed["q"]).success.all()


def test_one_joint_takes_plain_numbers():
    robot = robot_of(("0 0 0", "0 0 1"), ("0.3 0 0", "0 0 0", "fixed"))
    result = robot.ik(robot.fk(0.3), seed=0.1, posture=0.2)
    assert result.q == pytest.approx([0.3], abs=1e-6)


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


@pytest.mark.parametrize("options", [{}, {"method": "numeric"}])
def test_all_solutions_say_when_time_ended_the_search_for_them(options):
    robot = load("arm_7r")
    T = robot.fk(np.full(7, 0.3))
    every = robot.ik_all(T, timeout=30.0, **options)
    assert (every.success, every.message) == (True, every.reason)
    cut = set()
    for timeout in np.geomspace(2e-5, 0.1, 80):
        few = robot.ik_all(T, timeout=timeout, **options)
        if not few.success:                                 # a formula has some at once
            assert options and few.reason == "timeout"
            continue
        if few.message == few.reason:                       # all were found in time
            assert len(few.solutions) == len(every.solutions)
        else:
            assert "there may be more solutions; give more time" in few.message
            assert len(few.solutions) <= len(every.solutions)      # the last may have been no others
            cut.add(few.message.split(":")[0].split()[-1])
    assert ("starts" if options else "angles") in cut
    assert few.message == few.reason


def test_solutions_that_slid_to_one_posture_are_one():
    robot = real("ur5_robot")
    T = pose_matrix(rotation_rpy([0.0, 3.14, 0.0]), np.array([0.4, 0.2, 0.3]))
    found = robot.ik_all(T, "ee_link", axis=(0.0, 0.0, -1.0), posture="centre", timeout=30.0).solutions
    apart = [abs(a - b).max() for k, a in enumerate(found) for b in found[:k]]
    assert len(found) > 4
    assert min(apart) > 5e-3


def test_a_batch_is_neither_true_nor_false():
    robot = load("planar_2r")
    with pytest.raises(RdynError, match=r"success.all\(\)"):
        bool(robot.ik_batch(np.eye(4)[None], position_only=True))


def test_a_floating_base_that_no_seed_places_is_told_to_be_at_the_origin():
    robot = load("quadruped", floating_base=True)
    seed = robot.integrate(robot.ik_seed(), np.r_[0.0, 0.0, 1.0, np.zeros(robot.nv - 3)])
    T = robot.fk(seed)
    assert robot.ik(T, seed=seed, timeout=10.0).success
    for timeout, tolerance in ((10.0, 1e-6), (1e-6, 1e-4)):         # the second has no solver yet
        result = robot.ik(T, timeout=timeout, tolerance=tolerance)
        assert result.reason == "out_of_reach"
        assert "none was given: it is at the origin" in result.message
    assert "origin" not in robot.ik(T + 5.0 * np.eye(4, k=3), seed=seed, timeout=10.0).message


def test_the_middle_given_as_a_seed_is_one():
    arm, quadruped = load("arm_7r"), load("quadruped", floating_base=True)
    middle, given, free = arm.ik_seed(), [], []
    for q in inside(arm, np.random.default_rng(2), 100):
        T = arm.fk(q)
        same, other = (arm.ik(T, seed=seed, method="numeric", timeout=10.0) for seed in (middle, middle.copy()))
        assert (same.q == other.q).all()
        given.append(np.linalg.norm(same.q - middle))
        free.append(np.linalg.norm(arm.ik(T, method="numeric", timeout=10.0).q - middle))
    assert np.median(given) < 0.8 * np.median(free)
    assert arm.ik_batch(T[None], seeds=middle, method="numeric").q[0] == pytest.approx(same.q, abs=1e-5)
    far = np.eye(4) + 9.0 * np.eye(4, k=3)
    assert "none was given" in quadruped.ik(far, timeout=10.0).message
    assert "none was given" not in quadruped.ik(far, seed=quadruped.ik_seed(), timeout=10.0).message
    middle[:] = 7.0                                         # is the caller's
    assert (arm.ik_seed() < 7.0).all()


def test_frames_that_are_prepared_together_are_named_once_in_a_tuple_or_a_list():
    load("kawasaki_fs20n").ik_prepare(["tool", "base"])
    with pytest.raises(RdynError, match="tool, tool name a frame twice"):
        load("kawasaki_fs20n").ik_prepare(("tool", "tool"))


def test_a_finalizer_that_asks_while_branches_are_told_changes_nothing():
    robot, q, asked = load("arm_6r"), np.full(6, 0.3), []
    T, other = robot.fk(q), robot.fk([1.0, 0.2, -0.3, 0.0, 0.0, 0.4])
    wanted = robot.ik(T, seed=q)

    class Asking:
        def __init__(self):
            self.me = self

        def __del__(self):
            asked.append(robot.ik(other))
    before = gc.get_threshold()
    gc.freeze()                                             # the rest is not looked through each time
    try:
        for k in range(300):
            Asking()
            gc.set_threshold(1 + k % 12, 1000, 1000)
            result = robot.ik(T, seed=q)
            gc.set_threshold(*before)
            assert (result.indices, result.singular) == (wanted.indices, wanted.singular)
            assert (result.solutions == wanted.solutions).all()
            gc.collect()
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
    assert len(asked) == 300
