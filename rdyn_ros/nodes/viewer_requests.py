"""What the user of the page wants, passed on to the other nodes: solutions of a target, motions of joints.

The page's threads only leave their wish here; the node's thread asks, one question at a time.
"""
from threading import Lock
from time import monotonic

import numpy as np
from builtin_interfaces.msg import Duration
from geometry_msgs.msg import PoseStamped
from rdyn_interfaces.srv import ComputeIK, SetMode
from std_srvs.srv import SetBool
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from ..spatial import matrix_quaternion
from .viewer_inputs import by_name

PATIENCE = 3.0              # [s] after which a question is asked again
TRACKING = ("pd", "pd_gravity", "computed_torque")
SHORTEST = 0.3              # [s] of a motion by slider
USUAL_SPEED = 1.0           # [rad/s or m/s] of such motions, at their fastest, where no limit is lower


class TargetSolver:
    """Asks the dynamics node for all solutions of the latest target."""

    def __init__(self, node):
        self._node = node
        self._client = node.create_client(ComputeIK, f"{node.values.dynamics}/compute_ik")
        self._lock, self._wanted, self._asked, self._since = Lock(), None, None, 0.0

    def close(self):
        """Ends the client."""
        self._node.destroy_client(self._client)

    def want(self, pose):
        """Leaves a target pose (4, 4) in base axes."""
        with self._lock:
            self._wanted = pose

    def tick(self, names, show):
        """Asks what is wanted unless a question is under way; `show(solutions, text)` gets the answer."""
        if self._asked is not None and monotonic() - self._since < PATIENCE:
            return
        with self._lock:
            pose = self._asked if self._wanted is None else self._wanted
            self._asked = self._wanted = None
        if pose is not None and self._client.service_is_ready():
            self._asked, self._since = pose, monotonic()
            answer = self._client.call_async(_ik_request(pose))
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


class JointMover:
    """Moves single joints through the control node, which is switched to following and enabled for that."""

    def __init__(self, node):
        control, self._node = node.values.control, node
        self._mode = node.create_client(SetMode, f"{control}/set_mode")
        self._enable = node.create_client(SetBool, f"{control}/enable")
        self._publisher = node.create_publisher(JointTrajectory, f"{control}/joint_trajectory", 10)
        self._lock, self._wanted, self._switched = Lock(), {}, -PATIENCE

    def close(self):
        """Ends clients and publisher."""
        self._node.destroy_client(self._mode)
        self._node.destroy_client(self._enable)
        self._node.destroy_publisher(self._publisher)

    def want(self, name, position):
        """Leaves a wanted position of a joint."""
        with self._lock:
            self._wanted[name] = position

    def tick(self, robot, controller, q):
        """Sends what is wanted once the controller (ControllerState or None) follows; q (n,) or None."""
        if not self._wanted or controller is None or q is None:
            return
        if controller.mode not in TRACKING or controller.phase == controller.IDLE:
            if monotonic() - self._switched > PATIENCE:
                self._switched = monotonic()
                self._mode.call_async(SetMode.Request(mode=SetMode.Request.COMPUTED_TORQUE))
                self._enable.call_async(SetBool.Request(data=True))
            return
        with self._lock:
            wanted, self._wanted = self._wanted, {}
        speeds = np.minimum(robot.limits.velocity[-len(q):], USUAL_SPEED)
        ways = [abs(wanted.get(name, at) - at) for name, at in zip(robot.joint_names, q, strict=True)]
        duration = max(SHORTEST, *(2.0 * way / speed for way, speed in zip(ways, speeds, strict=True)))
        point = JointTrajectoryPoint(positions=list(wanted.values()))
        point.time_from_start = Duration(sec=int(duration), nanosec=int(duration % 1.0 * 1e9))
        names = [self._node.values.joint_prefix + name for name in wanted]
        self._publisher.publish(JointTrajectory(joint_names=names, points=[point]))


def _ik_request(pose):
    target = PoseStamped()
    p, o = target.pose.position, target.pose.orientation
    p.x, p.y, p.z = pose[:3, 3].tolist()
    o.x, o.y, o.z, o.w = matrix_quaternion(pose[:3, :3]).tolist()
    return ComputeIK.Request(targets=[target], all_solutions=True, max_solutions=8)
