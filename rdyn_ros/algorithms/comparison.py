"""The same quantities by every formulation of the sources."""
import numpy as np

from . import block_jacobians, covariant, newton_euler
from .aba import aba
from .coriolis import coriolis_matrix
from .crba import crba
from .forward_dynamics import forward_dynamics_by_mass_matrix
from .reactions import joint_reactions
from .regressor import inertial_parameters, regressor
from .rnea import rnea
from .terms import coriolis_torque, gravity_torque


def by_every_formulation(model, q, qd, qdd):
    """{quantity: {formulation: value}}; the first formulation of each quantity is the one that is compiled."""
    tau = rnea(model, q, qd, qdd)
    A, b = block_jacobians.equations_of_motion(model, q, qd)
    A_link, b_link = block_jacobians.equations_of_motion(model, q, qd, axes="link")
    a, gamma = covariant.metric_and_christoffel(model, q)
    products = a @ (covariant.coordinate_acceleration(model, qd, qdd) - qdd)    # zero for a fixed base
    load = block_jacobians.gravity_load(model, q)
    force, moment, _ = newton_euler.link_loads(model, q, qd, qdd)
    result = {
        "inverse dynamics": {
            "rnea": tau, "block Jacobians, base axes": A @ qdd + b - load,
            "block Jacobians, link axes": A_link @ qdd + b_link - load,
            "covariant": covariant.inverse_dynamics(model, q, qd, qdd),
            "vector Newton-Euler": newton_euler.inverse_dynamics(model, q, qd, qdd),
            "regressor": regressor(model, q, qd, qdd) @ inertial_parameters(model) + model.armature * qdd},
        "mass matrix": {
            "crba": crba(model, q), "block Jacobians, base axes": A, "block Jacobians, link axes": A_link,
            "covariant": a},
        "Coriolis torque": {
            "rnea": coriolis_torque(model, q, qd), "Coriolis matrix": coriolis_matrix(model, q, qd) @ qd,
            "block Jacobians, base axes": b, "block Jacobians, link axes": b_link,
            "covariant": qd @ (qd @ gamma) + products},
        "gravity torque": {
            "rnea": gravity_torque(model, q), "block Jacobians, base axes": -load,
            "covariant": -covariant.weights(model, q)},
        "joint reactions": {
            "rnea": joint_reactions(model, q, qd, qdd),
            "vector Newton-Euler": np.hstack([force[1:], moment[1:]])},
        "forward dynamics": {
            "crba and LᵀDL": forward_dynamics_by_mass_matrix(model, q, qd, tau),
            "block Jacobians, base axes": block_jacobians.forward_dynamics(model, q, qd, tau),
            "block Jacobians, link axes": block_jacobians.forward_dynamics(model, q, qd, tau, axes="link")},
    }
    if not model.has_mimic:
        result["forward dynamics"]["articulated bodies"] = aba(model, q, qd, tau)
    return result


def difference(value, reference):
    """Largest difference relative to the largest entry of the reference, which counts as at least 1e-6."""
    size = abs(np.asarray(reference)).max(initial=1e-6)
    return float(abs(value - reference).max(initial=0.0) / size)
