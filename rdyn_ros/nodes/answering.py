"""The hot path of the dynamics node: one serialized joint state in, all topics out."""
from threading import Lock
from time import monotonic

import numpy as np

from .cdr import JointStateReader
from .joint_states import Reason


class Answering:
    """Callback of joint_states: answers with what the node serves at the moment, or counts why not.

    `inlet`, where there is one, gets the way in C, and calls only for what that leaves.
    """

    def __init__(self, node):
        self._node, self._read = node, JointStateReader()
        self._usual = None, None  # Serving and its way in C
        self._lock = Lock()     # held while a message is answered here
        self.inlet = None

    def __call__(self, data, now=None):
        """Answers one serialized JointState, which came at `now` [s], or now."""
        now = monotonic() if now is None else now
        with self._lock:
            node, here = self._node, self._node.serving
            node.monitor.inputs += 1
            if here is None:
                node.monitor.counters["no_robot"] += 1
            elif not (node.active and self._answer_usual(here, data, now)):
                self._answer_any(here, data, now)

    def tell(self, answer, poses):
        """Tells TF of the `poses` that `answer` has published, unless another has taken over."""
        here, known = self._usual
        if known is answer:
            stamp, numbers = poses
            here.outputs.tell(stamp, np.frombuffer(numbers).reshape(-1, 7))

    def settle(self):
        """From now on nothing is published but what Python answers."""
        with self._lock:
            self._usual = None, None
            self._install(None)

    def serve(self, here):
        """From now on nothing is published that does not follow from `here`; what C answers does not wait for it."""
        with self._lock:
            before, answer = self._usual
            if answer is None:
                self._usual = None, None        # the next message will find out whether C can answer
                return
            shared = here.loaded.shared
            if shared and all(now is then for now, then in zip(here[1:], before[1:], strict=True)):
                answer.loads = shared
            else:
                answer = self._in_c(here)
                self._install(answer)
            self._usual = here, answer

    def _install(self, answer):
        """From now on the inlet has this answer, and no other."""
        if self.inlet is not None:
            self.inlet.answer = answer

    @staticmethod
    def _in_c(here):
        return here.outputs.usual(here.loaded, here.states, here.values, here.command)

    def _answer_usual(self, here, data, now):
        """Answers the usual message in C; False leaves it, as all that is odd, to Python."""
        owner, answer = self._usual
        if owner is not here:
            answer = self._in_c(here)
            self._usual = here, answer
        refused = self.inlet is not None and self.inlet.answer is answer        # it was its turn already
        if not answer or refused or not answer(data, now):
            return False
        if answer.velocity_missing:
            self._node.monitor.counters[Reason.VELOCITY_MISSING] += 1
        self._answered(now, 0)
        self._install(answer)
        self.tell(answer, answer.poses)
        return True

    def _answer_any(self, here, data, now):
        """Answers any message, or counts why not."""
        loaded, states, outputs, command, values = here
        counters = self._node.monitor.counters
        if not states.take_bytes(self._read, data, now, values, counters):
            return
        if states.age(now) >= values.state_timeout:
            counters["incomplete"] += 1
        elif self._node.active:
            self._answered(now, outputs.publish(loaded, states, now, values, command))

    def _answered(self, now, bad):
        """Counts an answer to what came at `now` [s], of which `bad` results were not finite."""
        if bad:
            self._node.monitor.counters["result_not_finite"] += bad
        self._node.monitor.answered(monotonic() - now)
