"""Ten thousand states at once, on one core."""
from functools import partial

import numpy as np
import pinocchio as pin

from .measure import medians
from .robots import ours, pinocchio
from .row import Row

TITLE = "Batch of 10,000, per state"
TARGETS = {"inverse_dynamics": 30, "forward_dynamics": 30, "fk": 30, "mass_matrix": 10}
COUNT = 10_000
ROBOT = "Panda"


def rows():
    """Our batch against Pinocchio called in a Python loop over the same states."""
    robot, random = ours(ROBOT), np.random.default_rng(6)
    states = [random.uniform(-2.0, 2.0, (COUNT, robot.nv)) for _ in range(3)]
    robot.compile(*TARGETS, batch=True)
    loops = pinocchio_loops(*states)
    for key, target in TARGETS.items():
        inputs = states if "dynamics" in key else states[:1]
        times = medians({"ours": partial(getattr(robot, key), *inputs), "pin": loops[key]}, seconds=1.0)
        yield Row(f"{key}, {ROBOT}", 1e9 * times["ours"] / COUNT, "ns", "Pinocchio in a loop",
                  1e9 * times["pin"] / COUNT, target)


def pinocchio_loops(Q, V, A):
    """{function: loop over the rows}; results stay in Pinocchio's data, as in a tight loop of a user."""
    model, data, frame = pinocchio(ROBOT)

    def rnea():
        for q, v, a in zip(Q, V, A, strict=True):
            pin.rnea(model, data, q, v, a)

    def aba():
        for q, v, a in zip(Q, V, A, strict=True):
            pin.aba(model, data, q, v, a)

    def fk():
        for q in Q:
            pin.forwardKinematics(model, data, q)
            pin.updateFramePlacement(model, data, frame)

    def crba():
        for q in Q:
            pin.crba(model, data, q)

    return {"inverse_dynamics": rnea, "forward_dynamics": aba, "fk": fk, "mass_matrix": crba}
