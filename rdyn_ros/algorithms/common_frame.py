"""Each branch of the tree seen from one common frame, where composite quantities just add up.

The common frame of a branch is one of its first bodies: numbers stay small wherever the robot stands, and the
motion subspaces around that body stay sparse. Everything is linear first, at that body's origin.
"""
from typing import NamedTuple

import numpy as np

from ..spatial import Transform, cross, cross_motion, skew
from .assemble import assemble
from .joint_kinematics import joint_transforms


class Tree(NamedTuple):
    """Per body, in the common frame: S, Ψ̇, Ψ̈, Ṡ, velocity, acceleration less gravity, Inertia, B, wrench."""

    S: list
    psi1: list
    psi2: list
    S_dot: list
    v: list
    a: list
    I: list
    B: list
    f: list


def common_tree(model, q, qd, qdd, gravity=None):
    """Tree of S = X⁻¹ S_i, Ψ̇ = v_λ × S, Ψ̈ = a_λ × S + v_λ × Ψ̇, Ṡ = v × S, and of motion and force:

    v = v_λ + S qd, a = a_λ + S qdd + Ψ̇ qd, f = I a + B v. (v × S qd = Ψ̇ qd because S qd × S qd = 0; so also
    Ṡ = Ψ̇ for a joint of one degree of freedom.)
    """
    X, rest, none = joint_transforms(model, q), np.zeros(6), np.zeros((6, 0))
    gravity, pose = model.gravity if gravity is None else gravity, common_poses(model, X)
    base = none, none, none, none, rest, rest, model.I[0], Coriolis.of(model.I[0], rest), rest
    tree = Tree(*([value] for value in base))
    for i, p in model.edges:
        s, S, I = model.v_slice[i], model.S[i], model.I[i]
        v_up, a_up = tree.v[p], tree.a[p]
        if p == 0:
            down = X[i].R.T @ gravity
            a_up = np.concatenate([-down if pose[i] is None else -pose[i].R @ down, np.zeros(3)])
        if pose[i] is not None:
            S, I = pose[i].inverse(S), I.in_parent(pose[i])
        psi1 = cross_motion(v_up, S)
        psi2 = cross_motion(a_up, S) + cross_motion(v_up, psi1)
        v, a = v_up + S @ qd[s], a_up + S @ qdd[s] + psi1 @ qd[s]
        S_dot = psi1 if S.shape[1] == 1 else cross_motion(v, S)
        B = Coriolis.of(I, v)
        for column, value in zip(tree, (S, psi1, psi2, S_dot, v, a, I, B, I @ a + B @ v), strict=True):
            column.append(value)
    return tree


def common_poses(model, X):
    """Per body its Transform from the common frame of its branch; None for the body that is the frame.

    That is its second body, with neighbours on both sides; its first where it forks there or floats.
    """
    pose = [None]
    for i, p in model.edges:
        if p == 0:
            start = model.children[i]
            forks = len(start) != 1 or model.bodies[i].joint.kind == "floating"
            pose.append(None if forks else Transform(X[start[0]].R.T, -X[start[0]].R.T @ X[start[0]].p))
        elif model.parent[p] == 0 and pose[p] is not None:
            pose.append(None)
        else:
            pose.append(X[i] if pose[p] is None else pose[p].then(X[i]))
    return pose


class Coriolis:
    """B(v) = Σ m [1; r^] [0, -u^], summed over the particles r of a body with their velocities u = v + w × r.

    B x is the wrench that it takes to turn the momentum of every particle with the angular velocity of x;
    B(v) v = v ×* I v, and Ṁ - 2 C is skew with C built from it. In blocks B = [[0, -p^], [0, W]]:
    p the linear momentum, W = -w^ Σ - h^ v^ with the planar inertia tensor Σ = ½ tr(J) 1 - J of source 003.
    """

    __slots__ = ("W", "p")

    def __init__(self, p, W):
        """p (3,) linear momentum [kg m/s], W (3, 3) [kg m²/s]."""
        self.p, self.W = p, W

    @classmethod
    def of(cls, I, v):
        """B of a body with Inertia I and spatial velocity v (6,), both in one frame."""
        planar = 0.5 * np.trace(I.J) * np.eye(3) - I.J
        return cls(I.m * v[:3] + cross(v[3:], I.h), -skew(v[3:]) @ planar - skew(I.h) @ skew(v[:3]))

    def __add__(self, other):
        """B of two bodies together."""
        return Coriolis(self.p + other.p, self.W + other.W)

    def __matmul__(self, x):
        """B x for a motion x (6,) or (6, k)."""
        return np.concatenate([cross(x[3:], self.p), self.W @ x[3:]])

    def transposed(self, x):
        """Bᵀ x for a motion x (6, k)."""
        return np.concatenate([np.zeros(x[:3].shape), cross(self.p, x[:3]) + self.W.T @ x[3:]])


def subtree_sums(model, values):
    """Per body the sum of `values` over its subtree ν."""
    total = list(values)
    for i, p in reversed(model.edges):
        if p:
            total[p] = total[p] + total[i]
    return total


def joint_torques(model, tree):
    """Sᵀ f (nv,) with f summed over each subtree: the torques of a Tree, rotor inertia not included."""
    f = subtree_sums(model, tree.f)
    blocks = ((model.v_slice[i], slice(None), (tree.S[i].T @ f[i])[:, None]) for i in range(1, model.n + 1))
    return assemble((model.nv, 1), blocks)[:, 0]


def root_paths(model):
    """Per body i the bodies i, λ(i), λ(λ(i)), ... down to the one on the base."""
    paths = [()]
    for i, p in model.edges:
        paths.append((i, *paths[p]))
    return paths
