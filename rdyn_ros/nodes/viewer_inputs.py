"""What the viewer hears: joint states merged by name; of other topics the latest bytes, read only when drawn."""
from time import monotonic

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray
from rdyn_interfaces.msg import ControllerState
from sensor_msgs.msg import JointState

from ..viewer.state_list import Status
from .cdr import JointStateReader, deserialized
from .joint_states import JointStates, Reason
from .messages import by_name
from .qos import OVERRIDABLE, sensor_data

LEVELS = {b"\x00": "ok", b"\x01": "warning"}        # everything else is an error
TERMS = ("gravity", "coriolis", "friction")
LONGEST_PERIOD = 60.0   # [s] that a node may tell
MOST_NODES = 100        # whose statuses are kept, the oldest go first: names on /diagnostics may be ever new
LONGEST_TEXT = 500      # characters that are kept of a name or a sentence
STATES = 10             # messages of joint_states kept while it draws: arm and gripper may speak at once


class Latest:
    """The last message of a topic and the steady time it came [s]."""

    def __init__(self, node, message_type, topic):
        self._node, self._type, self._data, self.arrived = node, message_type, None, -np.inf
        node.create_subscription(message_type, topic, self._keep, sensor_data(1), raw=True,
                                 qos_overriding_options=OVERRIDABLE)

    def _keep(self, data):
        self._data, self.arrived = data, monotonic()

    def read(self, timeout):
        """The message; None when there is none or it is older than `timeout` [s]."""
        if monotonic() - self.arrived > timeout:
            return None
        try:
            return deserialized(self._data, self._type)
        except ValueError:
            return self.refuse(Reason.UNREADABLE)

    def refuse(self, reason):
        """Forgets the message, so that it counts once."""
        self._node.monitor.counters[reason] += 1
        self.arrived = -np.inf


class ViewerInputs:
    """All topics that the viewer shows; `states` (JointStates) of the joints that `follow` names."""

    def __init__(self, node):
        values = node.values
        self._node, self._read = node, JointStateReader()
        self.follow(())
        node.create_subscription(
            JointState, "joint_states", self._on_states, sensor_data(STATES), raw=True,
            qos_overriding_options=OVERRIDABLE)
        self.controller = Latest(node, ControllerState, f"{values.control}/controller_state")
        self._terms = {name: Latest(node, JointState, f"{values.dynamics}/{name}") for name in TERMS}
        self._terms["external"] = Latest(node, JointState, f"{values.control}/external_torque")
        self._said = {}
        node.listen(DiagnosticArray, "/diagnostics", self._on_diagnostics, 10)

    def follow(self, names):
        """Joints of another robot from now on; nothing is known of them yet."""
        self.states = JointStates(names)

    def measured(self, timeout):
        """(q, effort), each (n,) with NaN for a joint that nobody has told of for `timeout` [s]."""
        fresh = monotonic() - self.states.arrived <= timeout
        return np.where(fresh, self.states.q, np.nan), np.where(fresh, self.states.effort, np.nan)

    def torques(self, timeout):
        """{term: effort (n,), NaN where unknown}; None for terms that are not heard."""
        effort = self.measured(timeout)[1]
        heard = {"measured": None if np.isnan(effort).all() else effort}
        return heard | {term: self._efforts(latest, timeout) for term, latest in self._terms.items()}

    def _efforts(self, latest, timeout):
        message = latest.read(timeout)
        if message is not None and len(message.effort) != len(message.name):
            return latest.refuse(Reason.EFFORT_WRONG_LENGTH)
        return by_name(message, "effort", self.states.names)

    def statuses(self):
        """Status of every node that has reported, of MOST_NODES at most."""
        now = monotonic()
        return [Status(name, level, message, now - then, period)
                for name, (level, message, then, period) in sorted(self._said.items())]

    def _on_states(self, data):
        odd = self.states.take_read(self._read, data, monotonic(), self._node.values.state_timeout)
        if odd and odd is not Reason.VELOCITY_MISSING:      # the picture needs none
            self._node.monitor.counters[odd] += 1

    def _on_diagnostics(self, message):
        for status in message.status[-MOST_NODES:]:
            name, level = status.name[:LONGEST_TEXT], LEVELS.get(status.level, "error")
            self._said.pop(name, None)      # so that the oldest is the first
            self._said[name] = level, status.message[:LONGEST_TEXT], monotonic(), self._period(status)
            if len(self._said) > MOST_NODES:
                del self._said[next(iter(self._said))]

    def _period(self, status):
        """Time [s] from one status of a node to the next; of one that does not tell it, that of this node."""
        told = next((pair.value for pair in status.values if pair.key == "period_s"), "")
        try:
            return min(max(0.0, float(told)), LONGEST_PERIOD)  # 0 for what is no number
        except ValueError:
            return self._node.values.diagnostics_period
