"""The kernels of one robot: each made when it is first asked for, and kept."""
from itertools import islice

from .functions import FUNCTIONS
from .kernel import Kernel

MOST = 500      # kernels of a robot; beyond, the oldest go, but for the public ones


class Kernels:
    """kernels(algorithm, inputs, options) is the kernel for that; `public` {name: kernel} those of FUNCTIONS."""

    def __init__(self, model):
        self._model, self._made = model, {}
        self.public = {name: self(function.algorithm, function.inputs, function.defaults(model))
                       for name, function in FUNCTIONS.items()}

    def __call__(self, algorithm, inputs, options=()):
        """Kernel of algorithm(model, *inputs, *options); `inputs` are q, qd, qdd, tau or wrench."""
        key = algorithm, options
        kernel = self._made.get(key)
        if kernel is None:
            sizes = ({"q": self._model.nq, "wrench": 6}.get(name, self._model.nv) for name in inputs)
            kernel = self._made[key] = Kernel(self._model, algorithm, sizes, options)
            if len(self) > MOST:
                self._made.pop(next(islice(self._made, len(FUNCTIONS), None)), None)
        return kernel

    def __len__(self):
        return len(self._made)
