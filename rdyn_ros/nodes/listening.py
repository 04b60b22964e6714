"""A thread for joint states that passes by the interpreter where they are usual: nothing in Python delays it."""
from threading import Thread

from sensor_msgs.msg import JointState

from .numbered import Numbered
from .qos import OVERRIDABLE

try:
    from ._answer import Inlet
except ImportError:  # not built: the executor of the node serves joint states, too
    Inlet = None


class Listening:
    """Gives what an Inlet takes to an Answering of `node`, in a thread of its own."""

    def __init__(self, node, inlet, answering):
        self._node, self._inlet, self._answering = node, inlet, answering
        answering.inlet = inlet
        self._thread = Thread(target=self._run, name="joint_states")
        self._thread.start()

    def close(self):
        """Ends the thread; nothing is answered afterwards."""
        self._inlet.close()
        self._thread.join()
        self._answering.settle()
        self._inlet = self._answering.inlet = None      # the subscription is free

    def _run(self):
        try:
            while not self._served():
                self._node.short_of_memory()
        except Exception as error:
            if self._node.context.ok():     # else it met the shutdown half way
                self._node.fail(error)

    def _served(self):
        """True once the inlet is closed; False where a message found no memory."""
        try:
            self._inlet.run(self._answering, self._answering.rest)
        except MemoryError:
            return False
        return True


def listen(node, answering, qos):
    """Subscribes `node` to joint_states for an Answering: in a thread of its own, or else by the node's executor."""
    take = Numbered(answering, node.monitor.counters)
    node.apart = {take} if Inlet else frozenset()       # before an executor may see the subscription
    subscription = node.create_subscription(
        JointState, "joint_states", take, qos, raw=True, qos_overriding_options=OVERRIDABLE)
    if Inlet is None:
        return
    try:
        inlet = Inlet(subscription.handle, node.monitor.flow, node.monitor.latency)
    except RuntimeError:        # the middleware does not tell of new messages
        node.apart = frozenset()
        if node.executor is not None:
            node.executor.wake()
        return
    node.ends(Listening(node, inlet, answering))
