"""Hears what a running system says, from outside, and remembers when."""

import itertools
import threading
import time

import numpy as np
import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from std_srvs.srv import SetBool

COMMANDS, TORQUES, STATES = "effort_controller/commands", "dynamics/compensation", "joint_states"
TOPICS = {COMMANDS: (Float64MultiArray, "data"), TORQUES: (JointState, "effort"), STATES: (JointState, "effort")}


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
        end, why = time.monotonic() + limit, "no service control/enable"
        while time.monotonic() < end:
            if self._enable.wait_for_service(1.0):
                future = self._enable.call_async(SetBool.Request(data=True))
                until = time.monotonic() + 3.0
                while not future.done() and time.monotonic() < until:
                    time.sleep(0.01)
                if future.done() and future.result().success:
                    return
                why = future.result().message if future.done() else "control/enable does not answer"
            time.sleep(0.1)
        raise TimeoutError(f"torque could not be enabled within {limit} s: {why}")

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
