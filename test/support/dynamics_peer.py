"""A dynamics node in a process of its own, and what its tests say to it and hear from it."""
import numpy as np
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import PoseStamped, TwistStamped, Vector3Stamped
from rdyn_interfaces.srv import SetGravity, SetPayload
from sensor_msgs.msg import JointState

import rdyn_ros as rdyn
from support.ros_peer import Listener, NodeProcess

MODULE = "rdyn_ros.nodes.dynamics_node"
TORQUES = ("gravity", "coriolis", "friction", "compensation")


def joint_state(names, position, velocity=(), effort=(), stamp=0):
    """JointState; stamp [ns]."""
    position, velocity, effort = (np.asarray(x, float).tolist() for x in (position, velocity, effort))
    message = JointState(name=list(names), position=position, velocity=velocity, effort=effort)
    message.header.stamp.sec, message.header.stamp.nanosec = divmod(int(stamp), 10**9)
    return message


def stamp(message):
    """Stamp of a message [ns]."""
    return message.header.stamp.sec * 10**9 + message.header.stamp.nanosec


class DynamicsPeer:
    """Talks to the node `dynamics` in a namespace (one each!); remembers all it hears, by topic."""

    def __init__(self, parameters, namespace="", remap=(), robot=None, wait=True, **options):
        self.robot = rdyn.load(robot or parameters["robot"])
        self.names = list(self.robot.joint_names)
        self.node = f"{namespace}/dynamics"
        remap = [*remap, *([f"__ns:={namespace}"] if namespace else [])]
        self.process = NodeProcess(MODULE, parameters=parameters, remap=remap, **options)
        self.listener = Listener(namespace=namespace or "/")
        self.heard = {name: self.listener.listen(JointState, f"{self.node}/{name}") for name in TORQUES}
        self.heard["pose"] = self.listener.listen(PoseStamped, f"{self.node}/pose")
        self.heard["twist"] = self.listener.listen(TwistStamped, f"{self.node}/twist")
        self.diagnostics = self.listener.listen(DiagnosticArray, "/diagnostics")
        self._changed, self._touched = {}, False
        self.stamp = 1_000_000_000
        if wait:
            self.begin()

    def begin(self):
        """Waits for the node to subscribe."""
        self.states = self.listener.publisher(JointState, "joint_states")

    def close(self):
        self.listener.close()
        self.process.stop()

    def message(self, q, qd=(), names=None, **fields):
        """JointState in the robot's order (or of `names`) with a new stamp."""
        self.stamp += 1_000_000
        return joint_state(names or self.names, q, qd, stamp=self.stamp, **fields)

    def ask(self, q, qd=(), names=None, topic="gravity", **fields):
        """Answer on a topic to a state: the first with its stamp."""
        mine = set()

        def send():
            message = self.message(q, qd, names, **fields)
            mine.add(self.stamp)
            return message

        return self.listener.ask(self.states, send, lambda: self.first(topic, mine), f"~/{topic}")

    def first(self, topic, stamps):
        """Message of a topic with one of these stamps [ns]."""
        return next((m for m in reversed(self.heard[topic]) if stamp(m) in stamps), None)

    def with_stamp(self, topic, header):
        """Message of a topic that answers the same state as another."""
        wanted = {header.stamp.sec * 10**9 + header.stamp.nanosec}
        return self.listener.wait(lambda: self.first(topic, wanted), f"~/{topic}")

    def effort(self, *args, **options):
        """Efforts of an answer, in the robot's order."""
        answer = self.ask(*args, **options)
        return np.array(answer.effort)

    def status(self, since=0):
        """Latest status of the node on /diagnostics, at least the `since`th: level, message, {key: value}."""
        for array in reversed(self.diagnostics[since:]):
            for s in array.status:
                if s.name == self.node.strip("/"):
                    return s.level, s.message, {pair.key: pair.value for pair in s.values}
        return None

    def wait_status(self, condition, what="a diagnosis"):
        """First status from now on that meets condition(level, message, values)."""
        since = len(self.diagnostics)
        return self.listener.wait(lambda: (s := self.status(since)) and condition(*s) and s, what)

    def tell(self, message, condition, what="a diagnosis"):
        """Publishes message() again and again until a status meets condition(level, message, values)."""
        return self.listener.ask(self.states, message,
                                 lambda: (s := self.status()) and condition(*s) and s, what)

    def count(self, reason):
        """A counter on /diagnostics."""
        status = self.status()
        return int(status[2].get(f"count_{reason}", 0)) if status else 0

    def set(self, **values):
        """Sets live parameters, which `restore` sets back."""
        for name in values:
            if name not in self._changed:
                self._changed[name] = self.listener.get_parameter(self.node, name)
        successful, reason = self.listener.set_parameters(self.node, **values)
        assert successful, reason

    def restore(self):
        """Sets parameters, payloads and gravity back to what they were at the start."""
        if self._changed:
            successful, reason = self.listener.set_parameters(self.node, **self._changed)
            assert successful, reason
            self._changed.clear()
        if self._touched:
            self.call(SetPayload, "set_payload", operation="remove")
            gravity = Vector3Stamped()
            gravity.vector.x, gravity.vector.y, gravity.vector.z = self.robot.gravity.tolist()
            self.call(SetGravity, "set_gravity", gravity=gravity)
            self._touched = False

    def call(self, service_type, name, /, **fields):
        """Answer of a service of the node."""
        self._touched = self._touched or name in ("set_payload", "set_gravity")
        return self.listener.call(service_type, f"{self.node}/{name}", service_type.Request(**fields))
