"""The robot comes by topic, late, changes, or is broken; the node waits, follows, or refuses."""
import numpy as np
import pytest
from rclpy.qos import DurabilityPolicy, QoSProfile
from rdyn_interfaces.srv import GetMassMatrix, SetPayload
from std_msgs.msg import Float64MultiArray, String

import rdyn_ros as rdyn
from support.dynamics_peer import DynamicsPeer, joint_state

pytestmark = pytest.mark.processes

LARGEST = 0.5  # [N m] between two commands
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
URDF = """<robot name="{name}">
  <link name="base"/>
  <link name="arm"><inertial><origin xyz="0.4 0 0"/><mass value="{mass}"/>
    <inertia ixx="0.1" iyy="0.2" izz="0.2" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="hand">{inertial}</link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
    <limit lower="-3" upper="3" effort="50" velocity="3"/></joint>
  <joint name="{wrist}" type="revolute"><parent link="arm"/><child link="hand"/><origin xyz="0.8 0 0"/>
    <axis xyz="0 1 0"/><limit lower="-3" upper="3" effort="50" velocity="3"/></joint>
</robot>"""
INERTIAL = ('<inertial><origin xyz="0.1 0 0"/><mass value="1"/>'
            '<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>')


def urdf(name="two", mass=2.0, wrist="wrist", inertial=INERTIAL):
    return URDF.format(name=name, mass=mass, wrist=wrist, inertial=inertial)


@pytest.fixture(scope="module")
def peer():
    peer = DynamicsPeer({"diagnostics_period": 0.1, "state_timeout": 2.0, "command_topic": "commands",
                         "max_delta_tau": LARGEST}, "/by_topic", robot=urdf())
    try:
        yield peer
    finally:
        peer.close()


@pytest.fixture(scope="module")
def description(peer):
    return peer.listener.node.create_publisher(String, "robot_description", LATCHED)


def gravity(peer, robot, q=(0.4, -0.3)):
    """Waits until the node answers as `robot` does."""
    expected = robot.gravity_torque(q)
    peer.listener.ask(peer.states, lambda: peer.message(q, names=list(robot.joint_names)), lambda: any(
        m.name == list(robot.joint_names) and np.allclose(m.effort, expected, rtol=1e-12, atol=1e-12)
        for m in peer.heard["gravity"][-20:]), f"torques of {robot.name}")


def test_complaint_16_the_node_waits_for_a_robot_takes_changes_and_refuses_a_broken_one(peer, description):
    level, *_ = peer.wait_status(lambda level, words, values: "no robot" in words)
    assert level == b"\x02"
    peer.tell(lambda: peer.message([0.1, 0.2]), lambda *_: peer.count("no_robot") > 0)
    answer = peer.call(GetMassMatrix, "get_mass_matrix", state=joint_state(["shoulder", "wrist"], [0.0, 0.0]))
    assert (answer.success, answer.reason) == (False, "no_model")

    first = rdyn.load(urdf())
    description.publish(String(data=urdf()))
    gravity(peer, first)

    description.publish(String(data=urdf(name="heavier", mass=5.0)))
    gravity(peer, rdyn.load(urdf(name="heavier", mass=5.0)))

    for broken in ("<robot", urdf(inertial="<inertial><mass value='-1'/></inertial>"), "", "planar_2r"):
        description.publish(String(data=broken))
        _, _, values = peer.tell(lambda: peer.message([0.4, -0.3]), lambda level, words, values: (
            "robot_description was refused" in words))
        assert values["robot"] == "heavier", "the robot before it goes on serving"
        description.publish(String(data=urdf(name="heavier", mass=5.0)))
        gravity(peer, rdyn.load(urdf(name="heavier", mass=5.0)))
        peer.tell(lambda: peer.message([0.4, -0.3]), lambda level, words, values: "was refused" not in words)

    renamed = rdyn.load(urdf(name="renamed", wrist="wrist_2"))
    description.publish(String(data=urdf(name="renamed", wrist="wrist_2")))
    gravity(peer, renamed)


def test_complaint_08_a_moving_link_without_inertial_is_refused_by_name(peer, description):
    description.publish(String(data=urdf(name="massless", inertial="")))
    _, words, _ = peer.tell(lambda: peer.message([0.4, -0.3], names=["shoulder", "wrist_2"]),
                            lambda level, words, values: "was refused" in words)
    assert "hand" in words


def test_payloads_stay_when_the_robot_changes_as_long_as_their_frame_exists(peer, description):
    description.publish(String(data=urdf()))
    robot = rdyn.load(urdf())
    gravity(peer, robot)
    request = SetPayload.Request(name="box", frame="hand")
    request.inertia.m = 1.5
    assert peer.listener.call(SetPayload, f"{peer.node}/set_payload", request).success
    gravity(peer, robot.with_payload(1.5, frame="hand"))
    description.publish(String(data=urdf(name="other", mass=3.0)))
    gravity(peer, rdyn.load(urdf(name="other", mass=3.0)).with_payload(1.5, frame="hand"))


def test_a_new_robot_with_the_same_joints_takes_the_torque_over_without_a_jump(peer, description):
    heard = peer.listener.listen(Float64MultiArray, "commands")

    def holds(mass):
        """Streams states until the command holds a robot's weight; its torque."""
        description.publish(String(data=urdf(name="other", mass=mass)))
        held = rdyn.load(urdf(mass=mass)).with_payload(1.5, frame="hand").gravity_torque([0.4, -0.3])
        peer.listener.ask(peer.states, lambda: peer.message([0.4, -0.3]), lambda: heard and np.allclose(
            heard[-1].data, held, atol=1e-9), f"the weight of {mass} kg", every=0.005)
        return held

    light = holds(1.0)
    before = len(heard)
    assert abs(holds(5.0) - light).max() > 20.0 * LARGEST
    steps = abs(np.diff([m.data for m in heard[before - 1:]], axis=0))
    assert 0.0 < steps.max() <= 3.0 * LARGEST, "a message or two may be lost, but it begins where it was"
