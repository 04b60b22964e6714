"""A running system is hurt: no step of torque, nothing non-finite, silence in time, recovery."""
import pytest

from bench.faults.case import Limits
from bench.faults.run import fault_trials

BUSY = Limits(slack=0.3, recovery=60.0)  # other tests run at the same time


@pytest.mark.processes
@pytest.mark.timeout(400)
def test_a_running_system_survives_faults(outcomes):
    outcomes(fault_trials(limits=BUSY))
