"""`rdyn ik`: a table of solutions, and an exit code that says whether there is one."""
import json
import re
from pathlib import Path

import numpy as np
import pytest

from rdyn_ros import load
from rdyn_ros.cli.main import main
from rdyn_ros.spatial import matrix_rpy

ROBOT = load("kawasaki_fs20n")
T = ROBOT.fk(np.array([0.3, 0.4, -0.5, 0.6, 0.7, 0.8]))
POSE = ["--xyz", *map(str, T[:3, 3]), "--rpy", *map(str, matrix_rpy(T[:3, :3]))]


def test_the_table_has_indices_joints_margins_and_manipulability(capsys):
    assert main(["ik", "kawasaki_fs20n", *POSE]) == 0
    head, names, units, *rows = capsys.readouterr().out.splitlines()
    solutions = ROBOT.ik_all(T).solutions
    assert f"{len(solutions)} solutions, closed form (spherical wrist)" in head
    assert names.split() == ["ks", "ke", "kw", *ROBOT.joint_names, "margin", "of", "manipulability"]
    assert units.split() == ["[rad]"] * 7 + ["[SI]"]
    assert len(rows) == len(solutions)
    for row, q, named in zip(rows, solutions, ROBOT.ik_all(T).indices, strict=True):
        *cells, joint, volume = row.split()
        cells, left = [float(x) for x in (*cells, volume)], np.minimum(q - ROBOT.limits.lower, ROBOT.limits.upper - q)
        assert cells[:3] == list(named.values())
        np.testing.assert_allclose(cells[3:9], q, atol=1e-5)
        assert cells[9] == pytest.approx(left.min(), abs=1e-4)
        assert joint == ROBOT.joint_names[left.argmin()]
        assert cells[10] == pytest.approx(abs(np.linalg.det(ROBOT.jacobian(q))), rel=1e-3)


def test_seven_axes_show_their_arm_angles_and_take_one(capsys):
    pose = ["--xyz", "0.3", "0.2", "0.5", "--rpy", "3.1", "0", "0"]
    assert main(["ik", "arm_7r", *pose]) == 0
    head, names, _, *rows, more = capsys.readouterr().out.splitlines()
    number = int(re.search(r"(\d+) solutions of infinitely many, nearest first, closed form", head)[1])
    assert (len(rows), more) == (10, f"{number - 10} more: --most {number} prints all")
    assert main(["ik", "arm_7r", *pose, "--most", "0"]) == 2
    assert "--most is 0; give a whole number from 1 on" in capsys.readouterr().err
    assert main(["ik", "arm_7r", *pose, "--most", str(number)]) == 0
    assert capsys.readouterr().out.splitlines()[3:13] == rows
    assert "arm angle" in names
    assert len({row.split()[3] for row in rows}) > 1
    assert main(["ik", "arm_7r", *pose, "--arm-angle", rows[0].split()[3]]) == 0
    head, *lines = capsys.readouterr().out.splitlines()
    assert "infinitely" not in head and {row.split()[3] for row in lines[2:]} == {rows[0].split()[3]}


def test_json_tells_the_same(capsys):
    assert main(["ik", "kawasaki_fs20n", "--json", *POSE]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["reason"] == "converged"
    for solution in answer["solutions"]:
        assert abs(ROBOT.fk(solution["q"]) - T).max() < 1e-9
        assert set(solution["indices"]) == {"ks", "ke", "kw"}
        q = np.array(solution["q"])
        left = dict(zip(ROBOT.joint_names, np.minimum(q - ROBOT.limits.lower, ROBOT.limits.upper - q), strict=True))
        assert solution["margins"] == left
        assert (solution["margin_joint"], solution["margin"]) == min(left.items(), key=lambda item: item[1])
        J = ROBOT.jacobian(np.array(solution["q"]))
        assert solution["manipulability"] == pytest.approx(abs(np.linalg.det(J)), rel=1e-9)


def test_a_branch_a_method_and_a_tolerance_can_be_asked_for(capsys):
    every = ROBOT.ik_all(T)
    words = [f"{name}={sign:+d}" for name, sign in every.indices[1].items()]
    assert main(["ik", "kawasaki_fs20n", *POSE, "--json", "--indices", *words]) == 0
    one, = json.loads(capsys.readouterr().out)["solutions"]
    np.testing.assert_allclose(one["q"], every.solutions[1], atol=1e-9)
    assert one["indices"] == dict(every.indices[1])
    assert main(["ik", "kawasaki_fs20n", *POSE, "--json", "--method", "numeric", "--tolerance", "1e-9"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["method"] == "numeric"
    assert all(abs(ROBOT.fk(found["q"]) - T).max() < 2e-9 for found in answer["solutions"])


@pytest.mark.parametrize("words", [["ks"], ["ks=2"], ["ks=1", "ks=1"], ["ks="], ["=1"], ["elbow=1"]])
def test_a_branch_that_is_none_is_refused_in_words(words, capsys):
    assert main(["ik", "kawasaki_fs20n", *POSE, "--indices", *words]) == 2
    error = capsys.readouterr().err
    assert "ks" in error and error.count("\n") == 1


def test_no_solution_ends_with_1_and_the_reason(capsys):
    far = ["ik", "kawasaki_fs20n", "--xyz", "9", "0", "0", "--timeout", "10"]
    assert main(far) == 1
    assert "out_of_reach" in capsys.readouterr().out
    assert main([*far, "--json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    miss = np.linalg.norm(ROBOT.fk(answer["q"])[:3, 3] - [9.0, 0.0, 0.0])
    assert answer["residual_position"] == pytest.approx(miss, rel=1e-6)
    assert miss > answer["distance"] > 5.0
    assert 0.0 < answer["time"] < 10.1


@pytest.mark.parametrize(("words", "told"), [
    (["--indices", "ks=1", "kawasaki_fs20n"], "required: robot;"),
    (["kawasaki_fs20n", "--foo"], "unrecognized arguments: --foo;")])
def test_wrong_usage_names_what_is_missing_and_the_help_of_the_verb(words, told, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["ik", "--xyz", "0", "0", "0", *words])
    assert f"{told} rdyn ik --help tells more" in capsys.readouterr().err


@pytest.mark.parametrize(("words", "options"), [
    (["--axis", "0", "0", "-1"], {"axis": (0.0, 0.0, -1.0)}),
    (["--tolerance", "1e-4", "1e-3", "--method", "numeric"], {"tolerance": (1e-4, 1e-3), "method": "numeric"}),
    (["--posture", "centre"], {"posture": "centre"}),
    (["--posture", *["0.1", "0.2", "-0.3", "0.4", "0.5", "0.6"], "--axis", "z"],
     {"posture": [0.1, 0.2, -0.3, 0.4, 0.5, 0.6], "axis": "z"}),
    (["--weights", *["1", "1", "1", "0.1", "0.1", "0"], "--max-restarts", "7"],
     {"weights": [1.0, 1.0, 1.0, 0.1, 0.1, 0.0], "max_restarts": 7})])
def test_every_option_can_be_asked_for(words, options, capsys):
    assert main(["ik", "kawasaki_fs20n", *POSE, "--json", "--timeout", "10", *words]) == 0
    answer = json.loads(capsys.readouterr().out)
    result = ROBOT.ik_all(T, timeout=10.0, **options)
    found = np.array([each["q"] for each in answer["solutions"]])
    assert found == pytest.approx(result.solutions, abs=1e-5)       # rpy is rounded


@pytest.mark.parametrize(("words", "many"), [([], False), (["--axis", "z"], True), (["--weights", *"111110"], True),
                                             (["--weights", *"111001", "--axis", "z"], None)])
def test_it_is_told_when_there_are_infinitely_many(words, many, capsys):
    assert main(["ik", "kawasaki_fs20n", *POSE, "--timeout", "10", *words]) == (2 if many is None else 0)
    assert ("of infinitely many" in capsys.readouterr().out) == bool(many)


@pytest.mark.parametrize(("words", "told"), [
    (["--axis", "w"], "axis is 'w'"), (["--axis", "0", "b", "1"], "axis must be 3 finite numbers"),
    (["--posture", "0.1", "0.2"], "posture must be 6"), (["--tolerance", "1", "2", "3"], "a finite number")])
def test_words_that_should_be_numbers_are_refused_in_one_line(words, told, capsys):
    assert main(["ik", "kawasaki_fs20n", *POSE, *words]) == 2
    assert told in capsys.readouterr().err


def test_position_alone_and_pointing(capsys):
    assert main(["ik", "panda_like_nothing", "--xyz", "0", "0", "0"]) == 2
    assert main(["ik", "arm_7r", "--xyz", "0.3", "0.2", "0.5", "--timeout", "10"]) == 0
    assert "numeric" in capsys.readouterr().out
    assert main(["ik", "arm_7r", "--xyz", "0.3", "0.2", "0.5", "--rpy", "3.1", "0", "0", "--axis", "z",
                 "--timeout", "10"]) == 0
    assert capsys.readouterr().out.startswith("arm_7r to flange: ")
    assert main(["ik", "anthropomorphic", "--xyz", "0.4", "0.3", "0.5", "--rpy", "1", "2", "3"]) == 1
    assert main(["ik", "ur5_like", "--xyz", "0.4", "0.2", "0.3", "--rpy", "3", "0", "0", "--axis", "z", "--json"]) == 0
    answer, robot = json.loads(capsys.readouterr().out.partition("\n")[2]), load("ur5_like")
    turned = [robot.fk(solution["q"])[:3, :3] for solution in answer["solutions"]]
    assert max(abs(R[:, 2] - [0.0, -np.sin(3.0), np.cos(3.0)]).max() for R in turned) < 2e-6
    assert max(abs(R[:, 0] - turned[0][:, 0]).max() for R in turned) > 0.1       # and are turned about it


def test_the_margin_is_that_of_the_joints_that_move_the_frame(capsys, tmp_path):
    gripper = """
  - name: finger
    parent: link_7
    joint: {name: grip, type: prismatic, limits: {lower: 0.0, upper: 0.04}}
    inertia: {mass: 0.1, com: [0, 0, 0], tensor: {xx: 1.0e-4, yy: 1.0e-4, zz: 1.0e-4}}
"""
    text = (Path(__file__).parents[2] / "config/robots/arm_7r.yaml").read_text()
    file = tmp_path / "with_gripper.yaml"
    file.write_text(text.replace("\nframes:", f"{gripper}frames:"))
    assert main(["ik", str(file), "--xyz", "0.3", "0.2", "0.5", "--rpy", "3.1", "0", "0", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["joints"][-1] == "grip" and answer["solutions"][0]["q"][-1] == 0.0
    for solution in answer["solutions"]:
        assert solution["margin"] > 0.0
        assert list(solution["margins"]) == answer["joints"][:-1]


def test_a_floating_base_has_no_margin(capsys):
    assert main(["ik", "arm_6r", "--floating-base", "--xyz", "0.3", "0.2", "0.5", "--timeout", "10", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert list(answer["solutions"][0]["margins"]) == answer["joints"]


def test_numbers_are_taken_as_python_prints_them(capsys):
    assert main(["ik", "cartesian", "--json", "--xyz", "-1e-05", "-.2", "-2.5E-1"]) == 1
    exact = json.loads(capsys.readouterr().out)
    assert main(["ik", "cartesian", "--json", "--xyz", "-0.00001", "-0.2", "-0.25"]) == 1
    assert json.loads(capsys.readouterr().out)["violations"] == exact["violations"]
    for wrong in ("-e3", "-x"):
        with pytest.raises(SystemExit, match="2"):
            main(["ik", "cartesian", "--xyz", "0", "0", wrong])


@pytest.mark.parametrize(("quaternion", "told"), [("0 0 0 0", "has length 0"), ("nan 0 0 1", "four finite numbers"),
                                                  ("0 0 1e999 0", "is 0.0 0.0 inf 0.0")])
def test_a_quaternion_that_says_no_orientation_is_refused_in_words(capsys, quaternion, told):
    assert main(["ik", "kawasaki_fs20n", "--xyz", "0.5", "0.3", "-0.6", "--quaternion", *quaternion.split()]) == 2
    error = capsys.readouterr().err
    assert "--quaternion" in error and told in error


def test_what_needs_an_orientation_says_so(capsys):
    for option in (["--arm-angle", "1"], ["--axis", "z"]):
        assert main(["ik", "ur5_like", "--xyz", "0.4", "0.2", "0.3", *option]) == 2
        assert f"{option[0]} needs --rpy" in capsys.readouterr().err


def test_a_closed_form_for_whole_poses_asks_for_an_orientation(capsys):
    assert main(["ik", "kawasaki_fs20n", "--xyz", "0.5", "0.3", "-0.6", "--method", "closed_form"]) == 2
    assert "give --rpy or --quaternion" in capsys.readouterr().err


def test_every_number_of_q_has_a_name(capsys):
    assert main(["ik", "quadruped", "--xyz", "0.2", "0.1", "-0.2", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    names = ["x", "y", "z", "qx", "qy", "qz", "qw", *told["joints"]]
    assert told["coordinates"] == names and len(told["q"]) == len(names)
    assert main(["ik", "kawasaki_fs20n", "--xyz", "0.5", "0.3", "-0.6", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["coordinates"] == told["joints"]


def test_a_robot_without_joints_has_a_table_too(capsys, tmp_path):
    file = tmp_path / "still.urdf"
    file.write_text('<robot name="still"><link name="a"/></robot>')
    assert main(["ik", str(file), "--xyz", "0", "0", "0"]) == 0
    assert "1 solution, numeric" in capsys.readouterr().out


KINDS = {"kawasaki_fs20n": {"tool": "spherical wrist"}, "arm_6r": {"flange": "spherical wrist"},
         "ur5_like": {"tool0": "three parallel axes"}, "arm_7r": {"flange": "spherical shoulder and wrist"},
         **{name: {"gripper": f"three-axis arm, {name}"}
            for name in ("anthropomorphic", "cartesian", "cylindrical", "spherical")},
         "planar_2r": {"tool": None}, "tree_6": {"body_3": None, "body_5": None, "body_6": None}}


@pytest.mark.parametrize("name", KINDS)
def test_info_says_which_class_was_found(name, capsys):
    assert main(["info", name, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["closed_form"] == KINDS[name]
    assert main(["info", name]) == 0
    told = [line for line in capsys.readouterr().out.splitlines() if line.startswith("inverse kinematics to ")]
    assert told == [f"inverse kinematics to {tip}: " + (f"closed form ({kind})" if kind else "numeric")
                    for tip, kind in KINDS[name].items()]
