"""Node control: joint states in, effort commands out, through one law and the safety filter."""
import sys
from threading import Lock
from time import monotonic, sleep
from typing import NamedTuple

import numpy as np
import rclpy
import scipy.interpolate  # noqa: F401  for trajectories: not to be imported while torque flows
from sensor_msgs.msg import JointState

from ..control.controller import Controller
from ..control.motion import State
from ..control.safety import Phase
from ..errors import RdynError
from .carried import USED, carried
from .cdr import JointStateReader
from .control_health import judge
from .control_outputs import ControlOutputs
from .control_requests import ControlRequests
from .control_settings import control_settings
from .diagnostics import STEADY, Diagnostics, Monitor
from .dynamics_outputs import check_names
from .joint_states import JointStates, joint_states_of
from .lifecycle import RdynNode
from .loaded_robot import Load, LoadedRobot, loaded
from .messages import NANO
from .numbered import Numbered
from .parameters import ControlParameters
from .process import run
from .qos import OVERRIDABLE, sensor_data
from .requests import service_callback
from .robot_source import RobotSource
from .setup_services import SERVICES
from .side_thread import SideThread

ONE_WISH = 0.5  # [s] within which all signals to end are one
MISSING = "whole joint states with velocities do not come"


class Serving(NamedTuple):
    """What the node serves for one robot; replaced as a whole."""

    controller: Controller
    loaded: LoadedRobot
    states: JointStates
    outputs: ControlOutputs
    values: ControlParameters


class Waiting(NamedTuple):
    """A robot until it can take over, and the payloads of the one before for which it was made."""

    serving: Serving
    payloads: dict


class ControlNode(RdynNode):
    """Answers every message of joint_states; a timer on the steady clock acts when there are none."""

    Parameters = ControlParameters
    READY = "ready; torque is off until ~/enable is called"

    def __init__(self):
        super().__init__("control")
        self.serving = self._next = None        # _next: Waiting, or None
        self._ending, self._told = False, 0.0   # _told: when it was first told to end [s]
        self._outlets, self._lock = {}, Lock()  # held by whoever replaces serving, _next or values
        self._making = Lock()                   # held while a robot is made ready, before _lock

    def configure(self):
        """Makes robot, topics, services, watchdog and diagnostics."""
        self.monitor, self._read = Monitor(), JointStateReader()
        self._origin, self._reported = None, (0.0, None)    # when, and which phase
        self._source = self.ends(RobotSource(self, self._take_robot, lambda why: self._requests.refuse(why)))
        self._requests = ControlRequests(self)              # after what may refuse
        qos = sensor_data(self.values.queue_depth)
        take = Numbered(self._on_state, self.monitor.counters)
        self._inlet = self.create_subscription(
            JointState, "joint_states", take, qos, raw=True, qos_overriding_options=OVERRIDABLE)
        self.create_timer(self.values.watchdog_period, self._on_watchdog, clock=STEADY)
        self._diagnostics = Diagnostics(self, lambda: judge(self, self._requests.last_refusal))
        self.side = self.ends(SideThread(self))     # a payload has to be compiled: commands must not wait
        for name, service_type, handler in SERVICES:
            self.side.serve(service_type, name, service_callback(self, handler))
        self.side.start()

    def end(self, *_):
        """Signal handler: torque goes to zero first, then the process ends; a second signal ends it at once.

        It may come in the middle of a cycle, so it only leaves word for the watchdog. One Ctrl-C may come twice: from
        the terminal, and from `launch`, which hands it on.
        """
        if self._ending:
            if monotonic() - self._told > ONE_WISH:
                rclpy.try_shutdown()
            return
        self._ending, self._told = True, monotonic()
        if self.serving is None or self.serving.controller.filter.phase is Phase.IDLE:
            self.finish()

    def refuse(self, why):
        """Tells why something was not done."""
        self._requests.refuse(why)

    def deactivate(self):
        """Leads torque to zero before output ends.

        The executor waits meanwhile, so joint states are read here.
        """
        if self.serving is None:
            return
        serving, controller = self.serving, self.serving.controller
        controller.disable(monotonic())
        while self.context.ok() and controller.filter.phase is not Phase.IDLE:
            with self._inlet.handle:
                taken = self._inlet.handle.take_message(JointState, True)
            if taken is not None:
                self._inlet.callback(*taken)
            step = controller.tick if taken else controller.step
            if step(monotonic()):
                self._send()
            if taken is None:
                sleep(self.values.watchdog_period)
        if self.context.ok() and controller.state is not None:
            serving.outputs.report(serving.states.stamp, controller)

    def cleanup(self):
        """Undoes configure."""
        self._outlets.clear()
        self.serving = self._next = None

    def changed(self, values):
        """Takes live parameters; a robot that waits must accept them, too."""
        with self._lock:
            if self._next is not None:
                control_settings(values, self._next.serving.loaded.bare)
            if self.serving is not None:
                self.serving.controller.set_settings(control_settings(values, self.serving.loaded.bare))
                self.serving = self.serving._replace(values=values)
            self.values = values

    def change_loaded(self, change):
        """Serves change(LoadedRobot) in place of the one so far, and returns it.

        Called by one thread, the side thread; what takes long is done before the lock, for which commands wait.
        """
        here = self.serving
        after = change(here.loaded)
        with self._lock:
            if self.serving.controller is not here.controller:
                raise RdynError("another robot_description has taken over meanwhile; ask again")
            self.serving = self.serving._replace(loaded=after)
        with self._making:
            if self._next is not None and self._next.payloads is not after.payloads:
                self._make_ready(self._next.serving.loaded.bare)
        return after

    def time(self, stamp):
        """Time of a joint state's stamp [ns] in s since the first one; steady time where there is none."""
        if not stamp:
            return monotonic()
        self._origin = stamp if self._origin is None else self._origin
        return (stamp - self._origin) / NANO

    def start_time(self, stamp):
        """Time of a trajectory's stamp [ns] as joint states count it, by the ROS clock where they bear none."""
        if self.serving.states.newest:
            return self.time(stamp)
        return monotonic() + (stamp - self.get_clock().now().nanoseconds) / NANO

    def _take_robot(self, robot):
        if robot.nq != robot.nv:
            raise RdynError(f"robot '{robot.name}' has a floating base; the controller needs a fixed one")
        values = self.values
        if values.gravity:
            robot = robot.with_gravity(values.gravity)
        with self._making:
            self._make_ready(robot)

    def _make_ready(self, robot):
        """Serves the robot when it is the first; else it waits, made for the payloads known so far."""
        values, before = self.values, self.serving and self.serving.loaded
        check_names("optional_joints", values.optional_joints, robot.joint_names)
        outputs = ControlOutputs(robot, values, self._outlet)

        def make(payloads):
            return Load(robot, payloads, outputs.tips[0], USED)
        carrying = before.replaced_by(*before.remade(robot, make, monotonic())) if before else loaded(make({}))
        states = joint_states_of(robot, values)
        with self._lock:
            controller = Controller(robot, control_settings(self.values, robot), values.mode)
            fresh = Serving(controller, carrying, states, outputs, self.values)
            if before is None:
                self.serving = fresh
            else:
                self._next = Waiting(fresh, before.payloads)

    def _adopt(self):
        """A new robot takes over while there is no torque; mode, gravity that was set and payloads stay."""
        with self._lock:
            (fresh, payloads), before, old = self._next, self.serving.controller, self.serving.loaded
            if before.filter.phase is not Phase.IDLE or payloads is not old.payloads:
                return
            fresh.controller.set_settings(control_settings(self.values, fresh.loaded.bare))
            fresh.controller.set_mode(monotonic(), before.mode)
            carrying = old.replaced_by(fresh.loaded.load, fresh.loaded.before)
            self.serving, self._next = fresh._replace(loaded=carrying, values=self.values), None
        self.get_logger().info(f"robot {carrying.bare.name} takes over from {old.bare.name}")
        for name in payloads.keys() - carrying.payloads.keys():
            self._requests.refuse(f"payload {name}: robot {carrying.bare.name} has no frame {payloads[name].frame}; "
                                  "set it anew on another one")

    def _outlet(self, message_type, topic):
        if topic not in self._outlets:
            self._outlets[topic] = self.create_publisher(message_type, topic, 10, qos_overriding_options=OVERRIDABLE)
        return self._outlets[topic]

    def _on_state(self, data):
        """Answers one serialized JointState."""
        now, values, monitor = monotonic(), self.values, self.monitor
        monitor.inputs += 1
        serving = self.serving
        if serving is None:
            monitor.counters["no_robot"] += 1
            return
        states, controller = serving.states, serving.controller
        if not states.take_bytes(self._read, data, now, values, monitor.counters, again=False):
            return
        stale = states.age(now) >= values.state_timeout
        if stale or not states.has_velocity.all():
            if stale or values.estimate_velocity:       # else missing velocities are counted
                monitor.counters["incomplete"] += 1
            return
        robot, before = carried(serving.loaded, now)
        controller.set_robot(robot, *before)
        if controller.take(now, self.time(states.newest), _measured(states, values.use_measured_effort)):
            self._send()
            monitor.answered(monotonic() - now)
        if controller.leap:
            monitor.counters["stamp_jump"] += 1
            self.get_logger().warning(f"stamps of joint states leap by {controller.leap:.3f} s; where a motion was "
                                      "under way, it ends here", throttle_duration_sec=1.0)
        self._report(now, 1.0 / values.report_rate)

    def _send(self):
        self.serving.outputs.command(self.serving.states.stamp, self.serving.controller.filter.output)

    def _report(self, now, period):
        """Tells how things are when that was `period` [s] ago, or in another phase."""
        controller, (told, phase) = self.serving.controller, self._reported
        safety = controller.filter
        turned = phase is not safety.phase
        if self.active and (turned or now - told >= period) and controller.state is not None:
            self._reported = now, safety.phase
            self.serving.outputs.report(self.serving.states.stamp, controller)
            if turned:
                self._tell(safety)

    def _tell(self, safety):
        """Logs a phase and its reason."""
        why = safety.fault or (MISSING if safety.phase is Phase.FADING else "")
        if why:
            self.get_logger().warning(f"torque is {safety.phase}: {why}")
        else:
            self.get_logger().info(f"torque is {safety.phase}")

    def _on_watchdog(self):
        if self.serving is None:
            return
        if self._next is not None:
            self._adopt()
        now, controller = monotonic(), self.serving.controller
        if self._ending:
            controller.disable(now)
        step = controller.step if self._ending else controller.tick
        if step(now):
            self._send()
            self.monitor.counters["without_state"] += 1
        self._report(now, self.values.diagnostics_period)
        if self._ending and controller.filter.phase is Phase.IDLE:
            self.finish()


def _measured(states, use_effort):
    """Copy of the measured state; effort only when it is wanted and all of it is known, 0 of silent optional joints."""
    effort = np.where(states.arrived == np.inf, 0.0, states.effort)
    known = use_effort and np.isfinite(effort).all()
    return State(states.q.copy(), states.qd.copy(), effort if known else None)


def main(args=None):
    """Runs the node until it is interrupted."""
    sys.exit(run(ControlNode, args))


if __name__ == "__main__":
    main()
