"""Hears what a running system says, from outside, and remembers when."""

import itertools
import threading
import time

import numpy as np
import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import QoSProfile
from rdyn_interfaces.srv import SetMode
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from std_srvs.srv import SetBool
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

COMMANDS, TORQUES, STATES = "effort_controller/commands", "dynamics/compensation", "joint_states"
TOPICS = {COMMANDS: (Float64MultiArray, "data"), TORQUES: (JointState, "effort"),
          STATES: (JointState, "effort")}


class Watch:
    """`heard[topic]`: (steady time [s], numbers) of each message, oldest first."""

    def __init__(self, namespace="/", domain=None, topics=TOPICS):
        self.context = Context()
        rclpy.init(args=[], context=self.context, domain_id=domain)
        self.node = rclpy.create_node("watch", context=self.context, namespace=namespace)
        self.heard = {topic: [] for topic in topics}
        for topic in topics:
            self._listen(topic)
        self._enable = self.node.create_client(SetBool, "control/enable")
        self._mode = self.node.create_client(SetMode, "control/set_mode")
        self._trajectory = self.node.create_publisher(JointTrajectory, "control/joint_trajectory", 10)
        self._executor = SingleThreadedExecutor(context=self.context)
        self._executor.add_node(self.node)
        self._thread = threading.Thread(target=self._executor.spin, daemon=True)
        self._thread.start()

    def _listen(self, topic):
        heard, (message_type, field) = self.heard[topic], TOPICS[topic]
        self.node.create_subscription(
            message_type, topic, lambda m: heard.append((time.monotonic(), np.array(getattr(m, field)))),
            QoSProfile(depth=5000))

    def clear(self):
        """Forgets what was heard."""
        for heard in self.heard.values():
            heard.clear()

    def last(self, topic):
        """Time of the last message of a topic; -inf when there was none."""
        return self.heard[topic][-1][0] if self.heard[topic] else -np.inf

    def wait(self, topic, after, limit=60.0, count=5):
        """Time at which `count` messages of a topic had come after a time; TimeoutError when they do not."""
        end = time.monotonic() + limit
        while time.monotonic() < end:
            times = [t for t, _ in self.heard[topic][-200:] if t > after]
            if len(times) >= count:
                return times[count - 1]
            time.sleep(0.01)
        raise TimeoutError(f"{topic} was silent for {limit} s")

    def enable(self, limit=60.0):
        """Asks the controller for torque until it agrees."""
        end, why = time.monotonic() + limit, ""
        while time.monotonic() < end:
            answer = self._call(self._enable, SetBool.Request(data=True))
            if answer and answer.success:
                return
            why = answer.message if answer else "control/enable does not answer"
            time.sleep(0.1)
        raise TimeoutError(f"torque could not be enabled within {limit} s: {why}")

    def move(self, joints, middle, amplitude=0.3, period=4.0, seconds=600.0):
        """Makes the controller swing all joints about the middle (n,) [rad, s]."""
        times = np.arange(period / 4, seconds, period / 4)
        points = []
        for k, t in enumerate(times):
            swing = amplitude * (0.0, 1.0, 0.0, -1.0)[(k + 1) % 4]
            point = JointTrajectoryPoint(positions=(middle + swing).tolist())
            point.time_from_start.sec, part = int(t), t % 1.0
            point.time_from_start.nanosec = round(1e9 * part)
            points.append(point)
        self._call(self._mode, SetMode.Request(mode="computed_torque"))
        self._trajectory.publish(JointTrajectory(joint_names=list(joints), points=points))

    def _call(self, client, request, limit=3.0):
        """Answer of a service, or None."""
        if not client.wait_for_service(1.0):
            return None
        future, end = client.call_async(request), time.monotonic() + limit
        while not future.done() and time.monotonic() < end:
            time.sleep(0.01)
        return future.result()

    def close(self):
        """Ends the thread and the node."""
        self._executor.shutdown()
        self._thread.join()
        self.node.destroy_node()
        rclpy.try_shutdown(context=self.context)


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
