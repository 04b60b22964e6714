"""What a URDF says its links look like: boxes, cylinders, spheres, and meshes whose files are there."""
import os
from pathlib import Path
from urllib.parse import unquote

import numpy as np
import trimesh

from ..errors import RdynError
from ..model.findings import Findings
from ..model.source import read_source
from ..model.urdf import UrdfReader
from ..model.xacro_file import expand_xacro
from ..model.xml_text import parse_xml
from .shapes import GREY, Shape

FORMATS = (".stl", ".dae", ".obj", ".ply", ".glb")


def visuals(model, source):
    """(shapes, missing): the visuals of a URDF source, and the mesh files that cannot be read.

    No shapes for a robot that is not a URDF or shows nothing.
    """
    text, where, path = read_source(source)
    if path is not None and path.suffix == ".xacro":
        text = expand_xacro(path, {})
    if not text.lstrip().startswith("<"):
        return [], []
    root = parse_xml(text, Findings(where))
    reader = UrdfReader(Findings(where))
    colours = {m.attributes.get("name"): rgb for m in root.all("material") if (rgb := _rgb(m, {}))}
    folder = path.resolve().parent if path is not None else None
    shapes, missing = [], []
    for link in root.all("link"):
        frame = _frame(model, link.attributes.get("name", ""))
        for visual in link.all("visual") if frame else ():
            place = reader.placement(visual, "visual")
            at = {"R": frame.R @ place.R, "p": frame.p + frame.R @ place.p, "body": frame.body}
            material = visual.first("material")
            at["colour"] = _rgb(material, colours) or GREY
            for solid in (visual.first("geometry") or link).children:
                shape, file = _shape(solid, reader, folder, at)
                shapes += [shape] if shape else []
                missing += [file] if file else []
    return shapes, missing


def mesh_path(name, folder):
    """Path of a mesh in a URDF (`package://`, `file://`, or relative to its folder); None when not there.

    Packages are looked up among the installed ones and among the folders around the robot's file. A text (`folder`
    is None) may come from anybody, so it gets at nothing but what the installed packages share.
    """
    name = unquote(name)
    shares = [Path(os.path.abspath(prefix), "share")
              for prefix in os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep) if prefix]
    if name.startswith("package://"):
        around = [folder, *folder.parents] if folder else []
        candidates = [place / name.removeprefix("package://") for place in (*shares, *around)]
    else:
        candidates = [Path(folder or "/", name.removeprefix("file://"))]
    candidates = [Path(os.path.abspath(c)) for c in candidates]         # no ".." is left
    if folder is None:
        candidates = [c for c in candidates if any(c.is_relative_to(share) for share in shares)]
    return next((c for c in candidates if c.suffix.lower() in FORMATS and os.path.isfile(c)), None)


def _shape(solid, reader, folder, at):
    """(Shape or None, name of a mesh that is not there or None)."""
    if solid.tag == "box":
        return Shape(kind="box", size=tuple(reader.vector(solid, "size", None, 3, "box")), **at), None
    if solid.tag == "sphere":
        return Shape(kind="sphere", size=(reader.number(solid, "radius", None, "sphere"),), **at), None
    if solid.tag in ("cylinder", "capsule"):
        size = tuple(reader.number(solid, key, None, solid.tag) for key in ("radius", "length"))
        return Shape(kind="cylinder", size=size, **at), None
    if solid.tag == "mesh":
        name = solid.attributes.get("filename", "")
        mesh = _load(mesh_path(name, folder))
        scale = tuple(reader.vector(solid, "scale", (1.0, 1.0, 1.0), 3, "mesh"))
        return (Shape(kind="mesh", size=scale, mesh=mesh, **at), None) if mesh is not None else (None, name)
    return None, None


def _load(path):
    """Triangles of a mesh file; None when it is not there or cannot be read."""
    if path is None:
        return None
    try:
        mesh = trimesh.load(path, force="mesh")
    except Exception:       # whatever a broken file makes its reader raise
        return None
    return mesh if len(mesh.faces) and np.isfinite(mesh.vertices).all() else None


def _frame(model, name):
    try:
        return model.frame(name)
    except RdynError:
        return None


def _rgb(material, colours):
    if material is None:
        return None
    colour = material.first("color")
    if colour is None:
        return colours.get(material.attributes.get("name"))
    try:
        r, g, b = np.clip(np.array(colour.attributes.get("rgba", "").split()[:3], dtype=float), 0.0, 1.0)
        return round(255 * r), round(255 * g), round(255 * b)
    except ValueError:
        return None
