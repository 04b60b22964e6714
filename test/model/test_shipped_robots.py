"""The ready robots are what their comments say."""

import numpy as np
import pytest

from rdyn_ros.algorithms import body_poses, frame_pose, jacobian
from rdyn_ros.audit import audit
from rdyn_ros.model import load_model
from rdyn_ros.model.source import shipped_robots
from rdyn_ros.spatial import rot_z

NAMES = (
    "anthropomorphic",
    "arm_6r",
    "arm_7r",
    "cartesian",
    "cylindrical",
    "double_pendulum",
    "kawasaki_fs20n",
    "planar_2r",
    "quadruped",
    "spherical",
    "tree_6",
    "ur5_like",
    "walker",
)


def test_every_robot_that_was_promised_is_there():
    assert set(NAMES) <= set(shipped_robots())


@pytest.mark.parametrize("name", shipped_robots())
def test_every_shipped_robot_passes_the_strict_audit(name):
    result = audit(name)
    assert result.passed(strict=True), result.findings


@pytest.mark.parametrize("name", shipped_robots())
def test_every_shipped_robot_says_where_its_numbers_come_from(name):
    text = shipped_robots()[name].read_text()
    assert text.startswith("# ")
    comment = "".join(line for line in text.splitlines() if line.startswith("#"))
    assert any(word in comment for word in ("our own", "our assumption", "OUR ASSUMPTION"))


def axes_at_zero(name):
    """Kinds and base axes of the joints at q = 0."""
    model = load_model(name)
    poses = body_poses(model, np.zeros(model.nq))
    return [
        (body.joint.kind[0], (poses[i].R @ body.joint.axis).round(12).tolist())
        for i, body in enumerate(model.bodies)
        if i
    ]


def test_the_four_schemes_of_the_book_have_its_joints():
    x, y, z = np.eye(3).tolist()
    assert axes_at_zero("cartesian") == [("p", x), ("p", z), ("p", y)]
    assert axes_at_zero("cylindrical") == [("r", z), ("p", z), ("p", y)]
    assert axes_at_zero("spherical") == [("r", z), ("r", y), ("p", x)]
    assert axes_at_zero("anthropomorphic") == [("r", z), ("r", y), ("r", y)]


EPSILON = {  # source 001, appendix 1: epsilon_i = tau_(i, i-1)(0)
    1: [[0, 0, -1], [0, -1, 0], [-1, 0, 0]],
    2: [[1, 0, 0], [0, -1, 0], [0, 0, -1]],
    3: [[0, 0, -1], [0, 1, 0], [1, 0, 0]],
    4: [[0, 0, 1], [0, 1, 0], [-1, 0, 0]],
    5: [[0, 0, 1], [0, -1, 0], [1, 0, 0]],
    6: np.eye(3),
}
LENGTHS = {
    0: [0, 0.10, 0],
    1: [0, 0.10, 0],
    2: [0.60, 0, 0],
    3: [0, 0.10, 0],
    4: [0.55, 0, 0],
    5: [0, 0, 0.10],
    6: [0, 0, 0.08],
}


def test_kawasaki_has_the_matrices_and_the_forward_kinematics_of_appendix_1():
    model, q = load_model("kawasaki_fs20n"), np.array([0.3, -0.4, 0.5, 0.6, -0.7, 0.8])
    tau = np.diag([1.0, -1.0, -1.0])  # tau_B0 = epsilon_0 transposed
    p = tau @ LENGTHS[0]
    for i in range(1, 7):
        tau = tau @ rot_z(q[i - 1]) @ np.transpose(EPSILON[i])
        p = p + tau @ LENGTHS[i]
        T = frame_pose(model, q, f"link_{i}")
        np.testing.assert_allclose(T[:3, :3], tau, atol=1e-15)
        np.testing.assert_allclose(T[:3, 3], p, atol=1e-15)
    c, s = np.cos(np.pi / 6), np.sin(np.pi / 6)
    tool = tau @ [[1, 0, 0], [0, c, s], [0, -s, c]]
    np.testing.assert_allclose(frame_pose(model, q, "tool")[:3, :3], tool, atol=1e-15)
    np.testing.assert_allclose(frame_pose(model, q, "tool")[:3, 3], p + tool @ [0, 0, 0.15], atol=1e-15)


def test_kawasaki_has_the_joint_axes_of_appendix_3_and_a_singular_jacobian_at_zero():
    J = jacobian(load_model("kawasaki_fs20n"), np.zeros(6), "link_6")
    c = [[0, 0, -1], [-1, 0, 0], [1, 0, 0], [0, 0, 1], [1, 0, 0], [0, 0, 1]]
    np.testing.assert_allclose(J[3:].T, c, atol=1e-15)
    assert np.linalg.matrix_rank(J) < 6


def joint_lines(name, seed=1):
    """Origins and directions of the joint axes at a random configuration, in base axes."""
    model = load_model(name)
    poses = body_poses(model, np.random.default_rng(seed).uniform(-1, 1, model.nq))
    return [(poses[i].p, poses[i].R @ body.joint.axis) for i, body in enumerate(model.bodies) if i]


def meet(lines):
    """Whether all lines pass through one point."""
    A = np.vstack([np.eye(3) - np.outer(d, d) for _, d in lines])
    b = np.concatenate([(np.eye(3) - np.outer(d, d)) @ p for p, d in lines])
    return np.linalg.norm(A @ np.linalg.lstsq(A, b, rcond=None)[0] - b) < 1e-12


def test_the_arms_have_the_wrists_and_shoulders_that_their_names_promise():
    assert meet(joint_lines("arm_6r")[3:])
    assert meet(joint_lines("kawasaki_fs20n")[3:])
    assert meet(joint_lines("arm_7r")[:3])
    assert meet(joint_lines("arm_7r")[4:])
    assert not meet(joint_lines("ur5_like")[3:])


def test_ur5_like_stands_where_its_published_table_puts_it():
    T = frame_pose(load_model("ur5_like"), np.zeros(6))
    np.testing.assert_allclose(
        T[:3, 3], [-0.425 - 0.39225, -0.10915 - 0.0823, 0.089159 - 0.09465], atol=1e-15
    )


def test_arm_7r_stands_straight_up_at_zero():
    T = frame_pose(load_model("arm_7r"), np.zeros(7))
    np.testing.assert_allclose(T[:3, 3], [0, 0, 0.34 + 0.40 + 0.40 + 0.126], atol=1e-15)


def test_the_quadruped_floats_and_stands_on_four_feet():
    model = load_model("quadruped")
    assert model.floating_base
    assert (model.nq, model.nv, len(model.tips)) == (19, 18, 4)


def test_the_walker_weighs_75_kg():
    assert sum(body.mass for body in load_model("walker").bodies) == pytest.approx(75.0)
