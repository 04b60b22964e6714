"""The time that is left of a budget, less what an answer in words takes."""
from time import perf_counter

from .constants import LEAST

ANSWERING = 1.8e-4          # [s] from the end of a search to the answer in words
RANKING = 1.2e-4            # [s] that it takes besides where many solutions or a distance are told
MAKING = 1e-4               # [s] that it takes to make a solver, machine code aside
READING = 0.25              # of a budget that reading options may take: a solver and an answer take three times as long


def search_time(budget):
    """What a time budget [s] leaves for the search, so that the answer is there in time."""
    return max(budget - ANSWERING, 0.5 * budget)


class Clock:
    """What is left of a budget [s] for searching, from its beginning on, but for some that is reserved."""

    def __init__(self, begin, budget, reserved=0.0):
        self.begin, self._budget, self._reserved = begin, budget, reserved
        self.seconds = search_time(budget) - reserved
        self._end = begin + self.seconds

    @property
    def span(self):
        """(beginning, seconds from then on), as solvers take it."""
        return self.begin, self.seconds

    @property
    def left(self):
        """Seconds left, never less than LEAST."""
        return max(LEAST, self._end - perf_counter())

    @property
    def sooner(self):
        """The same for a search whose end takes longer to tell."""
        return Clock(self.begin, self._budget, self._reserved + RANKING)

    def leaves(self, seconds):
        """Whether so much, and no less than LEAST, is left."""
        return perf_counter() + max(seconds, LEAST) <= self._end

    @property
    def young(self):
        """Whether there is time for another solver, after options were read."""
        return self.used <= READING * self._budget

    @property
    def over(self):
        """Whether the budget is spent, but for less than LEAST."""
        return perf_counter() + LEAST > self._end

    @property
    def used(self):
        """Seconds since the beginning."""
        return perf_counter() - self.begin
