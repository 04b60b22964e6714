"""How far frames can be at most: spheres about the first joint that moves them, whatever the angles are."""
from math import dist

import numpy as np

from ..spatial import quaternion_matrix

RADIAN = 1e-3, 1e3  # [m] the least and the most that a radian counts
ENDLESS = 1e6       # [rad, m] a joint that turns or slides and whose limit is further away has none


def sphere(model, name):
    """(x, y, z, radius) in the base [m]: the frame cannot leave it; of one that no joint moves, its place."""
    frame = model.frame(name)
    path = _path(model, frame)
    if model.floating_base and frame.body == 0:
        return 0.0, 0.0, 0.0, np.inf
    return (*model.bodies[path[0]].p, sum(_lengths(model, frame))) if path else (*frame.p, 0.0)


def spheres(reach, base):
    """[(centre, radius)] of spheres (k, 4) in a base at rest, or at (x y z, quaternion), (7,)."""
    centres = reach[:, :3]
    if len(base):
        centres = centres @ quaternion_matrix(base[3:7]).T + base[:3]
    return list(zip(centres.tolist(), reach[:, 3].tolist(), strict=True))


def beyond(spheres, targets):
    """Per frame the distance [m] by which its target (4, 4) lies outside its sphere; 0 inside."""
    return [max(0.0, dist(place, centre) - radius)          # 0 first: it stays where the other is no number
            for place, (centre, radius) in zip(places_of(targets), spheres, strict=True)]


def places_of(poses):
    """Places [m] of poses (k, 3 or 4, 4) as lists: for a few of them ten times as fast as arrays."""
    return poses.reshape(-1, *poses.shape[-2:])[:, :3, 3].tolist()


def lever(model, name):
    """Half the length of the chain to a frame [m], slides counted up to the length of the links; 1 when it has none."""
    links = sum(_links(model, model.frame(name)))
    slides = sum(length for length in _slides(model, model.frame(name)) if length < ENDLESS)
    return 0.5 * float(links + min(slides, links) if links else slides) or 1.0


def radian(model, names):
    """What a radian counts unless weights are given [m]: a quarter of the links' length, for arms of any size."""
    links = [sum(_links(model, model.frame(name))) for name in names]
    return float(np.clip(0.25 * max(links), *RADIAN))


def _path(model, frame):
    """The bodies, parents first, whose joints move a frame on a base that is held."""
    return [i for i in range(1, frame.body + 1) if model.path[frame.body, i]
            and model.bodies[i].joint.kind != "floating"]


def _links(model, frame):
    """Lengths [m] of the links from the first moving joint to a frame."""
    yield np.linalg.norm(frame.p)
    yield from (np.linalg.norm(model.bodies[i].p) for i in _path(model, frame)[1:])


def _lengths(model, frame):
    """Lengths [m] from the first moving joint to a frame, of links and of slides pulled out."""
    yield from _links(model, frame)
    yield from _slides(model, frame)


def _slides(model, frame):
    """The most [m] that each slide on the way to a frame can be pulled out."""
    for i in _path(model, frame):
        if model.bodies[i].joint.kind == "prismatic":
            ends = np.array([limit[model.v_slice[i]][0] for limit in model.limits[:2]])
            length = np.abs(model.ratio[i] * ends + model.offset[i]).max()
            yield length if length < ENDLESS else np.inf
