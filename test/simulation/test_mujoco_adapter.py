"""MuJoCo, which nobody here wrote, behind the same interface.

It agrees, and the controller does as well on it.
"""
import sys

import mujoco
import numpy as np
import pytest

from rdyn_ros.simulation.arm import ArmSettings
from support.closed_loop import POSE, Loop


@pytest.fixture(scope="module")
def mujoco_arm(source):
    sys.path.insert(0, str(source / "examples"))
    try:
        from mujoco_adapter import MujocoArm
    finally:
        sys.path.pop(0)
    return MujocoArm


def test_bias_and_acceleration_are_those_of_mujoco(arm, mujoco_arm):
    tilted = arm.with_gravity((1.0, -2.0, -9.0))
    peer = mujoco_arm(tilted, POSE, ArmSettings(friction=False, stops=False))
    qd, tau = np.linspace(-0.5, 0.5, 7), np.linspace(5.0, -3.0, 7)
    peer.data.qvel[:], peer.data.qfrc_applied[:] = qd, tau
    mujoco.mj_forward(peer.model, peer.data)
    bias = tilted.inverse_dynamics(POSE, qd, np.zeros(7))
    np.testing.assert_allclose(peer.data.qfrc_bias, bias, atol=1e-9)
    np.testing.assert_allclose(peer.data.qacc, tilted.forward_dynamics(POSE, qd, tau), atol=1e-8)


def test_computed_torque_tracks_on_mujoco_and_pd_is_ten_times_worse(arm, mujoco_arm):
    errors = {}
    for mode in ("computed_torque", "pd"):
        loop = Loop(arm, mode, make_arm=mujoco_arm, simulation=ArmSettings()).enabled().move(0.5, 1.0)
        loop.errors.clear()
        loop.run(1.2)
        errors[mode] = np.sqrt(np.mean(np.square(loop.errors)))
    assert errors["computed_torque"] < 2e-3
    assert errors["pd"] > 10.0 * errors["computed_torque"]


def test_gravity_compensation_holds_the_arm_of_mujoco_without_friction(arm, mujoco_arm):
    loop = Loop(arm, "gravity_compensation", make_arm=mujoco_arm, simulation=ArmSettings(friction=False),
                use_friction=False).enabled()
    loop.run(1.0)
    assert np.abs(loop.arm.q - POSE).max() < 1e-4


def test_brakes_payload_and_outer_wrench_work_on_mujoco(arm, mujoco_arm):
    peer = mujoco_arm(arm, POSE, ArmSettings(friction=False))
    for _ in range(20):
        peer.advance()
    np.testing.assert_array_equal(peer.q, POSE)
    np.testing.assert_allclose(peer.effort, arm.gravity_torque(POSE), atol=1e-6)
    peer.robot = heavy = arm.with_payload(2.0)
    peer.wrenches = {arm.tips[0]: np.array([10.0, -5.0, 30.0, 1.0, 0.0, 2.0])}
    tau = heavy.gravity_torque(POSE) - arm.jacobian(POSE).T @ peer.wrenches[arm.tips[0]]
    for _ in range(100):
        peer.command(tau)
        peer.advance()
    np.testing.assert_allclose(peer.q, POSE, atol=1e-4)
