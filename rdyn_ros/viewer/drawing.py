"""A robot in the 3D scene: one movable node per body, its shapes below it."""
from ..algorithms.kinematics import body_poses
from ..spatial import matrix_quaternion
from .shapes import ORANGE, from_z, reach

COM, AXIS = (220, 40, 60), (30, 110, 230)
WIDER = 1.05            # ghost / robot, so that no two surfaces fall together
DENSITY = 2000.0        # [kg/m³] of the balls that stand for masses


def wxyz(R):
    """Quaternion of a rotation in viser's order."""
    x, y, z, w = matrix_quaternion(R)
    return (w, x, y, z)


class Drawing:
    """Shapes of a robot under the scene node `root`; `opacity` below 1 makes a ghost of one colour."""

    def __init__(self, scene, root, model, shapes, opacity=1.0):
        self._scene, self._model, self._ghost = scene, model, opacity < 1.0
        self._root = scene.add_frame(root, show_axes=False)
        self._bodies = [scene.add_frame(f"{root}/{i}", show_axes=False) for i in range(model.n + 1)]
        for k, shape in enumerate(shapes):
            self._add(f"{root}/{shape.body}/{k}", shape, opacity)

    def move(self, q):
        """Puts every body where the positions q (nq,) have it."""
        for node, pose in zip(self._bodies, body_poses(self._model, q), strict=True):
            node.position, node.wxyz = pose.p, wxyz(pose.R)

    @property
    def visible(self):
        """Whether it is shown."""
        return self._root.visible

    @visible.setter
    def visible(self, shown):
        self._root.visible = shown

    def _add(self, name, shape, opacity):
        place = {"position": shape.p, "wxyz": wxyz(shape.R)}
        ghost = {"color": ORANGE, "opacity": opacity, "cast_shadow": False}
        look = ghost if self._ghost else {"color": shape.colour}
        size = tuple((WIDER if self._ghost else 1.0) * length for length in shape.size)
        if shape.kind == "box":
            self._scene.add_box(name, dimensions=size, **look, **place)
        elif shape.kind == "sphere":
            self._scene.add_icosphere(name, radius=size[0], **look, **place)
        elif shape.kind == "cylinder":
            self._scene.add_cylinder(name, *size, **look, **place)
        else:
            self._scene.add_mesh_trimesh(name, shape.mesh, scale=size, **place)


def add_coms(scene, root, model):
    """Balls at the centres of mass, as heavy as they look; returned as handles."""
    handles = []
    for i, body in enumerate(model.bodies):
        if body.mass > 0.0:
            radius = (3.0 * body.mass / (4.0 * 3.1416 * DENSITY)) ** (1.0 / 3.0)
            handles.append(scene.add_icosphere(f"{root}/{i}/com", radius=radius, color=COM, position=body.com,
                                               opacity=0.7, visible=False))
    return handles


def add_axes(scene, root, model):
    """Thin rods along the joints' axes with the joints' names; returned as handles."""
    handles, length = [], 0.25 * reach(model)
    for i, body in enumerate(model.bodies):
        if i and body.joint.kind != "floating":
            R = wxyz(from_z(body.joint.axis))
            handles.append(scene.add_cylinder(f"{root}/{i}/axis", 0.02 * length, length, color=AXIS, wxyz=R,
                                              visible=False))
            handles.append(scene.add_label(f"{root}/{i}/name", body.joint.name,
                                           position=body.joint.axis * length / 2, visible=False))
    return handles
