"""The SROS 2 policies that are shipped name just what the nodes really publish, hear, serve and ask.

DDS security itself is not in the ROS 2 wheels, so nothing is shown about the wire.
"""
import subprocess
import sys

import pytest


@pytest.mark.processes
def test_policies_name_what_the_nodes_use(source):
    checked = subprocess.run([sys.executable, "tools/sros2_policies.py", "--check"], cwd=source, text=True,
                             capture_output=True)
    assert checked.returncode == 0, checked.stderr
