"""The time that is left of a budget, less what an answer in words takes."""
from time import perf_counter

ANSWERING = 1.8e-4          # [s] from the end of a search to the answer in words
RANKING = 1.2e-4            # [s] that it takes besides where many solutions or a distance are told
MAKING = 1e-4               # [s] that it takes to make a solver, machine code aside
READING = 0.25              # of a budget that reading options may take: a solver and an answer take three times as long
LEAST = 1e-5                # [s] that an enquiry gets when the budget is spent


def search_time(budget):
    """What a time budget [s] leaves for the search, so that the answer is there in time."""
    return max(budget - ANSWERING, 0.5 * budget)


class Clock:
    """Seconds left of a budget for searching, never less than LEAST."""

    def __init__(self, begin, budget, reserved=0.0):
        self.begin, self._budget, self._reserved = begin, budget, reserved
        self._end = begin + search_time(budget) - reserved

    def __call__(self):
        """Seconds left."""
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
        return not self.leaves(LEAST)

    @property
    def used(self):
        """Seconds since the beginning."""
        return perf_counter() - self.begin
