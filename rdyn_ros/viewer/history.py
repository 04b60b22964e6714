"""The last seconds of some numbers, for plots."""
from collections import deque

import numpy as np


class History:
    """Rows (time, values of `names`) of the last `span` [s], at most one every `step` [s]."""

    def __init__(self, names, span=10.0, step=0.05):
        self.names, self._step = tuple(names), step
        self._rows = deque(maxlen=int(span / step))

    def add(self, time, values):
        """Takes a row unless the last one is younger than the step; a clock that went back starts anew."""
        if self._rows and time < self._rows[-1][0]:
            self._rows.clear()
        if not self._rows or time - self._rows[-1][0] >= self._step:
            self._rows.append((time, *values))

    def columns(self):
        """Time relative to now [s] and one array per name, as a plot takes them; gaps are NaN."""
        rows = np.array(self._rows, dtype=float).reshape(-1, len(self.names) + 1)
        rows = rows if len(rows) else np.full((1, len(self.names) + 1), np.nan)
        return (rows[:, 0] - rows[-1, 0], *rows[:, 1:].T)
