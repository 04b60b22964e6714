"""Giants and floods: bounded time and memory."""
import pytest

from bench.limits import limit_trials


@pytest.mark.processes
@pytest.mark.timeout(400)
def test_giants_and_floods_are_survived(outcomes):
    outcomes(limit_trials(calls=1000, targets=500))
