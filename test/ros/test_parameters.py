"""Live parameters of the dynamics node: each changes what it says; wrong values are refused in a sentence."""
import numpy as np
import pytest
from std_msgs.msg import Float64MultiArray

pytestmark = pytest.mark.processes

EXACT = {"rtol": 1e-12, "atol": 1e-12}
Q, QD = np.linspace(-0.9, 1.1, 7), np.linspace(0.6, -0.4, 7)


@pytest.mark.parametrize(("values", "weights"), [
    ({"use_gravity_compensation": False}, (0, 1, 0)),
    ({"use_coriolis_compensation": False}, (1, 0, 0)),
    ({"use_friction": True}, (1, 1, 1)),
    ({"gravity_scale": 0.5}, (0.5, 1, 0)),
    ({"coriolis_scale": 0.25}, (1, 0.25, 0)),
    ({"use_friction": True, "friction_scale": 0.75}, (1, 1, 0.75)),
])
def test_compensation_is_the_chosen_and_scaled_sum(arm, values, weights):
    arm.set(**values)
    r = arm.robot
    terms = r.gravity_torque(Q), r.coriolis_torque(Q, QD), r.friction_torque(QD)
    np.testing.assert_allclose(arm.effort(Q, QD, topic="compensation"),
                               sum(w * t for w, t in zip(weights, terms, strict=True)), **EXACT)


def test_complaint_05_gravity_is_not_doubled_when_the_driver_compensates_it(arm):
    arm.set(driver_compensates_gravity=True)
    gravity = arm.ask(Q, QD)
    np.testing.assert_allclose(gravity.effort, arm.robot.gravity_torque(Q), **EXACT)
    np.testing.assert_allclose(arm.with_stamp("compensation", gravity.header).effort,
                               arm.robot.coriolis_torque(Q, QD), **EXACT)


def test_gravity_may_be_changed_live_for_a_robot_on_the_wall(arm):
    arm.set(gravity=[0.0, 9.81, 0.0])
    wall = arm.robot.with_gravity([0.0, 9.81, 0.0])
    np.testing.assert_allclose(arm.effort(Q, QD), wall.gravity_torque(Q), **EXACT)


def test_the_filter_of_estimated_velocity_has_the_given_cutoff(arm):
    """A step of speed v after rest gives v (1 - exp(-2 pi cutoff dt)) after one time step dt."""
    arm.set(estimate_velocity=True, velocity_cutoff=10.0)
    speed, dt = 0.4, 1e-3
    expected = arm.robot.friction_torque(np.full(7, speed * (1.0 - np.exp(-2.0 * np.pi * 10.0 * dt))))

    def step():
        arm.states.publish(arm.message(Q, np.zeros(7)))   # measured at rest
        return arm.message(Q + speed * dt)                # not measured, 1 ms later

    arm.listener.ask(arm.states, step, lambda: any(
        np.allclose(m.effort, expected, rtol=1e-6) for m in arm.heard["friction"]), "the filtered step")


def commands(arm, q, n, qd=QD, effort=()):
    """The next n commands while states are streamed."""
    heard = arm.listener.listen(Float64MultiArray, "effort_controller/commands")
    arm.listener.ask(arm.states, lambda: arm.message(q, qd, effort=effort), lambda: len(heard) >= n,
                     "commands", every=0.002)
    return np.array([m.data for m in heard])


def begin_anew(arm, effort=()):
    """Deactivates and activates: the stream of commands starts again. Inactive means silent."""
    assert arm.listener.change_state(arm.node, "deactivate")
    before = int(arm.wait_status(lambda *_: True)[2]["inputs"])
    first = arm.stamp + 1_000_000
    arm.tell(lambda: arm.message(Q, QD, effort=effort), lambda level, words, values: (
        values["state"] == "inactive" and int(values["inputs"]) > before))
    assert arm.listener.change_state(arm.node, "activate")
    arm.ask(Q, QD, effort=effort)
    assert arm.first("gravity", {first}) is None


def test_command_topic_carries_the_compensation_in_the_order_of_joints(arm):
    tau = arm.robot.gravity_torque(Q) + arm.robot.coriolis_torque(Q, QD)
    np.testing.assert_allclose(commands(arm, Q, 3)[-1], tau, **EXACT)


def test_another_commander_of_the_same_arm_is_told(arm):
    rival = arm.listener.node.create_publisher(Float64MultiArray, "effort_controller/commands", 1)
    told = "2 publishers command /shared/effort_controller/commands: /shared/dynamics, /shared/"
    arm.wait_status(lambda _, words, __: told in words, "a rival")
    arm.listener.destroy(rival)
    arm.wait_status(lambda _, words, __: "publishers command" not in words, "peace")


def test_complaint_06_switching_on_ramps_the_command_up(arm):
    arm.set(ramp_time=60.0)
    begin_anew(arm)
    target = arm.robot.gravity_torque(Q) + arm.robot.coriolis_torque(Q, QD)
    heard = commands(arm, Q, 20)
    share = heard @ target / (target @ target)
    assert (np.diff(share) >= 0.0).all()
    assert 0.0 <= share[0] < share[-1] < 0.5
    arm.set(ramp_time=0.0)
    begin_anew(arm)
    np.testing.assert_allclose(commands(arm, Q, 3)[-1], target, **EXACT)


def test_complaint_06_a_command_begins_at_the_torque_that_the_motors_hold(arm):
    arm.set(ramp_time=60.0)
    held = np.linspace(-3.0, 4.0, 7)
    begin_anew(arm, held)
    way = arm.robot.gravity_torque(Q) + arm.robot.coriolis_torque(Q, QD) - held
    for command in commands(arm, Q, 3, effort=held):
        share = (command - held) @ way / (way @ way)
        assert 0.0 <= share < 0.5
        np.testing.assert_allclose(command, held + share * way, atol=1e-9)


def test_complaint_13_a_command_changes_by_at_most_max_delta_tau(arm):
    begin_anew(arm)     # a ramp keeps the length that it began with
    start = commands(arm, Q, 3)[-1]
    arm.set(max_delta_tau=0.125)
    sent = arm.stamp
    heard = commands(arm, -Q, 30)
    states = (arm.stamp - sent) // 1_000_000 + 1   # at most one step for each
    assert abs(heard[-1] - start).max() <= 0.125 * states + 1e-9
    assert abs(heard[-1] - heard[0]).max() > 1.0, "it moves on"


def test_effort_scale_bounds_the_command(arm):
    arm.set(effort_scale=0.01)
    assert (abs(commands(arm, Q, 3)[-1]) <= 0.01 * arm.robot.limits.effort + 1e-12).all()
    assert (abs(arm.effort(Q, QD, topic="compensation")) > 0.01 * arm.robot.limits.effort).any()


def test_diagnostics_come_at_their_period(arm):
    arm.set(diagnostics_period=60.0)
    arm.ask(Q, QD)
    before = len(arm.diagnostics)
    arm.set(diagnostics_period=0.05)
    arm.listener.wait(lambda: len(arm.diagnostics) >= before + 4, "diagnostics every 50 ms", limit=20.0)


def test_complaint_14_health_tells_what_a_user_asks_for(arm):
    _, _, values = arm.tell(lambda: arm.message(Q, QD), lambda level, words, values: "input_age_s" in values)
    assert values["robot"] == "arm_7r"
    assert values["model_hash"] == arm.robot.model.key[:16]
    assert values["executor"] == "EventsExecutor"
    assert values["state"] == "active"
    assert values["kernels"] == "compiled"
    assert values["payloads"] == ""


@pytest.mark.parametrize(("values", "words"), [
    ({"state_timeout": -1.0}, ("state_timeout", "0.001", "60")),
    ({"gravity": [1.0, 2.0]}, ("gravity", "0 or 3 entries")),
    ({"gravity": [0.0, float("nan"), 0.0]}, ("gravity", "nan", "-100 to 100")),
    ({"use_friction": 1.0}, ("use_friction", "1.0", "a bool")),
    ({"gravity_scale": None}, ("gravity_scale", "None", "a double")),
    ({"gravity": None}, ("gravity", "None", "a double array")),
    ({"robot": "planar_2r"}, ("robot", "cleanup")),
    ({"tips": ["link_1"]}, ("tips", "unconfigured")),
])
def test_wrong_or_fixed_values_are_refused_at_run_time_with_a_sentence(arm, values, words):
    successful, reason = arm.listener.set_parameters(arm.node, **values)
    assert not successful
    assert all(word in reason for word in words), reason
    assert arm.process.process.poll() is None
