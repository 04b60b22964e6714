"""Starting the dynamics node: the thin slice, and refusals in one line."""
import os
import subprocess
import sys
from math import cos

import numpy as np
import pytest

from support.dynamics_peer import MODULE, DynamicsPeer
from support.ros_peer import NodeProcess

pytestmark = pytest.mark.processes


def test_gravity_over_dds_equals_the_textbook_formula_of_the_planar_arm():
    peer = DynamicsPeer({"robot": "planar_2r"}, "/slice")
    try:
        for q1, q2 in ((-0.7, 0.3), (0.0, 0.0), (2.5, -1.9)):
            tau = peer.effort([q2, q1], names=["elbow", "shoulder"])
            lower = -2.0 * 0.4 * 9.81 * cos(q1 + q2)
            upper = -(3.0 * 0.5 + 2.0 * 1.0) * 9.81 * cos(q1) + lower
            np.testing.assert_allclose(tau, [upper, lower], rtol=0, atol=1e-12)
        assert peer.process.stop() == 0, "SIGINT is the usual end"
        assert "Traceback" not in peer.process.output
    finally:
        peer.close()


def test_it_does_not_wait_for_packages_that_it_seldom_needs():
    """SciPy's parts alone would cost half a second and 25 MB."""
    script = ("import sys, rdyn_ros.nodes.dynamics_node\n"
              "print(*({'scipy.spatial', 'scipy.optimize', 'scipy.interpolate', 'scipy.linalg', 'jsonschema', 'viser',"
              " 'xacro', 'matplotlib'} & set(sys.modules)))")
    told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert told.stdout.split() == []


def test_the_garbage_collector_leaves_alone_what_exists_after_start():
    script = ("import gc, sys\n"
              "from rdyn_ros.nodes.dynamics_node import DynamicsNode\n"
              "from rdyn_ros.nodes.process import run\n"
              "class Curious(DynamicsNode):\n"
              "    def _watch(self):\n"
              "        print(gc.get_freeze_count(), flush=True)\n"
              "        self.finish()\n"
              "sys.exit(run(Curious, ['--ros-args', '-p', 'robot:=planar_2r']))")
    told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert int(told.stdout.split()[0]) > 10_000


@pytest.mark.parametrize(("parameters", "words"), [
    ({"robot": "no_such_robot"}, ["no_such_robot", "planar_2r"]),
    ({"robot": "/etc/shadow_of_nothing.yaml"}, ["/etc/shadow_of_nothing.yaml", "no such file"]),
    ({"robot": "planar_2r", "state_timeout": "soon"}, ["state_timeout", "soon", "double from 0.001 to 60"]),
    ({"robot": "planar_2r", "joints": "[shoulder, wrist]"}, ["joints", "wrist", "shoulder, elbow"]),
    ({"robot": "quadruped"}, ["quadruped", "floating base"]),
])
def test_bad_input_at_start_is_refused_in_one_line_with_exit_code_2(parameters, words):
    process = NodeProcess(MODULE, parameters=parameters)
    try:
        assert process.wait() == 2
        assert len(process.lines) == 1, process.output
        assert all(word in process.output for word in words), process.output
    finally:
        process.stop()


def test_a_node_starts_with_a_home_that_cannot_be_written_and_says_where_its_logs_are(tmp_path):
    nowhere = {"HOME": "/proc/none", "XDG_CACHE_HOME": "/proc/none", "ROS_HOME": "", "ROS_LOG_DIR": ""}
    script = ("import rdyn_ros.nodes.process as process\n"
              "for _ in range(2):\n"
              "    process.init([])\n"
              "    process.rclpy.create_node('alone').get_logger().warning('heard')\n"
              "    process.rclpy.shutdown()\n")
    told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True,
                          env={**os.environ, **nowhere, "TMPDIR": str(tmp_path)})
    (folder,) = tmp_path.iterdir()
    assert told.stderr.count("warning: logs cannot be written") == told.stderr.count(f"they go to {folder}\n") == 1
    assert any("heard" in file.read_text() for file in folder.iterdir())
