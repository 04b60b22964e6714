"""The closed loop over ROS at 1 kHz: our simulator and MuJoCo, each with the control node, in processes."""
import subprocess
import sys
import time
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from geometry_msgs.msg import Inertia
from rclpy.qos import QoSProfile
from rdyn_interfaces.msg import ControllerState
from rdyn_interfaces.srv import SetMode, SetPayload
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

import rdyn_ros
from bench.faults.watch import COMMANDS, STATES, Watch, largest_step
from bench.row import Row
from rdyn_ros.simulation.arm import ArmSettings, SimulatedArm

TITLE = "Closed loop on a 7-joint arm over ROS at 1 kHz"
ROBOT, START = "arm_7r", np.array([0.2, 0.5, -0.3, -1.2, 0.4, 0.8, 0.1])
WAY, MOVE, FLOAT = 0.5, 2.0, 10.0               # [rad] of every joint, [s] it may take, [s] of floating
MAX_DELTA_TAU = 1.0                             # [N m] default of the control node
CALM = {"state_timeout": 1.0}                   # a busy machine must not end the motion
OURS = ["-m", "rdyn_ros.nodes.simulator_node"]
MUJOCO = [str(Path(__file__).parents[1] / "examples" / "mujoco_adapter.py")]


def rows():
    """Energy, tracking, floating, observer and the largest step of torque."""
    for name, start in (("double_pendulum", [1.0, 0.7]), (ROBOT, START)):
        yield Row(f"energy drift in 10 s, {name}, relative", energy_drift(name, start), "", target=1e-6)
    simulators = {"our simulator": (OURS, 1e-3)}
    if find_spec("mujoco"):
        simulators["MuJoCo"] = MUJOCO, 2e-3
    steps = []
    for name, (command, most) in simulators.items():
        with loop(command, {"friction": "true"}, {"use_friction": "true"}) as peer:
            tracking = peer.track("computed_torque")
            yield Row(f"tracking error, computed torque, {name}, RMS", tracking, "rad", target=most)
            yield Row(f"tracking, {name}", tracking, "rad", "PD alone", peer.track("pd"), 10.0)
            steps.append(peer.largest_step())
        with loop(command, {"friction": "false"}, {}) as peer:
            yield Row(f"drift in 10 s of gravity compensation, {name}", peer.drift(), "rad", target=1e-3)
            steps.append(peer.largest_step())
    held = {"mode": "computed_torque"}
    with loop(OURS, {"friction": "false", "payload_mass": 2.4}, held, payload=2.0) as peer:
        error = peer.observer_error(2.0, 2.4)
        yield Row("error of the observer, payload 20 % heavier than known", error, "%", target=5.0)
    most = MAX_DELTA_TAU * (1.0 + 1e-9)
    yield Row("largest change of a torque per command", max(steps), "N m", target=most)


def energy_drift(name, start, seconds=10.0):
    """Largest relative change of energy of the free robot with the energy-keeping scheme at 1 kHz."""
    arm = SimulatedArm(rdyn_ros.load(name), start, ArmSettings(friction=False, stops=False, brakes=False))
    begin, worst = sum(arm.energy()), 0.0
    for _ in range(round(seconds / arm.settings.step)):
        arm.advance()
        worst = max(worst, abs(sum(arm.energy()) - begin))
    return worst / abs(begin)


@contextmanager
def loop(simulator, simulated, controlled, payload=0.0):
    """LoopWatch of a simulator and a controller that knows of a payload [kg], torque on."""
    robot = {"robot": ROBOT}
    start = {"start": START.tolist()}
    processes = [_start(simulator, robot | start | simulated),
                 _start(["-m", "rdyn_ros.nodes.control_node"], robot | CALM | controlled)]
    watch = LoopWatch()
    try:
        if payload:
            watch.carry(payload)
        watch.enable()
        watch.until(lambda: watch.reports and watch.reports[-1].phase == ControllerState.ACTIVE)
        yield watch
    finally:
        for process in processes:
            process.terminate()
            process.wait(10)
        watch.close()


def _start(command, parameters):
    words = [word for name, value in parameters.items() for word in ("-p", f"{name}:={value}")]
    return subprocess.Popen([sys.executable, *command, "--ros-args", *words], stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL)


class LoopWatch(Watch):
    """Also hears what the controller reports, and moves the arm."""

    def __init__(self):
        super().__init__(topics={COMMANDS: None, STATES: None})
        self.reports, self.external = [], []
        qos = QoSProfile(depth=1000)
        self.node.create_subscription(ControllerState, "control/controller_state", self.reports.append, qos)
        self.node.create_subscription(JointState, "control/external_torque", self.external.append, qos)
        self._payload = self.node.create_client(SetPayload, "control/set_payload")

    def until(self, condition, limit=60.0):
        """Waits for a condition; TimeoutError when it does not come."""
        end = time.monotonic() + limit
        while not condition():
            if time.monotonic() > end:
                raise TimeoutError(f"the loop did not come so far within {limit} s")
            time.sleep(0.01)

    def carry(self, mass):
        """Tells the controller of a mass [kg] at the tip."""
        request = SetPayload.Request(inertia=Inertia(m=mass))
        self.until(lambda: (answer := self._call(self._payload, request, limit=30.0)) and answer.success)

    def track(self, mode):
        """RMS error [rad] of the worst joint on a quintic there and back."""
        self._call(self._mode, SetMode.Request(mode=mode))
        self.until(lambda: (self.reports[-1].mode, self.reports[-1].phase) == (mode, ControllerState.ACTIVE))
        errors = []
        for goal in (START + WAY, START):
            point = JointTrajectoryPoint(positions=goal.tolist())
            point.time_from_start.sec = int(MOVE)
            begin = len(self.reports)
            names = self.reports[-1].joint_names
            self._trajectory.publish(JointTrajectory(joint_names=names, points=[point]))
            self.until(lambda begin=begin, goal=goal: len(self.reports) > begin + 20
                       and np.abs(np.array(self.reports[-1].reference.positions) - goal).max() < 1e-9)
            errors += [report.error.positions for report in self.reports[begin:]]
        return float(np.sqrt(np.mean(np.square(errors), axis=0)).max())

    def drift(self):
        """Largest way [rad] of a joint while the arm floats."""
        self._call(self._mode, SetMode.Request(mode="gravity_compensation"))
        self.until(lambda: self.reports[-1].phase == ControllerState.ACTIVE)
        begin = np.array(self.reports[-1].feedback.positions)
        time.sleep(FLOAT)
        return float(np.abs(np.array(self.reports[-1].feedback.positions) - begin).max())

    def observer_error(self, known, true):
        """Error [%] of the external torque that a payload unlike the known one causes, of the worst joint."""
        time.sleep(3.0)
        robot, q = rdyn_ros.load(ROBOT), np.array(self.reports[-1].feedback.positions)
        wanted = robot.with_payload(known).gravity_torque(q) - robot.with_payload(true).gravity_torque(q)
        felt = np.mean([message.effort for message in self.external[-50:]], axis=0)
        return float(100.0 * np.abs(felt - wanted).max() / np.abs(wanted).max())

    def largest_step(self):
        """Largest change of a torque from one command to the next [N m]."""
        return largest_step(self.heard[COMMANDS], self.heard[STATES])
