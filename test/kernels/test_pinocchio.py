"""Machine code of real robots, one state and batch, against Pinocchio."""
import numpy as np
import pinocchio as pin
import pytest

from bench.robots import ours, pinocchio
from support.compare import error

EXACT = 1e-12


def symmetric(upper):
    return np.triu(upper) + np.triu(upper, 1).T


def judged(name, q, v, a):
    """{function: (arguments, Pinocchio's answer)}."""
    model, data, frame = pinocchio(name)
    pin.framesForwardKinematics(model, data, q)
    pose = data.oMf[frame].homogeneous
    return {
        "fk": ((q,), pose),
        "jacobian": ((q,), pin.computeFrameJacobian(model, data, q, frame, pin.LOCAL_WORLD_ALIGNED)),
        "inverse_dynamics": ((q, v, a), pin.rnea(model, data, q, v, a).copy()),
        "gravity_torque": ((q,), pin.computeGeneralizedGravity(model, data, q).copy()),
        "mass_matrix": ((q,), symmetric(pin.crba(model, data, q))),
        "forward_dynamics": ((q, v, a), pin.aba(model, data, q, v, a).copy()),
    }


@pytest.mark.parametrize("name", ["Panda", "UR5", "Talos"])
def test_compiled_functions_agree_with_pinocchio(name):
    robot, random = ours(name), np.random.default_rng(1)
    state = [random.uniform(-1.0, 1.0, robot.nv) for _ in range(3)]
    answers = judged(name, *state)
    robot.compile(*answers)
    for function, (arguments, expected) in answers.items():
        call = getattr(robot, function)
        assert call.installed[0], "for one state"
        assert error(call(*arguments), expected) < EXACT


def test_compiled_batches_agree_with_pinocchio():
    robot, random = ours("Panda"), np.random.default_rng(2)
    states = [random.uniform(-3.0, 3.0, (10, robot.nv)) for _ in range(3)]
    answers = [judged("Panda", *rows) for rows in zip(*states, strict=True)]
    for function in answers[0]:
        batch = getattr(robot, function)(*states[:len(answers[0][function][0])])
        for row, answer in zip(batch, answers, strict=True):
            assert error(row, answer[function][1]) < EXACT
