"""Nodes that are killed and come back, and two robots side by side."""
import signal

import numpy as np
import pytest
from sensor_msgs.msg import JointState

from support.control_peer import DELTA, POSE, ControlPeer, largest_step

pytestmark = pytest.mark.processes


def test_killed_nodes_come_back_idle_and_can_be_enabled_without_a_step():
    with ControlPeer(control={"state_timeout": 0.3}) as peer:
        peer.activate()
        peer.control.send(signal.SIGKILL)
        peer.control.wait()
        assert largest_step(peer.commands) <= DELTA
        states = peer.listener.listen(JointState, "joint_states")
        peer.listener.wait(lambda: states and not np.any(states[-1].velocity), "the brakes to hold")
        effort = np.array(states[-1].effort)
        peer.commands.clear()
        peer.reports.clear()

        peer.control = peer.start_control()
        assert peer.wait_report(lambda report: True, "a report").phase == "idle"
        assert not peer.commands
        peer.activate()
        assert np.abs(np.array(peer.commands[0].effort) - effort).max() <= DELTA + 0.1
        assert largest_step(peer.commands) <= DELTA

        peer.simulator.send(signal.SIGKILL)
        peer.simulator.wait()
        peer.wait_phase("idle")
        peer.listener.wait(lambda: not np.any(peer.commands[-1].effort), "the last command")
        assert largest_step(peer.commands) <= DELTA
        peer.commands.clear()

        peer.simulator = peer.start_simulator()
        report = peer.wait_report(lambda report: report.phase == "idle", "states")
        assert "enable again" in report.fault
        peer.activate()
        peer.control.send(signal.SIGHUP)
        assert peer.control.wait() == 0, peer.control.output
        peer.listener.wait(lambda: not np.any(peer.commands[-1].effort), "the last command")
        assert largest_step(peer.commands) <= DELTA


def test_two_robots_do_not_disturb_each_other_and_an_interrupted_controller_ends_at_zero():
    with ControlPeer("/left") as left, ControlPeer("/right") as right:
        left.activate()
        right.activate()
        there = np.array(POSE) + 0.3
        left.move(there)
        report = left.arrive(there)
        assert np.abs(report.error.positions).max() < 1e-2
        np.testing.assert_allclose(right.reports[-1].feedback.positions, POSE, atol=1e-2)
        left.control.send(signal.SIGINT)
        assert left.control.wait() == 0, left.control.output
        assert right.wait_report(lambda report: True, "a report").phase == "active"
        right.control.send(signal.SIGTERM)
        assert right.control.wait() == 0, right.control.output
        for peer in (left, right):
            peer.listener.wait(lambda peer=peer: not np.any(peer.commands[-1].effort), "the last command")
            assert largest_step(peer.commands) <= DELTA
