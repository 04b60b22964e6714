"""Nobody waits: the plain algorithm answers until the machine code is there."""
import multiprocessing
import os
import subprocess
import sys
import threading
import time
from threading import Event, Thread

import numpy as np
import pytest

from rdyn_ros import Robot
from rdyn_ros import algorithms as alg
from rdyn_ros.kernels import background, machine
from support.compare import error
from support.trees import random_state, random_tree

MODEL = random_tree(seed=11, bodies=4)
Q, QD, QDD = random_state(MODEL, 0)


def until(condition, seconds=60.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_the_first_call_is_answered_while_the_code_is_made(monkeypatch):
    gate, real = threading.Event(), machine.object_code
    monkeypatch.setattr(machine, "object_code", lambda ir: gate.wait(60) and real(ir))
    robot = Robot(MODEL.replace(name="slow to compile"))
    expected = alg.rnea(MODEL, Q, QD, QDD)
    try:
        for _ in range(3):
            assert error(robot.inverse_dynamics(Q, QD, QDD), expected) < 1e-12
        assert robot.inverse_dynamics.installed == (False, False)
    finally:
        gate.set()
    until(lambda: robot.inverse_dynamics.installed == (True, False))
    assert error(robot.inverse_dynamics(Q, QD, QDD), expected) < 1e-12


def test_only_what_is_asked_for_is_compiled():
    robot = Robot(MODEL)
    robot.compile("gravity_torque")
    assert robot.gravity_torque.installed == (True, False)
    assert robot.inverse_dynamics.installed == (False, False)


def test_a_failing_compiler_leaves_the_plain_algorithm_in_charge(monkeypatch, caplog):
    def broken(ir):
        raise RuntimeError("no code today")
    monkeypatch.setattr(machine, "object_code", broken)
    robot = Robot(MODEL.replace(name="no compiler"))
    robot.gravity_torque(Q)
    until(lambda: "no machine code" in caplog.text)
    expected = alg.gravity_torque(MODEL, Q)
    assert error(robot.gravity_torque(Q), expected) < 1e-12
    assert error(robot.gravity_torque(np.tile(Q, (20, 1))), np.tile(expected, (20, 1))) < 1e-12


def test_a_short_batch_does_not_wait_and_a_long_one_does():
    robot = Robot(MODEL.replace(name="batches"))
    robot.gravity_torque(np.tile(Q, (2, 1)))
    until(lambda: robot.gravity_torque.installed == (False, True))
    robot.fk(np.tile(Q, (20, 1)))
    assert robot.fk.installed == (False, True)


def child(queue):
    robot = Robot(MODEL.replace(name="child"))
    queue.put(robot.gravity_torque(np.tile(Q, (20, 1))))


def test_a_forked_child_compiles_for_itself():
    Robot(MODEL.replace(name="parent")).forward_dynamics_derivatives(Q, QD, QDD)    # keeps the compiler busy
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    process = context.Process(target=child, args=(queue,))
    process.start()
    try:
        assert error(queue.get(timeout=60), np.tile(alg.gravity_torque(MODEL, Q), (20, 1))) < 1e-12
    finally:
        process.join(60)
        process.kill()


def submitting_child(queue):
    done = threading.Event()
    background.submit(done.set)
    queue.put(done.wait(30))


def test_a_fork_while_another_thread_submits_leaves_the_child_free():
    held, context = threading.Event(), multiprocessing.get_context("fork")

    def hold():
        with background._state:
            held.set()
            time.sleep(0.3)
    holder, queue = threading.Thread(target=hold), context.Queue()
    holder.start()
    assert held.wait(30)
    process = context.Process(target=submitting_child, args=(queue,))
    process.start()
    try:
        assert queue.get(timeout=30)
    finally:
        process.join(30)
        process.kill()
        holder.join()


def test_a_fork_right_after_a_task_was_submitted_leaves_the_child_a_thread_of_its_own():
    for _ in range(30):
        background.submit(lambda: None)
        child = os.fork()
        if not child:
            done = threading.Event()
            background.submit(done.set)
            os._exit(0 if done.wait(20.0) else 1)
        assert os.waitpid(child, 0)[1] == 0


def test_what_waits_at_a_fork_is_done_by_parent_and_child():
    done = threading.Event()
    with background._working:                               # so the thread cannot begin with it
        for _ in range(2):
            background.submit(done.set, "a key")
        assert len(background._pending) == 1
        child = os.fork()
        if not child:
            background._working.release()
            os._exit(0 if done.wait(20.0) else 1)
    assert done.wait(20.0)
    assert os.waitpid(child, 0)[1] == 0
    done.clear()
    background.submit(done.set, "a key")                    # which waits no longer
    assert done.wait(20.0)


def test_a_fork_waits_for_the_task_under_way():
    begun, ended = threading.Event(), threading.Event()
    background.submit(lambda: (begun.set(), time.sleep(0.3), ended.set()))
    assert begun.wait(20.0)
    child = os.fork()
    if not child:
        os._exit(0 if ended.is_set() else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_who_forks_while_it_makes_code_waits_for_no_task():
    begun = threading.Event()

    def task():
        begun.set()
        with background.COMPILING:
            pass
    with background.COMPILING:
        background.submit(task)
        assert begun.wait(20.0)
        child = os.fork()
        if not child:
            os._exit(0)
    assert os.waitpid(child, 0)[1] == 0


AT_THE_END = """
import atexit
from threading import Event
def last():
    done = Event()
    background.submit(done.set)
    print(done.wait(20.0))
atexit.register(last)               # before rdyn_ros's own, so after it
from rdyn_ros.kernels import background
{before}
"""


@pytest.mark.parametrize("before", ["", "background.submit(print)"])
def test_who_asks_at_the_very_end_gets_a_thread_too(before):
    run = subprocess.run([sys.executable, "-c", AT_THE_END.format(before=before)], capture_output=True, text=True,
                         timeout=120)
    assert (run.returncode, run.stdout.split(), run.stderr) == (0, ["True"], "")


NO_THREAD = """
from threading import Event, Thread
from rdyn_ros.kernels import background
start, done = Thread.start, Event()
Thread.start = None
try:
    background.submit(print)
except TypeError:
    print("refused")
Thread.start = start
background.submit(done.set)
print(done.wait(20.0))
"""


def test_a_thread_that_could_not_start_is_started_the_next_time():
    run = subprocess.run([sys.executable, "-c", NO_THREAD], capture_output=True, text=True, timeout=120)
    assert (run.returncode, run.stdout.split(), run.stderr) == (0, ["refused", "True"], "")


def test_a_process_ends_cleanly_while_code_is_in_the_making():
    script = ("import numpy as np, rdyn_ros as rdyn\n"
              "robot = rdyn.load('arm_7r')\n"
              "x = np.zeros(7)\n"
              "robot.forward_dynamics_derivatives(x, x, x); robot.regressor(x, x, x); robot.fk(x)")
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert (result.returncode, result.stderr) == (0, "")


def test_tasks_run_in_the_order_they_came():
    seen, done = [], threading.Event()
    for k in range(5):
        background.submit(lambda k=k: seen.append(k))
    background.submit(done.set)
    assert done.wait(60)
    assert seen == list(range(5))


@pytest.mark.parametrize(("task", "told"), [(lambda: 1 / 0, "ZeroDivisionError"), (sys.exit, "SystemExit")])
def test_a_task_that_fails_does_not_end_the_thread(caplog, task, told):
    done = Event()
    background.submit(task)
    background.submit(done.set)
    assert done.wait(30.0)
    assert told in caplog.text


@pytest.mark.alone
def test_who_waits_gets_what_is_done_in_time_and_is_back_before_its_time_is_up():
    hold = Event()
    assert background.within(1e10, lambda: None)
    for seconds in (background.HELD / 2.0, 3.0 * background.HELD):
        begin = time.perf_counter()
        assert not background.within(seconds, lambda: hold.wait(30.0))
        assert time.perf_counter() - begin < seconds
    hold.set()
    assert background.within(30.0, lambda: 1 / 0)           # its caller meets it again


@pytest.mark.alone
def test_a_thread_that_begins_gives_the_interpreter_back_before_it_has_work():
    code = """if True:
        from time import perf_counter
        from rdyn_ros.kernels import background
        ends = []
        def work():
            sum(range(10**8))               # gives it to nobody else meanwhile
            ends.append(perf_counter())
        begin = perf_counter()
        background.submit(work)
        back = perf_counter()
        assert background.within(60.0, lambda: None)
        print(back - begin, ends[0] - begin)"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    back, worked = map(float, run.stdout.split())
    assert back < 0.3 * worked, "else it is the first to work"


def test_the_child_of_a_fork_waits_for_nobody_that_stayed_behind():
    begun = Event()
    waiter = Thread(target=lambda: background.within(30.0, lambda: (begun.set(), time.sleep(0.3))))
    waiter.start()
    assert begun.wait(30.0)                     # else the child has this task, too, and nobody who ends it
    child = os.fork()                           # waits for the end of the task
    if not child:
        os._exit(0 if background.within(20.0, lambda: None) else 1)
    waiter.join()
    assert os.waitpid(child, 0)[1] == 0
