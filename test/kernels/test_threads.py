"""A batch leaves the interpreter to other threads."""
import threading
import time

import numpy as np

import rdyn_ros as rdyn


def test_other_threads_run_during_a_batch():
    robot = rdyn.load("arm_7r")
    robot.compile("inverse_dynamics", batch=True)
    states = np.random.default_rng(1).uniform(-1.0, 1.0, (3, 300_000, 7))
    robot.inverse_dynamics(*states[:, :10])
    span = []

    def work():
        start = time.perf_counter()
        for _ in range(5):
            robot.inverse_dynamics(*states)
        span.extend((start, time.perf_counter()))

    ticks, thread = [], threading.Thread(target=work)
    thread.start()
    while thread.is_alive():
        ticks.append(time.perf_counter())
        time.sleep(0.001)
    thread.join()
    between = [tick for tick in ticks if span[0] < tick < span[1]]
    assert len(between) > 15, f"{len(between)} ticks of another thread in {span[1] - span[0]:.3f} s"
