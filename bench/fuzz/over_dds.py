"""Damaged bytes over DDS to running nodes, each a process of its own: all of them live and answer."""
import time
from importlib import import_module
from threading import Event

from hypothesis import strategies as st
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState, GetState
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState

from ..faults.system import ROBOT, System
from ..memory import memory
from ..outcomes import Outcome
from ..spinning import Spinning
from .damage import KINDS, damaged_bytes
from .messages import odd_message
from .raw_requests import RawRequests
from .trial import MEMORY, trial

NODES = ("simulator", "dynamics", "control", "viewer")
BARE_HEAD = b"\x00\x01\x00\x03"  # announces three bytes of padding that are not there
START = 30.0  # [s] for DDS to bring all together


def _wait(condition, problem):
    """Until condition() holds; TimeoutError tells the problem."""
    end = time.monotonic() + START
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(problem)
        time.sleep(0.01)


def _answer(client, request, limit):
    """The answer to a request, or None when there is none in time."""
    done, future = Event(), client.call_async(request)
    future.add_done_callback(lambda _: done.set())
    done.wait(limit)
    return future.result()


class Attacker(Spinning):
    """Publishes any bytes on every topic and service of a node, and asks it whether it is still there."""

    def __init__(self):
        super().__init__("attacker", executor="events")
        self._clients = {name: self.node.create_client(GetState, f"/{name}/get_state") for name in NODES}
        self._change = self.node.create_client(ChangeState, "/simulator/change_state")
        self._raw = []
        self.spin()

    def close(self):
        """Gives all back."""
        for raw in self._raw:
            raw.close()
        super().close()

    def topics(self, name):
        """(message type, publisher) of each topic of a node, matched."""
        _wait(lambda: name in self.node.get_node_names(), f"there is no node {name}")
        _wait(self._clients[name].service_is_ready, f"{name}/get_state is not served")
        _wait(lambda: self.node.get_subscriber_names_and_types_by_node(name, "/"), f"{name} listens to nothing")
        for topic, (kind,) in self.node.get_subscriber_names_and_types_by_node(name, "/"):
            package, _, message = kind.split("/")
            message_type = getattr(import_module(f"{package}.msg"), message)
            publisher = self.node.create_publisher(message_type, topic, 100)
            _wait(publisher.get_subscription_count, f"nobody listens to {topic}")
            yield message_type, publisher

    def services(self, name):
        """(service type, raw publisher) of each service of a node, those of parameters and lifecycle, too; matched."""
        for service, (kind,) in self.node.get_service_names_and_types():
            if service.startswith(f"/{name}/"):
                package, _, word = kind.split("/")
                service_type = getattr(import_module(f"{package}.srv"), word)
                self._raw.append(RawRequests(self.node, service_type, service))
                _wait(self._raw[-1].get_subscription_count, f"nobody serves {service}")
                yield service_type, self._raw[-1]

    def answers(self, name, limit):
        """Whether a node answers a request in time."""
        return _answer(self._clients[name], GetState.Request(), limit) is not None

    def restart_simulation(self):
        """Forces that no arm has stop the simulation until it is configured anew, as the node then says."""
        for label in ("deactivate", "cleanup", "configure", "activate"):
            answer = _answer(self._change, ChangeState.Request(transition=Transition(label=label)), START)
            assert answer and answer.success, f"{label}: {answer}"


def dds_trials(times, patience=1.0):
    """Outcomes of so many inputs for all NODES, each answered within `patience` [s]; then all must still work."""
    with System(viewer="true", depth=10) as system:  # the fuzzer leaves the watch little time
        attacker = Attacker()
        try:
            system.ready()
            for name in NODES:
                yield from _trial(system, attacker, name, times // len(NODES), patience)
            attacker.restart_simulation()
        finally:
            attacker.close()
        system.ready()
        system.swing()
        system.watch.wait_page()
        used = max(memory("VmHWM", pid) for pid in system.pids().values())
        yield Outcome("all nodes after damaged bytes over DDS", 1,
                      f"alive: {', '.join(system.alive())}; the arm swings, {used:.0f} MB", "all alive, 500 MB",
                      set(system.alive()) == set(NODES) and used < MEMORY)


def _trial(system, attacker, name, times, patience):
    def messages(door):
        names, n = list(ROBOT.joint_names), ROBOT.nv
        state = JointState(name=names, position=[0.1] * n, velocity=[0.0] * n, effort=[0.0] * n)
        good = serialize_message(state if door[0] is JointState else door[0]())
        odd = odd_message(door[0], names).map(serialize_message)
        return st.tuples(st.just(door[1]), damaged_bytes([good]) | odd | st.just(BARE_HEAD))

    def requests(door):
        """Orders that would be obeyed are left out."""
        kinds = ("huge", "long") if door[0] is ChangeState else KINDS
        damaged = damaged_bytes([serialize_message(door[0].Request())], kinds)
        return st.tuples(st.just(door[1]), damaged | st.just(BARE_HEAD))

    def publish(drawn):
        publisher, data = drawn
        assert name in system.alive(), f"{name} is gone"
        if publisher.publish(data) is False:
            return "longer than DDS sends for its type"
        assert attacker.answers(name, patience), f"{name} did not answer within {patience:g} s"
        return "survived"

    for what, doors, inputs, part in (("topics", attacker.topics(name), messages, times * 3 // 4),
                                      ("services", attacker.services(name), requests, times // 4)):
        yield trial(f"damaged bytes over DDS to {what} of {name}", st.sampled_from(list(doors)).flatmap(inputs),
                    publish, part, limit=patience)
