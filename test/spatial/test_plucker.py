"""Plücker transforms and spatial inertia: fast forms equal their 6x6 matrices, energy is invariant."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from rdyn_ros.spatial import (
    Inertia,
    Transform,
    crf,
    crm,
    cross_force,
    cross_motion,
    pose_inverse,
    pose_matrix,
    skew,
)

random = np.random.default_rng(5)
X = Transform(Rotation.random(rng=random).as_matrix(), random.normal(size=3))
Y = Transform(Rotation.random(rng=random).as_matrix(), random.normal(size=3))
v, w, f = random.normal(size=(3, 6))
spread = random.normal(size=(3, 3))
I = Inertia.about_com(2.0, random.normal(size=3), np.trace(spread @ spread.T) * np.eye(3) - spread @ spread.T)


def test_transform_equals_its_matrix():
    np.testing.assert_allclose(X @ v, X.matrix @ v, atol=1e-14)
    np.testing.assert_allclose(X.T @ f, X.matrix.T @ f, atol=1e-14)


def test_inverse_undoes_the_transform():
    np.testing.assert_allclose(X.inverse(X @ v), v, atol=1e-14)


def test_chained_transforms_multiply():
    np.testing.assert_allclose(X.then(Y).matrix, Y.matrix @ X.matrix, atol=1e-13)


def test_power_does_not_depend_on_the_frame():
    assert f @ (X @ v) == pytest.approx((X.T @ f) @ v)


def test_cross_products_equal_their_matrices_and_are_dual():
    np.testing.assert_allclose(cross_motion(v, w), crm(v) @ w, atol=1e-14)
    np.testing.assert_allclose(cross_force(v, f), crf(v) @ f, atol=1e-14)
    np.testing.assert_array_equal(crf(v), -crm(v).T)
    assert w @ cross_force(v, f) == pytest.approx(-f @ cross_motion(v, w))


def test_inertia_equals_its_matrix_and_its_ten_parameters():
    np.testing.assert_allclose(I @ v, I.matrix @ v, atol=1e-13)
    np.testing.assert_allclose(Inertia.from_parameters(I.parameters).matrix, I.matrix, atol=0)


def test_the_wrench_of_a_body_is_that_of_its_momentum():
    acceleration = w[:3] + np.cross(v[3:], v[:3])       # of the point at the origin, w the spatial acceleration
    U = skew(w[3:]) + skew(v[3:]) @ skew(v[3:])
    np.testing.assert_allclose(I.wrench(acceleration, U), I @ w + cross_force(v, I @ v), atol=1e-13)


def test_kinetic_energy_does_not_depend_on_the_frame():
    np.testing.assert_allclose(I.in_parent(X).matrix, X.matrix.T @ I.matrix @ X.matrix, atol=1e-12)
    assert v @ (I.in_parent(X) @ v) == pytest.approx((X @ v) @ (I @ (X @ v)))


def test_inverse_pose():
    T = pose_matrix(X.R, X.p)
    np.testing.assert_allclose(pose_inverse(T) @ T, np.eye(4), atol=1e-14)
