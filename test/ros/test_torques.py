"""The torques over DDS are those of the core, whatever the order, number and names of joints in a message."""
import numpy as np
import pytest
from geometry_msgs.msg import PoseStamped
from sensor_msgs.msg import JointState

from rdyn_ros.spatial import quaternion_matrix
from support.dynamics_peer import stamp

pytestmark = pytest.mark.processes

RNG = np.random.default_rng(7)
EXACT = {"rtol": 1e-12, "atol": 1e-12}


def random_state(n=7):
    return RNG.uniform(-2.0, 2.0, n), RNG.uniform(-1.5, 1.5, n)


def test_every_topic_answers_one_state_with_the_stamp_of_the_input(arm):
    q, qd = random_state()
    gravity = arm.ask(q, qd)
    expected = {"gravity": arm.robot.gravity_torque(q), "coriolis": arm.robot.coriolis_torque(q, qd),
                "friction": arm.robot.friction_torque(qd),
                "compensation": arm.robot.gravity_torque(q) + arm.robot.coriolis_torque(q, qd)}
    for topic, tau in expected.items():
        message = arm.with_stamp(topic, gravity.header)
        assert message.name == arm.names
        np.testing.assert_allclose(message.effort, tau, **EXACT)


def test_pose_and_twist_are_those_of_the_tip_in_the_base(arm):
    q, qd = random_state()
    gravity = arm.ask(q, qd)
    pose, twist = arm.with_stamp("pose", gravity.header), arm.with_stamp("twist", gravity.header)
    T = arm.robot.fk(q, "flange")
    p, o, v, w = pose.pose.position, pose.pose.orientation, twist.twist.linear, twist.twist.angular
    np.testing.assert_allclose([p.x, p.y, p.z], T[:3, 3], **EXACT)
    np.testing.assert_allclose(quaternion_matrix([o.x, o.y, o.z, o.w]), T[:3, :3], **EXACT)
    np.testing.assert_allclose([v.x, v.y, v.z, w.x, w.y, w.z], arm.robot.velocity(q, qd, "flange"), **EXACT)
    assert pose.header.frame_id == twist.header.frame_id == "base"


def test_a_further_tip_has_its_own_pose(arm):
    further = arm.listener.listen(PoseStamped, f"{arm.node}/link_4/pose")
    q, _ = random_state()
    arm.listener.ask(arm.states, lambda: arm.message(q), lambda: further, "~/link_4/pose")
    p = further[-1].pose.position
    np.testing.assert_allclose([p.x, p.y, p.z], arm.robot.fk(q, "link_4")[:3, 3], **EXACT)


def test_complaint_01_joints_in_another_order_get_their_own_torques(arm):
    q, qd = random_state()
    order = RNG.permutation(7)
    tau = arm.effort(q[order], qd[order], names=[arm.names[i] for i in order])
    np.testing.assert_allclose(tau, arm.robot.gravity_torque(q), **EXACT)


def test_joints_that_the_robot_does_not_have_are_ignored(arm):
    q, qd = random_state()
    names = ["gripper", *arm.names, "wheel"]
    tau = arm.effort([np.nan, *q, 9.9], [np.nan, *qd, 9.9], names=names)
    np.testing.assert_allclose(tau, arm.robot.gravity_torque(q), **EXACT)


def test_complaint_03_two_publishers_with_part_of_the_joints_are_merged(arm):
    q, qd = random_state()
    second = arm.listener.publisher(JointState, "joint_states")
    stamps = set()

    def halves():
        message = arm.message(q[:4], qd[:4], names=arm.names[:4])
        second.publish(arm.message(q[4:], qd[4:], names=arm.names[4:]))
        stamps.add(arm.stamp)
        return message

    def merged():
        answers = [m for m in arm.heard["compensation"] if stamp(m) in stamps]
        tau = arm.robot.gravity_torque(q) + arm.robot.coriolis_torque(q, qd)
        return any(np.allclose(m.effort, tau, **EXACT) for m in answers)

    arm.listener.ask(arm.states, halves, merged, "the merged state")
    arm.listener.destroy(second)


def test_complaint_02_without_velocities_only_what_is_known_is_published_and_said(arm):
    q, _ = random_state()
    for missing in ((), np.full(7, np.nan)):
        gravity = arm.ask(q, missing)
        compensation = arm.with_stamp("compensation", gravity.header)
        np.testing.assert_allclose(compensation.effort, arm.robot.gravity_torque(q), **EXACT)
        arm.with_stamp("pose", gravity.header)
        arm.ask(q, missing)   # by now everything about the first was published
        assert all(arm.first(topic, {stamp(gravity)}) is None for topic in ("coriolis", "friction", "twist"))
    _, _, values = arm.tell(lambda: arm.message(q, np.full(7, np.nan)), lambda level, words, values: (
        "velocities are missing" in words and "count_velocity_not_finite" in values))
    assert values["velocity"] == "missing" and int(values["count_velocity_missing"]) >= 2


def test_velocity_is_estimated_by_filtered_differences_when_asked(arm):
    arm.set(estimate_velocity=True, velocity_cutoff=1000.0)
    speed, q0, begin = 0.5, np.linspace(-1.0, 1.0, 7), arm.stamp

    def moving():   # stamps are 1 ms apart
        return arm.message(q0 + speed * (arm.stamp + 1_000_000 - begin) * 1e-9)

    def answered():
        return next((m for m in arm.heard["friction"] if stamp(m) > start and np.allclose(
            m.effort, arm.robot.friction_torque(np.full(7, speed)), rtol=1e-3)), None)

    start = arm.stamp + 5_000_000
    arm.listener.ask(arm.states, moving, answered, "friction of the estimated velocity")


def test_complaint_09_friction_of_the_robot_file_counts_when_asked(arm):
    arm.set(use_friction=True)
    q, qd = random_state()
    tau = arm.effort(q, qd, topic="compensation")
    terms = arm.robot.gravity_torque(q) + arm.robot.coriolis_torque(q, qd) + arm.robot.friction_torque(qd)
    np.testing.assert_allclose(tau, terms, **EXACT)
