"""The fuzzing itself can fail: every way to break is seen, and told with its input."""
import pytest

from bench.fuzz import guard

WORDS = {"crash": "crashed: SIGSEGV on 7", "hang": "hung", "sleep": "hung", "hog": "took more than",
         "slow": "slowest 1", "waste": "MB", "wrong": "KeyError: 'not in words' on 7",
         "silent": "refused without a word"}


@pytest.mark.parametrize("planted", WORDS)
def test_a_planted_fault_is_found(planted, monkeypatch):
    monkeypatch.setattr(guard, "ASLEEP", 1.5)
    rows = list(guard.guarded("support.planted_trials:trials", planted))
    assert [row.held for row in rows] == [False]
    assert WORDS[planted] in rows[0].happened, rows[0]


def test_where_nothing_is_planted_nothing_is_found():
    rows = list(guard.all_guarded([("support.planted_trials:trials", "fine")] * 2))
    assert [(row.held, row.times) for row in rows] == [(True, 10)] * 2, rows
