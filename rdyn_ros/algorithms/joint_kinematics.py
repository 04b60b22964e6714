"""The transforms of the joints: everything that depends on the positions q enters here."""
import numpy as np

from ..spatial import Transform, quaternion_matrix, skew


def joint_positions(model, q):
    """Per body the position of its joint, θ = ratio q + offset [rad or m]; of a floating joint, all of it."""
    return [q[s] if s.stop - s.start != 1 else (q[s][0] if r == 1.0 and o == 0.0 else r * q[s][0] + o)
            for s, r, o in zip(model.q_slice, model.ratio, model.offset, strict=True)]


def joint_transforms(model, q):
    """Per body the Transform from its parent, X[0] is None.

    Revolute: R = R₀ (aaᵀ + cos θ (1 - aaᵀ) + sin θ a^), p = p₀. Prismatic: R = R₀, p = p₀ + R₀ a θ.
    """
    theta = joint_positions(model, q)
    return [None] + [_transform(body, x) for body, x in zip(model.bodies[1:], theta[1:], strict=True)]


def _transform(body, x):
    kind, a = body.joint.kind, body.joint.axis
    if kind == "floating":
        return Transform(body.R @ quaternion_matrix(x[3:7]), body.p + body.R @ x[:3])
    if kind == "prismatic":
        return Transform(body.R, body.p + body.R @ a * x)
    along = np.outer(a, a)
    turned = np.cos(x) * (body.R @ (np.eye(3) - along)) + np.sin(x) * (body.R @ skew(a))
    return Transform(body.R @ along + turned, body.p)
