"""Hears what a running system says, from outside, and remembers when it was said."""

import itertools
import time
from contextlib import suppress
from typing import NamedTuple
from urllib.error import URLError
from urllib.request import urlopen

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.qos import QoSProfile
from rdyn_interfaces.msg import ControllerState
from rdyn_interfaces.srv import SetMode
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from std_srvs.srv import SetBool
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from rdyn_ros.nodes.cdr import deserialized

from ..spinning import Spinning

COMMANDS, TORQUES, STATES = "effort_controller/commands", "dynamics/compensation", "joint_states"
SPEEDS = "speed of the fastest joint"  # heard with the states [rad/s]
PHASES = "control/controller_state"  # phase of the controller, and its fault
DRIVEN = ControllerState.RAMPING, ControllerState.ACTIVE
TOPICS = {COMMANDS: (Float64MultiArray, lambda message: np.array(message.data)),
          TORQUES: (JointState, lambda message: np.array(message.effort)),
          STATES: (JointState, lambda message: np.array(message.effort)),
          PHASES: (ControllerState, lambda message: (message.phase, message.fault))}
AMPLITUDE, QUARTER = 0.3, 1.0  # [rad], [s] of the swinging arm
FAST = 0.2  # [rad/s] of some joint: a fault comes while the arm really moves
LEAD = 0.5  # [rad/s] on the way to the swing, slow enough for every joint


class Heard(NamedTuple):
    """When a message was sent [s], what it says, and its number among those of its publisher.

    The time is that of the machine's clock at its publisher: how busy this process is does not count.
    """

    time: float
    said: object
    number: int


class Watch(Spinning):
    """`heard[topic]`: Heard of each message, oldest first; of joint states only whole ones of `joints` (any, when
    none are named), whatever else others publish.
    """

    def __init__(self, namespace="/", topics=TOPICS, executor="single", joints=(), depth=5000):
        """`depth` of the queues: a deep one loses nothing, a shallow one hears at once what is said now, however busy
        this process is.
        """
        super().__init__("watch", namespace, executor)
        self.heard, self.state, self.page = {topic: [] for topic in (*topics, SPEEDS)}, None, ""
        self._reports = {}  # what each node last told of itself
        self._joints, self._depth = list(joints), depth
        for topic in topics:
            self._listen(topic)
        self._enable = self.node.create_client(SetBool, "control/enable")
        self._mode = self.node.create_client(SetMode, "control/set_mode")
        self.node.create_subscription(DiagnosticArray, "/diagnostics", self._keep_page, 10, raw=True)
        self._trajectory = self.node.create_publisher(JointTrajectory, "control/joint_trajectory", 10)
        self.spin()

    def _listen(self, topic):
        message_type, said = TOPICS[topic]

        def take(data, info):
            with suppress(ValueError):      # somebody publishes what is no message
                keep(deserialized(data, message_type), 1e-9 * info["source_timestamp"],
                     info["publication_sequence_number"])

        def keep(message, *when):
            if topic == STATES:
                if not whole(message, self._joints):
                    return
                self.state = message
                self._hear(SPEEDS, np.abs(message.velocity).max(), *when)
            self._hear(topic, said(message), *when)

        self.node.create_subscription(message_type, topic, take, QoSProfile(depth=self._depth), raw=True)

    def _hear(self, topic, said, time, number):
        self.heard[topic].append(Heard(time, said, number))

    def _keep_page(self, data):
        with suppress(ValueError):
            for status in deserialized(data, DiagnosticArray).status:
                self._reports[status.name] = status.message, {pair.key: pair.value for pair in status.values}
                self.page = next((pair.value for pair in status.values if pair.key == "page"), self.page)

    def clear(self):
        """Forgets what was heard."""
        for heard in self.heard.values():
            heard.clear()

    def wait(self, topic, after, limit=60.0, count=5):
        """Waits until `count` messages sent after a time are heard; TimeoutError when they are not."""
        end = time.time() + limit
        while time.time() < end:
            if sum(heard.time > after for heard in self.heard[topic][-200:]) >= count:
                return
            time.sleep(0.01)
        raise TimeoutError(f"{topic} was silent for {limit} s; the nodes say {self._reports}")

    def wait_driven(self, after, limit=60.0):
        """Waits until a controller says after a time that its law drives the arm; TimeoutError when it does not."""
        end = time.time() + limit
        while time.time() < end:
            told = [heard.said for heard in self.heard[PHASES][-20:] if heard.time > after]
            if any(phase in DRIVEN for phase, _ in told):
                return
            time.sleep(0.01)
        raise TimeoutError(f"the law did not drive the arm for {limit} s: {told[-1:]}")

    def wait_page(self, limit=60.0):
        """Waits until the page of the viewer answers; TimeoutError when it does not."""
        end, why = time.time() + limit, "nobody says where it is"
        while time.time() < end:
            try:
                if self.page:
                    urlopen(self.page, timeout=2.0).close()
                    return
            except (URLError, OSError) as error:
                why = str(error)
            time.sleep(0.05)
        raise TimeoutError(f"no page of the viewer within {limit} s: {why}")

    def enable(self, limit=60.0):
        """Asks the controller for torque until it agrees."""
        end, why = time.time() + limit, ""
        while time.time() < end:
            answer = self._call(self._enable, SetBool.Request(data=True))
            if answer and answer.success:
                return
            why = answer.message if answer else "control/enable does not answer"
            time.sleep(0.1)
        raise TimeoutError(f"torque could not be enabled within {limit} s: {why}")

    def swing(self, joints, middle, limit=60.0):
        """Makes the controller swing all joints about the middle (n,) [rad]; waits until the arm is fast."""
        end = time.time() + limit
        self.wait(STATES, 0.0, limit)
        while time.time() < end:
            self.enable(limit)          # a busy machine may have taken torque away
            soon = time.time() + self._move(joints, middle) + 2 * QUARTER
            while time.time() < soon:
                if abs(np.array(self.state.velocity)).max() > FAST:
                    return
                time.sleep(0.01)
        raise TimeoutError(f"the arm did not move within {limit} s")

    def _move(self, joints, middle, swings=400):
        """Sends the trajectory; returns the time [s] that its first point takes."""
        away = abs(np.array(self.state.position) - middle).max() + AMPLITUDE
        lead, points = QUARTER + away / LEAD, []
        for k in range(swings):
            point = JointTrajectoryPoint(positions=(middle + AMPLITUDE * (1.0, 0.0, -1.0, 0.0)[k % 4]).tolist())
            part, whole = np.modf(lead + k * QUARTER)
            point.time_from_start.sec, point.time_from_start.nanosec = int(whole), int(1e9 * part)
            points.append(point)
        self._call(self._mode, SetMode.Request(mode="computed_torque"))
        self._trajectory.publish(JointTrajectory(joint_names=list(joints), points=points))
        return lead

    def _call(self, client, request, limit=3.0):
        """Answer of a service, or None."""
        if not client.wait_for_service(1.0):
            return None
        future, end = client.call_async(request), time.time() + limit
        while not future.done() and time.time() < end:
            time.sleep(0.01)
        return future.result()


def whole(state, joints=()):
    """Whether a JointState tells all of exactly these joints (of any, when none are named), in finite numbers."""
    parts = state.position, state.velocity, state.effort
    return (list(state.name) == list(joints or state.name) and all(len(part) == len(state.name) > 0 for part in parts)
            and bool(np.isfinite(parts).all()))


def largest_step(commands, states, silence=0.2):
    """Largest change from one command to the next [N m]; where some between two were not heard, their share of it.

    The first command after `silence` [s] begins a new stream: it may start from the torque measured then.
    """
    largest = 0.0
    times = np.array([state.time for state in states])
    for before, after in itertools.pairwise(commands):
        step = abs(after.said - before.said).max()
        if after.time - before.time > silence and len(times):
            measured = states[max(int(np.searchsorted(times, after.time)) - 1, 0)].said
            step = min(step, abs(after.said - measured).max())
        restarted = after.number <= before.number
        largest = max(largest, step / (after.number - (0 if restarted else before.number)))
    return largest
