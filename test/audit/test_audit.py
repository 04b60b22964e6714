"""The audit finds every kind of fault, says how bad it is and where it stands."""

import dataclasses

import numpy as np
import pytest

from rdyn_ros.audit import audit
from rdyn_ros.audit.dynamics import check_dynamics, energy_imbalance
from rdyn_ros.model import load_model
from rdyn_ros.model.findings import Findings
from support.broken_robots import URDF, YAML

TENSOR = 'ixx="0.02" ixy="0.001" ixz="0.002" iyy="0.03" iyz="0.003" izz="0.04"'


def found(text):
    """{(severity, code): place} of all findings."""
    return {(finding.severity, finding.code): finding.place for finding in audit(text).findings}


def test_a_good_robot_has_no_findings():
    assert audit(URDF).findings == ()


@pytest.mark.parametrize(
    "severity, code, old, new, place",
    [
        ("error", "missing", '<mass value="1.5"/>', "", "robot text:4: link 'b'"),
        ("error", "negative-mass", 'value="1.5"', 'value="-1"', "robot text:3: link 'b'"),
        ("error", "inertia-not-positive", 'ixx="0.02"', 'ixx="-0.02"', "robot text:3: link 'b'"),
        ("error", "triangle", 'izz="0.04"', 'izz="0.09"', "robot text:3: link 'b'"),
        (
            "warning",
            "inertia-singular",
            TENSOR,
            'ixx="0" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"',
            "robot text:3: link 'b'",
        ),
        (
            "warning",
            "inertia-zero",
            TENSOR,
            'ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"',
            "robot text:3: link 'b'",
        ),
        (
            "warning",
            "inertia-scale",
            TENSOR,
            'ixx="90" ixy="0" ixz="0" iyy="90" iyz="0" izz="90"',
            "robot text:3: link 'b'",
        ),
        ("warning", "com-outside", 'xyz="0 0 0.1"', 'xyz="0 0 5"', "robot text:3: link 'b'"),
        ("warning", "mass-ratio", 'value="0.5"', 'value="5000"', "robot text:10: link 'c'"),
        (
            "error",
            "limits-missing",
            '<limit lower="-1" upper="2" velocity="3" effort="4"/>',
            "",
            "robot text:16: joint 'j'",
        ),
        ("warning", "limits-missing", 'lower="-1"', "", "robot text:21: joint 'j'"),
        (
            "warning",
            "limits-closed",
            'lower="-1" upper="2"',
            'lower="1" upper="1"',
            "robot text:16: joint 'j'",
        ),
        ("warning", "limits-zero", 'effort="4"', 'effort="0"', "robot text:16: joint 'j'"),
        ("error", "limits-reversed", 'lower="-1"', 'lower="3"', "robot text:16: joint 'j'"),
        ("error", "zero-axis", 'xyz="0 0 1"', 'xyz="0 0 0"', "robot text:20: joint 'j'"),
        ("warning", "limits-ignored", 'type="revolute"', 'type="continuous"', "robot text:21: joint 'j'"),
        ("warning", "axis-length", 'xyz="0 0 1"', 'xyz="0 0 2"', "robot text:20: joint 'j'"),
        ("error", "duplicate-name", 'name="c"', 'name="b"', "robot text:10: link 'b'"),
        ("error", "loop", '<parent link="a"/>', '<parent link="c"/>', "robot text:3: link 'b'"),
        ("error", "disconnected", "</robot>", '<link name="alone"/></robot>', "robot text:30: link 'alone'"),
        ("error", "mimic", 'mimic joint="j"', 'mimic joint="k"', "robot text:24: joint 'k'"),
        ("error", "joint-type", "revolute", "planar", "robot text:16: joint 'j'"),
    ],
)
def test_every_kind_of_fault_is_found_with_its_severity_and_place(severity, code, old, new, place):
    assert old in URDF
    findings = found(URDF.replace(old, new, 1))
    assert findings.get((severity, code), "").startswith(place), findings


@pytest.mark.parametrize(("old", "new"), [('value="1.5"', 'value="nan"'), ('ixx="0.02"', 'ixx="1e400"'),
                                          ('velocity="3"', 'velocity="nan"'), ('lower="-1"', 'lower="x"')])
def test_a_number_that_is_none_is_one_refusal(old, new):
    assert [finding.severity for finding in audit(URDF.replace(old, new, 1)).findings] == ["error"]


def test_a_wrong_parent_is_one_error_and_no_loop():
    findings = audit(URDF.replace('<parent link="a"/>', '<parent link="nobody"/>', 1)).findings
    assert [finding.code for finding in findings if finding.severity == "error"] == ["unknown-name"]


def test_a_moving_link_without_inertial_is_an_error():
    start, end = URDF.index("<inertial>"), URDF.index("</inertial>") + len("</inertial>")
    assert found(URDF[:start] + URDF[end:])["error", "massless"] == "robot text:3: link 'b'"


def test_a_mimic_of_a_mimic_is_an_error():
    follower = """  - name: d
    parent: c
    joint: {name: m, type: revolute, mimic: {joint: k}}
    parts: [{shape: sphere, mass: 1, radius: 0.1}]
frames:"""
    assert found(YAML.replace("frames:", follower))["error", "mimic-chain"] == "robot text:24: joint 'm'"


def test_all_faults_are_told_at_once():
    text = (
        URDF.replace('value="1.5"', 'value="-1"')
        .replace('lower="-1"', 'lower="9"')
        .replace('"j" mult', '"x" mult')
    )
    assert {("error", "negative-mass"), ("error", "limits-reversed"), ("error", "mimic")} <= found(
        text
    ).keys()


def test_limits_left_out_of_a_yaml_robot_are_warned_about():
    assert found(YAML.replace("{lower: -1, upper: 2, velocity: 3, effort: 4}", "{lower: -1, upper: 2}"))[
        "warning", "limits-missing"
    ].startswith("robot text")


def test_a_mass_matrix_that_is_not_positive_definite_is_an_error():
    """A joint that slides along a massless end: nothing resists it."""
    model = load_model("tree_6")
    bodies = list(model.bodies)
    bodies[3] = dataclasses.replace(bodies[3], mass=0.0, inertia=np.zeros((3, 3)))
    findings = Findings("tree")
    check_dynamics(model.replace(bodies=tuple(bodies)), findings)
    assert [finding.code for finding in findings.items] == ["mass-matrix"]


def random_state(model):
    random = np.random.default_rng(0)
    q, qd, qdd = random.normal(size=model.nq), *random.normal(size=(2, model.nv))
    if model.floating_base:
        q[3:7] /= np.linalg.norm(q[3:7])
    return q, qd, qdd


@pytest.mark.parametrize("name", ["tree_6", "quadruped", "kawasaki_fs20n"])
def test_energy_balances_for_a_sound_robot(name):
    model = load_model(name)
    assert energy_imbalance(model, *random_state(model)) < 1e-8


def test_energy_does_not_balance_when_a_tensor_is_not_symmetric():
    model = load_model("quadruped")
    trunk = model.bodies[1]
    crooked = dataclasses.replace(trunk, inertia=trunk.inertia + [[0, 2, 0], [-2, 0, 2], [0, -2, 0]])
    wrong = model.replace(bodies=(model.bodies[0], crooked, *model.bodies[2:]))
    assert energy_imbalance(wrong, *random_state(wrong)) > 1e-3
