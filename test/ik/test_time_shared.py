"""A request does not wait for the work of other threads, and a long search does not keep them from theirs."""
import sys
from contextlib import contextmanager
from threading import Event, Thread
from time import perf_counter

import numpy as np
import pytest

from rdyn_ros.ik.options import DEFAULT
from rdyn_ros.kernels import background
from support.ik_arms import inside, real

pytestmark = pytest.mark.alone
INTERVAL = 10.0     # [s] after which a thread must hand the interpreter over


@pytest.fixture(scope="module")
def prepared():
    robot = real("panda")
    robot.ik_prepare()
    return robot, robot.fk(inside(robot, np.random.default_rng(5), 1)[0])


@contextmanager
def beside(work):
    """Another thread that does work(); yields the event that ends it."""
    end, before = Event(), sys.getswitchinterval()
    sys.setswitchinterval(INTERVAL)
    thread = Thread(target=work, args=(end,))
    thread.start()
    try:
        yield end
    finally:
        end.set()
        thread.join()
        sys.setswitchinterval(before)


def seconds(request):
    begin = perf_counter()
    assert request().success
    return perf_counter() - begin


def test_code_that_is_made_for_something_else_holds_up_no_request(prepared):
    robot, T = prepared
    held = Event()

    def make(end):
        with background.COMPILING:
            held.set()
            end.wait(5.0)
    with beside(make):
        held.wait()
        assert seconds(lambda: robot.ik(T, timeout=0.7)) < 1.0          # options that nobody asked for before
        assert seconds(lambda: robot.ik(T, posture="centre", timeout=0.7)) < 1.0


def test_a_long_search_leaves_the_interpreter_to_others(prepared):
    robot, turns = prepared[0], []
    T = np.diag([1.0, -1.0, -1.0, 1.0])
    T[:3, 3] = 0.05, 0.0, 0.1                               # hardly possible: inside the robot's own base

    def look(end):
        while not end.wait(0.001):
            turns.append(perf_counter())
    with beside(look):
        begin = perf_counter()
        assert robot.ik(T, timeout=0.5, max_restarts=10**9).reason == "timeout"
        end = perf_counter()
    assert sum(begin < turn < end for turn in turns) > 10


def test_to_prepare_again_takes_no_time(prepared):
    robot, _ = prepared
    begin = perf_counter()
    for _ in range(1000):
        robot.ik_prepare()
    assert perf_counter() - begin < 0.1


def test_a_request_takes_the_solver_that_was_prepared_whatever_its_timeout(prepared):
    robot, _ = prepared
    solvers = {id(robot._ik.request(None, given).solver) for given in ({}, {"timeout": 0.3}, {"timeout": 0.01})}
    assert solvers == {id(robot._ik.geometry(("tip",)).solver(DEFAULT.at_first))}
