"""A thread for joint states that passes by the interpreter where they are usual: nothing in Python delays it."""
from threading import Thread

try:
    from ._answer import Inlet
except ImportError:  # not built: the executor of the node serves joint states, too
    Inlet = None


class Listening:
    """Gives the messages of a raw subscription of `node` to an Answering, in a thread of its own."""

    def __init__(self, node, subscription, answering):
        """RuntimeError where that cannot be: the middleware does not tell of new messages."""
        self._node, self._answering = node, answering
        self._inlet = answering.inlet = Inlet(subscription.handle, node.monitor.flow, node.monitor.latency)
        self._thread = Thread(target=self._run, name="joint_states")
        node.apart = node.apart | {subscription}
        node.context.on_shutdown(self._end)     # also where nobody closes it: the node failed as it started
        self._thread.start()

    def close(self):
        """Ends the thread; nothing is answered afterwards."""
        self._end()
        self._thread.join()
        self._answering.settle()
        self._inlet = self._answering.inlet = None      # the subscription is free

    def _end(self):
        if self._inlet is not None:
            self._inlet.close()

    def _run(self):
        node, answering = self._node, self._answering
        running = True
        while running:
            try:
                running = self._inlet.run(answering, answering.rest)
            except MemoryError:
                node.short_of_memory()
            except Exception as error:
                running = False
                if node.context.ok():  # else it met the shutdown half way
                    node.fail(error)


def listening(node, subscription, answering):
    """Listening, or None where the executor of the node must serve the subscription."""
    try:
        return Listening(node, subscription, answering) if Inlet else None
    except RuntimeError:
        return None
