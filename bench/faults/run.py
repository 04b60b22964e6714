"""Runs the faults, one after the other, on systems that have to survive them all."""
from ..outcomes import Outcome, in_rows
from .case import Limits
from .cases import LONG, RELAYED_LONG, RELAYED_SHORT, SHORT, SIM_TIME
from .surroundings import surroundings
from .system import System


def fault_trials(long=False, limits=None):
    """Outcomes of all faults: the short list, or the long one with viewer, bad clocks and surroundings."""
    limits = limits or Limits()
    yield from survived("a system", System(viewer=str(long)), LONG if long else SHORT, limits)
    yield from survived("a system behind a relay", System(relay=True), RELAYED_LONG if long else RELAYED_SHORT, limits)
    if long:
        yield from survived("a system in sim time", System(relay=True, use_sim_time="true"), SIM_TIME, limits)
        yield from surroundings(limits)


@in_rows
def survived(name, system, cases, limits):
    """Outcomes of all cases in one system, and whether it lives in the end."""
    with system:
        system.ready()
        for case in cases:
            yield from _tried(case.tried, system, case, limits)
        everyone = set(system.processes) == set(system.alive())
        system.swing()
        yield Outcome(f"{name} after all of this", 1, f"alive: {', '.join(system.alive())}; the arm swings",
                      "all alive, the arm swings", everyone)


@in_rows
def _tried(name, system, case, limits):
    yield case(system, limits)
