"""Joints that the user of the page wants to move: motions of a simulated arm, asked of the control node.

The page's threads only leave their wish here; the node's thread asks.
"""
from threading import Lock
from time import monotonic

import numpy as np
from builtin_interfaces.msg import Duration
from rdyn_interfaces.srv import SetMode
from std_srvs.srv import SetBool
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from ..control.settings import FOLLOWING

PATIENCE = 3.0              # [s] that a wish lives, and after which torque is asked for again
SHORTEST, LONGEST = 0.3, 600.0      # [s] of a motion by slider
SLOW, USUAL = 1e-9, 1.0     # [rad/s or m/s] of such motions at their fastest: limits between these count


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
            if controller.mode in FOLLOWING and controller.phase in (controller.RAMPING, controller.ACTIVE):
                self._send({name: position for name, (position, _) in wanted.items()}, at, robot.limits.velocity)
                return
            self._switch()
        with self._lock:
            self._wanted = wanted | self._wanted

    def _send(self, wanted, at, velocity):
        speeds = dict(zip(at, np.clip(velocity[-len(at):], SLOW, USUAL), strict=True))
        duration = max(SHORTEST, *(2.0 * abs(to - at[name]) / speeds[name] for name, to in wanted.items()))
        if duration > LONGEST:
            self._refuse(f"with the velocity limits of {', '.join(wanted)} it would take more than {LONGEST:g} s")
            return
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
