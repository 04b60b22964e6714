"""Input that is refused from the first message on, and robots that are hard to believe: told in words, and once."""
import sys
from time import sleep

import numpy as np
import pytest

from rdyn_ros.audit import load_audited
from rdyn_ros.nodes import control_health, dynamics_health
from rdyn_ros.nodes.control_node import ControlNode
from rdyn_ros.nodes.dynamics_node import DynamicsNode
from rdyn_ros.nodes.process import started
from support.dynamics_peer import DynamicsPeer, joint_state
from support.in_process import tell

JUDGES = {DynamicsNode: dynamics_health.judge, ControlNode: lambda node: control_health.judge(node, "")}
NAMES = ["shoulder", "elbow"]
Q, QD = np.array([0.3, 0.2]), np.zeros(2)


@pytest.fixture(autouse=True)
def handover():
    """Puts the switch interval back that a node in this process shortens."""
    before = sys.getswitchinterval()
    yield
    sys.setswitchinterval(before)


@pytest.mark.parametrize("make", JUDGES)
@pytest.mark.parametrize(("message", "words"), [
    (joint_state(["left_shoulder", "left_elbow"], [0.1, 0.2]),
     "1 x no joint of the robot is named (is joint_prefix right?)"),
    (joint_state(NAMES, [np.nan, 0.2], [0.0, 0.0]), "1 x a position is nan or infinite"),
])
def test_states_that_are_all_refused_are_told_with_the_reason_and_logged_now_and_then(make, message, words, capfd):
    with started(make, robot="planar_2r", diagnostics_period=60.0) as node:
        for _ in range(20):
            tell(node, "/joint_states", message)
            level, sentence, _ = JUDGES[make](node)
            assert level == "ERROR"
            assert sentence.startswith("no state yet of shoulder, elbow")
            assert words in sentence
        assert words not in JUDGES[make](node)[1], "nothing has come since"
    assert capfd.readouterr().err.count(words) == 1


def test_states_that_turn_bad_are_told_beside_their_age(capfd):
    with started(DynamicsNode, robot="planar_2r", diagnostics_period=60.0, state_timeout=0.001) as node:
        tell(node, "/joint_states", joint_state(NAMES, [0.1, 0.2], [0.0, 0.0]))
        tell(node, "/joint_states", joint_state(NAMES, [0.1], [0.0, 0.0]))
        sleep(0.01)     # older than state_timeout
        level, sentence, _ = dynamics_health.judge(node)
    assert level == "ERROR"
    assert sentence.startswith("joint states are stale")
    assert "1 x not as many positions or velocities as names" in sentence
    assert "as names" in capfd.readouterr().err


@pytest.mark.parametrize("make", [DynamicsNode, ControlNode])
def test_the_joint_that_has_stopped_coming_is_named(make, capfd):
    with started(make, robot="planar_2r", diagnostics_period=60.0, state_timeout=0.2) as node:
        tell(node, "/joint_states", joint_state(NAMES, [0.1, 0.2], [0.0, 0.0], (), 1))
        sleep(0.25)     # longer than state_timeout
        tell(node, "/joint_states", joint_state(NAMES[:1], [0.1], [0.0], (), 2))
        sentence = JUDGES[make](node)[1]
    assert sentence.startswith("joint states are stale: elbow, 0."), sentence
    assert "joint states are stale: elbow, 0." in capfd.readouterr().err


def test_the_watchdog_names_the_joint_for_which_output_has_stopped(capfd):
    with started(DynamicsNode, robot="planar_2r", diagnostics_period=60.0, state_timeout=0.2) as node:
        tell(node, "/joint_states", joint_state(NAMES, [0.1, 0.2], [0.0, 0.0], (), 1))
        node._watch()
        sleep(0.25)     # longer than state_timeout
        tell(node, "/joint_states", joint_state(NAMES[:1], [0.1], [0.0], (), 2))
        node._watch()
    assert "joint states are stale (elbow), output has stopped" in capfd.readouterr().err


def test_states_without_a_stamp_are_told_and_are_no_reason_to_warn():
    with started(DynamicsNode, robot="planar_2r", diagnostics_period=60.0, stamp_tolerance=3600.0) as node:
        tell(node, "/joint_states", joint_state(NAMES, [0.1, 0.2], [0.0, 0.0]))
        assert dynamics_health.judge(node)[:2] == (
            "OK", "answering; joint states bear no stamp (0), nor do the answers")
        tell(node, "/joint_states", joint_state(NAMES, [0.1, 0.2], [0.0, 0.0], (), node.get_clock().now().nanoseconds))
        assert dynamics_health.judge(node)[:2] == ("OK", "answering")


DOUBTFUL = """<robot name="r"><link name="base"/>
<link name="a"><inertial><mass value="2"/>
<inertia ixx="1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="b"><inertial><mass value="5000"/>
<inertia ixx="9" iyy="9" izz="9" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="revolute"><parent link="base"/><child link="a"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="10" velocity="1"/></joint>
<joint name="k" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/><origin xyz="0 0 0.5"/>
<limit lower="-1" upper="1" effort="10" velocity="1"/></joint></robot>"""
SAID = ("link 'a': broken triangle inequality", "link 'b': 5e+03 kg on 'a' of 2 kg: beyond reason")


@pytest.mark.processes
def test_complaint_08_a_robot_that_is_hard_to_believe_is_told_by_its_links_and_used(tmp_path):
    path = tmp_path / "doubtful.urdf"
    path.write_text(DOUBTFUL)
    peer = DynamicsPeer({"robot": path, "diagnostics_period": 0.1, "stamp_tolerance": 3600.0}, "/doubtful")
    try:
        np.testing.assert_allclose(peer.effort(Q, QD), peer.robot.gravity_torque(Q), rtol=1e-12)
        level, words, _ = peer.tell(lambda: peer.message(Q, QD), lambda level, words, values: level != b"\x02")
        assert level == b"\x01"
        assert all(said in words for said in SAID), words
        for said in SAID:
            assert peer.process.output.count(said) == 1, "logged once"
    finally:
        peer.close()


def test_complaint_08_a_robot_of_the_controller_is_told_too(tmp_path, capfd):
    path = tmp_path / "doubtful.urdf"
    path.write_text(DOUBTFUL)
    with started(ControlNode, robot=path, diagnostics_period=60.0) as node:
        assert all(said in node.doubts for said in SAID)
    log = capfd.readouterr().err
    assert all(said in log for said in SAID)
    with started(ControlNode, robot="planar_2r", diagnostics_period=60.0) as node:
        assert node.doubts == ""


@pytest.mark.parametrize("name", ["planar_2r", "arm_7r"])
def test_shipped_robots_are_believed(name):
    assert load_audited(name)[1] == ()
