"""The dynamics node in this process: what changes while something else is under way, and what is sent where."""
import sys
from time import monotonic

import numpy as np
import pytest

import rdyn_ros as rdyn
from rdyn_ros.nodes.dynamics_node import DynamicsNode
from rdyn_ros.nodes.loaded_robot import Payload
from rdyn_ros.nodes.process import started

QUIET = {"robot": "planar_2r", "diagnostics_period": 60.0}


@pytest.fixture(autouse=True)
def handover():
    """Puts the switch interval back that a node in this process shortens."""
    before = sys.getswitchinterval()
    yield
    sys.setswitchinterval(before)


def box(mass):
    return Payload("tool", mass, np.zeros(3), np.zeros((3, 3)))


def carry(node, **masses):
    """The node carries boxes from now on."""
    load = node.serving.loaded.load.carrying({name: box(mass) for name, mass in masses.items()})
    node.change_loaded(lambda robot: robot.with_load(load, monotonic()))


def test_payloads_and_gravity_set_while_a_new_robot_is_compiled_stay():
    class Slow(rdyn.Robot):
        """While it is made ready to carry its first box, another comes and gravity turns."""

        def with_payload(self, mass, *args, **options):
            if mass == 1.0:
                carry(node, one=2.0, two=3.0)
                node.change_loaded(lambda robot: robot.with_gravity([0.0, 9.81, 0.0], monotonic()))
            return super().with_payload(mass, *args, **options)

    with started(DynamicsNode, **QUIET) as node:
        carry(node, one=1.0)
        model = rdyn.load("planar_2r").model
        node._take_robot(Slow(model))
        now = node.serving.loaded
        assert now.bare.model is model
        assert {name: p.mass for name, p in now.payloads.items()} == {"one": 2.0, "two": 3.0}
        np.testing.assert_array_equal(now.gravity, [0.0, 9.81, 0.0])
