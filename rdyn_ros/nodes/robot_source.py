"""Where a node's robot comes from: parameter `robot`, parameter `robot_description`, or the latched topic."""
import traceback
from concurrent.futures import ThreadPoolExecutor

from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import String

from ..errors import RdynError
from ..model.source import is_text
from ..robot import load


class RobotSource:
    """Calls `take(robot)` with the robot that the parameters name, at once, or with each the topic brings.

    `read(source)` makes a robot of a text, path or name.
    Texts from the topic are read in a thread of their own, in order; the last good robot serves meanwhile.
    One that cannot be read, or that `take` cannot use, is told to `refuse(sentence)`.
    """

    def __init__(self, node, take, refuse, read=load):
        self._node, self._take, self._refuse, self._load = node, take, refuse, read
        self._worker = self._subscription = None
        self._text = None
        source = node.values.robot or node.values.robot_description
        if source:
            take(read(source))
            return
        self._worker = ThreadPoolExecutor(1, "robot_description")
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self._subscription = node.listen(
            String, "robot_description", lambda text: self._worker.submit(self._read, text.data), latched)

    def close(self):
        """Ends the subscription and the thread."""
        if self._worker is not None:
            self._node.destroy_subscription(self._subscription)
            self._worker.shutdown(cancel_futures=True)

    def _read(self, text):
        if text == self._text:
            return
        try:
            if not is_text(text):  # whoever may publish must not make the node open files
                raise RdynError("robot_description must be the text of a robot (URDF or YAML), not a path")
            self._take(self._load(text))
            self._text = text
        except Exception as error:  # the pool would swallow it
            if not isinstance(error, RdynError):
                self._node.get_logger().error(traceback.format_exc())
            self._text = None
            self._refuse(str(error))
