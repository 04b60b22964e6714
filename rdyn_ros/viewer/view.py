"""The page: 3D scene and panel, told by its owner what to show, asking its owner what the user wants."""
from collections import deque
from contextlib import contextmanager

import numpy as np
import rich
import viser

from ..errors import RdynError
from ..spatial import pose_matrix, quaternion_matrix
from .drawing import Drawing, add_axes, add_coms, wxyz
from .guard import check_address, guarded
from .panel import Panel
from .shapes import primitives, reach
from .visuals import visuals

TRAIL = 400             # points of the tool's path that are kept
GHOSTS = 8              # solutions shown at once
TRAIL_COLOUR = (200, 60, 160)


class View:
    """A web page at `address` with one robot.

    `on_joint(name, position)` is called when the user moves a slider, `on_target(pose (4, 4))` when the
    target of frame `tip` (empty: the robot's tip) is moved. Every show_... method may be called from any thread, as
    often as wished.
    """

    def __init__(self, robot, source="", host="127.0.0.1", port=8080, allowed_hosts=(),
                 on_joint=lambda name, position: None, on_target=lambda pose: None, tip=""):
        self.robot, self.source, self._on_target, self._q = robot, source, on_target, None
        self.tip = robot.model.frame(tip or None).name
        if not robot.joint_names:
            raise RdynError(f"{robot.name} has no joint that moves; give a robot with at least one")
        shown, self.missing_meshes = visuals(robot.model, source) if source else ([], [])
        check_address(host)
        with guarded(tuple(allowed_hosts)), silent():
            self._server = viser.ViserServer(host=host, port=port, label=robot.name, verbose=False)
        self.address = f"http://{'127.0.0.1' if host == '0.0.0.0' else host}:{self._server.get_port()}"
        try:
            self._furnish(shown, on_joint)
        except BaseException:
            self.close()
            raise

    def show_positions(self, q):
        """The robot at positions q (nq,)."""
        self._q = np.array(q, dtype=float)
        with self._server.atomic():
            self._robot.move(self._q)
        tool = self.robot.fk(self._q, self.tip)[:3, 3]
        if not self._trail or np.linalg.norm(tool - self._trail[-1]) > 1e-3 * self._size:
            self._trail.append(tool)
            points = np.array([*self._trail] + [tool] * (TRAIL - len(self._trail)), dtype=np.float32)
            self._trail_line.points = np.stack([points[:-1], points[1:]], axis=1)

    def show_solutions(self, solutions, text):
        """Ghosts at the positions of each solution (nq,), and a sentence about them."""
        self.panel.say_target(text)
        for k in range(len(self._ghosts), min(len(solutions), GHOSTS)):
            scene, model = self._server.scene, self.robot.model
            self._ghosts.append(Drawing(scene, f"/ghost_{k}", model, self._moving, opacity=0.3))
        for k, ghost in enumerate(self._ghosts):
            if k < len(solutions):
                ghost.move(solutions[k])
            ghost.visible = k < len(solutions)

    def close(self):
        """Ends the server."""
        with silent():
            self._server.stop()

    def _furnish(self, shown, on_joint):
        """Scene and panel, with the shapes that the robot's file shows."""
        model, scene = self.robot.model, self._server.scene
        dressed = {shape.body for shape in shown}
        solids = primitives(model)
        self._moving = [solid for solid in solids if solid.body]       # a ghost stands on the robot's base
        shapes = shown + [solid for solid in solids if solid.body not in dressed]
        self._size = reach(model)
        self._set_stage()
        self._robot = Drawing(scene, "/robot", model, shapes)
        coms, axes = add_coms(scene, "/robot", model), add_axes(scene, "/robot", model)
        self._ghosts, self._trail = [], deque(maxlen=TRAIL)
        self._trail_line = scene.add_line_segments("/trail", np.zeros((TRAIL - 1, 2, 3)), TRAIL_COLOUR,
                                                   thickness=0.004 * self._size)
        self._target = scene.add_transform_controls("/target", scale=0.2 * self._size, visible=False,
                                                    depth_test=False)
        self._target.on_update(lambda event: self._target_moved())
        self.panel = Panel(self._server.gui, self.robot, on_joint, {
            "centres of mass": lambda on: _show(coms, on), "joint axes": lambda on: _show(axes, on),
            "tool trail": lambda on: _show([self._trail_line], on), "tool target": self._show_target},
            on=("tool trail",), typed_target=self._target_typed)

    def _set_stage(self):
        d = self._size
        self._server.initial_camera.position = (0.85 * d, -0.85 * d, 0.8 * d)
        self._server.initial_camera.look_at = (0.0, 0.0, 0.35 * d)
        self._server.scene.add_grid("/ground", width=4 * d, height=4 * d, cell_size=0.2 * d, section_size=d)
        self._server.scene.configure_default_lights(cast_shadow=False)     # costly where there is no GPU
        self._server.gui.main_panel.dock_right()
        self._server.gui.configure_theme(control_width="large", show_share_button=False)

    def _show_target(self, on):
        if on and not self._target.visible and self._q is not None:
            self._place_target(self.robot.fk(self._q, self.tip))
        self._target.visible = on
        if not on:
            self.show_solutions([], "")

    def _place_target(self, pose):
        self._target.position, self._target.wxyz = pose[:3, 3], wxyz(pose[:3, :3])
        self.panel.show_target(pose[:3, 3])

    def _target_typed(self, position):
        self._target.position = position
        self._target_moved()

    def _target_moved(self):
        self.panel.show_target(self._target.position)
        w, x, y, z = self._target.wxyz
        self._on_target(pose_matrix(quaternion_matrix((x, y, z, w)), np.array(self._target.position)))


@contextmanager
def silent():
    """While this lasts, what viser prints through rich stays unprinted."""
    console = rich.get_console()
    before, console.quiet = console.quiet, True
    try:
        yield
    finally:
        console.quiet = before


def _show(handles, on):
    for handle in handles:
        handle.visible = on
