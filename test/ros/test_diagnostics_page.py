"""Every key that the dynamics node tells on /diagnostics is explained on its page."""
import re

import pytest

from rdyn_ros.nodes import dynamics_health
from rdyn_ros.nodes.dynamics_node import DynamicsNode
from rdyn_ros.nodes.process import started
from support.dynamics_peer import joint_state
from support.in_process import tell


@pytest.mark.usefixtures("handover")
def test_the_page_explains_the_keys_that_there_are(source):
    section = (source / "docs/dynamics_node.md").read_text().split("## Diagnostics\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (`.*?) \|", section, re.MULTILINE)
    explained = {key for row in rows for key in re.findall(r"`(\w+)`", row)}
    with started(DynamicsNode, robot="planar_2r", imu_topic="imu") as node:
        tell(node, "/joint_states", joint_state(["shoulder", "elbow"], [0.1, 0.2], [0.0, 0.0]))
        told = dynamics_health.judge(node)[2]
    assert {key for key in told if not key.startswith("count_")} | {"period_s"} == explained
