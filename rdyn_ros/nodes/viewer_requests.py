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
    """Moves joints of a simulated arm through the control node, which is switched to following and enabled for that.

    What the page sends is a wish: it is forgotten after PATIENCE, when it is refused, and beside a real arm.
    """

    def __init__(self, node):
        control, self._node = node.values.control, node
        self._mode = node.create_client(SetMode, f"{control}/set_mode")
        self._enable = node.create_client(SetBool, f"{control}/enable")
        self._publisher = node.create_publisher(JointTrajectory, f"{control}/joint_trajectory", 10)
        self._lock, self._wanted, self._switched = Lock(), {}, -np.inf

    def close(self):
        """Ends clients and publisher."""
        self._node.destroy_client(self._mode)
        self._node.destroy_client(self._enable)
        self._node.destroy_publisher(self._publisher)

    def want(self, name, position):
        """Leaves a wanted position of a joint."""
        with self._lock:
            self._wanted[name] = position, monotonic()

    def tick(self, robot, controller, q, is_simulated):
        """Sends what is wanted once the controller (ControllerState or None) follows.

        q (n,), NaN where unknown; is_simulated() tells whether the arm is. It is asked before each motion, for the
        page only hides its sliders: whoever reaches it can send what it likes.
        """
        with self._lock:
            wanted = {name: wish for name, wish in self._wanted.items() if monotonic() - wish[1] < PATIENCE}
            self._wanted = {}
        if not wanted:
            return
        if not is_simulated():
            self._refuse("only the simulator may bring the joint states")
            return
        at = dict(zip(robot.joint_names, q, strict=True))
        if controller is not None and np.isfinite([at.get(name, np.nan) for name in wanted]).all():
            if controller.mode in TRACKING and controller.phase in (controller.RAMPING, controller.ACTIVE):
                self._send({name: position for name, (position, _) in wanted.items()}, at, robot.limits.velocity)
                return
            self._switch()
        with self._lock:
            self._wanted = wanted | self._wanted

    def _send(self, wanted, at, velocity):
        speeds = dict(zip(at, np.minimum(velocity[-len(at):], USUAL_SPEED), strict=True))
        duration = max(SHORTEST, *(2.0 * abs(to - at[name]) / speeds[name] for name, to in wanted.items()))
        point = JointTrajectoryPoint(positions=list(wanted.values()))
        point.time_from_start = Duration(sec=int(duration), nanosec=int(duration % 1.0 * 1e9))
        names = [self._node.values.joint_prefix + name for name in wanted]
        self._publisher.publish(JointTrajectory(joint_names=names, points=[point]))

    def _switch(self):
        """Asks for a law that follows, and for torque, seldom."""
        if monotonic() - self._switched < PATIENCE:
            return
        self._switched = monotonic()
        self._ask(self._mode, SetMode.Request(mode=SetMode.Request.COMPUTED_TORQUE),
                  lambda: self._ask(self._enable, SetBool.Request(data=True)))

    def _ask(self, client, request, then=lambda: None):
        def answered(future):
            answer = future.result()
            then() if answer.success else self._refuse(answer.message)
        client.call_async(request).add_done_callback(answered)

    def _refuse(self, why):
        with self._lock:
            self._wanted = {}
        self._node.get_logger().warning(f"joints are not moved from the page: {why}", throttle_duration_sec=PATIENCE)


def _ik_request(pose):
    target = PoseStamped()
    p, o = target.pose.position, target.pose.orientation
    p.x, p.y, p.z = pose[:3, 3].tolist()
    o.x, o.y, o.z, o.w = matrix_quaternion(pose[:3, :3]).tolist()
    return ComputeIK.Request(targets=[target], all_solutions=True, max_solutions=8)
