"""The model explains what was measured, term by term; what it does not explain is what it does not know."""
import argparse
import sys
from pathlib import Path

import numpy as np
import pytest

import rdyn_ros as rdyn
from rdyn_ros.cli import plot
from rdyn_ros.cli.main import main
from rdyn_ros.recording import Recording, read_recording, rms, torque_terms
from rdyn_ros.recording.chart import chart, sparkline

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "run.csv"


@pytest.fixture(scope="module")
def robot():
    return rdyn.load("arm_7r")


def recording(robot, measured_by):
    rng = np.random.default_rng(3)
    q, qd, qdd = (rng.uniform(-1.0, 1.0, (20, robot.nv)) for _ in range(3))
    effort = measured_by.inverse_dynamics(q, qd, qdd) + measured_by.friction_torque(qd)
    return Recording(robot.joint_names, np.arange(20.0), q, qd, qdd, effort, "here")


def test_terms_add_up_to_what_the_same_robot_needs(robot):
    run = recording(robot, robot)
    terms = torque_terms(robot, run)
    np.testing.assert_allclose(terms.error, 0.0, atol=1e-9)
    M = robot.mass_matrix(run.position)
    np.testing.assert_allclose(terms.inertia, (M @ run.acceleration[..., None])[..., 0], atol=1e-9)
    np.testing.assert_allclose(terms.gravity, robot.gravity_torque(run.position), atol=1e-12)


def test_error_is_the_torque_of_an_unknown_payload(robot):
    loaded = robot.with_payload(1.5, (0.0, 0.02, 0.1))
    run = recording(robot, loaded)
    state = run.position, run.velocity, run.acceleration
    carried = loaded.inverse_dynamics(*state) - robot.inverse_dynamics(*state)
    np.testing.assert_allclose(torque_terms(robot, run).error, carried, atol=1e-9)


def test_rms_of_a_sine_is_its_amplitude_over_root_two():
    wave = 3.0 * np.sin(np.linspace(0.0, 2.0 * np.pi, 1000, endpoint=False))
    np.testing.assert_allclose(rms(np.column_stack([wave, 0 * wave])), [3.0 / np.sqrt(2.0), 0.0], atol=1e-12)


def test_a_recording_of_another_robot_is_refused(robot):
    with pytest.raises(rdyn.RdynError, match="planar_2r has"):
        torque_terms(rdyn.load("planar_2r"), recording(robot, robot))


def test_sparkline_rises_with_its_values_and_leaves_gaps():
    assert sparkline(np.arange(8.0), 0.0, 7.0) == "▁▂▃▄▅▆▇█"
    assert sparkline(np.full(3, np.nan), np.nan, np.nan) == "   "
    assert sparkline(np.zeros(4), 0.0, 0.0) == "▁▁▁▁"


def test_example_is_what_its_tool_writes(robot):
    sys.path.insert(0, str(EXAMPLE.parents[1] / "tools"))
    try:
        import example_run
    finally:
        sys.path.pop(0)
    written = [line.split(",") for line in EXAMPLE.read_text().splitlines()]
    made = list(example_run.rows())
    assert written[0] == made[0]
    np.testing.assert_allclose(np.array(written[1:], float), np.array(made[1:], float), atol=1e-4, rtol=1e-4)
    error = rms(torque_terms(robot, read_recording(EXAMPLE, robot.joint_names)).error)
    assert error[3] > 1.0, "half a kilogram more is felt at the elbow"
    assert error[6] < 0.2, "and not about the axis that it lies on"


def run(*words):
    parser = argparse.ArgumentParser()
    plot.add_arguments(parser)
    plot.run(parser.parse_args(words))


def test_plot_writes_table_and_picture(tmp_path, capsys):
    run(str(EXAMPLE), "--robot", "arm_7r", "--png", str(tmp_path / "run.png"))
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "arm_7r: 400 samples in 3.99 s; RMS in N m"
    terms = ["gravity", "coriolis", "inertia", "friction"]
    assert lines[1].split() == ["joint", "measured", "model", *terms, "error", "measured", "model"]
    assert [line.split()[0] for line in lines[2:9]] == [f"joint_{k}" for k in range(1, 8)]
    assert lines[9] == f"picture: {tmp_path / 'run.png'}"
    assert (tmp_path / "run.png").read_bytes().startswith(b"\x89PNG")


def test_the_picture_has_a_panel_a_joint_with_every_curve_and_the_rms_error(robot):
    taken = recording(robot, robot.with_payload(1.5, (0.0, 0.02, 0.1)))
    terms = torque_terms(robot, taken)
    figure = chart(taken, terms, "arm_7r, run.csv", ["N m", "N", *["N m"] * 5])
    curves = ["measured", "model", "gravity", "coriolis", "inertia", "friction"]
    assert figure.get_suptitle() == "arm_7r, run.csv" and len(figure.axes) == robot.nv
    assert [text.get_text() for text in figure.legends[0].get_texts()] == curves
    assert figure.axes[-1].get_xlabel() == "time [s]"
    for k, axes in enumerate(figure.axes):
        error = np.sqrt(np.mean((terms.measured[:, k] - terms.model[:, k]) ** 2))
        assert axes.get_title(loc="left") == f"{robot.joint_names[k]}: RMS error {error:.3g}"
        assert axes.get_ylabel() == ("N" if k == 1 else "N m")
        drawn = {line.get_label(): line.get_data() for line in axes.lines}
        assert list(drawn) == curves
        for name, (time, torque) in drawn.items():
            np.testing.assert_array_equal(time, taken.time)
            np.testing.assert_array_equal(torque, getattr(terms, name)[:, k])


def test_without_efforts_the_terms_are_still_shown(robot, tmp_path):
    lines = [line.split(",")[:15] for line in EXAMPLE.read_text().splitlines()[:40]]
    (tmp_path / "run.csv").write_text("\n".join(",".join(line) for line in lines))
    terms = torque_terms(robot, read_recording(tmp_path / "run.csv", robot.joint_names))
    row = list(plot.table(robot.joint_names, terms))[2].split()
    assert row[1] == "nan" and float(row[3]) > 1.0


@pytest.mark.parametrize(("words", "told"), [
    (["none.csv", "--robot", "arm_7r"], "none.csv does not exist"),
    ([str(EXAMPLE), "--robot", "planar_2r"], "no positions of shoulder, elbow; recorded joints: joint_1"),
    ([str(EXAMPLE), "--robot", "none"], "no shipped robot of that name"),
    ([str(EXAMPLE), "--robot", "arm_7r", "--png", "/none/run.png"], "/none/run.png cannot be written"),
])
def test_what_cannot_be_plotted_is_refused_in_one_line(capsys, words, told):
    assert main(["plot", *words]) == 2
    said = capsys.readouterr().err
    assert told in said and said.count("\n") == 1
