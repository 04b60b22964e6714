"""Configurations on the tangent: q ⊕ v, its inverse, and derivatives by differences along it; Pinocchio judges."""
import numpy as np
import pinocchio as pin
import pytest

from rdyn_ros import RdynError, Robot
from support.compare import error
from support.differences import difference
from support.trees import random_state, random_tree

FLOATING = Robot(random_tree(4, 3, floating=True, parents=[0, 1, 2]))
FIXED = Robot(random_tree(4, 3, parents=[0, 1, 2]))
SIZES = (0.0, 1e-12, 1e-5, 0.99e-2, 1.01e-2, 0.3, 1.0)      # factors of a velocity: series and quotients


def base_only():
    model = pin.Model()
    model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "base")
    return model


@pytest.mark.parametrize("size", SIZES)
def test_a_floating_base_moves_as_pinocchios_free_flyer(size):
    q, v, _ = random_state(FLOATING.model, 1)
    moved = FLOATING.integrate(q, size * v)
    expected = pin.integrate(base_only(), q[:7], size * v[:6])
    expected[3:] *= np.sign(expected[3:] @ moved[3:7])
    assert error(moved[:7], expected) < 1e-14
    assert error(moved[7:], q[7:] + size * v[6:]) < 1e-15
    assert abs(np.linalg.norm(moved[3:7]) - 1.0) < 1e-15
    assert abs(FLOATING.difference(q, moved)[:6] - pin.difference(base_only(), q[:7], expected)).max() < 1e-14


@pytest.mark.parametrize("robot", [FLOATING, FIXED], ids=["floating", "fixed"])
def test_difference_is_the_inverse_of_integrate_row_by_row(robot):
    q0, q1 = (np.array([random_state(robot.model, seed + k)[0] for k in range(20)]) for seed in (0, 50))
    v = robot.difference(q0, q1)
    assert v.shape == (20, robot.nv)
    assert error(robot.fk_all(robot.integrate(q0, v)), robot.fk_all(q1)) < 1e-13
    assert error(v[7], robot.difference(q0[7], q1[7])) < 1e-15
    assert error(robot.integrate(q0[3], v)[5], robot.integrate(q0[3], v[5])) < 1e-15
    assert (robot.difference(q0, q0) == 0.0).all()


def test_a_rounded_quaternion_counts_as_the_unit_one_it_stands_for():
    q, v, _ = random_state(FLOATING.model, 2)
    rounded = q * np.r_[np.ones(3), np.full(4, 1.0 + 9e-7), np.ones(FLOATING.nq - 7)]
    assert error(FLOATING.integrate(rounded, v), FLOATING.integrate(q, v)) < 1e-15
    assert error(FLOATING.difference(rounded, q), np.zeros(FLOATING.nv)) < 1e-15
    moved = FLOATING.integrate(q, v)
    assert error(FLOATING.difference(rounded, moved), v) < 1e-14


def test_half_a_turn_and_the_other_sign_of_a_quaternion_are_understood():
    start, end = FLOATING.neutral(), FLOATING.neutral()
    end[3:7] = 1.0, 0.0, 0.0, 0.0
    assert error(abs(FLOATING.difference(start, end)[3:6]), [np.pi, 0.0, 0.0]) < 1e-15
    end[3:7] = -start[3:7]
    assert (FLOATING.difference(start, end) == 0.0).all()


def test_a_fixed_robot_just_adds_and_neutral_is_zero():
    q, v, _ = random_state(FIXED.model, 2)
    assert (FIXED.integrate(q, v) == q + v).all()
    assert (FIXED.neutral() == 0.0).all()
    assert (FLOATING.neutral() == [0, 0, 0, 0, 0, 0, 1, 0, 0]).all()


def test_derivatives_are_the_differences_along_the_tangent():
    q, qd, qdd = random_state(FLOATING.model, 3)
    by_q, _, _ = FLOATING.inverse_dynamics_derivatives(q, qd, qdd)
    numeric = difference(lambda v: FLOATING.inverse_dynamics(FLOATING.integrate(q, v), qd, qdd), FLOATING.nv)
    assert error(by_q, numeric) < 1e-7
    tau = FLOATING.inverse_dynamics(q, qd, qdd)
    by_q, _, _ = FLOATING.forward_dynamics_derivatives(q, qd, tau)
    numeric = difference(lambda v: FLOATING.forward_dynamics(FLOATING.integrate(q, v), qd, tau), FLOATING.nv)
    assert error(by_q, numeric) < 1e-7


def test_wrong_configurations_are_refused_by_name():
    q, v, _ = random_state(FLOATING.model, 4)
    with pytest.raises(RdynError, match="v has shape"):
        FLOATING.integrate(q, v[:-1])
    with pytest.raises(RdynError, match=r"quaternion q1\[3:7\] of the floating base has length 2"):
        FLOATING.difference(q, np.concatenate([q[:3], 2.0 * q[3:7], q[7:]]))
