"""Control laws: what each promises about the acceleration it causes."""
import numpy as np
import pytest

from rdyn_ros.control import laws
from rdyn_ros.control.feedforward import Terms, feedforward
from rdyn_ros.control.gains import Gains, gains_from_frequency
from rdyn_ros.control.impedance import Impedance, cartesian_impedance, null_space, pose_error
from rdyn_ros.control.motion import Reference, State
from rdyn_ros.errors import RdynError
from rdyn_ros.spatial import pose_matrix, rodrigues

ALL = Terms(gravity=True, coriolis=True, friction=False, rotor=True)


@pytest.fixture
def state():
    rng = np.random.default_rng(5)
    return State(rng.uniform(-1.0, 1.0, 7), rng.uniform(-1.0, 1.0, 7))


def wanted(seed=6):
    return Reference(*np.random.default_rng(seed).uniform(-1.0, 1.0, (3, 7)))


def test_computed_torque_makes_the_error_a_linear_oscillator(arm, state):
    reference, gains = wanted(), gains_from_frequency(7, 12.0, 0.8)
    tau = laws.computed_torque(arm, state, reference, gains, ALL)
    qdd = arm.forward_dynamics(state.q, state.qd, tau)
    error = reference.qdd - qdd + gains.kd * (reference.qd - state.qd) + gains.kp * (reference.q - state.q)
    np.testing.assert_allclose(error, 0.0, atol=1e-8)


def test_gains_from_frequency_are_those_of_an_oscillator():
    gains = gains_from_frequency(2, [10.0, 20.0], 0.5)
    np.testing.assert_allclose(gains.kp, [100.0, 400.0])
    np.testing.assert_allclose(gains.kd, [10.0, 20.0])


@pytest.mark.parametrize("bad", [[1.0, 2.0], [-1.0], [np.nan], []])
def test_gains_that_fit_no_joint_are_refused(bad):
    with pytest.raises(RdynError, match="natural_frequency"):
        gains_from_frequency(7, bad, 1.0)


def test_gravity_compensation_holds_a_resting_arm_and_takes_power_from_a_moving_one(arm, state):
    still = State(state.q, np.zeros(7))
    tau = laws.gravity_compensation(arm, still, np.full(7, 3.0), ALL)
    np.testing.assert_allclose(arm.forward_dynamics(still.q, still.qd, tau), 0.0, atol=1e-9)
    damping = laws.gravity_compensation(arm, state, np.full(7, 3.0), ALL) - arm.gravity_torque(state.q)
    assert damping @ state.qd < 0.0
    undamped = laws.gravity_compensation(arm, state, np.zeros(7), ALL)
    np.testing.assert_allclose(undamped, arm.gravity_torque(state.q), atol=1e-12)


def test_pd_gravity_is_pd_and_gravity(arm, state):
    reference, gains = wanted(), gains_from_frequency(7, 9.0, 1.0)
    alone = laws.pd(arm, state, reference, gains)
    np.testing.assert_allclose(laws.pd_gravity(arm, state, reference, gains, ALL) - alone,
                               arm.gravity_torque(state.q), atol=1e-10)
    there = State(reference.q, reference.qd)
    np.testing.assert_allclose(laws.pd(arm, there, reference, gains), 0.0, atol=1e-12)


def test_each_term_of_the_model_comes_on_request(arm, state):
    q, qd, qdd = state.q, state.qd, wanted().qdd
    whole = feedforward(arm, q, qd, qdd, ALL)
    zero = np.zeros(7)
    np.testing.assert_allclose(whole, arm.inverse_dynamics(q, qd, qdd), atol=1e-10)
    np.testing.assert_allclose(whole - feedforward(arm, q, qd, qdd, ALL._replace(gravity=False)),
                               arm.gravity_torque(q), atol=1e-10)
    np.testing.assert_allclose(whole - feedforward(arm, q, qd, qdd, ALL._replace(coriolis=False)),
                               arm.coriolis_torque(q, qd), atol=1e-9)
    np.testing.assert_allclose(whole - feedforward(arm, q, qd, qdd, ALL._replace(rotor=False)),
                               arm.model.armature * qdd, atol=1e-10)
    rubbing = ALL._replace(friction=True)
    np.testing.assert_allclose(feedforward(arm, q, qd, qdd, rubbing) - whole,
                               arm.friction_torque(qd), atol=1e-10)
    np.testing.assert_allclose(feedforward(arm, q, qd, qdd, rubbing, zero) - whole, 0.0, atol=1e-12)


def test_limits_repel_only_near_them_and_without_a_jump(arm):
    q = np.zeros(7)
    assert not laws.limit_repulsion(arm, q, 0.1, 50.0).any()
    q[1], q[3] = arm.limits.upper[1] - 0.04, arm.limits.lower[3] + 0.1 - 1e-9
    tau = laws.limit_repulsion(arm, q, 0.1, 50.0)
    assert tau[1] == pytest.approx(-50.0 * 0.06)
    assert 0.0 < tau[3] < 1e-6
    assert not laws.limit_repulsion(arm, q, 0.0, 50.0).any()


SPRING = Impedance(np.array([400.0] * 3 + [30.0] * 3), np.zeros(6), 16.0, 8.0, (0.1, 0.5))


def test_the_null_space_does_not_accelerate_the_tool(arm, state):
    J, M = arm.jacobian(state.q), arm.mass_matrix(state.q)
    tau = null_space(J, M) @ np.random.default_rng(1).normal(size=7)
    assert np.abs(tau).max() > 0.01
    np.testing.assert_allclose(J @ np.linalg.solve(M, tau), 0.0, atol=1e-8)


def test_at_its_target_and_posture_the_impedance_is_the_bias_of_the_model(arm, state):
    still = State(state.q, np.zeros(7))
    tau = cartesian_impedance(arm, still, arm.fk(still.q), still.q, SPRING, ALL)
    np.testing.assert_allclose(tau, arm.gravity_torque(still.q), atol=1e-9)


def test_away_from_its_target_the_tool_feels_the_spring_up_to_its_reach(arm, state):
    still = State(state.q, np.zeros(7))
    gravity, J = arm.gravity_torque(still.q), arm.jacobian(still.q)
    for way, felt in ((0.02, 0.02), (3.0, 0.1)):
        target = arm.fk(still.q)
        target[0, 3] += way
        tau = cartesian_impedance(arm, still, target, still.q, SPRING, ALL)
        np.testing.assert_allclose(tau - gravity, J.T @ [400.0 * felt, 0, 0, 0, 0, 0], atol=1e-8)


def test_pose_error_leads_from_pose_to_target():
    a = pose_matrix(rodrigues(np.array([0.6, 0.0, 0.8]), 0.4), np.array([1.0, 2.0, 3.0]))
    b = pose_matrix(rodrigues(np.array([0.0, 1.0, 0.0]), 1.1), np.array([1.5, 2.0, 2.0]))
    e = pose_error(b, a)
    angle = np.linalg.norm(e[3:])
    np.testing.assert_allclose(rodrigues(e[3:] / angle, angle) @ a[:3, :3], b[:3, :3], atol=1e-12)
    np.testing.assert_allclose(a[:3, 3] + e[:3], b[:3, 3])


def test_gains_may_be_given_joint_by_joint(arm, state):
    gains = Gains(np.arange(7.0), np.zeros(7))
    e = laws.feedback(State(state.q, state.qd), Reference(state.q + 1.0, state.qd, state.qd), gains)
    np.testing.assert_allclose(e, np.arange(7.0))
