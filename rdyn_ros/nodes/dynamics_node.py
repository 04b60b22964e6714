"""Node dynamics: joint states in; gravity, Coriolis and friction torques and the tool pose out; services."""
import sys
from threading import Lock
from time import monotonic
from typing import NamedTuple

from sensor_msgs.msg import Imu

from ..errors import RdynError
from . import ik_service, moveit, services, setup_services
from .answering import Answering
from .command import Command
from .diagnostics import STEADY, Diagnostics, Monitor
from .dynamics_health import judge
from .dynamics_outputs import Outputs, check_names
from .imu import ImuGravity
from .joint_states import JointStates, joint_states_of
from .lifecycle import RdynNode
from .listening import listen_apart
from .loaded_robot import Load, LoadedRobot, loaded
from .parameters import DynamicsParameters
from .process import run
from .qos import OVERRIDABLE, sensor_data
from .requests import service_callback
from .robot_source import RobotSource
from .side_thread import SideThread
from .tf import broadcaster

SERVICES = services.SERVICES + ik_service.SERVICES + setup_services.SERVICES


class Serving(NamedTuple):
    """All that belongs to one robot; replaced as a whole, so that a thread sees parts that fit together."""

    loaded: LoadedRobot
    states: JointStates
    outputs: Outputs
    command: Command
    values: DynamicsParameters


class DynamicsNode(RdynNode):
    """Answers every message of joint_states with what `serving` holds (None until there is a robot).

    Joint states are answered in a thread of their own, services in another; the rest is up to the executor.
    """

    Parameters = DynamicsParameters
    _answering = None       # also where its parameters are refused

    def __init__(self):
        super().__init__("dynamics")
        self._serving = None
        self.refused = ""  # why the last robot_description was not taken
        self._stale = True
        self._lock = Lock()  # held while `serving` is replaced: by robots, services, IMU and parameters
        self._outlets = {}

    @property
    def serving(self):
        """Serving in force, or None until there is a robot."""
        return self._serving

    @serving.setter
    def serving(self, here):
        self._serving = here
        self._answering.serve(here)

    def configure(self):
        """Makes robot, topics, services and diagnostics."""
        values = self.values
        self.monitor = Monitor()
        self._tf = broadcaster(self) if values.publish_tf else None
        self._answering = Answering(self)
        self._source = self.ends(RobotSource(self, self._take_robot, self._refuse_robot))
        self.imu = ImuGravity(self) if values.imu_topic else None
        if self.imu is not None:
            self.listen(Imu, values.imu_topic, self.imu, sensor_data(10), qos_overriding_options=OVERRIDABLE)
        self._diagnostics = Diagnostics(self, lambda: judge(self))
        self._watchdog = self.create_timer(values.state_timeout / 2.0, self._watch, clock=STEADY)
        self.side = self.ends(SideThread(self))
        for name, service_type, handler in SERVICES:
            self.side.serve(service_type, name, service_callback(self, handler))
        for name, service_type, callback in moveit.services(self):
            self.side.serve(service_type, name, callback)
        self.side.start()
        listen_apart(self, self._answering, sensor_data(values.queue_depth))

    def deactivate(self):
        """Ends publishing; a later command begins anew."""
        self._answering.settle()
        if self.serving is not None:
            self.serving.command.end()

    def cleanup(self):
        """Undoes configure."""
        self._outlets.clear()
        self._serving, self._stale = None, True

    def destroy_node(self):
        """Ends a node that was not closed, too: its thread is told, not waited for, as ROS may hold locks meanwhile."""
        if self._answering is not None and self._answering.inlet is not None:
            self._answering.inlet.close()
        super().destroy_node()

    def changed(self, values):
        """Takes new live parameters."""
        if not self._configured:
            return
        before = self.values
        with self._lock:
            self.values = values    # a robot that comes meanwhile takes them, too
            if here := self.serving:
                here.command.adjust(here.loaded.bare.limits.effort, values)
                self.serving = here._replace(values=values)
        if here and values.gravity != before.gravity:
            self.change_loaded(lambda robot: robot.with_gravity(values.gravity or None, monotonic()))
        if values.state_timeout != before.state_timeout:
            self.destroy_timer(self._watchdog)
            self._watchdog = self.create_timer(values.state_timeout / 2.0, self._watch, clock=STEADY)

    def change_loaded(self, change):
        """Serves change(LoadedRobot) in place of the one so far, and returns it."""
        with self._lock:
            self.serving = self.serving._replace(loaded=change(self.serving.loaded))
            return self.serving.loaded

    def _sender(self, message_type, topic):
        """Function that sends serialized messages on a topic; its publisher is made when first asked for."""
        if topic not in self._outlets:
            self._outlets[topic] = self.create_publisher(message_type, topic, 10, qos_overriding_options=OVERRIDABLE)
        return self._outlets[topic].handle.publish_raw

    def _take_robot(self, robot):
        """Serves `robot` from now on. Gravity that was set stays, and payloads on frames that still exist.

        Changes that are under way go on.
        """
        values = self.values
        if robot.floating_base or not robot.joint_names:
            what = "floating base" if robot.floating_base else "base and no moving joint"
            raise RdynError(f"robot {robot.name} has a {what}; joint_states tell only of joints on a fixed base")
        check_names("optional_joints", values.optional_joints, robot.joint_names)
        outputs = Outputs(robot, values, self._sender, self._tf)
        tip, *further = outputs.tips

        def make(payloads):
            return Load(robot, payloads, tip, ("fk",), further)
        if self.serving is None:
            first = make({})
            with self._lock:
                self._serve(loaded(first, self.values.gravity or None), outputs)
        else:
            self._replace(robot, make, outputs)
        self.serving.loaded.robot.ik_prepare(tip, wait=False)

    def _replace(self, robot, make, outputs):
        """Serves another robot with what the one before carries, which may change while that is compiled."""
        while True:
            before = self.serving.loaded
            remade = before.remade(robot, make, monotonic())
            with self._lock:
                now = self.serving.loaded
                if now.load is before.load:
                    self._serve(now.replaced_by(*remade), outputs)
                    return

    def _serve(self, loaded_robot, outputs):
        """Serves another robot; of one with the same joints states and torque go on from where they are."""
        robot, before, values = loaded_robot.bare, self.serving, self.values
        states = joint_states_of(robot, values, before and before.states)
        same = before is not None and before.states is states
        command = before.command if same else Command(robot.limits.effort, values)
        command.adjust(robot.limits.effort, values)
        self.serving = Serving(loaded_robot, states, outputs, command, values)
        self.refused = ""
        if before is not None:
            self.get_logger().info(f"robot {robot.name} takes over from {before.loaded.bare.name}")

    def _refuse_robot(self, why):
        self.refused = " ".join(why.split())
        self.get_logger().error(f"robot_description is refused, nothing changes: {self.refused}")

    def _watch(self):
        """Watchdog on the steady clock: tells at once when input gets stale and when it is back."""
        here, now = self.serving, monotonic()
        stale = here is None or here.states.age(now) >= here.values.state_timeout
        if stale == self._stale:
            return
        self._stale = stale
        if stale:
            joints = here.states.stale(now, here.values.state_timeout)
            self.get_logger().error(f"joint states are stale ({joints}), output has stopped")
        else:
            self.get_logger().info("joint states are fresh, output begins")
        self._diagnostics.publish()


def main(args=None):
    """Runs the node until it is interrupted."""
    sys.exit(run(DynamicsNode, args))


if __name__ == "__main__":
    main()
