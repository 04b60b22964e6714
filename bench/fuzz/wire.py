"""What comes over the wire to a node: damaged bytes and odd values on each topic and service it has."""

import time

from hypothesis import strategies as st
from rclpy.parameter import Parameter
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState

from rdyn_ros.nodes.cdr import deserialized
from rdyn_ros.nodes.control_node import ControlNode
from rdyn_ros.nodes.dynamics_node import DynamicsNode
from rdyn_ros.nodes.parameter import declarations
from rdyn_ros.nodes.process import started
from rdyn_ros.nodes.simulator_node import SimulatorNode
from rdyn_ros.nodes.viewer_node import viewer_node

from .damage import damaged_bytes
from .messages import odd_message
from .parameters import values
from .trial import trial

NODES = {"dynamics": DynamicsNode, "control": ControlNode, "simulator": SimulatorNode, "viewer": viewer_node}
ROBOT = "planar_2r"
WORDS = ("shoulder", "elbow")


def running(name):
    """A node of this kind in this process, started, its callbacks at hand."""
    return started(NODES[name], "-r", f"__ns:=/fuzzed_{name}", "--disable-stdout-logs", "--disable-rosout-logs",
                   robot=ROBOT)


def entries(node):
    """(message type, whether it takes bytes, function of one message) of each topic and service of a node."""
    for subscription in node.all_subscriptions:
        yield subscription.msg_type, subscription.raw, subscription.callback
    served = [*node.services, *(node.side.services if hasattr(node, "side") else ())]
    for service in served:
        if service.srv_type.__module__.startswith(("rdyn_interfaces", "std_srvs")):

            def call(request, service=service):
                answer = service.callback(request, service.srv_type.Response())
                assert answer.success or answer.message, "refused without a word"

            yield service.srv_type.Request, False, call


def good_state(k=0):
    """A JointState that every node takes."""
    state = JointState(name=list(WORDS), position=[0.1, 0.2], velocity=[0.0, 0.1], effort=[0.0, 0.0])
    state.header.stamp.sec, state.header.stamp.nanosec = divmod(time.time_ns() + k, 10**9)
    return state


def wire_trials(name, times):
    """Outcomes for one node: damaged bytes, odd values, parameter values; then it must still answer."""
    with running(name) as node:
        doors = list(entries(node))

        def deliver(drawn):
            (message_type, raw, take), data = drawn
            if raw:
                take(data)
                for timer in node.timers:       # which work on what has come
                    timer.callback()
                return "taken or counted"
            try:
                message = deserialized(data, message_type)      # a request: ROS reads it, before the node sees it
            except ValueError:
                return "not read by ROS"
            take(message)
            return "answered"

        by_topic, by_service = ([door for door in doors if door[1] == raw] for raw in (True, False))
        any_door = st.one_of(st.sampled_from(group) for group in (by_topic, by_service) if group)

        def bytes_for(door):
            good = [serialize_message(good_state() if door[0] is JointState else door[0]())]
            return st.tuples(st.just(door), damaged_bytes(good))

        def message_for(door):
            return st.tuples(st.just(door), odd_message(door[0], WORDS).map(serialize_message))

        yield trial(f"damaged bytes to {name}", any_door.flatmap(bytes_for), deliver, times // 2)
        yield trial(f"odd messages and requests to {name}", any_door.flatmap(message_for), deliver, times // 4)
        def set_parameter(drawn):
            result = node.set_parameters_atomically([Parameter(drawn[0], value=drawn[1])])
            if not result.successful and not result.reason:
                return "refused without a word"
            for door in by_topic:   # what is allowed must not break what comes next
                if door[0] is JointState:
                    deliver((door, serialize_message(good_state())))
            return "accepted" if result.successful else "refused"

        drawn = values(declarations(type(node.values)), WORDS)
        yield trial(f"parameter values to {name}", drawn, set_parameter, times // 4)
