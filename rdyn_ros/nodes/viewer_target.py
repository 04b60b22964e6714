"""A target that the user of the page drags or types: the dynamics node is asked for its solutions.

The page's threads only leave their wish here; the node's thread asks, one question at a time.
"""
from threading import Lock
from time import monotonic

import numpy as np
from geometry_msgs.msg import PoseStamped
from rdyn_interfaces.srv import ComputeIK

from ..spatial import matrix_quaternion
from .messages import by_name, fill_pose

PATIENCE = 3.0              # [s] after which a question is asked again


class TargetSolver:
    """Asks the dynamics node for all solutions of the latest target."""

    def __init__(self, node):
        self._client = node.create_client(ComputeIK, f"{node.values.dynamics}/compute_ik")
        self._lock, self._wanted, self._asked, self._since = Lock(), None, None, 0.0

    def want(self, pose):
        """Leaves a target pose (4, 4) in base axes."""
        with self._lock:
            self._wanted = pose

    def tick(self, tip, names, show):
        """Asks how frame `tip` gets there unless a question is under way; `show(solutions, text)` gets the answer."""
        if self._asked is not None and monotonic() - self._since < PATIENCE:
            return
        with self._lock:
            pose = self._asked if self._wanted is None else self._wanted
            self._asked = self._wanted = None
        if pose is not None and self._client.service_is_ready():
            self._asked, self._since = pose, monotonic()
            answer = self._client.call_async(_ik_request(pose, tip))
            answer.add_done_callback(lambda future: self._answered(future.result(), names, show))
        elif pose is not None:
            show([], "waiting for the dynamics node to solve the target")
            with self._lock:
                self._wanted = pose if self._wanted is None else self._wanted

    def _answered(self, answer, names, show):
        self._asked = None
        solutions = [by_name(s, "position", names) for s in answer.solutions] if answer.success else []
        plural = "s" if len(solutions) > 1 else ""
        text = f"{len(solutions)} solution{plural}" if answer.success else answer.reason.replace("_", " ")
        distance = answer.distance_to_workspace
        if answer.reason == answer.OUT_OF_REACH and np.isfinite(distance) and distance > 0.0:
            text += f" by {distance:.3f} m"
        if answer.limiting_joints:
            text += f" of {', '.join(answer.limiting_joints)}"
        show(solutions, text)


def _ik_request(pose, tip):
    target = PoseStamped()
    fill_pose(target.pose, pose[:3, 3], matrix_quaternion(pose[:3, :3]))
    return ComputeIK.Request(targets=[target], frames=[tip], all_solutions=True, max_solutions=8)
