"""What is drawn: shapes of the robot, torque bars, states, plots, without a browser."""
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import rdyn_ros as rdyn

pytest.importorskip("viser", reason="the viewer's packages are not installed")
from rdyn_ros.viewer import View
from rdyn_ros.viewer.bars import HALF, MIDDLE, torque_bars
from rdyn_ros.viewer.history import History
from rdyn_ros.viewer.shapes import from_z, primitives, reach
from rdyn_ros.viewer.state_list import COLOURS, Status, state_list
from rdyn_ros.viewer.visuals import mesh_path, visuals

URDF = """<robot name="r">
  <material name="blue"><color rgba="0 0 1 1"/></material>
  <link name="base">
    <visual><geometry><box size="0.1 0.2 0.3"/></geometry><material name="blue"/></visual></link>
  <link name="arm">
    <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><origin xyz="0 0 0.5" rpy="0 1.5707963 0"/>
      <geometry><cylinder radius="0.1" length="1"/></geometry></visual>
    <visual><geometry><mesh filename="{mesh}" scale="2 2 2"/></geometry></visual></link>
  <link name="tool"><visual><geometry><sphere radius="0.05"/></geometry></visual></link>
  <joint name="turn" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint>
  <joint name="flange" type="fixed"><parent link="arm"/><child link="tool"/><origin xyz="0 0 1"/></joint>
</robot>"""
TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\nf 1 3 4\nf 2 3 4\n"


@pytest.mark.parametrize("name", ["planar_2r", "arm_7r", "cartesian", "tree_6", "quadruped", "walker"])
def test_every_body_of_every_robot_has_a_finite_shape(name):
    model = rdyn.load(name).model
    shapes = primitives(model)
    assert {shape.body for shape in shapes} == set(range(model.n + 1))
    for shape in shapes:
        assert np.isfinite(shape.p).all() and min(shape.size) > 0.0
        np.testing.assert_allclose(shape.R @ shape.R.T, np.eye(3), atol=1e-12)


@pytest.mark.parametrize("axis", [(0, 0, 1), (0, 0, -1), (1, 0, 0), (0.3, -0.5, -0.2)])
def test_rods_point_where_they_should(axis):
    np.testing.assert_allclose(from_z(axis)[:, 2], np.array(axis) / np.linalg.norm(axis), atol=1e-12)


def test_reach_is_the_length_of_the_stretched_arm():
    assert reach(rdyn.load("arm_7r").model) == pytest.approx(0.34 + 0.4 + 0.4 + 0.126, abs=1e-6)


def test_urdf_visuals_sit_on_the_body_that_carries_their_link(tmp_path):
    (tmp_path / "part.obj").write_text(TETRAHEDRON)
    path = tmp_path / "r.urdf"
    path.write_text(URDF.format(mesh="part.obj"))
    shapes, missing = visuals(rdyn.load(path).model, str(path))
    assert not missing
    box, rod, mesh, ball = shapes
    assert (box.kind, box.body, box.size, box.colour) == ("box", 0, (0.1, 0.2, 0.3), (0, 0, 255))
    assert (rod.kind, rod.body, rod.size) == ("cylinder", 1, (0.1, 1.0))
    np.testing.assert_allclose(rod.R[:, 2], [1.0, 0.0, 0.0], atol=1e-6)
    assert (mesh.kind, mesh.size, len(mesh.mesh.faces)) == ("mesh", (2.0, 2.0, 2.0), 4)
    assert (ball.kind, ball.body) == ("sphere", 1), "a fixed link is drawn on the body it is merged into"
    np.testing.assert_allclose(ball.p, [0.0, 0.0, 1.0])


def test_meshes_are_shown_when_their_files_are_there(tmp_path):
    (tmp_path / "part.obj").write_text(TETRAHEDRON)
    path = tmp_path / "r.urdf"
    path.write_text(URDF.format(mesh="part.obj"))
    view = View(rdyn.load(path), str(path), port=18110)
    try:
        kinds = {type(handle).__name__ for name, handle in view._server.scene._handle_from_node_name.items()
                 if name.startswith("/robot/1/")}
        assert "GlbHandle" in kinds and not view.missing_meshes
    finally:
        view.close()


@pytest.mark.parametrize("content", [None, "not a mesh", ""], ids=["absent", "damaged", "empty"])
def test_meshes_that_cannot_be_read_are_named_and_left_out(tmp_path, content):
    if content is not None:
        (tmp_path / "part.stl").write_text(content)
    path = tmp_path / "r.urdf"
    path.write_text(URDF.format(mesh="part.stl"))
    shapes, missing = visuals(rdyn.load(path).model, str(path))
    assert missing == ["part.stl"] and len(shapes) == 3


def test_packages_are_found_around_the_file_and_among_the_installed(tmp_path, monkeypatch):
    around, installed = tmp_path / "ws/my_arm/meshes/a.stl", tmp_path / "opt/share/other/meshes/b.stl"
    for file in (around, installed):
        file.parent.mkdir(parents=True)
        file.write_text("solid")
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path / "opt"))
    assert mesh_path("package://my_arm/meshes/a.stl", tmp_path / "ws/my_arm/urdf") == around
    assert mesh_path("package://other/meshes/b.stl", None) == installed
    assert mesh_path(f"file://{installed}", None) == installed
    assert mesh_path("/etc/passwd", None) is None, "only meshes are read"


@pytest.mark.parametrize("name", ["file://ELSEWHERE", "ELSEWHERE", "package://ELSEWHERE",
                                  "package://arm/../../../elsewhere.stl", "package://arm/%2e%2e/../../elsewhere.stl",
                                  "package://arm/" + 5000 * "a" + ".stl", "package://arm/%00.stl"])
def test_a_text_gets_at_nothing_but_what_installed_packages_share(tmp_path, monkeypatch, name):
    (tmp_path / "opt/share/arm").mkdir(parents=True)
    (tmp_path / "elsewhere.stl").write_text("solid")
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path / "opt"))
    assert mesh_path(name.replace("ELSEWHERE", str(tmp_path / "elsewhere.stl")), None) is None


def test_bars_are_as_long_as_their_part_of_the_limit():
    svg = ET.fromstring(torque_bars(["<a>", "b"], [10.0, np.inf], {
        "measured": [5.0, 1.0], "gravity": [-20.0, 2.0], "external": None, "friction": [np.nan, 0.0]}))
    bars = [(float(r.get("x")), float(r.get("width"))) for r in svg.iter("rect")]
    assert bars[:2] == [(MIDDLE, HALF / 2), (MIDDLE - HALF, HALF)], "half the limit; beyond it"
    assert bars[2:] == [(MIDDLE, HALF / 2), (MIDDLE, HALF), (MIDDLE, 0.0)], "scaled by the largest"
    words = [t.text for t in svg.iter("text")]
    assert words == ["■ measured", "■ gravity", "■ friction", "<a>", "±10", "5.0", "b", "no limit", "1.0"]


@pytest.mark.parametrize(("level", "age", "shown"), [
    ("ok", 0.1, "ok"), ("warning", 0.1, "warning"), ("error", 0.1, "error"), ("ok", 7.9, "ok"), ("ok", 8.1, "silent")])
def test_state_shows_the_worst_in_its_colour(level, age, shown):
    page = state_list([Status("dynamics", "ok", "fine", 0.0, 1.0), Status("<sim>", level, "words", age, 5.0)], 3.0)
    assert re.search(rf'class="state" style="color:{COLOURS[shown]}">● {shown}<', page)
    assert "&lt;sim&gt;" in page


def test_state_says_when_nobody_speaks():
    assert "silent" in state_list([], 3.0)


def test_history_keeps_the_last_seconds_and_starts_anew_when_the_clock_goes_back():
    history = History(["a"], span=1.0, step=0.125)
    for t in np.arange(0.0, 3.0, 0.0625):
        history.add(t, [t])
    time, a = history.columns()
    assert len(time) == 8 and time[-1] == 0.0
    assert np.diff(a).tolist() == [0.125] * 7
    history.add(1.0, [7.0])
    assert history.columns()[1].tolist() == [7.0]


def test_history_never_holds_more_than_its_span_and_no_gaps():
    history = History(["a", "b"], span=1.0, step=0.1)
    for t, value in enumerate([1.0, np.nan, 2.0, np.nan]):
        history.add(0.4 * t, [value, np.nan])
    time, a, b = history.columns()
    np.testing.assert_allclose(time, [-0.8, -0.4, 0.0])
    assert (a.tolist(), b.tolist()) == ([2.0, 2.0, 2.0], [0.0, 0.0, 0.0])
