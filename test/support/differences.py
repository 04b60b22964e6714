"""One way to differentiate numerically: central differences on the tangent of a robot's configuration."""
import numpy as np

from rdyn_ros.spatial import quaternion_matrix


def position_rate(model, q, qd):
    """dq/dt (nq,) of a motion qd: a floating base turns its quaternion by half of q · ω."""
    if not model.floating_base:
        return qd
    (x, y, z, w), (a, b, c) = q[3:7], qd[3:6]
    turning = 0.5 * np.array([w * a + y * c - z * b, w * b + z * a - x * c, w * c + x * b - y * a,
                              -x * a - y * b - z * c])
    return np.concatenate([quaternion_matrix(q[3:7]) @ qd[:3], turning, qd[6:]])


def difference(function, n, step=1e-5):
    """d function(delta) / d delta at 0, last axis = the n components of delta (central, error O(step⁴))."""
    def slope(unit, h):
        return (function(h * unit) - function(-h * unit)) / (2.0 * h)
    return np.stack([(4.0 * slope(u, step) - slope(u, 2.0 * step)) / 3.0 for u in np.eye(n)], axis=-1)


def complex_step(function, x, step=1e-200):
    """d function / dx, exact to rounding, for functions analytic in x: Im f(x + i h) / h."""
    return np.stack([np.imag(function(x + 1j * step * u)) / step for u in np.eye(len(x))], axis=-1)
