"""What it costs to answer a joint state from its serialized bytes, and with message objects."""
from time import monotonic

import numpy as np
from geometry_msgs.msg import PoseStamped, TwistStamped
from rclpy.serialization import deserialize_message, serialize_message
from sensor_msgs.msg import JointState

from bench.measure import medians
from bench.robots import ours
from bench.row import Row
from rdyn_ros.nodes.cdr import JointStateReader
from rdyn_ros.nodes.dynamics_outputs import TORQUES, Outputs
from rdyn_ros.nodes.joint_states import JointStates
from rdyn_ros.nodes.loaded_robot import Load, loaded
from rdyn_ros.nodes.messages import fill_pose, fill_twist, measured
from rdyn_ros.nodes.parameters import DynamicsParameters
from rdyn_ros.nodes.terms import gains
from rdyn_ros.spatial import matrix_quaternion

TITLE = "One joint state answered by four torques, pose and twist, in process (CPU time)"


class Cycle:
    """Three ways from the bytes of a JointState to those of the six messages out, with the same numbers."""

    def __init__(self, robot):
        self._values = DynamicsParameters(tips=robot.tips[:1])
        self._out, self._read = {}, JointStateReader()
        self._states = JointStates(robot.joint_names)
        self._outputs = Outputs(robot, self._values, lambda kind, topic: lambda data: self._out.update({topic: data}))
        self._loaded = loaded(Load(robot, {}, self._outputs.tips[0]))
        self._usual = self._outputs.usual(self._loaded, self._states, self._values, None)
        self._torques = [JointState(name=list(robot.joint_names)) for _ in TORQUES]
        self._pose, self._twist = PoseStamped(), TwistStamped()
        for message in (self._pose, self._twist):
            message.header.frame_id = self._outputs.base

    def in_c(self, data):
        """As the node answers the usual message; None where the extension is not built."""
        return self._usual and self._usual(data, monotonic()) and self._usual.messages[1:]      # no command

    def in_python(self, data):
        """As the node answers any other."""
        now = monotonic()
        self._states.take(self._read(data), now, self._values.state_timeout)
        self._outputs.publish(self._loaded, self._states, now, self._values, None)
        return tuple(self._out.values())

    def by_objects(self, data):
        """As one would with rclpy: a message object in, objects out that are filled anew each time."""
        now, message = monotonic(), deserialize_message(data, JointState)
        self._states.take(measured(message), now, self._values.state_timeout)
        terms = self._loaded.terms(self._states.q, self._states.qd, now)
        compensation = sum(gain * tau for gain, tau in zip(gains(self._values), terms[:3], strict=True))
        for torque, tau in zip(self._torques, (compensation, *terms[:3]), strict=True):
            torque.effort = tau.tolist()
        T, = terms.poses
        fill_pose(self._pose.pose, T[:3, 3], matrix_quaternion(T[:3, :3]))
        fill_twist(self._twist.twist, terms.velocity)
        messages = (*self._torques, self._twist, self._pose)
        for answer in messages:
            answer.header.stamp = message.header.stamp
        return tuple(map(serialize_message, messages))


def state(robot):
    """Bytes of a moving state without stamp, so that it may come again and again."""
    n = len(robot.joint_names)
    q = 0.5 * (robot.limits.lower + robot.limits.upper) + 0.1
    return serialize_message(JointState(name=list(robot.joint_names), position=q.tolist(),
                                        velocity=np.linspace(-0.5, 0.5, n).tolist(), effort=[0.0] * n))


def rows():
    """Serialized bytes in C and in Python beside message objects."""
    cycle, data = Cycle(ours("Panda")), state(ours("Panda"))
    times = medians({way: lambda way=way: way(data) for way in (cycle.in_c, cycle.in_python, cycle.by_objects)}, 2.0)
    peer = "message objects", 1e6 * times[cycle.by_objects]
    yield Row("serialized bytes, usual message, in C", 1e6 * times[cycle.in_c], "µs", *peer, 5.0)
    yield Row("serialized bytes, any message, in Python", 1e6 * times[cycle.in_python], "µs", *peer)
