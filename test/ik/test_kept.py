"""Requests are made once per frames and options and found again by the same only; those asked before change nothing."""
import copy
from collections import UserDict

import numpy as np
import pytest

from rdyn_ros import RdynError, load
from rdyn_ros.ik.kept import MOST, Kept
from support.ik_arms import inside


@pytest.mark.parametrize("options", [{"indices": {"ks": 1}}, {"axis": [0.0, 0.0, 1.0]}, {"posture": np.zeros(6)},
                                     {"weights": {"tool": [1.0] * 6}}, {"weights": UserDict(tool=[1.0] * 6)}])
def test_options_in_dicts_lists_and_arrays_are_read_once_and_again_when_they_changed(options):
    robot = load("kawasaki_fs20n")
    first = robot._ik.request(None, options)
    for _ in range(2):
        assert robot._ik.request(None, copy.deepcopy(options)) is first
    (value,) = options.values()
    if isinstance(value, dict | UserDict):
        value[next(iter(value))] = -1 if "indices" in options else [0.5] * 6
    else:
        value[0] = 1.0
    assert robot._ik.request(None, options).options != first.options


def test_indices_of_an_answer_may_be_asked_for_and_are_read_once():
    robot = load("kawasaki_fs20n")
    found = robot.ik_all(robot.fk(np.full(6, 0.3)), timeout=10.0)
    for indices in found.indices:
        assert robot.ik(robot.fk(np.full(6, 0.3)), indices=indices, timeout=10.0).indices == (indices,)
    assert robot._ik.request(None, {"indices": indices}) is robot._ik.request(None, {"indices": indices})


def test_the_same_bytes_of_another_type_are_other_options():
    robot, weights = load("kawasaki_fs20n"), np.ones(6)
    first, second = (robot._ik.request(None, {"weights": each}) for each in (weights, weights.view(np.int64)))
    assert second.options.weights == (float(weights.view(np.int64)[0]),) * 6 != first.options.weights


def test_options_of_a_kind_of_their_own_are_read_each_time():
    class Numbers(list):
        pass
    robot = load("kawasaki_fs20n")
    objects = np.array([1.0] * 6, dtype=object)
    for scale in (1.0, 0.5):
        weights = Numbers([1.0] * 3 + [scale] * 3)
        assert robot._ik.request(None, {"weights": weights}).options.weights == tuple(weights)
        objects[:] = weights                                # in the same place
        with pytest.raises(RdynError, match="weights must be 6 finite numbers"):
            robot._ik.request(None, {"weights": objects})


@pytest.mark.parametrize("frame", [np.zeros(3), np.array(["tool"]), ["tool"], {"tool"}, 1.0, object()])
def test_frames_that_are_no_names_are_refused_whatever_was_asked_before(frame):
    robot = load("kawasaki_fs20n")
    for _ in range(2):
        with pytest.raises(RdynError, match="kawasaki_fs20n has no frame"):
            robot.ik(np.eye(4), frame)
        with pytest.raises(RdynError, match="kawasaki_fs20n has no frame"):
            robot.ik_seed((frame, 1))
        robot.ik(np.eye(4), "tool")


def test_a_tuple_is_no_frame_also_after_its_frames_were_asked_for_together():
    robot, q = load("walker"), np.array([0.1, -0.4, 0.2, -0.3, 0.3, 0.1, 0.5, -0.6])
    targets = {name: robot.fk(q, name) for name in ("right_hand", "left_hand")}
    robot.ik(targets, position_only=True)
    with pytest.raises(RdynError, match="walker has no frame"):
        robot.ik(np.stack([*targets.values()]), tuple(targets), position_only=True)
    robot.ik({"left_hand": targets["left_hand"]})
    with pytest.raises(RdynError, match="walker has no frame"):
        robot.ik(targets["left_hand"], ("left_hand",))


@pytest.mark.parametrize("order", [1, -1])
def test_targets_that_must_be_converted_keep_their_frames_in_any_order(order):
    robot, q = load("walker"), np.array([0.1, -0.4, 0.2, -0.3, 0.3, 0.1, 0.5, -0.6])
    targets = {name: robot.fk(q, name).astype(np.float32) for name in ("left_hand", "right_hand")[::order]}
    result = robot.ik(targets, position_only=True, timeout=10.0)
    assert result.success
    for name, T in targets.items():
        assert abs(robot.fk(result.q, name)[:3, 3] - T[:3, 3]).max() < 1e-5


def test_the_tip_by_name_and_without_are_one_problem():
    robot, random = load("walker"), np.random.default_rng(2)
    tip = robot.model.frame().name
    for q in inside(robot, random, 20):
        targets = {name: robot.fk(q, name) for name in (None, "left_hand")}
        named = {tip: targets[None], "left_hand": targets["left_hand"]}
        (a, b), (c, d) = ([ask(each, timeout=10.0).q for ask in (robot.ik, robot.ik_all)] for each in (targets, named))
        assert (a == c).all() and (b == d).all()
        batch = [robot.ik_batch({name: T[None] for name, T in each.items()}).q for each in (targets, named)]
        assert (batch[0] == batch[1]).all()


def test_a_solver_that_another_thread_strikes_off_the_list_still_answers():
    class Forgetful(Kept):
        def __setitem__(self, key, value):
            pass
    robot = load("ur5_like")
    robot._ik.geometry((robot.tips[0],))._solvers = Forgetful()
    assert robot.ik(robot.fk(np.full(6, 0.3)), method="numeric", timeout=10.0).success


@pytest.mark.parametrize(("good", "bad"), [({"timeout": 1}, {"timeout": True}), ({"max_restarts": 1}, {
    "max_restarts": True}), ({"max_restarts": 1, "weights": [1.0] * 6}, {"max_restarts": 1.0, "weights": [1.0] * 6}), (
    {"max_restarts": 1, "timeout": 1.0}, {"max_restarts": 1.0, "timeout": 1}), ({"weights": [1.0] * 6}, {
    "weights": [1.0 + 0.0j] * 6}), ({"weights": np.ones(6)}, {"weights": np.ones((1, 6))}), ({"weights": np.ones(6)}, {
    "weights": np.ones(6).view(int).view("m8[s]")}), ({"tolerance": 1e-5}, {"tolerance": np.zeros(2, "f8,f8")}), (
    {"weights": UserDict(tool=[1.0] * 6)}, {"weights": UserDict(tool=[True] * 6 + [1.0])})])
def test_what_is_refused_does_not_depend_on_what_was_asked_before(good, bad):
    robot = load("kawasaki_fs20n")
    T = robot.fk(np.full(6, 0.3))
    for _ in range(2):
        robot.ik(T, **good)
        with pytest.raises(RdynError, match=next(iter(bad))):
            robot.ik(T, **bad)


def test_a_solver_that_was_forgotten_costs_no_machine_code():
    robot = load("ur5_like")
    robot.ik_prepare()
    robot._ik.geometry((robot.tips[0],))._solvers.clear()       # as when there are too many
    assert robot.ik(robot.fk(np.full(6, 0.3)), timeout=0.01, tolerance=2e-6).success


@pytest.mark.parametrize("batch", [False, True])
def test_frames_asked_for_together_are_one_problem_in_any_order(batch):
    robot, tips = load("walker"), ("left_hand", "right_hand")
    robot.ik_prepare(tips[::-1])
    q = robot.integrate(robot.neutral(), np.full(robot.nv, 0.1))
    targets = {tip: robot.fk(q, tip) for tip in tips}
    answers = []
    for given in (targets, {tip: targets[tip] for tip in tips[::-1]}):
        if batch:
            answers.append(robot.ik_batch({tip: T[None] for tip, T in given.items()}, timeout=10.0).q[0])
        else:
            answers.append(robot.ik(given, timeout=0.015).q)        # too short for machine code
    assert max(abs(robot.fk(answers[0], tip) - targets[tip]).max() for tip in tips) < 1e-5
    assert (answers[0] == answers[1]).all()


def test_what_was_used_last_is_kept():
    robot, fixed = load("ur5_like"), {"tolerance": 2e-6}
    first, default = robot._ik.request(None, fixed), robot._ik.request(None, {})
    for k in range(3 * MOST):
        robot._ik.request(None, {"tolerance": 1e-5 * (2 + k)})
        assert robot._ik.request(None, fixed) is first
    assert robot._ik.request(None, {}) is not default       # not asked for since
    geometry = first.geometry
    assert len(robot._ik._requests) == len(geometry._solvers) == MOST
    assert geometry.solver_if_made(first.options.at_first) is None      # the request itself has it
    for k in range(3 * MOST):
        geometry.solver(first.options.at_first)
        geometry.solver(first.options._replace(max_restarts=k))
    assert geometry.solver_if_made(first.options.at_first) is not None


@pytest.mark.parametrize("changed", [{"timeout": 0.2}, {"arm_angle": 0.3}, {"method": "closed_form"}])
def test_options_that_are_not_of_the_solver_share_one(changed):
    robot = load("arm_7r")
    assert robot._ik.request(None, changed).solver is robot._ik.request(None, {}).solver
