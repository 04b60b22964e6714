"""`rdyn info`, `check`, `convert`: what they print and how they end."""

import json
import subprocess
import sys

import pytest

from rdyn_ros.cli.main import VERBS, main, parser
from rdyn_ros.model import load_model
from support.broken_robots import URDF


@pytest.fixture
def urdf(tmp_path):
    path = tmp_path / "good.urdf"
    path.write_text(URDF)
    return path


def test_every_verb_of_the_table_can_be_parsed():
    text = parser().format_help()
    assert all(verb in text for verb in VERBS)
    assert "exit codes: 0 done, 1 the answer is no, 2 wrong usage" in text


@pytest.mark.parametrize("words", [["--help"], ["--version"], *([verb, "--help"] for verb in VERBS)])
def test_help_and_version_end_with_0(words, capsys):
    with pytest.raises(SystemExit) as end:
        main(words)
    assert end.value.code == 0
    assert "rdyn" in capsys.readouterr().out


def test_info_tells_the_class_of_the_arm_to_every_tip_or_to_a_frame(capsys):
    main(["info", "ur5_like"])
    assert "inverse kinematics to tool0: closed form (three parallel axes)" in capsys.readouterr().out
    link = load_model("ur5_like").link_names[3]
    main(["info", "ur5_like", "--frame", link])
    out = capsys.readouterr().out
    assert f"inverse kinematics to {link}: " in out and "tool0: closed" not in out
    main(["info", "ur5_like", "--frame", link, "--json"])
    assert [*json.loads(capsys.readouterr().out)["closed_form"]] == [link]
    assert main(["info", "ur5_like", "--frame", "tool"]) == 2
    assert "near names: tool0" in capsys.readouterr().err


def test_convert_gives_arguments_to_xacro(tmp_path, capsys):
    path = tmp_path / "arm.xacro"
    macro = '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" '
    path.write_text(URDF.replace("<robot ", macro).replace('"good"', '"$(arg prefix)arm"'))
    assert main(["convert", str(path), "prefix:=left_", "--to", "yaml"]) == 0
    assert load_model(capsys.readouterr().out).name == "left_arm"
    assert main(["convert", str(path), "--to", "yaml", "prefix:=right_"]) == 0
    assert load_model(capsys.readouterr().out).name == "right_arm"
    assert main(["convert", str(path), "--to", "yaml"]) == 2
    assert "prefix" in capsys.readouterr().err


@pytest.mark.parametrize("words", [[], ["nonsense"], ["info"], ["check", "arm_6r", "--unknown"]])
def test_wrong_usage_ends_with_2(words, capsys):
    with pytest.raises(SystemExit) as end:
        main(words)
    assert end.value.code == 2
    assert "--help tells more" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        ["info", "nonsense"],
        ["check", "nonsense"],
        ["convert", "nonsense", "--to", "urdf"],
        ["info", "arm_6r", "word"],
        ["convert", "arm_6r"],
        ["info", "arm_6r", "a:=b"],
    ],
)
def test_a_refusal_is_one_line_and_2(words, capsys):
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("rdyn: ")
    assert err.count("\n") == 1


@pytest.mark.parametrize(("path", "said"), [
    ("/tmp", "'/tmp' is a folder; name a file in it: .urdf, .xacro or .yaml"),
    ("/dev/null", "'/dev/null' is no regular file; save it as one: .urdf, .xacro or .yaml"),
    ("/proc/self/mem", "/proc/self/mem: cannot be read: Input/output error")])
def test_what_is_there_but_cannot_be_read_is_told_as_it_is(path, said, capsys):
    assert main(["info", path]) == 2
    assert capsys.readouterr() == ("", f"rdyn: {said}\n")


def test_info_draws_the_tree(capsys):
    assert main(["info", "tree_6"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "tree_6: 6 joints, nq = 6, nv = 6, 11.8 kg"
    assert lines[2:6] == [
        "base",
        "└─ body_1  4 kg  <- joint_1 (revolute) -3 .. 3 rad, 5 rad/s, 80 N m",
        "   ├─ body_2  2.5 kg  <- joint_2 (revolute) -2.5 .. 2.5 rad, 5 rad/s, 60 N m",
        "   │  └─ body_3  1.5 kg  <- joint_3 (prismatic) -0.3 .. 0.3 m, 1 m/s, 200 N",
    ]


def test_info_names_frames_followers_and_the_floating_base(urdf, capsys):
    main(["info", "quadruped"])
    assert "frames: front_left_foot" in capsys.readouterr().out
    main(["info", str(urdf)])
    assert "k (prismatic) 0 .. 1 m, 3 m/s, 4 N, = 2 · j + 0.5" in capsys.readouterr().out
    main(["info", str(urdf), "--json"])
    assert json.loads(capsys.readouterr().out)["joints"] == ["j"]


def test_check_passes_a_good_robot_and_fails_a_bad_one(urdf, capsys):
    assert main(["check", str(urdf)]) == 0
    assert capsys.readouterr().out == "good.urdf: passed (0 errors, 0 warnings)\n"
    urdf.write_text(URDF.replace('lower="-1"', 'lower="3"'))
    assert main(["check", str(urdf)]) == 1
    assert capsys.readouterr().out == (
        "error: good.urdf:16: joint 'j': limits are reversed: lower 3 is above upper 2 [limits-reversed]\n"
        "good.urdf: FAILED (1 error, 0 warnings)\n")


def test_check_fails_on_warnings_only_when_strict(urdf):
    urdf.write_text(URDF.replace('effort="4"', 'effort="0"'))
    assert main(["check", str(urdf)]) == 0
    assert main(["check", str(urdf), "--strict"]) == 1


def test_check_speaks_json(urdf, capsys):
    urdf.write_text(URDF.replace('effort="4"', 'effort="0"', 1))
    assert main(["check", str(urdf), "--strict", "--json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert answer == {
        "robot": "good.urdf",
        "passed": False,
        "strict": True,
        "findings": [
            {
                "severity": "warning",
                "code": "limits-zero",
                "place": "good.urdf:16: joint 'j'",
                "message": "effort limit 0: it cannot be driven",
            }
        ],
    }


def test_check_reads_broken_files_without_a_traceback(urdf, capsys):
    for text in ("<robot", "<a/>", URDF[:300]):
        urdf.write_text(text)
        assert main(["check", str(urdf)]) == 1
        assert "error: good.urdf:" in capsys.readouterr().out


def test_convert_there_and_back_by_files(urdf, tmp_path, capsys):
    yaml, back = tmp_path / "good.yaml", tmp_path / "back.urdf"
    assert main(["convert", str(urdf), "-o", str(yaml)]) == 0
    assert main(["convert", str(yaml), "-o", str(back)]) == 0
    assert load_model(back).joint_names == load_model(urdf).joint_names
    assert main(["convert", str(yaml), "-o", str(back)]) == 2
    assert "give --force" in capsys.readouterr().err
    assert main(["convert", str(yaml), "-o", str(back), "--force"]) == 0


def test_convert_to_the_terminal(capsys):
    assert main(["convert", "planar_2r", "--to", "urdf"]) == 0
    assert load_model(capsys.readouterr().out).joint_names == ("shoulder", "elbow")


def test_the_command_ends_quietly_when_nobody_reads_on():
    script = f"{sys.executable} -m rdyn_ros.cli.main info quadruped | head -n 1"
    end = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=110, check=True)
    assert end.stdout.startswith("quadruped:")
    assert "Traceback" not in end.stderr
