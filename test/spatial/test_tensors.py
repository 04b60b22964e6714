"""Inertia tensors (sources 004 and 001, corrected): every formula against the sum over points."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from rdyn_ros.spatial import rodrigues
from rdyn_ros.spatial.tensors import (
    MassProperties,
    box,
    compose,
    cylinder,
    parallel_axis,
    point,
    principal_axes,
    rotate_tensor,
    sphere,
    tensor_derivative,
)

R = Rotation.random(rng=np.random.default_rng(3)).as_matrix()


def cloud(count=40, seed=4):
    """Masses (count,) and positions (count, 3) of a cloud of points."""
    random = np.random.default_rng(seed)
    return random.uniform(0.1, 1.0, count), random.normal(size=(count, 3))


def tensor_of_points(m, r):
    """Σ m (r·r 1 - r rᵀ)."""
    return np.einsum("i,ij,ij", m, r, r) * np.eye(3) - np.einsum("i,ij,ik->jk", m, r, r)


def cloud_properties(m, r):
    com = m @ r / m.sum()
    return MassProperties(m.sum(), com, tensor_of_points(m, r - com))


def test_products_of_inertia_stand_with_a_minus_sign():
    m, r = cloud()
    assert tensor_of_points(m, r)[0, 1] == pytest.approx(-np.sum(m * r[:, 0] * r[:, 1]))


def test_parallel_axis_rule():
    m, r = cloud()
    total, com, tensor = cloud_properties(m, r)
    np.testing.assert_allclose(parallel_axis(tensor, total, com), tensor_of_points(m, r), rtol=1e-12)


def test_rotation_of_the_axes():
    m, r = cloud()
    np.testing.assert_allclose(
        rotate_tensor(tensor_of_points(m, r), R), tensor_of_points(m, r @ R.T), rtol=1e-12
    )


def test_composition_of_parts_is_the_whole():
    m, r = cloud()
    parts = [cloud_properties(m[:15], r[:15]), cloud_properties(m[15:], r[15:])]
    for ours, exact in zip(compose(parts), cloud_properties(m, r), strict=True):
        np.testing.assert_allclose(ours, exact, rtol=1e-12)


def test_principal_axes_are_right_handed_and_diagonalise():
    tensor = tensor_of_points(*cloud())
    moments, axes = principal_axes(tensor)
    assert np.all(np.diff(moments) >= 0)
    assert np.linalg.det(axes) == pytest.approx(1)
    np.testing.assert_allclose(axes @ np.diag(moments) @ axes.T, tensor, rtol=1e-12)


def test_derivative_in_fixed_axes_of_a_tensor_carried_along():
    tensor, w, h = tensor_of_points(*cloud()), np.array([0.4, -0.2, 0.9]), 1e-6
    rate = np.linalg.norm(w)
    at = [rotate_tensor(tensor, rodrigues(w / rate, rate * t)) for t in (h, -h)]
    np.testing.assert_allclose(tensor_derivative(tensor, w), (at[0] - at[1]) / (2 * h), atol=1e-7)


@pytest.mark.parametrize(
    "solid, inside, half",
    [
        (cylinder(2.0, 0.3, 0.8), lambda x, y, z: x**2 + y**2 <= 0.09, (0.3, 0.3, 0.4)),
        (box(2.0, 0.4, 0.6, 0.8), lambda x, y, z: x == x, (0.2, 0.3, 0.4)),
        (sphere(2.0, 0.5), lambda x, y, z: x**2 + y**2 + z**2 <= 0.25, (0.5, 0.5, 0.5)),
    ],
)
def test_solids_against_a_grid_of_points(solid, inside, half):
    grid = [(np.arange(60) + 0.5) / 30 - 1] * 3
    r = np.stack(np.meshgrid(*(g * h for g, h in zip(grid, half, strict=True))), axis=-1).reshape(-1, 3)
    r = r[inside(*r.T)]
    np.testing.assert_allclose(
        solid, tensor_of_points(np.full(len(r), 2.0 / len(r)), r), atol=2e-3 * solid.max()
    )


def test_a_point_has_no_tensor_about_itself():
    np.testing.assert_array_equal(point(3.0), np.zeros((3, 3)))
