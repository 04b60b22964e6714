"""Pre-flight: what is measured before torque is enabled must agree with the model, or the reason is told."""
import numpy as np
import pytest

from rdyn_ros.control.motion import State
from rdyn_ros.control.preflight import preflight

Q = np.array([0.2, 0.9, -0.3, -1.2, 0.4, 0.8, 0.1])
STILL = np.zeros(7)


@pytest.fixture
def gravity(arm):
    return arm.gravity_torque(Q)


def test_agreement_is_silent_and_so_is_a_robot_that_measures_no_effort(arm, gravity):
    assert preflight(arm, State(Q, STILL, gravity + 1.0)) == []
    assert preflight(arm, State(Q, STILL)) == []


def test_a_moving_arm_is_refused_by_name(arm, gravity):
    qd = STILL.copy()
    qd[2] = 0.3
    reason, = preflight(arm, State(Q, qd, gravity))
    assert reason == "joint joint_3 moves at 0.300 rad/s; bring the arm to rest"


def test_a_reversed_sign_is_recognised_at_its_joint(arm, gravity):
    measured = gravity.copy()
    measured[1] = -measured[1]
    (reason,) = preflight(arm, State(Q, STILL, measured))
    assert "joint_2" in reason and " N m; the sign looks reversed" in reason


def test_a_driver_that_compensates_gravity_is_recognised_and_can_be_told(arm):
    reasons = preflight(arm, State(Q, STILL, STILL))
    assert "driver already compensates gravity" in reasons[0]
    assert any("joint_2" in reason for reason in reasons[1:])
    assert preflight(arm, State(Q, STILL, STILL), driver_compensates_gravity=True) == []


def test_a_driver_that_compensates_may_report_gravity(arm, gravity):
    assert preflight(arm, State(Q, STILL, gravity), driver_compensates_gravity=True) == []
    assert preflight(arm, State(Q, STILL, 2.0 * gravity), driver_compensates_gravity=True) != []


def test_a_tilted_base_is_recognised_with_its_gravity(arm):
    tilted = arm.with_gravity((0.0, 6.94, -6.94))
    reasons = preflight(arm, State(Q, STILL, tilted.gravity_torque(Q)))
    assert "gravity points elsewhere" in reasons[0] and "6.94, -6.94" in reasons[0]


def test_an_unknown_payload_is_recognised_with_its_mass(arm):
    reasons = preflight(arm, State(Q, STILL, arm.with_payload(4.0).gravity_torque(Q)))
    assert "payload" in " ".join(reasons) and "4.00 kg more" in " ".join(reasons)
