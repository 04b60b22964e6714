"""States that are lost while the arm moves: it slows down or coasts, and is never driven back."""
import numpy as np
import pytest

from rdyn_ros.simulation.arm import ArmSettings
from support.closed_loop import Loop, with_friction

TURN = np.eye(7)[0]
COASTING = ArmSettings(step=2e-3, command_timeout=0.0)           # without brakes


def lost(arm, viscous, coulomb, moment, **parameters):
    """Speeds of joint_1 from the loss of states on, at a moment [s] of a turn of 1.2 rad in 1.5 s.

    Without gravity, so that nothing but the commands moves the arm.
    """
    arm = arm.with_gravity((0.0, 0.0, 0.0))
    loop = Loop(arm, true=with_friction(arm, viscous, coulomb), simulation=COASTING, use_friction=False,
                **parameters).enabled()
    loop.move(1.2 * TURN, 1.5).run(moment)
    return np.array([loop.arm.qd[0], *(loop.run(0.01, silent=True).arm.qd[0] for _ in range(70))])


@pytest.mark.parametrize(("viscous", "coulomb", "stop_damping"), [
    (0.0, 0.0, 10.0), (0.0, 0.0, 100.0), (0.0, 3.0, 10.0), (5.0, 0.0, 3.0)])
def test_an_arm_without_states_is_never_driven_back(arm, viscous, coulomb, stop_damping):
    speeds = lost(arm, viscous, coulomb, 0.75, stop_damping=(stop_damping,))
    assert speeds[0] > 1.2
    assert speeds.min() > -0.1


@pytest.mark.parametrize("moment", [0.3, 1.3])
def test_whenever_states_are_lost_the_arm_hardly_turns_back(arm, moment):
    """The last torque acts on until the loss is noticed and as long as the rate limit holds it: briefly here."""
    speeds = lost(arm, 0.0, 0.0, moment, state_timeout=0.02, max_delta_tau=(10.0,))
    assert speeds.min() > -0.1
    assert speeds.max() < speeds[0] + 0.15


def test_a_stop_with_an_old_state_brakes_but_does_not_drive_back(arm):
    loop = Loop(arm.with_gravity((0.0, 0.0, 0.0)), simulation=COASTING).enabled()
    loop.move(1.2 * TURN, 1.5).run(0.75)
    start = loop.arm.qd[0]
    loop.controller.disable(loop.now)
    speeds = []
    for i in range(300):
        if i % 5 == 0 and loop.controller.step(loop.now):
            loop.arm.command(loop.controller.filter.output)
        loop.arm.advance()
        speeds.append(loop.arm.qd[0])
    assert start > 1.2
    assert -0.1 < min(speeds) < 0.7 * start
