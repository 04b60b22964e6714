"""The dynamics node in this process: what changes while something else is under way, and what is sent where."""
from dataclasses import replace
from time import monotonic, sleep

import numpy as np
import pytest
from rclpy.qos import ReliabilityPolicy
from rclpy.serialization import serialize_message
from rdyn_interfaces.srv import SetGravity
from sensor_msgs.msg import Imu

import rdyn_ros as rdyn
from rdyn_ros.nodes import dynamics_health, dynamics_node
from rdyn_ros.nodes.answering import Answering
from rdyn_ros.nodes.cdr import CommandWriter
from rdyn_ros.nodes.control_node import ControlNode
from rdyn_ros.nodes.dynamics_node import DynamicsNode
from rdyn_ros.nodes.dynamics_outputs import Outputs
from rdyn_ros.nodes.loaded_robot import Payload
from rdyn_ros.nodes.parameters import DynamicsParameters
from rdyn_ros.nodes.process import started
from rdyn_ros.nodes.requests import service_callback
from rdyn_ros.nodes.setup_services import set_gravity
from support.dynamics_peer import joint_state
from support.in_process import QUIET, planar_state, tell

pytestmark = pytest.mark.usefixtures("handover")


def box(mass):
    return Payload("tool", mass, np.zeros(3), np.zeros((3, 3)))


def carry(node, **masses):
    """The node carries boxes from now on."""
    load = node.serving.loaded.load.carrying({name: box(mass) for name, mass in masses.items()})
    node.change_loaded(lambda robot: robot.with_load(load, monotonic()))


def test_an_arm_that_may_not_be_given_what_it_needs_is_told():
    with started(DynamicsNode, **QUIET, command_topic="commands", effort_scale=0.01) as node:
        tell(node, "/joint_states", joint_state(["shoulder", "elbow"], [0.3, -0.5], [0.0, 0.0], (), 1))
        level, words, _ = dynamics_health.judge(node)
        assert level == "WARN" and "to shoulder, elbow: the arm is not held" in words
        node.changed(replace(node.values, effort_scale=1.0))
        tell(node, "/joint_states", joint_state(["shoulder", "elbow"], [0.3, -0.5], [0.0, 0.0], (), 2))
        assert "held" not in dynamics_health.judge(node)[1]


def test_a_half_of_the_arm_that_is_stale_for_a_moment_makes_no_jump(monkeypatch):
    """The watchdog sees it; the stream of torques, of which the last is not yet state_timeout old, goes on."""
    given, now = [], monotonic()
    monkeypatch.setattr(CommandWriter, "__call__", lambda self, tau: given.append(tau[0]) or b"")
    monkeypatch.setattr(Outputs, "usual", lambda *_: None)      # all in Python, to be seen
    with started(DynamicsNode, **QUIET, command_topic="commands", state_timeout=0.4, ramp_time=0.0) as node:
        def half(name, after):
            node._answering(serialize_message(joint_state([name], [0.3], [0.0], (), 0)), now + after)

        half("elbow", 0.0)
        for k in range(30):
            half("shoulder", 0.01 * k)
        last = given[-1]
        monkeypatch.setattr(dynamics_node, "monotonic", lambda: now + 0.45)     # the elbow is stale, the torque is not
        node._stale = False
        node._watch()
        assert node._stale
        half("shoulder", 0.46)
        half("elbow", 0.46)
        assert abs(last) > 5.0 and abs(given[-1] - last) <= node.values.max_delta_tau


def test_payloads_and_gravity_set_while_a_new_robot_is_compiled_stay():
    class Slow(rdyn.Robot):
        """While it is made ready to carry its first box, another comes and gravity turns."""

        def with_payload(self, mass, *args, **options):
            if mass == 1.0:
                carry(node, one=2.0, two=3.0)
                node.change_loaded(lambda robot: robot.with_gravity([0.0, 9.81, 0.0], monotonic()))
            return super().with_payload(mass, *args, **options)

    with started(DynamicsNode, **QUIET) as node:
        carry(node, one=1.0)
        model = rdyn.load("planar_2r").model
        node._take_robot(Slow(model))
        now = node.serving.loaded
        assert now.bare.model is model
        assert {name: p.mass for name, p in now.payloads.items()} == {"one": 2.0, "two": 3.0}
        np.testing.assert_array_equal(now.gravity, [0.0, 9.81, 0.0])


def test_a_robot_that_comes_while_a_payload_passes_over_makes_no_jump():
    q = np.array([0.3, 0.2])

    def weight():
        return node.serving.loaded.terms(q, 0.0 * q, then).gravity
    with started(DynamicsNode, **QUIET) as node:
        load, then = node.serving.loaded.load.carrying({"box": box(5.0)}), monotonic() + 1.0
        node.change_loaded(lambda robot: robot.with_load(load, then - 1.0, 1000.0))
        before = weight()
        node._take_robot(rdyn.load("planar_2r"))
        assert node.serving.loaded.load is not load
        np.testing.assert_allclose(weight(), before, rtol=1e-12)
        assert node.serving.loaded.payload_share("box", then) == pytest.approx(0.001)


def test_gravity_of_the_parameter_stays_although_the_first_robot_has_the_same():
    earth, moon = [0.0, 0.0, -9.81], rdyn.load("planar_2r").with_gravity([0.0, 0.0, -1.62])
    with started(DynamicsNode, **QUIET, gravity=str(earth)) as node:
        assert node.serving.loaded.bare.gravity.tolist() == earth
        node._take_robot(moon)
        assert node.serving.loaded.gravity.tolist() == earth


def acceleration(x, z, frame=""):
    message = Imu()
    message.header.frame_id = frame
    message.linear_acceleration.x, message.linear_acceleration.z = x, z
    return message


def test_an_imu_before_there_is_a_robot_is_counted():
    with started(DynamicsNode, diagnostics_period=60.0, imu_topic="imu") as node:
        node.imu(acceleration(0.0, 9.81))
        assert node.monitor.counters == {"no_robot": 1}


def test_an_imu_without_stamps_is_filtered_by_steady_time_and_one_that_is_silent_is_told(monkeypatch):
    with started(DynamicsNode, **QUIET, imu_topic="imu", imu_cutoff=1000.0, state_timeout=60.0) as node:
        node.imu(acceleration(0.0, 9.81, "tool"))
        assert node.monitor.counters == {"imu_without_state": 1}, "where the tool is, nobody knows yet"
        node.imu(acceleration(0.0, 9.81, "moon"))
        assert node.monitor.counters["imu_frame_unknown"] == 1
        Answering(node)(serialize_message(joint_state(["shoulder", "elbow"], [0.1, 0.2], [0.0, 0.0])))
        _, words, values = dynamics_health.judge(node)
        assert "the IMU has not told where gravity points yet" in words and values["imu_age_s"] == "inf"
        for a in ((0.0, 9.81), (9.81, 0.0)):    # the base falls on its side
            sleep(0.01)
            node.imu(acceleration(*a))
        np.testing.assert_allclose(node.serving.loaded.gravity, [-9.81, 0.0, 0.0], atol=1e-9)
        assert "IMU" not in dynamics_health.judge(node)[1]
        monkeypatch.setattr(dynamics_health, "SILENCE", 0.0)
        assert "the IMU has not told where gravity points for " in dynamics_health.judge(node)[1]


FINGERS = """<robot name="hand"><link name="palm"/>{links}</robot>"""
FINGER = """<link name="{name}"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="{name}_joint" type="continuous"><parent link="palm"/><child link="{name}"/><axis xyz="0 1 0"/></joint>"""


def hand(tmp_path, *names):
    path = tmp_path / "hand.urdf"
    path.write_text(FINGERS.format(links="".join(FINGER.format(name=name) for name in names)))
    return QUIET | {"robot": path}


def test_tips_with_names_that_no_topic_may_have_are_published(tmp_path):
    names = ("1st", "3rd", "left/tip-2", "link_15.0_tip", "été")
    with started(DynamicsNode, **hand(tmp_path, *names)) as node:
        poses = [p.topic_name for p in node.publishers if p.topic_name.endswith("/pose")]
        assert poses == ["/dynamics/pose", "/dynamics/_3rd/pose", "/dynamics/left_tip_2/pose",
                         "/dynamics/link_15_0_tip/pose", "/dynamics/_t_/pose"]


def test_tips_that_would_share_a_topic_are_refused_by_name(tmp_path):
    with (pytest.raises(rdyn.RdynError, match=r"'a\.b' and 'a_b' would share the topic ~/a_b/pose"),
          started(DynamicsNode, **hand(tmp_path, "Thumb", "a.b", "a_b"))):
        pass


@pytest.mark.parametrize(("prefix", "name"), [("", "tool"), ("left/", "tool"), ("left/", "left/tool")])
def test_a_base_frame_that_is_another_frame_of_the_robot_is_refused(prefix, name):
    """Poses would be told in it and stay those in the base."""
    robot, base = rdyn.load("planar_2r"), rdyn.load("planar_2r").model.bodies[0].name
    with pytest.raises(rdyn.RdynError, match=r"'base_frame' is .*another frame of the robot"):
        Outputs(robot, DynamicsParameters(base_frame=name, frame_prefix=prefix), lambda *_: None)
    for same in (base, prefix + base, "world"):
        assert Outputs(robot, DynamicsParameters(base_frame=same, frame_prefix=prefix), lambda *_: None).base == same


@pytest.mark.parametrize("z", [1e300, -100.1, np.nan, np.inf])
def test_gravity_beyond_the_range_of_its_parameter_is_refused_by_the_service(z):
    with started(DynamicsNode, **QUIET) as node:
        request = SetGravity.Request()
        request.gravity.vector.z = z
        answer = service_callback(node, set_gravity)(request, SetGravity.Response())
        assert (answer.success, answer.reason) == (False, "bad_input")
        assert "from -100 to 100 [m/s^2]" in answer.message
        assert node.serving.loaded.gravity.tolist() == [0.0, 0.0, -9.81]


@pytest.mark.parametrize("node_class", [DynamicsNode, ControlNode])
def test_an_odd_effort_is_counted_and_the_state_answered(node_class):
    with started(node_class, **QUIET, state_timeout=10.0) as node:
        for stamp, effort in enumerate(([1.0, 2.0, 3.0], [1.0, np.nan], [np.nan, np.nan]), 1):
            tell(node, "/joint_states", planar_state(stamp=stamp, effort=effort))
            assert node.serving.states.stamp == stamp
        assert node.monitor.counters == {"effort_wrong_length": 1, "effort_not_finite": 1}


def test_qos_is_overridden_by_parameters():
    words = [word for rule in (
        "/joint_states.subscription.reliability:=reliable", "/joint_states.subscription.depth:=7",
        "/dynamics/gravity.publisher.reliability:=best_effort")
             for word in ("-p", f"qos_overrides.{rule}")]
    with started(DynamicsNode, *words, **QUIET) as node:
        inlet = next(s.qos_profile for s in node.all_subscriptions if s.topic_name == "/joint_states")
        outlets = {p.topic_name: p.qos_profile.reliability for p in node.publishers}
        assert (inlet.reliability, inlet.depth) == (ReliabilityPolicy.RELIABLE, 7)
        assert outlets["/dynamics/gravity"] == ReliabilityPolicy.BEST_EFFORT
        assert outlets["/dynamics/coriolis"] == ReliabilityPolicy.RELIABLE
