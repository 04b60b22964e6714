"""Rotations: every way in has its way back, and all agree."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from rdyn_ros.spatial import (
    matrix_pyr,
    matrix_quaternion,
    matrix_rpy,
    quaternion_matrix,
    rodrigues,
    rot_x,
    rot_y,
    rot_z,
    rotation_derivative,
    rotation_pyr,
    rotation_rpy,
    skew,
    unskew,
)

RANDOM = Rotation.random(20, rng=np.random.default_rng(1)).as_matrix()
RIGHT = [0.0, np.pi / 2, -np.pi / 2, np.pi]
CLOSE = {"rtol": 0, "atol": 5e-16}


def test_roll_pitch_yaw_are_fixed_axis_angles_of_urdf():
    for R in RANDOM:
        rpy = Rotation.from_matrix(R).as_euler("xyz")
        np.testing.assert_allclose(rotation_rpy(rpy), R, atol=1e-15)


def test_the_books_angles_are_about_turning_axes():
    for R in RANDOM:
        pyr = Rotation.from_matrix(R).as_euler("XYZ")
        np.testing.assert_allclose(rotation_pyr(pyr), R, atol=1e-15)


@pytest.mark.parametrize("back, forth", [(matrix_rpy, rotation_rpy), (matrix_pyr, rotation_pyr)])
def test_angles_give_the_matrix_back_to_the_last_digits_also_near_the_singular_pose(back, forth):
    offsets = [0.0, 1e-16, 1e-12, 2.7e-8, 1e-6, 1e-3, 0.5]
    for middle in [sign * (np.pi / 2 + offset) for sign in (-1, 1) for offset in offsets]:
        for first, last in [(0.0, 0.0), (0.3, -1.2), (np.pi / 2, np.pi / 2), (-3.0, 2.0)]:
            R = forth([first, middle, last])
            np.testing.assert_allclose(forth(back(R)), R, rtol=0, atol=2e-15)


@pytest.mark.parametrize("back, forth", [(matrix_rpy, rotation_rpy), (matrix_pyr, rotation_pyr)])
def test_in_the_singular_pose_the_last_angle_is_zero(back, forth):
    assert back(np.rint(forth([0.0, np.pi / 2, np.pi / 2])))[2] == 0.0


def test_right_angles_are_exact_in_all_conventions():
    for R in (rot_x(a) @ rot_y(b) @ rot_z(c) for a in RIGHT for b in RIGHT for c in RIGHT):
        np.testing.assert_allclose(rotation_rpy(matrix_rpy(R)), R, rtol=0, atol=1e-15)


def test_quaternion_and_matrix_are_inverse_of_each_other():
    for R in RANDOM:
        q = matrix_quaternion(R)
        assert q[3] >= 0
        assert abs(np.linalg.norm(q) - 1) < 1e-15
        np.testing.assert_allclose(quaternion_matrix(q), R, atol=1e-15)


def test_rodrigues_is_the_exponential_of_the_skew_matrix():
    for vector in Rotation.from_matrix(RANDOM).as_rotvec():
        angle = np.linalg.norm(vector)
        expected = Rotation.from_rotvec(vector).as_matrix()
        np.testing.assert_allclose(rodrigues(vector / angle, angle), expected, atol=1e-15)


def test_the_derivative_of_a_rotation_is_omega_cross_it():
    w, R, h = np.array([0.3, -0.7, 1.1]), RANDOM[0], 1e-6
    rate = np.linalg.norm(w)
    ahead, behind = rodrigues(w / rate, rate * h) @ R, rodrigues(w / rate, -rate * h) @ R
    np.testing.assert_allclose(rotation_derivative(R, w), (ahead - behind) / (2 * h), atol=1e-9)


def test_skew_is_the_cross_product_and_unskew_its_inverse():
    a, b = np.random.default_rng(2).normal(size=(2, 3))
    np.testing.assert_allclose(skew(a) @ b, np.cross(a, b), **CLOSE)
    np.testing.assert_array_equal(unskew(skew(a)), a)
