"""How long the torques of the dynamics node pause while its robot changes: a payload, a robot_description."""
import re
import tempfile
import time
from functools import partial

import numpy as np
from geometry_msgs.msg import Inertia
from rclpy.qos import DurabilityPolicy, QoSProfile
from rdyn_interfaces.srv import SetPayload
from sensor_msgs.msg import JointState
from std_msgs.msg import String

from bench.node import Contender, contenders, started
from bench.robots import TIPS, ours, urdf
from bench.row import Row

TITLE = "Dynamics node at 1 kHz while its robot changes"
CHANGES, TRIES = 10, 20
STALE = 100.0  # [ms] default of state_timeout: what was silent for longer is taken as dead


class Changed(Contender):
    """A node whose payload and robot_description are changed from outside."""

    def __init__(self, node, name):
        super().__init__(node, name)
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self._description = node.create_publisher(String, f"/{name}/robot_description", latched)
        self._payload = node.create_client(SetPayload, f"/{name}/dynamics/set_payload")
        self._torques = b""

    def _hear(self, data):
        super()._hear(data)
        self._torques = data[12:]  # all behind the stamp

    def describe(self, k):
        """Publishes the Panda with links that are k % heavier."""
        text = re.sub(r'(?<=<mass value=")[^"]+', lambda mass: str(float(mass[0]) * (1.0 + 0.01 * k)), urdf("Panda"))
        self._description.publish(String(data=text))

    def carry(self, k):
        """Asks for a payload of k times 100 g."""
        self._payload.call_async(SetPayload.Request(inertia=Inertia(m=0.1 * k)))

    def pause(self, message, change=None):
        """Longest time [ms] between torques until `change` has come into effect: a state that rests has new ones."""
        before, longest = self._torques, 0.0
        if change is not None:
            change()
        for _ in range(TRIES):
            self.arrived.clear()
            begin = time.perf_counter()
            self.run(message)
            longest = max(longest, 1e3 * np.diff([begin, *list(self.arrived.values())]).max(initial=0.0))
            if change is None or self._torques != before:
                return longest
        raise TimeoutError("a change did not come into effect")


def rows():
    """The longest pause within each of several changes, none of which was compiled before, and without any.

    The median is held to the target: the longest of all tells also how busy the machine was.
    """
    q = 0.5 * (ours("Panda").limits.lower + ours("Panda").limits.upper) + 0.1
    message = JointState(name=list(ours("Panda").joint_names), position=q.tolist(), velocity=[0.1] * 7)
    with tempfile.TemporaryDirectory() as folder, contenders("changed", kind=Changed) as (node,):
        node.begin(["-m", "rdyn_ros.nodes.dynamics_node", "--ros-args", "-p", f"tips:=[{TIPS['Panda']}]",
                    "-p", "state_timeout:=5.0"], {"XDG_CACHE_HOME": folder})
        node.describe(0)
        started(node, message)
        node.run(message, seconds=2.0)  # until what is compiled in the background is there
        changes = {"nothing changes": None, "a payload is set": node.carry, "a robot_description comes": node.describe}
        for what, change in changes.items():
            pauses = [node.pause(message, change and partial(change, k)) for k in range(1, CHANGES + 1)]
            row = f"longest pause of the torques within 1 s, {what}"
            yield Row(f"{row}, median of {CHANGES}", float(np.median(pauses)), "ms", target=change and STALE)
            yield Row(f"{row}, largest of {CHANGES}", max(pauses), "ms")
