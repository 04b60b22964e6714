"""A thread for joint states that passes by the interpreter where they are usual: nothing in Python delays it."""
from threading import Thread
from time import sleep

from sensor_msgs.msg import JointState

from .numbered import Numbered
from .qos import OVERRIDABLE

try:
    from ._answer import Inlet
except ImportError:  # not built: the executor of the node serves joint states, too
    Inlet = None


AGAIN = 0.01    # [s] after which memory that was missing may be there


class Listening:
    """Gives what an Inlet takes to an Answering of `node`, in a thread of its own; in another, TF is told."""

    def __init__(self, node, inlet, answering):
        self._node, self._inlet, self._answering = node, inlet, answering
        answering.inlet = inlet
        self._threads = [Thread(target=self._guarded, args=(self._listen,), name="joint_states"),
                         Thread(target=self._guarded, args=(self._tell,), name="tf")]

    def start(self, tf):
        """Begins to listen, and to tell `tf`."""
        for thread in self._threads[:1 + tf]:
            thread.start()

    def close(self):
        """Ends the threads; nothing is answered afterwards."""
        self._inlet.close()
        for thread in self._threads:
            if thread.ident is not None:
                thread.join()
        self._answering.settle()
        self._inlet = self._answering.inlet = None      # the subscription is free

    def _guarded(self, work):
        try:
            work()
        except Exception as error:
            if self._node.context.ok():     # else it met the shutdown half way
                self._node.fail(error)

    def _listen(self):
        while True:
            try:
                return self._inlet.run(self._answering)
            except MemoryError:
                self._node.short_of_memory()
                sleep(AGAIN)

    def _tell(self):
        while news := self._inlet.poses():
            self._answering.tell(*news)


def listen_apart(node, answering, qos):
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
    node.ends(Listening(node, inlet, answering)).start(node.values.publish_tf)
