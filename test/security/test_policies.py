"""The SROS 2 policies that are shipped name just what the nodes really publish, hear, serve and ask.

DDS security itself is not in the ROS 2 wheels, so nothing is shown about the wire.
"""
import gc
import runpy
from pathlib import Path

import pytest

TOOL = runpy.run_path(str(Path(__file__).parents[2] / "tools/sros2_policies.py"))


@pytest.mark.processes
@pytest.mark.parametrize("node", TOOL["NODES"])
def test_policy_names_what_the_node_uses(node, source):
    gc.collect()        # the graph forgets nodes of other tests in this process once nothing refers to them
    written = (source / f"config/sros2/{node}.policy.xml").read_text()
    assert written == TOOL["policy"](node, TOOL["graph"](node)), "run: python tools/sros2_policies.py"
