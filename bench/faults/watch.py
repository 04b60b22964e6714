"""Hears what a running system says, from outside, and remembers when it was said."""

import itertools
import time
from contextlib import suppress
from urllib.error import URLError
from urllib.request import urlopen

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.qos import QoSProfile
from rdyn_interfaces.srv import SetMode
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from std_srvs.srv import SetBool
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from rdyn_ros.nodes.messages import deserialized

from ..spinning import Spinning

COMMANDS, TORQUES, STATES = "effort_controller/commands", "dynamics/compensation", "joint_states"
SPEEDS = "speed of the fastest joint"  # heard with the states [rad/s]
TOPICS = {COMMANDS: (Float64MultiArray, "data"), TORQUES: (JointState, "effort"),
          STATES: (JointState, "effort")}
AMPLITUDE, QUARTER = 0.3, 1.0  # [rad], [s] of the swinging arm
FAST = 0.2  # [rad/s] of some joint: a fault comes while the arm really moves
LEAD = 0.5  # [rad/s] on the way to the swing, slow enough for every joint


class Watch(Spinning):
    """`heard[topic]`: (time [s], numbers) of each message, oldest first.

    The time is when the message was sent, by the machine's clock: how busy this process is does not count.
    """

    def __init__(self, namespace="/", topics=TOPICS, executor="single"):
        super().__init__("watch", namespace, executor)
        self.heard, self.state, self.page = {topic: [] for topic in (*topics, SPEEDS)}, None, ""
        for topic in topics:
            self._listen(topic)
        self._enable = self.node.create_client(SetBool, "control/enable")
        self._mode = self.node.create_client(SetMode, "control/set_mode")
        self.node.create_subscription(DiagnosticArray, "/diagnostics", self._keep_page, 10, raw=True)
        self._trajectory = self.node.create_publisher(JointTrajectory, "control/joint_trajectory", 10)
        self.spin()

    def _listen(self, topic):
        heard, (message_type, field) = self.heard[topic], TOPICS[topic]

        def take(data, info):
            with suppress(ValueError):      # somebody publishes what is no message
                keep(deserialized(data, message_type), info)

        def keep(message, info):
            heard.append((1e-9 * info["source_timestamp"], np.array(getattr(message, field))))
            if topic == STATES:
                self.state = message
                self.heard[SPEEDS].append((heard[-1][0], np.abs(message.velocity).max(initial=0.0)))

        self.node.create_subscription(message_type, topic, take, QoSProfile(depth=5000), raw=True)

    def _keep_page(self, data):
        with suppress(ValueError):
            for status in deserialized(data, DiagnosticArray).status:
                self.page = next((pair.value for pair in status.values if pair.key == "page"), self.page)

    def clear(self):
        """Forgets what was heard."""
        for heard in self.heard.values():
            heard.clear()

    def last(self, topic):
        """Time of the last message of a topic; -inf when there was none."""
        return self.heard[topic][-1][0] if self.heard[topic] else -np.inf

    def wait(self, topic, after, limit=60.0, count=5):
        """Time at which `count` messages of a topic had come after a time; TimeoutError when they do not."""
        end = time.time() + limit
        while time.time() < end:
            times = [t for t, _ in self.heard[topic][-200:] if t > after]
            if len(times) >= count:
                return times[count - 1]
            time.sleep(0.01)
        raise TimeoutError(f"{topic} was silent for {limit} s")

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


def largest_step(commands, states, silence=0.2):
    """Largest change from one command to the next [N m].

    The first command after `silence` [s] begins a new stream: it may start from the torque measured then.
    """
    largest = 0.0
    stamps = np.array([t for t, _ in states])
    for (t0, before), (t1, after) in itertools.pairwise(commands):
        step = abs(after - before).max()
        if t1 - t0 > silence and len(stamps):
            measured = states[max(int(np.searchsorted(stamps, t1)) - 1, 0)][1]
            step = min(step, abs(after - measured).max())
        largest = max(largest, step)
    return largest
