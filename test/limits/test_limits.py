"""Giants and floods: bounded time and memory."""
from types import SimpleNamespace

import pytest

from bench.limits import answered, limit_trials, served

REFUSED = {"longer than": "no robot yet: robot text: longer than 10 characters"}
RESULT, REFUSAL = SimpleNamespace(success=True), SimpleNamespace(success=False)


@pytest.mark.processes
@pytest.mark.timeout(400)
def test_giants_and_floods_are_survived(outcomes):
    outcomes(limit_trials(calls=1000, targets=500))


@pytest.mark.parametrize(("refusals", "torques", "used", "held"), [
    (REFUSED, [[1.0, 2.0]], 200.0, True),
    ({}, [[1.0, 2.0]], 200.0, True),
    (REFUSED | {"more than": ""}, [[1.0, 2.0]], 200.0, False),
    (REFUSED, [], 200.0, False),
    (REFUSED, [[1.0]], 200.0, False),
    (REFUSED, [[1.0, 2.0]], 600.0, False)])
def test_bad_texts_must_be_refused_and_the_good_one_served(refusals, torques, used, held):
    assert served("texts", refusals, torques, 2, 1.0, used).held is held


@pytest.mark.parametrize(("answers", "used", "held"), [
    ([RESULT, RESULT], 200.0, True),
    ([RESULT], 200.0, False),
    ([RESULT, REFUSAL], 200.0, False),
    ([REFUSAL, REFUSAL], 200.0, False),
    ([RESULT, RESULT], 600.0, False)])
def test_every_request_of_a_flood_must_bring_a_result(answers, used, held):
    assert answered("flood", 2, answers, 1.0, used).held is held
