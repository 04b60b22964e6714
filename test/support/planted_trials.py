"""Trials of functions that fail, each in its own way, on one input of many."""

import ctypes
import time

from hypothesis import strategies as st

from bench.fuzz.trial import trial
from rdyn_ros.errors import RdynError


def crash(_):
    ctypes.string_at(0)


def hang(_):
    while True:
        pass


def sleep(_):
    time.sleep(1000.0)


def hog(_):
    kept = []
    while True:
        kept.append(b"x" * 10_000_000)


def slow(_):
    time.sleep(1.1)


def waste(_):
    return "kept" if len(b"x" * 600_000_000) else None


def wrong(_):
    raise KeyError("not in words")


def silent(_):
    raise RdynError("")


def fine(_):
    return None


def trials(name):
    """The one trial of a planted function; it goes off when the number is 7."""
    planted = globals()[name]
    yield trial(name, st.integers(0, 9), lambda k: planted(k) if k == 7 else None, 100)
