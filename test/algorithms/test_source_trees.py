"""The trees the sources draw, and a robot with a closed form."""
import numpy as np
import pytest
from numpy import cos, sin

from rdyn_ros import algorithms as alg
from rdyn_ros import load
from rdyn_ros.algorithms import block_jacobians, covariant
from support.compare import error
from support.trees import random_state, random_tree


@pytest.fixture(scope="module")
def tree():
    return load("tree_6").model


def test_example_tree_has_the_parents_children_and_subtrees_of_source_000(tree):
    assert tree.parent[1:] == (0, 1, 2, 1, 4, 4)
    assert tree.children == ((1,), (2, 4), (3,), (), (5, 6), (), ())
    assert tree.subtree[1:] == ({1, 2, 3, 4, 5, 6}, {2, 3}, {3}, {4, 5, 6}, {5}, {6})


def test_zeros_between_branches_are_exact_and_all_others_are_not_zero(tree):
    q, _, _ = random_state(tree, 1)
    M = alg.crba(tree, q)
    related = tree.path[1:, 1:] | tree.path[1:, 1:].T
    assert ((M != 0) == related).all()
    assert M[1, 4] == 0                                                   # H_25
    assert M[2, 4] == 0                                                   # H_35
    assert ((alg.ltl(M, alg.dof_parents(tree)) != 0) == tree.path[1:, 1:]).all()


def test_path_indicator_finds_the_centre_of_mass_and_needs_ascending_paths():
    model = random_tree(3, parents=[0, 1, 2, 2, 4, 1, 3, 7], bodies=8)
    q, _, _ = random_state(model, 1)
    g = covariant.geometry(model, q)
    assert g.eta[7] == [0, 1, 2, 6, 7]            # source 003's path 1, 2, 3, 8, 7, its two last swapped
    assert model.path[8, 1:].astype(int).tolist() == [1, 1, 1, 0, 0, 0, 1, 1]
    place = block_jacobians.links(model, q)
    for i in range(1, model.n + 1):
        assert error(g.com[i - 1], place.com[i]) < 1e-14


def test_double_pendulum_has_its_closed_form():
    robot = load("double_pendulum")
    model, (q1, q2), (w1, w2) = robot.model, (0.7, -1.2), (0.9, -0.4)
    (m1, c1, J1), (m2, c2, J2) = ((b.mass, -b.com[2], b.inertia[1, 1]) for b in model.bodies[1:])
    length, g = 0.5, -model.gravity[2]
    h = m2 * length * c2
    M22 = J2 + m2 * c2**2
    M12 = M22 + h * cos(q2)
    M11 = J1 + m1 * c1**2 + m2 * length**2 + M22 + 2 * h * cos(q2)
    q, qd = np.array([q1, q2]), np.array([w1, w2])
    assert error(robot.mass_matrix(q), [[M11, M12], [M12, M22]]) < 1e-12
    coriolis = [-h * sin(q2) * w2 * (2 * w1 + w2), h * sin(q2) * w1**2]
    assert error(robot.coriolis_torque(q, qd), coriolis) < 1e-12
    far = m2 * g * c2 * sin(q1 + q2)
    assert error(robot.gravity_torque(q), [(m1 * c1 + m2 * length) * g * sin(q1) + far, far]) < 1e-12
    christoffel = robot.christoffel(q)
    assert error(christoffel[0, 1, 1], -h * sin(q2)) < 1e-12
    assert error(christoffel[1, 0, 0], h * sin(q2)) < 1e-12


def test_static_equilibrium_is_the_equation_of_section_8_5():
    robot = load("kawasaki_fs20n")
    q = np.array([0.3, -0.5, 0.7, 1.1, -0.9, 0.4])
    F, M = np.array([10.0, -20.0, 30.0]), np.array([1.0, 2.0, -3.0])
    place = block_jacobians.links(robot.model, q)
    point = robot.fk(q)[:3, 3]
    C, D = block_jacobians.point_jacobian(robot.model, place, 6, point)
    weights = block_jacobians.gravity_load(robot.model, q)
    mu = robot.static_torque(q, {"tool": np.concatenate([F, M])})
    assert error(C.T @ M + D.T @ F + weights + mu, np.zeros(6), floor=100.0) < 1e-12
