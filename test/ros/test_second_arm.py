"""A node set up in every other way: namespace, prefixes, some joints, IMU, simulated time, plain executor."""
import numpy as np
import pytest
import yaml
from rdyn_interfaces.srv import ComputeFK
from sensor_msgs.msg import Imu

from rdyn_ros.model.source import find
from support.dynamics_peer import DynamicsPeer, joint_state

pytestmark = pytest.mark.processes

EXACT = {"rtol": 1e-12, "atol": 1e-12}
PARAMETERS = {
    "autostart": False, "executor": "single", "use_sim_time": True, "joint_prefix": "left_",
    "frame_prefix": "left/", "base_frame": "left_mount", "joints": ["joint_3", "joint_1", "joint_2"],
    "optional_joints": ["joint_7"], "imu_topic": "imu", "imu_cutoff": 1000.0,
    "diagnostics_period": 0.1, "state_timeout": 2.0, "gravity": [0.0, 0.0, -1.62]}
Q, QD = np.array([0.3, -0.8, 0.5, 1.1, -0.4, 0.9, 0.0]), np.array([0.2, -0.1, 0.3, 0.4, -0.5, 0.6, 0.0])
NAMES = [f"left_joint_{i}" for i in range(1, 8)]


@pytest.fixture(scope="module")
def left(tmp_path_factory):
    """Peer of a node that was configured and activated by hand."""
    text = find("arm_7r").read_text()
    file = tmp_path_factory.mktemp("parameters") / "left.yaml"
    file.write_text(yaml.safe_dump({"/**": {"ros__parameters": {**PARAMETERS, "robot_description": text}}}))
    peer = DynamicsPeer({}, "/left", robot="arm_7r", params_file=file, wait=False)
    try:
        assert peer.listener.state(peer.node) == "unconfigured"
        assert peer.listener.change_state(peer.node, "configure")
        assert peer.listener.state(peer.node) == "inactive"
        assert peer.listener.change_state(peer.node, "activate")
        peer.begin()
        yield peer
    finally:
        peer.close()


def ask(left, topic="gravity", names=NAMES, q=Q, qd=QD):
    return left.ask(q, qd, names=names, topic=topic)


def test_complaint_15_names_carry_the_prefix_and_topics_the_namespace(left):
    answer = ask(left)
    assert answer.name == ["left_joint_3", "left_joint_1", "left_joint_2"]
    moon = left.robot.with_gravity([0.0, 0.0, -1.62])
    np.testing.assert_allclose(answer.effort, moon.gravity_torque(Q)[[2, 0, 1]], **EXACT)
    assert left.with_stamp("pose", answer.header).header.frame_id == "left_mount"


def test_a_joint_without_prefix_is_another_robots(left):
    before = left.count("no_known_joint")
    left.tell(lambda: left.message(Q, QD), lambda *_: left.count("no_known_joint") > before)


def test_an_optional_joint_that_nobody_publishes_counts_as_zero(left):
    for step in ("deactivate", "cleanup", "configure", "activate"):    # no message has ever brought it
        assert left.listener.change_state(left.node, step)
    answer = ask(left, names=NAMES[:6], q=Q[:6], qd=QD[:6])
    moon = left.robot.with_gravity([0.0, 0.0, -1.62])
    np.testing.assert_allclose(answer.effort, moon.gravity_torque(Q)[[2, 0, 1]], **EXACT)
    np.testing.assert_allclose(left.with_stamp("coriolis", answer.header).effort,
                               moon.coriolis_torque(Q, QD)[[2, 0, 1]], **EXACT)


def test_frames_may_be_asked_for_with_or_without_prefix(left):
    state = joint_state(NAMES, Q)
    one, two = (left.call(ComputeFK, "compute_fk", state=state, frames=[name])
                for name in ("flange", "left/flange"))
    assert one.success
    assert two.success
    a, b = one.poses[0].position, two.poses[0].position
    np.testing.assert_allclose([a.x, a.y, a.z], [b.x, b.y, b.z], **EXACT)
    assert one.header.frame_id == "left_mount"


def test_the_executor_is_the_one_asked_for(left):
    _, _, values = left.tell(lambda: left.message(Q, QD, names=NAMES), lambda level, words, values: values)
    assert values["executor"] == "SingleThreadedExecutor"


def test_stale_input_is_told_although_simulated_time_stands_still(left):
    ask(left)
    left.set(state_timeout=0.2)
    level, _, _ = left.wait_status(lambda level, words, values: "stale" in words)
    assert level == b"\x02"
    ask(left)
    left.set(state_timeout=2.0)


def test_complaint_04_gravity_follows_an_imu_on_the_base(left):
    imu = left.listener.publisher(Imu, "imu")
    tilt, strength = 0.6, 1.62
    message = Imu()
    message.header.frame_id = "left_mount"
    message.linear_acceleration.y = strength * np.sin(tilt)
    message.linear_acceleration.z = strength * np.cos(tilt)
    tilted = left.robot.with_gravity([0.0, -strength * np.sin(tilt), -strength * np.cos(tilt)])

    def answered():
        imu.publish(message)
        left.states.publish(left.message(Q, QD, names=NAMES))
        last = left.heard["gravity"][-1]
        return np.allclose(last.effort, tilted.gravity_torque(Q)[[2, 0, 1]], rtol=1e-9)

    left.listener.wait(answered, "gravity of the tilted base")
    before = left.count("imu_not_gravity")
    message.linear_acceleration.z = 50.0   # a blow is not gravity
    left.listener.wait(lambda: imu.publish(message) or left.count("imu_not_gravity") > before, "the counter")
    np.testing.assert_allclose(ask(left).effort, tilted.gravity_torque(Q)[[2, 0, 1]], rtol=1e-9)


def test_the_low_pass_on_the_imu_has_the_given_cutoff(left):
    left.set(imu_cutoff=10.0)
    imu = left.listener.publisher(Imu, "imu")
    up, tilted, time = np.array([0.0, 0.0, 1.62]), np.array([0.0, 0.3, 1.6]), 0

    def acceleration(a, after):
        nonlocal time
        time += after
        message = Imu()
        message.header.stamp.sec, message.header.stamp.nanosec = divmod(time, 10**9)
        v = message.linear_acceleration
        v.x, v.y, v.z = a.tolist()
        return message

    mean = up + (1.0 - np.exp(-2.0 * np.pi * 10.0 * 0.01)) * (tilted - up)
    g = -1.62 * mean / np.linalg.norm(mean)
    expected = left.robot.with_gravity(g).gravity_torque(Q)[[2, 0, 1]]

    def answered():
        imu.publish(acceleration(up, 100 * 10**9))       # all before is forgotten
        imu.publish(acceleration(tilted, 10**7))         # 10 ms later
        left.states.publish(left.message(Q, QD, names=NAMES))
        return any(np.allclose(m.effort, expected, rtol=1e-6) for m in left.heard["gravity"][-20:])

    left.listener.wait(answered, "gravity behind the low-pass")


def test_a_lifecycle_manager_may_clean_up_change_fixed_parameters_and_start_again(left):
    listener, node = left.listener, left.node
    assert listener.change_state(node, "deactivate")
    assert listener.change_state(node, "cleanup")
    successful, reason = listener.set_parameters(node, joints=["joint_1", "shoulder"])
    assert successful, reason
    assert not listener.change_state(node, "configure"), "joints are checked against the robot"
    assert listener.state(node) == "unconfigured"
    successful, reason = listener.set_parameters(node, joints=["joint_2"])
    assert successful, reason
    assert listener.change_state(node, "configure")
    assert listener.change_state(node, "activate")
    assert ask(left).name == ["left_joint_2"]
