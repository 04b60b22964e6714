"""Whatever is passed in: an answer, the same for the same numbers, or an RdynError; never a crash."""
import copy
import gc
import inspect
import multiprocessing
import pickle
import resource
import sys
import threading
import weakref

import numpy as np
import pytest

from rdyn_ros import RdynError, Robot, RobotWarning
from rdyn_ros import algorithms as alg
from rdyn_ros.kernels import FUNCTIONS, kernel
from support.compare import error
from support.compiler import wait_until_idle
from support.trees import random_state, random_tree

MODEL = random_tree(seed=1, bodies=5)
Q, QD, QDD = random_state(MODEL, 0)
TAU = alg.rnea(MODEL, Q, QD, QDD)


@pytest.fixture(scope="module")
def robot():
    robot = Robot(MODEL)
    robot.compile("inverse_dynamics", "gravity_torque", "inverse_dynamics_derivatives", "fk")
    robot.compile("inverse_dynamics", batch=True)
    return robot


def strided(x):
    return np.repeat(x, 2)[::2]


def reversed_(x):
    return x[::-1].copy()[::-1]


def unaligned(x):
    room = np.zeros(x.nbytes + 1, dtype=np.uint8)
    room[1:] = x.view(np.uint8)
    return room[1:].view(float)


def read_only(x):
    y = x.copy()
    y.flags.writeable = False
    return y


SAME_NUMBERS = [list, tuple, memoryview, np.longdouble, np.asfortranarray, np.ma.array, strided, reversed_,
                unaligned, read_only, lambda x: x.astype(">f8"), lambda x: x.astype(object),
                lambda x: x.view(np.recarray), lambda x: x.reshape(-1, 1)[:, 0]]


@pytest.mark.parametrize("form", SAME_NUMBERS)
def test_the_same_numbers_in_any_form_give_the_same_answer(robot, form):
    assert error(robot.inverse_dynamics(form(Q), form(QD), QDD), TAU) < 1e-12


REFUSED = [Q[:-1], np.append(Q, 0.0), Q[None, None], np.float64(1.0), "word", None, {}, [["a"] * 5], Q + 1j,
           np.where(np.arange(5) == 2, np.nan, Q), np.where(np.arange(5) == 4, np.inf, Q), np.zeros((0, 5)),
           np.zeros((2, 4)), np.zeros((5, 0)), np.array([Q], dtype="datetime64[s]"), [Q, Q[:2]], object()]


@pytest.mark.parametrize("place", range(3))
@pytest.mark.parametrize("wrong", REFUSED, ids=range(len(REFUSED)))
def test_what_is_no_state_is_refused_in_words(robot, wrong, place):
    state = [Q, QD, QDD]
    state[place] = wrong
    with pytest.raises(RdynError):
        robot.inverse_dynamics(*state)


def test_batches_of_different_lengths_are_refused(robot):
    with pytest.raises(RdynError, match="length"):
        robot.inverse_dynamics(np.tile(Q, (3, 1)), np.tile(QD, (4, 1)), QDD)


def test_not_a_number_anywhere_in_a_batch_is_refused(robot):
    for row in range(9):
        q = np.tile(Q, (9, 1))
        q[row, row % 5] = np.nan
        with pytest.raises(RdynError, match=rf"\[{row}, {row % 5}\]"):
            robot.inverse_dynamics(q, np.tile(QD, (9, 1)), np.tile(QDD, (9, 1)))


def test_a_random_walk_through_arguments_ends_in_an_answer_or_a_refusal(robot):
    random = np.random.default_rng(7)
    values = [*REFUSED, *(form(Q) for form in SAME_NUMBERS), *(np.tile(Q, (n, 1)) for n in range(1, 6)),
              np.tile(Q, (8, 2))[:, ::2], np.tile(Q, (6, 1))[::-2], np.broadcast_to(Q, (4, 5)),
              Q.astype(np.float32)]
    outs = [None, np.empty(5), np.empty((4, 5)), np.empty(4), np.zeros(5, dtype=int), read_only(Q), "out",
            np.empty((5, 4)).T, np.empty(10)[::2]]
    answered = 0
    for _ in range(3000):
        arguments = [values[random.integers(len(values))] for _ in range(random.integers(0, 5))]
        out = outs[random.integers(len(outs))]
        try:
            robot.inverse_dynamics(*arguments, out=out)
            answered += 1
        except (RdynError, TypeError):
            continue
    assert answered > 0


def test_out_takes_the_result_and_is_returned(robot):
    out = np.empty(5)
    assert robot.inverse_dynamics(Q, QD, QDD, out=out) is out
    assert error(out, TAU) < 1e-12
    batch, states = np.empty((6, 5)), [np.tile(x, (6, 1)) for x in (Q, QD, QDD)]
    assert robot.inverse_dynamics(*states, out=batch) is batch
    assert error(batch, np.tile(TAU, (6, 1))) < 1e-12
    several = tuple(np.empty((5, 5)) for _ in range(3))
    assert robot.inverse_dynamics_derivatives(Q, QD, QDD, out=several) is several
    assert error(several[2], alg.crba(MODEL, Q)) < 1e-12
    slanted = np.empty((5, 2))[:, 0]
    assert error(robot.inverse_dynamics(list(Q), QD, QDD, out=slanted), TAU) < 1e-12


@pytest.mark.parametrize("place", range(3))
def test_out_may_be_one_of_the_inputs(robot, place):
    state = [Q.copy(), QD.copy(), QDD.copy()]
    assert error(robot.inverse_dynamics(*state, out=state[place]), TAU) < 1e-12
    batch = [np.tile(x, (7, 1)) for x in (Q, QD, QDD)]
    assert error(robot.inverse_dynamics(*batch, out=batch[place]), np.tile(TAU, (7, 1))) < 1e-12


def test_out_may_overlap_an_input(robot):
    room = np.concatenate([Q, np.zeros(3)])
    assert error(robot.inverse_dynamics(room[:5], QD, QDD, out=room[3:]), TAU) < 1e-12


@pytest.mark.parametrize("out", [np.empty(4), np.empty(5, dtype=int), read_only(Q), "out", (np.empty(5),)])
def test_an_out_that_cannot_take_the_result_is_refused(robot, out):
    with pytest.raises(RdynError, match="out"):
        robot.inverse_dynamics(Q, QD, QDD, out=out)


def test_results_that_someone_still_holds_are_never_overwritten(robot):
    held = [robot.gravity_torque(x * Q) for x in range(12)]
    views = [robot.gravity_torque(x * Q)[1:] for x in range(12)]
    watched = weakref.ref(kept := robot.gravity_torque(Q))
    robot.gravity_torque(0 * Q)
    for x in range(12):
        expected = alg.gravity_torque(MODEL, x * Q)
        assert error(held[x], expected) < 1e-12
        assert error(views[x], expected[1:]) < 1e-12
    assert watched() is kept
    changed = robot.gravity_torque(Q)
    changed.shape = (5, 1)
    changed.flags.writeable = False
    del changed
    fresh = robot.gravity_torque(Q)
    assert fresh.shape == (5,)
    assert fresh.flags.writeable


def test_results_that_are_held_belong_to_their_holder_and_to_few_places_of_the_pool(robot):
    held = [robot.gravity_torque(Q) for _ in range(100)]
    others = [sys.getrefcount(result) - 3 for result in held]  # beside the list, the name and the argument
    assert min(others) == 0 and sum(others) <= 4


def test_threads_get_their_own_answers(robot):
    states = [np.full(5, 0.1 * k) for k in range(4)]
    expected = [alg.gravity_torque(MODEL, q) for q in states]
    wrong = []

    def work(k):
        for _ in range(2000):
            if error(robot.gravity_torque(states[k]), expected[k]) > 1e-12:
                wrong.append(k)
    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_million_calls_leave_memory_as_it_was(robot):
    gravity = robot.gravity_torque
    wait_until_idle()
    gravity(Q)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(1_000_000):
        gravity(Q)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000     # [kB]: 20 bytes a call


def test_a_dropped_robot_is_collected():
    gone = Robot(MODEL)
    gone.compile("gravity_torque")
    gone.gravity_torque(Q)
    watched = weakref.ref(gone)
    del gone
    gc.collect()
    assert watched() is None


def test_the_compiled_way_looks_like_the_method(robot):
    assert robot.fk.__doc__ == Robot.fk.__doc__
    assert list(inspect.signature(robot.fk).parameters)[:2] == ["q", "frame"]
    assert error(robot.fk(Q, frame="link3"), alg.frame_pose(MODEL, Q, "link3")) < 1e-12
    assert error(robot.fk(q=Q), alg.frame_pose(MODEL, Q)) < 1e-12


def test_a_robot_survives_pickling(robot):
    assert error(pickle.loads(pickle.dumps(robot)).gravity_torque(Q), robot.gravity_torque(Q)) < 1e-12


def test_a_bound_function_survives_pickling_and_copying(robot):
    expected = robot.fk(Q)
    for copied in (pickle.loads(pickle.dumps(robot.fk)), copy.deepcopy(robot.fk), copy.copy(robot.fk)):
        assert error(copied(Q), expected) < 1e-12
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert error(pool.map(robot.fk, [Q, Q])[1], expected) < 1e-12


class Shouting(Robot):
    def gravity_torque(self, q):
        return 10.0 * super().gravity_torque(q)


def test_a_method_of_a_subclass_answers_compiled_or_not():
    robot, batch = Shouting(MODEL), np.tile(Q, (20, 1))
    expected = 10.0 * alg.gravity_torque(MODEL, Q)
    for _ in range(2):
        assert error(robot.gravity_torque(Q), expected) < 1e-12
        assert error(robot.gravity_torque(batch)[19], expected) < 1e-12
        robot.compile("gravity_torque")


@pytest.mark.parametrize("name", ["gravity", "name", "limits", "model", "fk", "momentum"])
def test_what_a_robot_has_cannot_be_set(robot, name):
    with pytest.raises(RdynError, match=f"never changes: '{name}' cannot be set; with_gravity"):
        setattr(robot, name, None)


def test_kernels_of_passing_interest_are_forgotten(monkeypatch):
    monkeypatch.setattr("rdyn_ros.kernels.kernels.MOST", len(FUNCTIONS) + 2)
    robot = Robot(MODEL)
    for k in range(3):
        frames = [name for i, name in enumerate(robot.frame_names[1:4]) if k >> i & 1]
        robot.joint_reactions(Q, Q, Q, {name: np.ones(6) for name in frames})
    for axes in ("local", "base"):
        assert robot.joint_reactions(Q, Q, Q, axes=axes).shape == (len(robot.link_names), 6)
    assert len(robot._kernel) == len(FUNCTIONS) + 2
    robot.compile("fk")
    assert robot.fk.installed[0]


def test_a_singular_mass_matrix_is_refused_by_machine_code_too():
    tree = random_tree(seed=1, bodies=2, parents=[0, 1])
    massless = tree.replace(bodies=tuple(
        type(b)(b.name, b.parent, b.joint and type(b.joint)(b.joint.name, "revolute", b.joint.axis), b.R, b.p)
        for b in tree.bodies))
    robot = Robot(massless)
    for _ in range(2):
        with pytest.raises(RdynError, match="singular"):
            robot.forward_dynamics(np.zeros(2), np.zeros(2), np.ones(2))
        with pytest.warns(RobotWarning, match="divides by zero"):
            robot.compile("forward_dynamics")
    with pytest.raises(RdynError, match="singular"):
        robot.forward_dynamics(np.zeros((5, 2)), np.zeros((5, 2)), np.ones((5, 2)))


def test_a_floating_base_needs_a_unit_quaternion_in_machine_code_too():
    robot = Robot(random_tree(seed=3, bodies=2, floating=True))
    robot.compile("gravity_torque")
    robot.compile("gravity_torque", batch=True)
    q, _, _ = random_state(robot.model, 0)
    robot.gravity_torque(q)
    with pytest.raises(RdynError, match="quaternion"):
        robot.gravity_torque(q * 1.1)
    with pytest.raises(RdynError, match="quaternion"):
        robot.gravity_torque(np.array([q, q, q * 1.1]))


@pytest.mark.parametrize("arguments", [
    ((), len), (("a",), len), ((1,) * 99, len), ((-1,), len), ((3,), len, True), (3, len), ()])
def test_the_extension_is_built_and_refuses_what_it_cannot_serve(arguments):
    assert kernel.Call is not None
    with pytest.raises((TypeError, ValueError)):
        kernel.Call(*arguments)


def test_every_function_of_the_table_is_a_method():
    for name in FUNCTIONS:
        assert callable(getattr(Robot, name))
