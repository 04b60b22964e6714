"""Where a node's robot comes from: parameter `robot`, parameter `robot_description`, or the latched topic."""
import traceback
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from math import inf

from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import String

from ..audit import load_audited
from ..errors import RdynError
from ..model.source import is_text

NAMED = 3  # findings that are named in full; `rdyn check` lists all


class RobotSource:
    """Calls `take(robot)` with the robot that the parameters name, at once, or with each the topic brings.

    `read(source)` makes a robot of a text, path or name, with findings: what is doubtful about it is logged once
    and kept in `node.doubts`.
    Texts from the topic are read in a thread of their own, in order; the last good robot serves meanwhile.
    One that cannot be read, or that `take` cannot use, is told to `refuse(sentence)`.
    """

    def __init__(self, node, take, refuse, read=load_audited):
        self._node, self._give, self._refuse, self._load = node, take, refuse, read
        self._worker = self._text = None
        source = node.values.robot or node.values.robot_description
        if source:
            self._take(source)
            return
        self._worker = ThreadPoolExecutor(1, "robot_description")
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        node.listen(String, "robot_description", self._submit, latched, most=inf)
        node.get_logger().info(f"waiting for a robot on the topic {node.resolve_topic_name('robot_description')}")

    def close(self):
        """Ends the thread."""
        if self._worker is not None:
            self._worker.shutdown(cancel_futures=True)

    def _submit(self, text):
        with suppress(RuntimeError):        # it is closed
            self._worker.submit(self._read, text.data)

    def _take(self, source):
        robot, findings = self._load(source)
        self._give(robot)
        more = f" (and {len(findings) - NAMED} more; `rdyn check` lists all)" if len(findings) > NAMED else ""
        words = "; ".join(f"{finding.place}: {finding.message}" for finding in findings[:NAMED])
        self._node.doubts = f"the robot is doubtful: {words}{more}" if findings else ""
        if findings:
            self._node.get_logger().warning(self._node.doubts)

    def _read(self, text):
        if text == self._text:
            return
        try:
            if not is_text(text):  # whoever may publish must not make the node open files
                raise RdynError("robot_description must be the text of a robot (URDF or YAML), not a path")
            self._take(text)
            self._text = text
        except Exception as error:  # the pool would swallow it
            if not isinstance(error, RdynError):
                self._node.get_logger().error(traceback.format_exc())
            self._text = None
            self._refuse(str(error))
