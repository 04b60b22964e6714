"""A second thread with a hidden node: services never stand in the way of the main node's topics."""
import sys
from contextlib import suppress
from threading import Thread

from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.task import Future

from .spin import make_executor, spin

WAITING = QoSProfile(depth=20_000)  # requests that may wait; with ROS's own 10 a burst of calls is lost
HANDOVER = 5e-6  # [s] for which a service may hold the interpreter while a topic waits


class SideThread:
    """Serves services under the names that `node` gives them, in a thread and an executor of its own."""

    def __init__(self, node):
        self._main = node
        self._node = Node(f"_{node.get_name()}_services", namespace=node.get_namespace(),
                          use_global_arguments=False, start_parameter_services=False, enable_rosout=False)
        self._executor = make_executor(node.values.executor)
        self._done = Future()
        self._thread = Thread(target=self._run, name="services")

    def serve(self, service_type, name, callback):
        """Adds a service; `name` is resolved and remapped as the main node would."""
        self._node.create_service(service_type, self._main.resolve_service_name(name), callback,
                                  qos_profile=WAITING)

    @property
    def services(self):
        """The services it has."""
        return self._node.services

    def start(self):
        """Begins to serve."""
        sys.setswitchinterval(HANDOVER)
        self._executor.add_node(self._node)
        self._thread.start()

    def close(self):
        """Ends the thread, then the node."""
        self._done.set_result(None)
        if self._thread.ident is not None:
            self._executor.wake()
            self._thread.join()
            self._executor.remove_node(self._node)
        self._executor.shutdown()       # else it keeps the services, and what they have in DDS
        self._node.destroy_node()

    def _run(self):
        with suppress(ExternalShutdownException):
            spin(self._executor, self._done, self._main.short_of_memory)
