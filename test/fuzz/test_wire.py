"""Damaged bytes and odd values from the wire are answered or counted."""
import pytest

from bench.fuzz.guard import guarded
from bench.fuzz.wire import NODES


@pytest.mark.parametrize("node", NODES)
def test_whatever_comes_over_the_wire_the_node_lives(node, outcomes):
    outcomes(guarded("bench.fuzz.wire:wire_trials", node, 250))


@pytest.mark.processes
@pytest.mark.timeout(400)
def test_whatever_a_raw_publisher_sends_over_dds_the_nodes_live_and_answer(outcomes):
    outcomes(guarded("bench.fuzz.over_dds:dds_trials", 100, 10.0))
