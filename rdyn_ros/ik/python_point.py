"""Where a configuration stands: errors of all tips, weighted, with their Jacobian."""
import numpy as np

from .rotation_error import pointing_vector, rotation_vector


class Point:
    """A configuration with its errors e (m,), weighted Jacobian and cost E = ½|w e|²."""

    def __init__(self, solver, targets, q):
        poses, jacobians = solver.kinematics(q)
        self.q, self.position, self.rotation, errors, rows = q, 0.0, 0.0, [], []
        for T, X, J, w, axis in zip(targets, poses, jacobians, solver.weight, solver.axis, strict=True):
            if axis.any():
                along = X[:, :3] @ axis
                turn = pointing_vector(along, T[:3, :3] @ axis)
                J = np.vstack([J[:3], J[3:] - np.outer(along, along @ J[3:])])
            else:
                turn = rotation_vector(T[:3, :3] @ X[:, :3].T) if w[3:].any() else np.zeros(3)
            e = np.concatenate([T[:3, 3] - X[:, 3], turn])
            self.position = max(self.position, np.linalg.norm(e[:3][w[:3] > 0.0]))
            self.rotation = max(self.rotation, np.linalg.norm(e[3:][w[3:] > 0.0]))
            errors.append((w * e)[w > 0.0])
            rows.append((w[:, None] * J)[w > 0.0])
        self.e, self.J = np.concatenate(errors), np.vstack(rows)
        self.E = 0.5 * self.e @ self.e
