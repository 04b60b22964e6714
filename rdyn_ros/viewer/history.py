"""The last seconds of some numbers, for plots."""
from collections import deque

import numpy as np


class History:
    """Rows (time, values of `names`) of the last `span` [s], at most one every `step` [s]."""

    def __init__(self, names, span=10.0, step=0.05):
        self.names, self._span, self._step = tuple(names), span, step
        self._rows = deque()

    def add(self, time, values):
        """Takes a row unless the last one is younger than the step; a clock that went back starts anew."""
        if self._rows and time < self._rows[-1][0]:
            self._rows.clear()
        if not self._rows or time - self._rows[-1][0] >= self._step:
            self._rows.append((time, *values))
        while self._rows[0][0] < time - self._span:
            self._rows.popleft()

    def columns(self):
        """Time relative to now [s] and one array per name, as a plot takes them: it cannot draw NaN.

        A value that is not known is the one before it, at the beginning the one after it, and 0 where none is.
        """
        rows = np.array(self._rows, dtype=float).reshape(-1, len(self.names) + 1)
        rows = rows if len(rows) else np.zeros((1, len(self.names) + 1))
        return (rows[:, 0] - rows[-1, 0], *map(_filled, rows[:, 1:].T))


def _filled(values):
    known = np.flatnonzero(np.isfinite(values))
    if not len(known):
        return np.zeros(len(values))
    before = np.searchsorted(known, np.arange(len(values)), side="right") - 1
    return values[known[np.maximum(before, 0)]]
