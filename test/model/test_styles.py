"""The three ways to describe a robot mean what the books say, and mix link by link."""

import numpy as np
import pytest

from rdyn_ros.algorithms import crba, frame_pose, rnea
from rdyn_ros.errors import RobotFileError
from rdyn_ros.model import load_model
from rdyn_ros.spatial import pose_matrix, rot_x, rot_z, rotation_pyr

RANDOM = np.random.default_rng(7)
A, ALPHA, D, THETA = RANDOM.uniform(-1, 1, (4, 4))


def rotation(R):
    return pose_matrix(R, np.zeros(3))


def shift(x, y, z):
    return pose_matrix(np.eye(3), np.array([x, y, z]))


def robot(placements, kinds, masses=None):
    """Robot text with one link per placement; the last one is the tip."""
    lines = ["name: r", "links:"]
    for i, (placement, kind) in enumerate(zip(placements, kinds, strict=True)):
        lines += [
            f"  - name: l{i}",
            f"    parent: {f'l{i - 1}' if i else 'base'}",
            f"    {placement}",
            f"    joint: {{name: j{i}, type: {kind}}}",
            f"    inertia: {(masses or [MASS] * len(placements))[i]}",
        ]
    return load_model("\n".join([*lines, f"tips: [l{len(placements) - 1}]"]))


MASS = (
    "{mass: 2.0, com: [0.1, 0.2, -0.1], tensor: {xx: 0.3, yy: 0.4, zz: 0.5, xy: 0.01, xz: 0.02, yz: -0.03}}"
)


def dh_text(i, convention):
    return f"dh: {{a: {A[i]}, alpha: {ALPHA[i]}, d: {D[i]}, theta: {THETA[i]}, convention: {convention}}}"


@pytest.mark.parametrize("kinds", [["revolute"] * 4, ["revolute", "prismatic", "revolute", "prismatic"]])
@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_denavit_hartenberg(convention, kinds):
    model = robot([dh_text(i, convention) for i in range(4)], kinds)
    q, T = RANDOM.uniform(-2, 2, 4), np.eye(4)
    for i, kind in enumerate(kinds):
        theta = THETA[i] + (q[i] if kind == "revolute" else 0.0)
        d = D[i] + (q[i] if kind == "prismatic" else 0.0)
        z, x = rotation(rot_z(theta)) @ shift(0, 0, d), shift(A[i], 0, 0) @ rotation(rot_x(ALPHA[i]))
        T = T @ z @ x if convention == "standard" else T @ x @ z
    np.testing.assert_allclose(frame_pose(model, q), T, atol=1e-14)


@pytest.mark.parametrize("kinds", [["revolute"] * 4, ["revolute", "prismatic", "prismatic", "revolute"]])
def test_installation_angles_and_lengths_of_source_001(kinds):
    angles, lengths = RANDOM.uniform(-1, 1, (2, 4, 3))
    model = robot(
        [
            f"installation: {{angles: {a.tolist()}, length: {b.tolist()}}}"
            for a, b in zip(angles, lengths, strict=True)
        ],
        kinds,
    )
    q, R, p = RANDOM.uniform(-2, 2, 4), np.eye(3), np.zeros(3)
    for i, kind in enumerate(kinds):  # source 001, eq. 2.4 and 3.2
        turn, slide = (q[i], 0.0) if kind == "revolute" else (0.0, q[i])
        p = p + R @ [0, 0, slide]
        R = R @ rot_z(turn) @ rotation_pyr(angles[i])
        p = p + R @ lengths[i]
    np.testing.assert_allclose(frame_pose(model, q), pose_matrix(R, p), atol=1e-14)


def test_one_robot_in_three_styles_has_one_dynamics():
    """A modified DH link is a URDF origin, and the two mix in one robot."""
    modified = robot([dh_text(i, "modified") for i in range(3)], ["revolute"] * 3)
    origins = []
    for i in range(3):  # the same placement in URDF's words: Rx(alpha) Tx(a) Rz(theta) Tz(d)
        T = rotation(rot_x(ALPHA[i])) @ shift(A[i], 0, 0) @ rotation(rot_z(THETA[i])) @ shift(0, 0, D[i])
        yaw, pitch, roll = np.arctan2(T[1, 0], T[0, 0]), -np.arcsin(T[2, 0]), np.arctan2(T[2, 1], T[2, 2])
        origins.append(f"origin: {{xyz: {T[:3, 3].tolist()}, rpy: [{roll}, {pitch}, {yaw}]}}")
    urdf_like = robot(origins, ["revolute"] * 3)
    mixed = robot([origins[0], dh_text(1, "modified"), origins[2]], ["revolute"] * 3)
    q, qd, qdd = RANDOM.normal(size=(3, 3))
    for other in (urdf_like, mixed):
        np.testing.assert_allclose(crba(other, q), crba(modified, q), atol=1e-12)
        np.testing.assert_allclose(rnea(other, q, qd, qdd), rnea(modified, q, qd, qdd), atol=1e-12)


def test_standard_dh_and_installation_agree_where_both_can_say_it():
    """Rz(q) Tx(a) Rx(alpha) is the installation angle alpha with the link vector Rx(-alpha) (a, 0, 0)."""
    dh = robot(
        [
            f"dh: {{a: {a}, alpha: {al}, d: 0, theta: 0, convention: standard}}"
            for a, al in zip(A[:3], ALPHA[:3], strict=True)
        ],
        ["revolute"] * 3,
    )
    book = robot(
        [
            f"installation: {{angles: [{al}, 0, 0], length: [{a}, 0, 0]}}"
            for a, al in zip(A[:3], ALPHA[:3], strict=True)
        ],
        ["revolute"] * 3,
    )
    q = RANDOM.normal(size=3)
    np.testing.assert_allclose(frame_pose(dh, q), frame_pose(book, q), atol=1e-14)
    np.testing.assert_allclose(crba(dh, q), crba(book, q), atol=1e-13)


def test_limits_of_what_turns_may_be_in_degrees_of_what_slides_not():
    text = f"""name: r
links:
  - name: l
    parent: base
    joint: {{name: j, type: revolute, limits: {{lower: -120 deg, upper: 1.5, velocity: 2.0}}}}
    inertia: {MASS}
"""
    limits = load_model(text).limits
    np.testing.assert_allclose([limits.lower[0], limits.upper[0]], [-2.0 * np.pi / 3.0, 1.5], rtol=1e-15)
    for wrong in (text.replace("revolute", "prismatic"), text.replace("2.0}", "90 deg}")):
        with pytest.raises(RobotFileError, match="number"):
            load_model(wrong)


def test_right_angles_given_in_degrees_are_exact():
    model = robot(["installation: {angles: [180 deg, -90 deg, 0], length: [0, 0.1, 0]}"], ["revolute"])
    np.testing.assert_array_equal(model.bodies[1].R, [[0, 0, -1], [0, -1, 0], [-1, 0, 0]])


def test_parts_compose_the_link_as_in_appendix_5_corrected():
    """Half of two drives and the body of Kawasaki's link 3: squared distances, half masses throughout."""
    body = load_model("kawasaki_fs20n").bodies[3]
    m2, m3, m_body = 6.0, 3.0, 9.0
    r2, r_body, r3 = np.array([0, -0.10, -0.04]), np.array([0, 0, -0.12]), np.zeros(3)
    com = (m2 * r2 + m_body * r_body + m3 * r3) / (m2 + m_body + m3)
    J2 = np.diag([0.5 * m2 * 0.09**2] + [m2 * (0.16**2 + 3 * 0.09**2) / 12] * 2)
    J_body = np.diag([m_body * (0.24**2 + 3 * 0.07**2) / 12] * 2 + [0.5 * m_body * 0.07**2])
    J3 = np.diag([m3 * (0.10**2 + 3 * 0.06**2) / 12] * 2 + [0.5 * m3 * 0.06**2])
    total = np.zeros((3, 3))
    for m, r, J in ((m2, r2, J2), (m_body, r_body, J_body), (m3, r3, J3)):
        d = r - com
        total += J + m * (d @ d * np.eye(3) - np.outer(d, d))
    assert body.mass == m2 + m_body + m3
    np.testing.assert_allclose(body.com - [0, 0.10, 0], com, atol=1e-15)  # body origin lies on the joint axis
    np.testing.assert_allclose(body.inertia, total, atol=1e-15)


def test_numbers_and_words_are_read_as_yaml_1_2():
    text = (
        "name: no\nlinks:\n  - {name: on, parent: base, joint: {name: y, type: continuous}, inertia: "
        "{mass: 1e0, com: [1e-3, .5, -1.e-1], tensor: {xx: 1, yy: 1, zz: 1}}}\n"
    )
    model = load_model(text)
    assert (model.name, model.link_names, model.joint_names) == ("no", ("on",), ("y",))
    np.testing.assert_array_equal(model.bodies[1].com, [1e-3, 0.5, -0.1])


def test_joints_come_in_the_order_of_the_file_even_if_a_child_stands_before_its_parent():
    lines = ["name: r", "links:"]
    for name, parent in (("b", "a"), ("c", "base"), ("a", "base")):
        joint = f"joint: {{name: j{name}, type: continuous}}"
        lines.append(f"  - {{name: {name}, parent: {parent}, {joint}, inertia: {MASS}}}")
    assert load_model("\n".join(lines)).joint_names == ("jc", "ja", "jb")


def test_axis_belongs_to_the_urdf_like_style_only():
    with pytest.raises(RobotFileError, match="installation style has its axis along z"):
        load_model(
            "name: r\nlinks:\n  - {name: a, parent: base, "
            "installation: {angles: [0, 0, 0], length: [0, 0, 1]}, "
            f"joint: {{name: j, type: revolute, axis: [0, 1, 0]}}, inertia: {MASS}}}\n"
        )
