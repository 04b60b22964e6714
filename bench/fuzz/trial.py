"""Feeds many inputs to one function and tells what happened."""

import collections
import gc
import warnings
from pathlib import Path

from hypothesis import HealthCheck, given, settings

from rdyn_ros.errors import RdynError

from ..memory import memory
from ..outcomes import Outcome
from .stopwatch import Stopwatch

SLOWEST = 1.0  # [s] by the clock, without waiting for a core
MEMORY = 500.0  # [MB] more than before
box = None  # the BlackBox, in a process that is watched


def trial(tried, inputs, feed, times, refusals=(RdynError,), limit=SLOWEST):
    """Outcome of feeding `times` draws of the strategy `inputs` to `feed`.

    `feed` returns a word for what happened ("accepted", when it returns nothing) or raises one of `refusals`.
    Anything else that is raised, over `limit` [s] for one input or over 500 MB more is a failure, told with its input.
    """
    counts, slowest, faults, watch = collections.Counter(), 0.0, [], Stopwatch()

    @settings(
        max_examples=times,
        derandomize=True,
        database=None,
        deadline=None,
        print_blob=False,
        suppress_health_check=list(HealthCheck),
    )
    @given(inputs)
    def once(given_input):
        nonlocal slowest
        if box:
            box.begin(given_input)
        gc.disable()        # what others left behind is not collected at the cost of this input
        start = watch.read()
        try:
            happened = feed(given_input) or "accepted"
        except refusals as refusal:
            happened = "refused" if str(refusal).strip() else "refused without a word"
        except Exception as fault:
            happened = "crashed"
            faults.append(f"{type(fault).__name__}: {fault} on {given_input!r:.300}")
        counts[happened] += 1
        took = watch.read() - start
        gc.enable()
        slowest = max(slowest, took)
        if took > limit:
            faults.append(f"{took:.2f} s on {given_input!r:.300}")
        if box:
            box.end()

    before = memory("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # the peak counts from here
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        once()
    watch.close()
    more = memory("VmHWM") - before
    happened = ", ".join(f"{number} {word}" for word, number in sorted(counts.items()))
    held = not faults and not counts["refused without a word"] and more < MEMORY
    told = f"{happened}; slowest {1e3 * slowest:.0f} ms, {more:+.0f} MB" + "".join(
        f"; {fault}" for fault in faults[:3]
    )
    return Outcome(tried, sum(counts.values()), told, f"no crash, {limit:g} s, 500 MB", held)
