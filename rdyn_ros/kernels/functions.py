"""The public functions that have kernels: which algorithm answers, from which vectors, with which units."""
from collections.abc import Callable
from typing import NamedTuple

from .. import algorithms as alg

STATE = {"q": "rad or m", "qd": "rad/s or m/s", "qdd": "rad/s² or m/s²", "tau": "N m or N"}


class Function(NamedTuple):
    """algorithm(model, *inputs, *options) answers; `frame` and `axes` are the options some take."""

    algorithm: Callable
    inputs: tuple[str, ...]
    outputs: tuple[tuple[str, str], ...]        # name and unit of each result
    options: tuple[str, ...] = ()

    def defaults(self, model, frame=None):
        """Values of the options when the caller says nothing, but perhaps of a frame."""
        values = {"frame": frame or (model.tips[0] if model.tips else None), "axes": "base"}
        return tuple(values[name] for name in self.options)


def _function(algorithm, inputs, outputs, options=""):
    pairs = tuple(tuple(part.split(":")) for part in outputs.split(", "))
    return Function(algorithm, tuple(inputs.split()), pairs, tuple(options.split()))


FUNCTIONS = {
    "fk": _function(alg.frame_pose, "q", "pose:1 and m", "frame"),
    "fk_all": _function(alg.frame_poses, "q", "poses:1 and m"),
    "velocity": _function(alg.frame_velocity, "q qd", "velocity:m/s and rad/s", "frame axes"),
    "acceleration": _function(
        alg.frame_acceleration, "q qd qdd", "acceleration:m/s² and rad/s²", "frame axes"),
    "jacobian": _function(alg.jacobian, "q", "jacobian:m and 1", "frame axes"),
    "jacobian_dot": _function(alg.jacobian_dot, "q qd", "jacobian_dot:m/s and 1/s", "frame axes"),
    "inverse_dynamics": _function(alg.rnea, "q qd qdd", "tau:N m or N"),
    "forward_dynamics": _function(alg.forward_dynamics, "q qd tau", "qdd:rad/s² or m/s²"),
    "mass_matrix": _function(alg.crba, "q", "mass_matrix:kg m² and kg m and kg"),
    "coriolis_matrix": _function(alg.coriolis_matrix, "q qd", "coriolis_matrix:kg m²/s"),
    "christoffel": _function(alg.christoffel, "q", "christoffel:kg m²"),
    "gravity_torque": _function(alg.gravity_torque, "q", "gravity:N m or N"),
    "coriolis_torque": _function(alg.coriolis_torque, "q qd", "coriolis:N m or N"),
    "friction_torque": _function(alg.friction_torque, "qd", "friction:N m or N"),
    "inverse_dynamics_derivatives": _function(
        alg.rnea_derivatives, "q qd qdd", "dtau_dq:N m/rad, dtau_dqd:N m s/rad, dtau_dqdd:kg m²"),
    "forward_dynamics_derivatives": _function(
        alg.forward_dynamics_derivatives, "q qd tau", "dqdd_dq:1/s², dqdd_dqd:1/s, dqdd_dtau:1/(kg m²)"),
    "regressor": _function(alg.regressor, "q qd qdd", "regressor:m²/s² and m/s² and 1/s²"),
    "com": _function(alg.center_of_mass, "q", "com:m"),
    "com_jacobian": _function(alg.com_jacobian, "q", "com_jacobian:m"),
    "centroidal_matrix": _function(alg.centroidal_matrix, "q", "centroidal_matrix:kg m and kg m²"),
}
