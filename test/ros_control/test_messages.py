"""Messages of the control and simulator nodes <-> arrays: by joint name, and refused in words."""
import numpy as np
import pytest
from geometry_msgs.msg import PoseStamped
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from rdyn_ros.control.motion import rest
from rdyn_ros.errors import RdynError
from rdyn_ros.nodes.cdr import JointStateWriter
from rdyn_ros.nodes.control_messages import reference, target_pose, trajectory_points

NAMES = ("a", "b", "c")


def message(names=("c", "a"), **parts):
    point = JointTrajectoryPoint(**{"positions": [3.0, 1.0], **parts})
    point.time_from_start.sec, point.time_from_start.nanosec = 1, 500_000_000
    return JointTrajectory(joint_names=list(names), points=[point])


def test_points_are_put_in_the_robots_order_and_gaps_are_nan():
    times, points = trajectory_points(message(velocities=[0.3, 0.1]), NAMES)
    assert times == [1.5]
    np.testing.assert_array_equal(points.q, [[1.0, np.nan, 3.0]])
    np.testing.assert_array_equal(points.qd, [[0.1, np.nan, 0.3]])
    assert np.isnan(points.qdd).all()


@pytest.mark.parametrize(("wrong", "says"), [
    (message(names=("c", "x")), "each must be one of a, b, c"),
    (message(names=("a", "a")), "none twice"),
    (message(names=()), "each must be one of"),
    (message(positions=[]), "2 finite numbers"),
    (message(positions=[1.0]), "2 finite numbers"),
    (message(positions=[np.nan, 1.0]), "2 finite numbers"),
    (message(velocities=[np.inf, 1.0]), "velocities of point 0"),
    (message(accelerations=[1.0]), "accelerations of point 0"),
])
def test_wrong_trajectories_are_refused_in_words(wrong, says):
    with pytest.raises(RdynError, match=says):
        trajectory_points(wrong, NAMES)


def test_a_reference_leaves_the_joints_it_does_not_name_where_they_are():
    wanted = reference(JointState(name=["b"], position=[5.0], velocity=[0.5]), NAMES, rest([1.0, 2.0, 3.0]))
    np.testing.assert_array_equal(wanted.q, [1.0, 5.0, 3.0])
    np.testing.assert_array_equal(wanted.qd, [0.0, 0.5, 0.0])


def test_a_target_pose_needs_the_base_and_a_unit_quaternion():
    pose = PoseStamped()
    pose.pose.position.x, pose.pose.orientation.z, pose.pose.orientation.w = 0.5, 1.0, 0.0
    T = target_pose(pose, "base")
    np.testing.assert_allclose(T, [[-1, 0, 0, 0.5], [0, -1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]], atol=1e-15)
    pose.pose.orientation.z = 0.5
    with pytest.raises(RdynError, match="unit quaternion"):
        target_pose(pose, "base")
    pose.header.frame_id = "tool"
    with pytest.raises(RdynError, match="give it in 'base'"):
        target_pose(pose, "base")


@pytest.mark.parametrize("names", [["a"], ["elbow", "wrist_1", "x"], list("abcdefg")])
def test_a_state_laid_out_once_reads_back_as_written(names):
    n = len(names)
    write = JointStateWriter(names)
    for k in (1, 2):
        state = deserialize_message(write(k * 10**9 + 5, *np.arange(3.0 * n).reshape(3, n) * k), JointState)
        assert (state.header.stamp.sec, state.header.stamp.nanosec, state.name) == (k, 5, names)
        np.testing.assert_array_equal([state.position, state.velocity, state.effort],
                                      np.arange(3.0 * n).reshape(3, n) * k)
