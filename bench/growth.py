"""How time grows with the number of joints, and memory with the number of calls."""
import resource

import numpy as np

from rdyn_ros import Robot
from rdyn_ros.model import Body, Frame, Joint, Model

from .measure import medians
from .row import Row

TITLE = "Growth"
JOINTS = (5, 10, 20, 35, 50, 75, 100)
CALLS = 1_000_000


def rows():
    """Inverse dynamics of chains from 5 to 100 joints, how far from a straight line, and a million calls."""
    robots = {n: Robot(chain(n)) for n in JOINTS}
    calls = {}
    for n, robot in robots.items():
        robot.compile("inverse_dynamics")
        calls[n] = _call(robot.inverse_dynamics, np.full(n, 0.3))
    times = medians(calls, seconds=3.0)
    for n in JOINTS:
        yield Row(f"inverse_dynamics, chain of {n} joints", 1e6 * times[n])
    measured = np.array([times[n] for n in JOINTS])
    line = np.polyval(np.polyfit(JOINTS, measured, 1), JOINTS)
    farthest = 100.0 * abs(measured - line).max() / measured[-1]
    yield Row("inverse_dynamics, farthest from a straight line", farthest, "%", target=10.0)
    yield Row("memory gained in a million calls", memory_gained(calls[10]), "MB", target=1.0)


def chain(n):
    """Serial arm of n joints, axes in turn about z, y and x, every link a full body."""
    axes = np.eye(3)[[2, 1, 0]]
    inertia = np.array([[0.02, 0.002, 0.001], [0.002, 0.015, 0.003], [0.001, 0.003, 0.01]])
    bodies = [Body("base", -1)] + [
        Body(f"link{i}", i - 1, Joint(f"joint{i}", "revolute", axes[i % 3]), p=np.array([0.1, 0.02, 0.05]),
             mass=1.0, com=np.array([0.05, 0.01, 0.02]), inertia=inertia) for i in range(1, n + 1)]
    return Model(f"chain{n}", tuple(bodies), (Frame("tip", n),), tips=("tip",))


def memory_gained(call):
    """Growth of the process over many calls [MB]."""
    for _ in range(1000):
        call()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(CALLS):
        call()
    return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024


def _call(function, x):
    return lambda: function(x, x, x)
