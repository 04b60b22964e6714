"""The fuzzing itself can fail: every way to break is seen, and told with its input."""
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bench.fuzz import guard

WORDS = {"crash": "crashed: SIGSEGV on 7", "hang": "hung", "sleep": "hung", "hog": "took more than",
         "slow": "slowest 1", "waste": "MB", "wrong": "KeyError: 'not in words' on 7",
         "silent": "refused without a word"}
SOONER = {"sleep": ("ASLEEP", 1.5), "hog": ("MEMORY", 500.0)}  # a busy machine needs seconds to hand out 1500 MB


@pytest.mark.parametrize("planted", WORDS)
def test_a_planted_fault_is_found(planted, monkeypatch):
    if planted in SOONER:
        monkeypatch.setattr(guard, *SOONER[planted])
    rows = list(guard.guarded("support.planted_trials:trials", planted))
    assert [row.held for row in rows] == [False]
    assert WORDS[planted] in rows[0].happened, rows[0]


def test_where_nothing_is_planted_nothing_is_found():
    rows = list(guard.all_guarded([("support.planted_trials:trials", "fine")] * 2))
    assert [(row.held, row.times) for row in rows] == [(True, 10)] * 2, rows


def test_no_trial_outlives_who_asked_for_it():
    script = "from bench.fuzz.guard import guarded; list(guarded('support.planted_trials:trials', 'sleep'))"
    parent = subprocess.Popen([sys.executable, "-c", script], env={**os.environ, "PYTHONPATH": ":".join(sys.path)})
    children, end = Path(f"/proc/{parent.pid}/task/{parent.pid}/children"), time.monotonic() + 30.0
    try:
        while not (pids := children.read_text().split()):
            assert time.monotonic() < end, "no worker was started"
            time.sleep(0.01)
    finally:
        parent.kill()
        parent.wait()
    while Path("/proc", *pids).exists():
        assert time.monotonic() < end, "the worker outlives its parent"
        time.sleep(0.01)
