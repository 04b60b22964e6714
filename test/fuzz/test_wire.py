"""Damaged bytes and odd values from the wire are answered or counted."""
import pytest

from bench.fuzz.guard import guarded
from bench.fuzz.wire import NODES


@pytest.mark.parametrize("node", NODES)
def test_whatever_comes_over_the_wire_the_node_lives(node, outcomes):
    outcomes(guarded("bench.fuzz.wire:wire_trials", node, 800))
