"""One dynamics node for many tests: a seven-joint arm with two tips and a command topic."""
import sys

import pytest

from support.dynamics_peer import DynamicsPeer

PARAMETERS = {"robot": "arm_7r", "tips": "[flange, link_4]", "command_topic": "effort_controller/commands",
              "diagnostics_period": 0.1, "state_timeout": 2.0, "max_delta_tau": 0.0, "ramp_time": 0.0}


@pytest.fixture
def handover():
    """Puts the switch interval back that a node in this process shortens."""
    before = sys.getswitchinterval()
    yield
    sys.setswitchinterval(before)


@pytest.fixture(scope="session")
def running():
    """Holds the node that tests share, in a namespace where no later test meets it; a dead one is replaced."""
    peers = []
    yield peers
    for peer in peers:
        peer.close()


@pytest.fixture
def arm(running):
    """Peer of the shared node, with its parameters as at the start."""
    if not running or running[-1].process.process.poll() is not None:
        running.append(DynamicsPeer(PARAMETERS, namespace="/shared"))
    peer = running[-1]
    yield peer
    peer.restore()
