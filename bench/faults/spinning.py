"""A node that lives in a context and a thread of its own, whatever else this process does with ROS."""

from threading import Thread

import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.task import Future


class Spinning:
    """`node` is served from spin() to close()."""

    def __init__(self, name, namespace="/"):
        self.context = Context()
        rclpy.init(args=[], context=self.context)
        self.node = rclpy.create_node(name, context=self.context, namespace=namespace)
        self._executor, self._done = SingleThreadedExecutor(context=self.context), Future()
        self._executor.add_node(self.node)
        self._thread = Thread(target=self._executor.spin_until_future_complete, args=(self._done,), daemon=True)

    def spin(self):
        """Begins to serve callbacks."""
        self._thread.start()

    def close(self):
        """Ends the thread first, so that no callback meets a node that is gone; then the node."""
        self._done.set_result(None)
        self._executor.wake()
        self._thread.join()
        self._executor.shutdown()
        self.node.destroy_node()
        rclpy.try_shutdown(context=self.context)
