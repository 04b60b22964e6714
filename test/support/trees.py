"""Random branched robots with full inertias: the hardest customers of the algorithms."""
import numpy as np

from rdyn_ros.algorithms.sample import random_state
from rdyn_ros.model import Body, Frame, Joint, Mimic, Model
from rdyn_ros.spatial import rodrigues

__all__ = ["random_state", "random_tree"]


class PrintedModel(Model):
    """A model that a failing test prints as its tree."""

    def __repr__(self):
        lines = [f"{self.name}: nq={self.nq} nv={self.nv}"]
        for i, p in self.edges:
            body = self.bodies[i]
            mimic = f" mimics {body.joint.mimic}" if body.joint.mimic else ""
            axis = body.joint.axis.round(3)
            lines.append(f"  {i} <- {p} {body.joint.kind} axis={axis} m={body.mass:.3g}{mimic}")
        return "\n".join(lines)


def random_tree(seed, bodies=12, floating=False, mimics=0, parents=None):
    """A tree of that many moving bodies: random λ, axes, placements, full inertias,
    rotors; some joints slide.
    """
    random = np.random.default_rng(seed)
    parents = parents or [0, *(int(random.integers(int(floating), i)) for i in range(2, bodies + 1))]
    built = [Body("world" if floating else "base", -1)]
    for i, p in enumerate(parents, start=1):
        joint = _joint(random, i, free=floating and i == 1)
        if i > bodies - mimics:
            leader = built[int(random.integers(2 if floating else 1, bodies - mimics + 1))].joint.name
            joint = Joint(joint.name, joint.kind, joint.axis, rotor_inertia=0.01,
                          mimic=Mimic(leader, float(random.uniform(-2, 2)), float(random.uniform(-1, 1))))
        built.append(Body(f"link{i}", p, joint, _rotation(random), random.uniform(-0.5, 0.5, 3),
                          float(random.uniform(0.1, 3.0)), random.uniform(-0.2, 0.2, 3), _tensor(random)))
    frames = [Frame(body.name, i) for i, body in enumerate(built)]
    frames.append(Frame("tool", len(built) - 1, _rotation(random), random.uniform(-0.3, 0.3, 3)))
    name = f"tree(seed={seed}, bodies={bodies}, floating={floating}, mimics={mimics})"
    return PrintedModel(name, tuple(built), tuple(frames), random.uniform(-10, 10, 3), ("tool",))


def _joint(random, i, free):
    kind = "floating" if free else str(random.choice(["revolute", "revolute", "prismatic"]))
    axis = random.normal(size=3)
    rotor = 0.0 if free else float(random.uniform(0.0, 0.05))
    return Joint(f"joint{i}", kind, axis / np.linalg.norm(axis), rotor_inertia=rotor, gear_ratio=2.0,
                 viscous=float(random.uniform(0, 2)), coulomb=float(random.uniform(0, 2)))


def _rotation(random):
    axis = random.normal(size=3)
    return rodrigues(axis / np.linalg.norm(axis), random.uniform(-3, 3))


def _tensor(random):
    """A tensor of a real body: from a random positive planar tensor."""
    spread = random.normal(size=(3, 3)) * 0.1
    planar = spread @ spread.T
    return np.trace(planar) * np.eye(3) - planar
