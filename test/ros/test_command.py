"""Where the torque for an effort controller begins, and when it begins anew; without ROS."""
import numpy as np
import pytest

from rdyn_ros.nodes.command import Command
from rdyn_ros.nodes.parameters import DynamicsParameters

LIMITS = np.array([100.0, 50.0])
G, NOTHING = np.array([38.0, -7.0]), np.zeros(2)


def command(**values):
    """Of an arm without a bound on the change of torque."""
    return Command(LIMITS, DynamicsParameters(max_delta_tau=0.0, ramp_time=0.5, state_timeout=0.1, **values))


@pytest.mark.parametrize(("values", "compensation", "first"), [
    ({}, G, G),
    ({"driver_compensates_gravity": True}, NOTHING, NOTHING),
    ({"use_measured_effort": False}, G, NOTHING),
])
def test_it_begins_at_the_measured_effort_unless_that_is_the_drivers_or_not_measured(values, compensation, first):
    """Of an arm that stands still, its motors giving g(q)."""
    np.testing.assert_array_equal(command(**values)(compensation, G, 7.0), first)


def test_measured_efforts_that_are_not_known_are_zero():
    np.testing.assert_array_equal(command()(G, np.array([np.nan, -7.0]), 7.0), [0.0, -7.0])


@pytest.mark.parametrize(("gap", "next_one"), [(0.09, G), (0.1, NOTHING), (0.12, NOTHING), (5.0, NOTHING)])
def test_after_state_timeout_it_begins_anew_by_its_ramp(gap, next_one):
    """The watchdog need not have seen the gap."""
    tau, now = command(), 7.0
    while now < 8.0:
        last, now = tau(G, NOTHING, now), now + 0.05
    np.testing.assert_array_equal(last, G)
    np.testing.assert_array_equal(tau(G, NOTHING, now - 0.05 + gap), next_one)


def test_it_begins_anew_after_its_end():
    tau = command()
    tau(G, G, 7.0)
    tau.end()
    np.testing.assert_array_equal(tau(G, NOTHING, 7.01), NOTHING)
