"""Node viewer: a web page with the robot, its torques, its state, and inverse kinematics to drag."""
from threading import Lock
from time import monotonic

import numpy as np

from ..audit import load_audited
from ..viewer import View
from .diagnostics import STEADY, Diagnostics, Monitor
from .lifecycle import RdynNode
from .memory import unbound
from .parameters import ViewerParameters
from .robot_source import RobotSource
from .viewer_inputs import ViewerInputs
from .viewer_motion import JointMover
from .viewer_target import TargetSolver

SLOW = 0.5              # [s] from one drawing of the plots to the next


class ViewerNode(RdynNode):
    """Draws at `rate` what the topics brought last, and passes on what the user wants."""

    Parameters = ViewerParameters

    def __init__(self):
        super().__init__("viewer")
        self._lock, self._view = Lock(), None

    def configure(self):
        """Opens the page and listens."""
        self.monitor = Monitor()
        self._inputs, self._solver, self._mover = ViewerInputs(self), TargetSolver(self), JointMover(self)
        self.refused, self._slow = "", 0.0
        self._drawn, self._counted = 0, monotonic()         # pictures since then
        self._source = self.ends(RobotSource(self, self._take_robot, self._refuse, read=_read))
        self.create_timer(1.0 / self.values.rate, self._draw, clock=STEADY)
        self._diagnostics = Diagnostics(self, self._judge)

    def cleanup(self):
        """Closes the page."""
        with self._lock:
            view, self._view = self._view, None
        if view is not None:
            view.close()

    def _take_robot(self, loaded):
        """A page for the robot that was read from a source."""
        with self._lock:
            before, self._view = self._view, None
            if before is not None:
                before.close()
            try:
                self._view = self._open(*loaded)
            except Exception:
                self._view = before and self._open(before.robot, before.source)
                raise
            self._inputs.follow([self.values.joint_prefix + name for name in self._view.robot.joint_names])
        for mesh in self._view.missing_meshes:
            self.get_logger().warning(f"mesh {mesh} cannot be read; primitives stand in for it")
        self.get_logger().info(f"{self._view.robot.name} is shown on {self._view.address}")

    def _open(self, robot, source):
        values = self.values
        with unbound():     # meshes may be large
            return View(robot, source, values.host, values.port, values.allowed_hosts,
                        on_joint=self._mover.want, on_target=self._solver.want, tip=values.tip)

    def _refuse(self, why):
        self.refused = " ".join(why.split())
        self.get_logger().error(f"robot_description is refused, nothing changes: {self.refused}")

    def _draw(self):
        if not self.active or not self._lock.acquire(blocking=False):
            return                                          # a new robot is being put on
        try:
            if self._view is not None:
                self._draw_view(self._view, self.values.state_timeout)
                self._drawn += 1
        finally:
            self._lock.release()

    def _draw_view(self, view, timeout):
        now, inputs = monotonic(), self._inputs
        names = inputs.states.names
        fresh, _ = inputs.measured(timeout)
        if np.isfinite(fresh).any():
            q = inputs.states.q             # what is not told stays where it was, or at 0
            view.show_positions(np.concatenate([np.eye(7)[6], q]) if view.robot.floating_base else q)
            view.panel.follow(q)
        view.panel.show_torques(now, inputs.torques(timeout))
        controller = inputs.controller.read(timeout)
        if controller is not None:
            error = dict(zip(controller.joint_names, controller.error.positions, strict=False))
            view.panel.show_tracking_error(now, [error.get(name, np.nan) for name in names])
        view.panel.show_state(inputs.statuses(), timeout)
        self._solver.tick(view.tip, names, view.show_solutions)
        self._mover.tick(view.robot, controller, fresh, self._is_simulated)
        if now - self._slow > SLOW:
            self._slow = now
            view.panel.draw_plots()
            view.panel.show_sliders(self._is_simulated())

    def _is_simulated(self):
        """Whether the simulator, and nobody else, brings the joint states."""
        publishers = self.get_publishers_info_by_topic(self.resolve_topic_name("joint_states"))
        return {publisher.node_name for publisher in publishers} == {self.values.simulator}

    def _judge(self):
        view = self._view
        if view is None:
            return "WARN", self.refused or "waiting for a robot", {}
        about = {"robot": view.robot.name, "page": view.address, "last_refusal": self.refused,
                 "never_told_joints": " ".join(self._inputs.states.missing()),
                 "rate_hz": f"{self._drawn / (monotonic() - self._counted):.1f}",
                 **self.monitor.counted()}
        self._drawn, self._counted = 0, monotonic()
        if np.isnan(self._inputs.measured(self.values.state_timeout)[0]).all():
            return "WARN", "no joint states", about
        return "OK", view.address, about


def _read(source):
    """Robot with its source, and findings."""
    robot, findings = load_audited(source)
    return (robot, source), findings
