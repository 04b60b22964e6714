"""Joints whose friction is faster than the step: real robots have them; every scheme does right or says no."""
import warnings

import numpy as np
import pytest

import rdyn_ros
from rdyn_ros.errors import RdynError
from rdyn_ros.simulation.arm import ArmSettings, SimulatedArm
from support.pinocchio_judge import example_robots

STIFF = ("xarm7", "z1", "tiago_no_hand", "allegro_left_hand", "hextilt_flying_arm_5")
LINK = """<robot name="p"><link name="b"/><link name="a"><inertial><origin xyz="0.05 0 0"/><mass value="0.1"/>
<inertia ixx="1e-4" ixy="0" ixz="0" iyy="1e-4" iyz="0" izz="1e-4"/></inertial></link>
<joint name="j" type="continuous"><parent link="b"/><child link="a"/><axis xyz="0 0 1"/>
<dynamics damping="{viscous}" friction="{coulomb}"/></joint></robot>"""
INERTIA = 1e-4 + 0.1 * 0.05**2


def link(viscous, coulomb=0.0, **settings):
    """A light link that turns about a vertical axis, with friction; nothing but commands moves it."""
    robot = rdyn_ros.load(LINK.format(viscous=viscous, coulomb=coulomb))
    return SimulatedArm(robot, [0.0], ArmSettings(brakes=False, command_timeout=0.0, **settings))


def run(arm, seconds):
    for _ in range(round(seconds / arm.settings.step)):
        arm.advance()
    return arm


@pytest.mark.parametrize("name", STIFF)
def test_a_real_robot_falls_as_with_a_ten_times_smaller_step(name):
    path = next(path for path in example_robots() if path.stem == name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        robot = rdyn_ros.load(path, allow_massless=True)
    robot.compile("forward_dynamics", batch=True)
    q = np.clip(np.zeros(robot.nv), robot.limits.lower, robot.limits.upper)
    for brakes in (True, False):
        coarse, fine = (run(SimulatedArm(robot, q, ArmSettings(step=step, brakes=brakes)), 0.05)
                        for step in (1e-3, 1e-4))
        np.testing.assert_allclose(coarse.q, fine.q, atol=1e-3)


@pytest.mark.parametrize("scheme", ["gauss_legendre", "semi_implicit_euler"])
@pytest.mark.parametrize("viscous", [0.01, 0.3, 1.0, 10.0, 1000.0])
def test_a_pushed_joint_reaches_the_speed_that_friction_allows(scheme, viscous):
    arm = link(viscous, coulomb=1.0, scheme=scheme)
    arm.command([3.0])
    run(arm, max(0.02, 20.0 * INERTIA / viscous))
    assert arm.qd[0] == pytest.approx((3.0 - 1.0) / viscous, rel=1e-6)
    arm.command([0.5])
    before = run(arm, max(0.02, 20.0 * INERTIA / viscous)).q[0]
    assert arm.qd[0] == 0.0 and run(arm, 0.01).q[0] == before


def test_viscous_friction_slows_as_the_exponential():
    for viscous, rel in ((0.01, 1e-9), (0.1, 1e-4)):
        arm = link(viscous)
        arm.qd = np.array([1.0])
        run(arm, 0.01)
        assert arm.qd[0] == pytest.approx(np.exp(-0.01 * viscous / INERTIA), rel=rel)


def test_rk4_says_that_friction_is_too_stiff_for_it():
    with pytest.raises(RdynError, match=r"at 0 s: viscous friction is too stiff for rk4: .* 2.86, at most 2.7"):
        link(1.0, scheme="rk4").advance()
    assert np.isfinite(run(link(0.9, scheme="rk4"), 0.1).qd).all()


def test_a_step_that_cannot_be_solved_is_told_with_scheme_step_and_time():
    arm = SimulatedArm(rdyn_ros.load("double_pendulum"), [1.0, 0.7], ArmSettings(step=1.0, brakes=False))
    with pytest.raises(RdynError, match=r"stopped at 0 s: gauss_legendre does not converge with a step of 1 s"):
        run(arm, 100.0)
