"""A simulated arm and its controller as processes, and what a test says to them."""
from contextlib import suppress

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray
from lifecycle_msgs.srv import ChangeState, GetState
from rcl_interfaces.srv import SetParametersAtomically
from rclpy.parameter import Parameter
from rdyn_interfaces.msg import ControllerState
from rdyn_interfaces.srv import SetMode, SetPayload
from sensor_msgs.msg import JointState
from std_srvs.srv import SetBool
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from .ros_peer import Listener, NodeProcess

POSE = (0.2, 0.5, -0.3, -1.2, 0.4, 0.8, 0.1)
NAMES = [f"joint_{i}" for i in range(1, 8)]
SIMULATOR = {"robot": "arm_7r", "rate": 100.0, "step": 0.01, "start": list(POSE), "friction": "false"}
CONTROL = {"robot": "arm_7r", "mode": "computed_torque", "state_timeout": 5.0, "max_delta_tau": "[2.0]",
           "natural_frequency": "[10.0]", "report_rate": 25.0}
DELTA = 2.0 * (1.0 + 1e-9)


class ControlPeer:
    """Starts both nodes in a namespace; the lists grow with every message."""

    def __init__(self, namespace="", simulator=None, control=None):
        self.namespace, self.processes = namespace, []
        self._simulator, self._control = {**SIMULATOR, **(simulator or {})}, {**CONTROL, **(control or {})}
        self.listener = Listener(namespace=namespace or "/")
        listen = self.listener.listen
        self.commands = listen(JointState, "control/effort")
        self.reports = listen(ControllerState, "control/controller_state")
        self.diagnostics = listen(DiagnosticArray, "/diagnostics")
        publisher = self.listener.node.create_publisher
        self.trajectories = publisher(JointTrajectory, "control/joint_trajectory", 10)
        self.simulator, self.control = self.start_simulator(), self.start_control()

    def start_simulator(self):
        """Process of a simulator node."""
        return self._start("rdyn_ros.nodes.simulator_node", self._simulator)

    def start_control(self):
        """Process of a control node."""
        return self._start("rdyn_ros.nodes.control_node", self._control)

    def _start(self, module, parameters):
        remap = [f"__ns:={self.namespace}"] if self.namespace else []
        self.processes.append(NodeProcess(module, parameters=parameters, remap=remap))
        return self.processes[-1]

    def close(self):
        """Ends everything."""
        for process in self.processes:
            process.stop()
        self.listener.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def enable(self, on=True):
        """Answer of ~/enable."""
        return self._call(SetBool, "control/enable", SetBool.Request(data=on))

    def set_mode(self, mode):
        """Answer of ~/set_mode."""
        return self._call(SetMode, "control/set_mode", SetMode.Request(mode=mode))

    def set_payload(self, **fields):
        """Answer of ~/set_payload of control."""
        return self._call(SetPayload, "control/set_payload", SetPayload.Request(**fields))

    def set_parameters(self, node, **values):
        """(successful, reason) of setting parameters of a node at once."""
        parameters = [Parameter(name, value=value).to_parameter_msg() for name, value in values.items()]
        result = self._call(SetParametersAtomically, f"{node}/set_parameters_atomically",
                            SetParametersAtomically.Request(parameters=parameters)).result
        return result.successful, result.reason

    def transition(self, label, state):
        """Asks the control node for a lifecycle transition until it is in the state."""
        request = ChangeState.Request()
        request.transition.label = label
        while self._call(GetState, "control/get_state", GetState.Request()).current_state.label != state:
            self._call(ChangeState, "control/change_state", request)

    def _call(self, service_type, name, request):
        """Answer of a service that may be asked twice: the first answer of a young server can get lost."""
        for _ in range(10):
            with suppress(TimeoutError, AssertionError):
                return self.listener.call(service_type, name, request, limit=6.0)
        raise TimeoutError(f"no answer of {name}; {self._said()}")

    def _said(self):
        """What the processes said last, and whether they live."""
        return "; ".join(f"{name} (exit code {process.process.poll()}) said: {process.output[-3000:]}"
                         for name, process in (("control", self.control), ("simulator", self.simulator)))

    def activate(self):
        """Enables, with patience for the first states, and waits until the law is in force."""
        self.wait_report(lambda report: True, "a report")
        self.listener.wait(lambda: self.trajectories.get_subscription_count(), "a follower of trajectories")
        self.listener.wait(lambda: self.enable().success, "leave to enable")
        self.wait_report(lambda report: report.phase == "active", "the phase active")

    def wait_report(self, condition, what):
        """First report from now on that fulfils the condition."""
        return self._wait_new(self.reports, lambda report: report if condition(report) else None, what)

    def wait_diagnostics(self, node, condition, what):
        """First diagnostics of a node from now on, (sentence, values), that fulfil the condition."""
        def found(array):
            for status in array.status:
                said = status.message, {v.key: v.value for v in status.values}
                if status.name.endswith(node) and condition(*said):
                    return said
            return None
        return self._wait_new(self.diagnostics, found, what)

    def _wait_new(self, messages, found, what):
        """First true found(message) of messages that come from now on, each looked at once."""
        place = len(messages)

        def look():
            nonlocal place
            while place < len(messages):
                place += 1
                if answer := found(messages[place - 1]):
                    return answer
            return None
        try:
            return self.listener.wait(look, what)
        except TimeoutError as error:
            raise TimeoutError(f"{error}; {self._said()}") from None

    def wait_refusal(self, text):
        """Values of the diagnostics of control that tell of a refusal with this text."""
        return self.wait_diagnostics("control", lambda _, values: text in values.get("last_refusal", ""),
                                     f"a refusal that says '{text}'")[1]

    def wait_phase(self, phase):
        """Waits until control tells on diagnostics that it is in a phase.

        Reports need joint states, this does not.
        """
        self.wait_diagnostics("control", lambda _, values: values.get("phase") == phase, f"the phase {phase}")

    def move(self, goal, seconds=1.0, names=NAMES):
        """Sends a trajectory of one point."""
        point = JointTrajectoryPoint(positions=[float(x) for x in goal])
        point.time_from_start.sec, point.time_from_start.nanosec = divmod(round(seconds * 1e9), 10**9)
        self.trajectories.publish(JointTrajectory(joint_names=list(names), points=[point]))

    def go_home(self):
        """Brings the arm to POSE from wherever it fell, slowly enough for its velocity limits."""
        report = self.wait_report(lambda report: report.phase == "active", "the phase active")
        now = dict(zip(report.joint_names, report.feedback.positions, strict=True))
        way = max(abs(now[name] - x) for name, x in zip(NAMES, POSE, strict=True))
        self.move(POSE, seconds=0.5 + 2.0 * way)
        self.arrive(POSE)

    def arrive(self, goal, tolerance=1e-2):
        """Waits until the arm stands at a goal, in the order of NAMES."""
        def there(report):
            now = dict(zip(report.joint_names, report.feedback.positions, strict=True))
            moving = np.abs(report.feedback.velocities).max()
            away = max(abs(now[name] - x) for name, x in zip(NAMES, goal, strict=True))
            return moving < 0.01 and away < tolerance
        return self.wait_report(there, f"the arm at {list(goal)}")


def largest_step(commands):
    """Largest change of an effort from one command to the next; all must be finite."""
    efforts = np.array([command.effort for command in commands])
    assert np.isfinite(efforts).all()
    return np.abs(np.diff(efforts, axis=0)).max()


def nanoseconds(message):
    """Stamp of a message [ns]."""
    return message.header.stamp.sec * 10**9 + message.header.stamp.nanosec
