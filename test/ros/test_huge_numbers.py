"""Numbers so large that a result is not finite: it is counted and not sent, and the dynamics node lives on."""
import numpy as np
import pytest
from geometry_msgs.msg import PoseStamped
from std_msgs.msg import Float64MultiArray

from rdyn_ros.nodes.dynamics_node import DynamicsNode
from rdyn_ros.nodes.joint_states import JointStates, Measured
from rdyn_ros.nodes.process import started
from support.dynamics_peer import joint_state
from support.in_process import spin, tell

RAILS = """<robot name="rails"><link name="base"/>{links}</robot>"""
RAIL = """<link name="{name}"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="on_{parent}" type="prismatic"><parent link="{parent}"/><child link="{name}"/><axis xyz="1 0 0"/>
<dynamics damping="10"/><limit lower="-1" upper="1" effort="10" velocity="1"/></joint>"""
HUGE = 1.2e308  # two of them are no double


@pytest.fixture
def rails(tmp_path):
    """Path of a robot with two sliders in a row, the second of which ends beyond all doubles."""
    path = tmp_path / "rails.urdf"
    links = (RAIL.format(name=name, parent=parent) for name, parent in (("a", "base"), ("b", "a")))
    path.write_text(RAILS.format(links="".join(links)))
    return path


@pytest.mark.parametrize("velocity", [(0.0, 0.0), ()], ids=["usual message", "without velocities"])
@pytest.mark.parametrize("tips", ["[a, b]", "[b, a]"])
def test_a_pose_beyond_all_doubles_is_counted_and_left_out(rails, tips, velocity):
    with started(DynamicsNode, robot=rails, tips=tips, command_topic="cmd", state_timeout=60.0) as node:
        poses, commands = [], []
        for topic in ("pose", "a/pose", "b/pose"):
            node.create_subscription(PoseStamped, f"/dynamics/{topic}", poses.append, 10)
        node.create_subscription(Float64MultiArray, "/cmd", commands.append, 10)
        for k, q in enumerate(([HUGE, HUGE], [0.25, 0.5]), 1):
            tell(node, "/joint_states", joint_state(["on_base", "on_a"], q, velocity, stamp=k))
            assert node.monitor.counters == {"result_not_finite": 1} | ({} if velocity else {"velocity_missing": k})
        spin(node, lambda: {p.pose.position.x for p in poses} >= {0.25, 0.75})
        assert np.isfinite([p.pose.position.x for p in poses] + [x for c in commands for x in c.data]).all()


def test_a_joint_that_is_not_asked_for_ends_no_command(rails):
    """Else the safety filter would take the joints that are asked for to zero for ever."""
    with started(DynamicsNode, robot=rails, tips="[a]", joints="[on_base]", command_topic="cmd", use_friction="true",
                 gravity="[1.0, 0.0, 0.0]", ramp_time=0.0, max_delta_tau=0.0, state_timeout=60.0) as node:
        commands = []
        node.create_subscription(Float64MultiArray, "/cmd", lambda m: commands.append(list(m.data)), 10)
        for k, qd in enumerate(([0.0, np.finfo(float).max], [0.0, 0.0]), 1):
            tell(node, "/joint_states", joint_state(["on_base", "on_a"], [0.1, 0.1], qd, stamp=k))
        spin(node, lambda: commands and commands[-1] == [-2.0])


@pytest.mark.filterwarnings("ignore:overflow|invalid value:RuntimeWarning")
def test_an_estimated_velocity_beyond_all_doubles_is_not_known_and_the_next_one_is():
    states = JointStates(["a"])
    for k, q in enumerate([0.0, HUGE, -HUGE, -HUGE, 0.0, 0.0], 1):
        states.take(Measured(k * 10**6, ("a",), np.array([q]), np.zeros(0), np.zeros(0)), k * 1e-3, 0.1, cutoff=100.0)
        assert np.isfinite(states.qd).all()
        assert states.has_velocity[0] == (k in (4, 6))
