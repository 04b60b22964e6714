"""What others ask of the control node: motions by topic, torque and mode by service. Refusals are told."""
from time import monotonic

from geometry_msgs.msg import PoseStamped
from rdyn_interfaces.srv import SetMode
from sensor_msgs.msg import JointState
from std_srvs.srv import SetBool
from trajectory_msgs.msg import JointTrajectory

from ..control.settings import MODES
from ..errors import RdynError
from .control_messages import reference, target_pose, trajectory_points
from .messages import nanoseconds

NO_ROBOT = "no robot is loaded yet; robot_description has not come: publish it, or give the parameter robot"


class ControlRequests:
    """Subscriptions and services of `node`, which has serving, active, monitor, start_time(stamp)."""

    def __init__(self, node):
        self._node, self.last_refusal = node, ""
        node.listen(JointTrajectory, "~/joint_trajectory", self._on_trajectory, 10)
        node.listen(JointState, "~/reference", self._on_reference, 10)
        node.listen(PoseStamped, "~/target_pose", self._on_target, 10)
        node.create_service(SetBool, "~/enable", self._on_enable)
        node.create_service(SetMode, "~/set_mode", self._on_mode)

    def refuse(self, why):
        """Tells why something was not done."""
        self.last_refusal = why
        self._node.get_logger().warning(f"refused {why}")

    def _on_enable(self, request, response):
        serving = self._node.serving
        if serving is None:
            reasons = [NO_ROBOT]
        elif not self._node.active:
            reasons = ["the node is not active: activate it"]
        elif request.data:
            reasons = serving.controller.enable(monotonic())
        else:
            serving.controller.disable(monotonic())
            reasons = []
        response.success, response.message = not reasons, "; ".join(reasons)
        if reasons:
            self.refuse(f"enable: {response.message}")
        return response

    def _on_mode(self, request, response):
        response.modes = list(MODES)
        if self._node.serving is None:
            response.reason, response.message = response.NO_MODEL, NO_ROBOT
            return response
        controller = self._node.serving.controller
        response.previous = controller.mode
        try:
            controller.set_mode(monotonic(), request.mode or controller.mode)
            response.success, response.reason = True, response.OK
        except RdynError as error:
            response.reason, response.message = response.BAD_INPUT, str(error)
        response.mode = controller.mode
        return response

    def _on_trajectory(self, message):
        def follow(serving):
            if not message.points:
                serving.controller.stop()
                return
            _check_measured(message.joint_names, serving.states)
            times, points = trajectory_points(message, serving.states.names)
            stamp = nanoseconds(message.header.stamp)
            serving.controller.follow(times, points, self._node.start_time(stamp) if stamp else None)
        self._take("joint_trajectory", follow)

    def _on_reference(self, message):
        def follow(serving):
            _check_measured(message.name, serving.states)
            serving.controller.set_reference(
                reference(message, serving.states.names, serving.controller.reference))
        self._take("reference", follow)

    def _on_target(self, message):
        self._take("target_pose", lambda serving: serving.controller.set_target(
            target_pose(message, serving.outputs.base)))

    def _take(self, what, work):
        """Does the work with a message, or says why not."""
        try:
            if self._node.serving is None:
                raise RdynError(NO_ROBOT)
            if self._node.serving.controller.state is None:
                raise RdynError("no joint states yet: start the driver, or see /diagnostics for what was refused")
            work(self._node.serving)
        except RdynError as error:
            self._node.monitor.counters[f"{what}_refused"] += 1
            self.refuse(f"{what}: {error}")


def _check_measured(names, states):
    """A joint that nobody measures would run away."""
    if blind := [name for name in names if name in states.assumed()]:
        raise RdynError(f"{', '.join(blind)} of optional_joints was never measured: it cannot be moved")
