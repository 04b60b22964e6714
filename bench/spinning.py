"""A node that lives in a context and a thread of its own, whatever else this process does with ROS."""

from threading import Thread

import rclpy
from rclpy.context import Context
from rclpy.task import Future

from rdyn_ros.nodes.spin import make_executor, spin


class Spinning:
    """`node` is served from spin() to close(); executor "events" is quick, but tells no times of messages."""

    def __init__(self, name, namespace="/", executor="single"):
        self.context = Context()
        rclpy.init(args=[], context=self.context)
        self.node = rclpy.create_node(name, context=self.context, namespace=namespace)
        self._executor, self._done = make_executor(executor, self.context), Future()
        self._executor.add_node(self.node)
        self._thread = Thread(target=spin, args=(self._executor, self._done), daemon=True)

    def spin(self):
        """Begins to serve callbacks."""
        self._thread.start()

    @property
    def is_served(self):
        """Whether its thread goes on."""
        return self._thread.is_alive()

    def close(self):
        """Ends the thread first, so that no callback meets a node that is gone; then the node."""
        self._done.set_result(None)
        self._executor.wake()
        self._thread.join()
        self._executor.shutdown()
        self.node.destroy_node()
        rclpy.try_shutdown(context=self.context)
