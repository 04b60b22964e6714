"""Runs the faults, one after the other, on one system that has to survive them all."""

from ..outcomes import Outcome
from .cases import LONG, RELAYED, SHORT, Limits
from .relay import Relay
from .surroundings import surroundings
from .system import System


def fault_trials(long=False, limits=None):
    """Outcomes of all faults: the short list, or the long one with viewer and bad connections."""
    limits = limits or Limits()
    with System(viewer=str(long)) as system:
        yield from _each(system, LONG if long else SHORT, limits)
    relay = Relay("driver_states", "joint_states")
    try:
        with System(simulator_states="driver_states") as system:
            system.relay = relay
            yield from _each(system, RELAYED if long else RELAYED[:1], limits)
    finally:
        relay.close()
    if long:
        yield from surroundings(limits)


def _each(system, cases, limits):
    system.ready()
    for case in cases:
        try:
            yield case(system, limits)
        except TimeoutError as problem:
            yield Outcome(case.tried, 1, f"the system was not ready: {problem}", "", False)
    everyone = set(system.processes) == set(system.alive())
    told = f"alive: {', '.join(system.alive())}"
    try:
        system.swing()
        told += "; the arm swings"
    except TimeoutError as problem:
        told, everyone = f"{told}; {problem}", False
    yield Outcome("all processes after all of this", 1, told, "all alive, the arm swings", everyone)
