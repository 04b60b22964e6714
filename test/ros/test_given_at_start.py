"""What a user gives a node at its start by mistake: told in one sentence."""
import pytest

from rdyn_ros.nodes.control_node import ControlNode
from rdyn_ros.nodes.dynamics_node import DynamicsNode
from rdyn_ros.nodes.process import started
from rdyn_ros.nodes.simulator_node import SimulatorNode

pytestmark = pytest.mark.usefixtures("handover")


@pytest.mark.parametrize("make", [DynamicsNode, ControlNode, SimulatorNode])
def test_a_parameter_that_the_node_does_not_have_is_told_with_the_nearest_that_it_has(make, capfd):
    words = ["-p", "qos_overrides./joint_states.subscription.depth:=7", "-p", "use_sim_time:=true"]
    with started(make, *words, robot="planar_2r", gravty="[0.0, 0.0, -9.81]", of_a_driver=1) as node:
        assert node.values.gravity == ()
    told = [line for line in capfd.readouterr().err.splitlines() if "parameter" in line]
    assert len(told) == 2, told
    assert "parameter 'gravty' is passed over" in told[0] and "did you mean gravity?" in told[0]
    assert "of_a_driver" in told[1] and "docs/parameters.md" in told[1]
    assert all("WARN" in line for line in told)


def test_a_parameter_of_another_node_may_stand_in_a_shared_file(capfd):
    with started(DynamicsNode, robot="planar_2r", stop_time=0.5):
        pass
    told = capfd.readouterr()
    assert "WARN" not in told.err
    assert "parameter 'stop_time' is one of control; it is passed over here" in told.out + told.err
