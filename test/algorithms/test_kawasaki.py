"""Kawasaki FS20N: appendices 1 to 5 of source 001, step by step, with the misprints put right."""
from itertools import product

import numpy as np
import pytest
from numpy import cos, cross, sin

from rdyn_ros import algorithms as alg
from rdyn_ros import load
from rdyn_ros.algorithms import block_jacobians
from rdyn_ros.spatial import matrix_pyr, rot_x, rot_y, rot_z, rotation_pyr, skew
from rdyn_ros.spatial.tensors import parallel_axis
from support.compare import error

RIGHT = np.pi / 2
L0, L1, L2, L3, L4, L5, L6, L_TOOL = 0.10, 0.10, 0.60, 0.10, 0.55, 0.10, 0.08, 0.15    # as in the file
ANGLES = [(np.pi, 0, 0), (np.pi, -RIGHT, 0), (np.pi, 0, 0), (0, RIGHT, 0), (0, -RIGHT, 0), (np.pi, RIGHT, 0),
          (0, 0, 0)]
LENGTHS = np.array([[0, L0, 0], [0, L1, 0], [L2, 0, 0], [0, L3, 0], [L4, 0, 0], [0, 0, L5], [0, 0, L6]])
EPSILON = [(rot_x(a) @ rot_y(b) @ rot_z(c)).T for a, b, c in ANGLES]
TOOL = rotation_pyr((-np.pi / 6, 0, 0))                  # τ_6tool = ε_toolᵀ
Q = np.array([0.3, -0.5, 0.7, 1.1, -0.9, 0.4])


@pytest.fixture(scope="module")
def robot():
    return load("kawasaki_fs20n")


def rotation(robot, q, i):
    return robot.fk(q, f"link_{i}")[:3, :3]


# appendix 1: position

def test_installation_matrices_are_those_printed():
    printed = [
        [[1, 0, 0], [0, -1, 0], [0, 0, -1]], [[0, 0, -1], [0, -1, 0], [-1, 0, 0]],
        [[1, 0, 0], [0, -1, 0], [0, 0, -1]], [[0, 0, -1], [0, 1, 0], [1, 0, 0]],
        [[0, 0, 1], [0, 1, 0], [-1, 0, 0]], [[0, 0, 1], [0, -1, 0], [1, 0, 0]], np.eye(3)]
    for epsilon, matrix in zip(EPSILON, printed, strict=True):
        assert error(epsilon, np.array(matrix, float)) < 1e-15


def test_rotation_of_each_link_is_the_product_of_its_steps(robot):
    tau = EPSILON[0].T
    for i in range(1, 7):
        tau = tau @ rot_z(Q[i - 1]) @ EPSILON[i].T
        assert error(rotation(robot, Q, i), tau) < 1e-14


def test_rotation_of_link_3_with_its_doubled_terms_removed(robot):
    (s1, s2, s3), (c1, c2, c3) = sin(Q[:3]), cos(Q[:3])
    expected = [
        [-c1, -s1 * c2 * c3 - s1 * s2 * s3, s1 * s2 * c3 - s1 * c2 * s3],
        [s1, -c1 * c2 * c3 - c1 * s2 * s3, c1 * s2 * c3 - c1 * c2 * s3],
        [0, s2 * c3 - c2 * s3, c2 * c3 + s2 * s3]]
    assert error(rotation(robot, Q, 3), expected) < 1e-14


def test_rotation_of_link_6_entry_by_entry(robot):
    (s1, s2, s3, s4, s5, s6), (c1, c2, c3, c4, c5, c6) = sin(Q), cos(Q)
    up, along = c2 * c3 + s2 * s3, c2 * s3 - s2 * c3        # cos and sin of q3 - q2
    expected = np.array([
        [c6 * (s4 * s1 * up + c1 * c4) - s6 * (s5 * s1 * along - c5 * (c4 * s1 * up - c1 * s4)),
         -c6 * (s5 * s1 * along - c5 * (c4 * s1 * up - c1 * s4)) - s6 * (s4 * s1 * up + c1 * c4),
         -c5 * s1 * along - s5 * (c4 * s1 * up - c1 * s4)],
        [c6 * (s4 * c1 * up - s1 * c4) - s6 * (s5 * c1 * along - c5 * (c4 * c1 * up + s1 * s4)),
         -c6 * (s5 * c1 * along - c5 * (c4 * c1 * up + s1 * s4)) - s6 * (s4 * c1 * up - s1 * c4),
         -c5 * c1 * along - s5 * (c4 * c1 * up + s1 * s4)],
        [s6 * (s5 * up + c5 * c4 * along) + c6 * s4 * along,
         c6 * (s5 * up + c5 * c4 * along) - s6 * s4 * along,
         c5 * up - c4 * s5 * along]])
    assert error(rotation(robot, Q, 6), expected) < 1e-14
    misprinted_a12 = expected[0, 1] - 2.0 * c6 * c5 * c4 * s1 * s2 * s3
    misprinted_a23 = expected[1, 2] - s5 * c4 * (s1 - c1) * s2 * s3
    assert abs(misprinted_a12 - rotation(robot, Q, 6)[0, 1]) > 1e-3
    assert abs(misprinted_a23 - rotation(robot, Q, 6)[1, 2]) > 1e-3


def test_tool_pose_and_its_angles(robot):
    tau_tool = rotation(robot, Q, 6) @ TOOL
    places = [rotation(robot, Q, i) @ LENGTHS[i] for i in range(7)]
    pose = robot.fk(Q)
    assert error(pose[:3, :3], tau_tool) < 1e-14
    assert error(pose[:3, 3], sum(places) + tau_tool @ [0, 0, L_TOOL]) < 1e-14
    b = tau_tool
    P = np.arctan2(-b[1, 2], b[2, 2])
    Y = np.arctan2(b[0, 2], -b[1, 2] * sin(P) + b[2, 2] * cos(P))
    R = np.arctan2(b[1, 0] * cos(P) + b[2, 0] * sin(P), b[1, 1] * cos(P) + b[2, 1] * sin(P))
    assert error(matrix_pyr(b), [P, Y, R]) < 1e-12
    assert error(rotation_pyr((P, Y, R)), b) < 1e-12


# appendix 2: inverse position problem with configuration indices

def book_inverse(pose, ks, ke, kw):
    """q (6,) for a tool pose and the indices of shoulder, elbow and wrist; appendix 2, corrected."""
    tau_0b = EPSILON[0]
    tau_06 = tau_0b @ pose[:3, :3] @ TOOL.T
    X6, Z6 = tau_06[:, 0], tau_06[:, 2]
    start = EPSILON[0].T @ LENGTHS[0]
    l60 = tau_0b @ (pose[:3, 3] - start) - tau_06 @ TOOL @ [0, 0, L_TOOL]        # τ_06, not τ_tool6
    l40 = l60 - (L5 + L6) * Z6
    Z0, X0 = np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0])
    Y1 = ks * np.array([l40[0], l40[1], 0.0]) / np.hypot(l40[0], l40[1])
    l41, Z1 = l40 - L1 * Y1, -cross(Z0, Y1)
    q1 = np.arctan2(cross(X0, -Z1) @ Z0, -Z1 @ X0)
    tau_01 = (EPSILON[1] @ rot_z(q1).T).T
    X1, l42, reach = tau_01[:, 0], np.hypot(L3, L4), np.linalg.norm(l41)
    half = (L2 + l42 + reach) / 2
    A = 2 * np.arctan2(np.sqrt((half - L2) * (half - reach)), np.sqrt(half * (half - l42)))
    Q_angle = np.arctan2(cross(X1, l41) @ Z1, X1 @ l41)                          # the cross product
    q2 = Q_angle + ke * A
    tau_02 = tau_01 @ (EPSILON[2] @ rot_z(q2).T).T
    X2, Z2 = tau_02[:, 0], tau_02[:, 2]
    elbow = l41 - tau_02 @ LENGTHS[2]
    q3 = np.arctan2(cross(X2, elbow) @ Z2, X2 @ elbow) - np.arctan2(L3, L4)      # the elbow's offset angle
    Z3 = (tau_02 @ (EPSILON[3] @ rot_z(q3).T).T)[:, 2]
    Z4 = kw * cross(Z6, Z3) / np.linalg.norm(cross(Z6, Z3))
    q4 = np.arctan2(cross(Z2, Z4) @ Z3, Z2 @ Z4)                                 # the cross product
    q5 = np.arctan2(cross(Z3, Z6) @ Z4, Z3 @ Z6)
    q6 = np.arctan2(cross(Z4, X6) @ Z6, Z4 @ X6)
    return np.array([q1, q2, q3, q4, q5, q6])


def test_every_configuration_index_gives_another_way_to_the_same_pose(robot):
    pose = robot.fk(Q)
    solutions = [book_inverse(pose, *indices) for indices in product((1, -1), repeat=3)]
    for q in solutions:
        assert error(robot.fk(q), pose) < 1e-12
    distance = [np.abs(np.sin((a - b) / 2)).max() for a, b in product(solutions, repeat=2) if a is not b]
    assert min(distance) > 1e-3
    assert min(np.abs(np.sin((q - Q) / 2)).max() for q in solutions) < 1e-12


# appendices 3 and 4: velocities at q = 0

C_AT_ZERO = np.array([[0, 0, -1], [-1, 0, 0], [1, 0, 0], [0, 0, 1], [1, 0, 0], [0, 0, 1.0]]).T


def test_joint_axes_at_zero_are_those_printed(robot):
    motion = block_jacobians.blocks(robot.model, np.zeros(6), np.zeros(6))
    assert error(motion.C[5], C_AT_ZERO) < 1e-15
    qd = np.arange(1.0, 7.0)
    assert error(robot.velocity(np.zeros(6), qd, "link_6")[3:], [-2 + 3 + 5, 0, -1 + 4 + 6]) < 1e-14


def test_linear_velocity_at_zero_is_axis_times_arm(robot):
    zero = np.zeros(6)
    end = robot.fk(zero, "link_6")[:3, 3]
    arms = np.array([end - robot.fk(zero, f"link_{j}")[:3, 3] for j in range(6)]).T
    D = robot.jacobian(zero, "link_6")[:3]
    assert error(D, np.cross(C_AT_ZERO, arms, axis=0)) < 1e-14
    r = arms[2]
    assert error(D[1], [0, r[1], -r[2], 0, -r[4], 0]) < 1e-14        # the printed last line, signs put right
    assert error(D[0], np.zeros(6), floor=1.0) < 1e-15
    assert error(D[2], [0, L3, -L3, 0, 0, 0]) < 1e-14                # the book leaves out the offset L3


def test_inverse_velocity_at_zero_is_singular_and_says_so(robot):
    lost = robot.inverse_velocity(np.zeros(6), [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], "link_6")
    assert lost.reason == "singular: nearest taken"
    assert lost.rank < 6
    assert lost.condition == np.inf
    assert abs(lost.unreachable[0]).max() > 0.5                      # no motion along x
    unique = robot.inverse_velocity(Q, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], "link_6")
    assert (unique.reason, unique.rank) == ("unique", 6)
    assert error(robot.jacobian(Q, "link_6") @ unique.qd, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]) < 1e-9
    found = robot.inverse_velocity(np.zeros(6), [0.0, 0.2, 0.0, 0.0, 0.0, 0.0], "link_6", damping=0.01)
    assert np.isfinite(found.qd).all()


# appendix 5: inertia of link 3 from its parts, and the coefficient a33

def link_3():
    """Mass, centre of mass, tensor: half of drive 2, body, half of drive 3; squared distances."""
    def along(axis, m, R, H):
        tensor = np.full(3, m * (H**2 + 3 * R**2) / 12)
        tensor[axis] = m * R**2 / 2
        return np.diag(tensor)
    parts = [(6.0, np.array([0, -0.10, -0.04]), along(0, 6.0, 0.09, 0.16)),
             (9.0, np.array([0, 0, -0.24 / 2]), along(2, 9.0, 0.07, 0.24)),
             (3.0, np.zeros(3), along(2, 3.0, 0.06, 0.10))]
    mass = sum(m for m, _, _ in parts)
    com = sum(m * r for m, r, _ in parts) / mass
    return mass, com, sum(parallel_axis(J, m, r - com) for m, r, J in parts)


def test_link_3_is_composed_of_its_drives_and_body(robot):
    mass, com, tensor = link_3()
    body, frame = robot.model.bodies[3], robot.model.frame("link_3")
    assert body.mass == pytest.approx(mass, rel=1e-15)
    assert error(body.com, frame.p + frame.R @ com) < 1e-14
    assert error(body.inertia, frame.R @ tensor @ frame.R.T) < 1e-14
    assert abs(tensor[1, 2]) > 1e-3                                # so it is not diagonal as printed


def test_inertia_coefficient_a33_by_the_expansion_of_the_book(robot):
    model = robot.model
    place = block_jacobians.links(model, Q)
    c3 = place.turn[3][:, 0]
    a33 = 0.0
    for k in range(3, 7):
        J = place.tau[k] @ model.bodies[k].inertia @ place.tau[k].T
        R = place.com[k] - robot.fk(Q, "link_2")[:3, 3]              # from the origin of {CK}_2
        a33 += c3 @ J @ c3 - R @ skew(c3) @ (model.bodies[k].mass * skew(c3)) @ R      # λ(c_3) everywhere
    assert error(a33 + model.armature[2], robot.mass_matrix(Q)[2, 2]) < 1e-12
    assert error(alg.crba(model, Q)[2, 2], a33 + model.armature[2]) < 1e-12
