"""The page's scene and panel, driven without a browser: each thing it shows, on request or live."""
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import rdyn_ros as rdyn

pytest.importorskip("viser", reason="the viewer's packages are not installed")
from rdyn_ros.viewer import View


@pytest.fixture
def view():
    view = View(rdyn.load("anthropomorphic"), port=18110)
    yield view
    view.close()


def node(view, name):
    """A node of the scene by its name."""
    return view._server.scene._handle_from_node_name[name]


@pytest.mark.parametrize(("switch", "part"), [
    ("centres of mass", "/robot/2/com"), ("joint axes", "/robot/2/axis"), ("joint axes", "/robot/2/name"),
    ("tool trail", "/trail"), ("tool target", "/target")])
def test_a_switch_shows_and_hides_its_part(view, switch, part):
    handle = view.panel.switches[switch]
    assert node(view, part).visible is handle.value is (switch == "tool trail")
    for on in (True, False, True):
        handle.value = on
        assert node(view, part).visible is on


def test_centres_of_mass_and_axes_are_where_the_model_has_them(view):
    for i, body in list(enumerate(view.robot.model.bodies))[1:]:
        np.testing.assert_allclose(node(view, f"/robot/{i}/com").position, body.com)
        turn = Rotation.from_quat(np.array(node(view, f"/robot/{i}/axis").wxyz), scalar_first=True)
        np.testing.assert_allclose(turn.apply([0.0, 0.0, 1.0]), body.joint.axis, atol=1e-12)
        assert node(view, f"/robot/{i}/name").text == body.joint.name


def test_the_trail_is_the_way_of_the_tool(view):
    way = [[0.1 * k, 0.3, -0.5] for k in range(5)]
    for q in way:
        view.show_positions(q)
    tool = [view.robot.fk(q)[:3, 3] for q in way]
    points = node(view, "/trail").points
    np.testing.assert_allclose(points[:4], np.stack([tool[:-1], tool[1:]], axis=1), atol=1e-6)
    np.testing.assert_allclose(points[4:], np.broadcast_to(tool[-1], points[4:].shape), atol=1e-6)
    assert node(view, "/trail").colors.tolist() == [200, 60, 160]


def test_every_solution_has_a_ghost_in_its_posture(view):
    postures = [[0.3, 0.4, -0.8], [0.3, -0.4, 0.8]]
    view.show_solutions(postures, "some")
    for k, q in enumerate(postures):
        assert node(view, f"/ghost_{k}").visible
        body, tool = node(view, f"/ghost_{k}/3"), view.robot.model.frame("gripper")
        turn = Rotation.from_quat(np.array(body.wxyz), scalar_first=True)
        np.testing.assert_allclose(body.position + turn.as_matrix() @ tool.p, view.robot.fk(q)[:3, 3], atol=1e-9)
    view.show_solutions(postures[:1], "one")
    assert [node(view, f"/ghost_{k}").visible for k in range(2)] == [True, False]


def test_a_moved_target_is_told_with_position_and_orientation():
    told = []
    view = View(rdyn.load("planar_2r"), port=18110, on_target=told.append)
    try:
        view.show_positions([0.3, -0.5])
        view.panel.switches["tool target"].value = True
        view._target_typed((0.4, 0.1, 0.2))
        pose = view.robot.fk([0.3, -0.5])
        pose[:3, 3] = 0.4, 0.1, 0.2
        np.testing.assert_allclose(told[-1], pose, atol=1e-9)
    finally:
        view.close()


def test_sliders_are_hidden_until_the_arm_is_simulated_and_follow_it(view):
    panel = view.panel
    assert not panel._sliders_folder.visible
    panel.show_sliders(True)
    panel.follow([0.1, 0.2, -0.3])
    assert panel._sliders_folder.visible
    assert [slider.value for slider in panel._sliders.values()] == [0.1, 0.2, -0.3]
    for name, slider, lower, upper in zip(view.robot.joint_names, panel._sliders.values(),
                                          view.robot.limits.lower, view.robot.limits.upper, strict=True):
        assert slider.label == name
        assert (slider.min, slider.max) == (lower if np.isfinite(lower) else -3.1416,
                                            upper if np.isfinite(upper) else 3.1416)


def test_a_joint_without_room_has_no_slider():
    robot = rdyn.load("planar_2r")
    bodies = [body if k != 2 else replace(body, joint=replace(body.joint, lower=0.5, upper=0.5))
              for k, body in enumerate(robot.model.bodies)]
    view = View(type(robot)(robot.model.replace(bodies=tuple(bodies))), port=18110)
    try:
        view.panel.follow([0.1, 0.5])
        assert {name: slider.value for name, slider in view.panel._sliders.items()} == {"shoulder": 0.1}
    finally:
        view.close()


def test_plots_show_the_torques_of_the_chosen_joint_and_the_tracking_errors(view):
    panel, names = view.panel, view.robot.joint_names
    for t in (0.0, 1.0):
        panel.show_torques(t, {"measured": np.array([1.0, 2.0, 3.0]) + t, "gravity": np.array([4.0, 5.0, 6.0])})
        panel.show_tracking_error(t, [0.1 * t, 0.2, 0.3])
    panel._joint.value = names[1]
    panel.draw_plots()
    time, measured, gravity, coriolis, *_ = panel._torque_plot.data
    assert (time.tolist(), measured.tolist(), gravity.tolist()) == ([-1.0, 0.0], [2.0, 3.0], [5.0, 5.0])
    assert not coriolis.any()
    labels = [series["label"] for series in panel._torque_plot.series]
    assert labels[1:5] == ["measured", "gravity", "Coriolis", "friction"]
    np.testing.assert_allclose(panel._error_plot.data[1], [0.0, 100.0], err_msg="in mrad")
