"""The algorithms do not know what they compute with: CasADi scalars in object arrays go through unchanged."""
import casadi
import numpy as np
import pytest

from rdyn_ros import algorithms as alg
from rdyn_ros.algorithms import block_jacobians, covariant, newton_euler
from support.compare import error
from support.trees import random_state, random_tree


class Scalar:
    """A CasADi scalar that leaves NumPy in charge of arrays."""

    def __init__(self, sx):
        self.sx = casadi.SX(sx)

    def _with(self, other, operation):
        if isinstance(other, np.ndarray):
            return NotImplemented
        other = other.sx if isinstance(other, Scalar) else float(other)
        return Scalar(operation(self.sx, other))

    def __add__(self, other):
        return self._with(other, lambda a, b: a + b)

    def __sub__(self, other):
        return self._with(other, lambda a, b: a - b)

    def __rsub__(self, other):
        return self._with(other, lambda a, b: b - a)

    def __mul__(self, other):
        return self._with(other, lambda a, b: a * b)

    def __truediv__(self, other):
        return self._with(other, lambda a, b: a / b)

    def __rtruediv__(self, other):
        return self._with(other, lambda a, b: b / a)

    def __neg__(self):
        return Scalar(-self.sx)

    __radd__, __rmul__ = __add__, __mul__

    def sin(self):
        return Scalar(casadi.sin(self.sx))

    def cos(self):
        return Scalar(casadi.cos(self.sx))

    def tanh(self):
        return Scalar(casadi.tanh(self.sx))


def symbols(name, size):
    sx = casadi.SX.sym(name, size)
    return sx, np.array([Scalar(sx[k]) for k in range(size)], dtype=object)


def flatten(result):
    parts = result if isinstance(result, tuple) else (result,)
    return np.concatenate([np.ravel(part) for part in parts])


def evaluate(function, model, *arguments):
    """function traced once on symbols, then evaluated at numbers; flat."""
    pairs = [symbols(f"x{k}", len(x)) for k, x in enumerate(arguments)]
    result = function(model, *(array for _, array in pairs))
    flat = flatten(result)
    traced = casadi.vertcat(*(x.sx if isinstance(x, Scalar) else float(x) for x in flat))
    return casadi.Function("f", [sx for sx, _ in pairs], [traced])(*arguments).full().ravel()


OF_Q = [alg.frame_pose, alg.frame_poses, alg.jacobian, alg.crba, alg.gravity_torque, alg.center_of_mass,
        alg.centroidal_matrix, alg.momentum_matrix, alg.com_jacobian,
        alg.operational_mobility, alg.potential_energy]
OF_Q_QD = [alg.coriolis_torque, alg.bias_torque, alg.coriolis_matrix, alg.kinetic_energy, alg.jacobian_dot,
           alg.frame_velocity, block_jacobians.equations_of_motion]
OF_Q_QD_QDD = [alg.rnea, alg.regressor, alg.rnea_derivatives, alg.frame_acceleration, alg.forward_dynamics,
               alg.forward_dynamics_derivatives, alg.aba, alg.joint_reactions,
               block_jacobians.inverse_dynamics, covariant.inverse_dynamics, newton_euler.inverse_dynamics]
TREES = {"mimic": random_tree(2, bodies=4, mimics=1), "floating": random_tree(2, bodies=2, floating=True)}
CASES = [pytest.param(function, n, model, id=f"{function.__module__.split('.')[-1]}.{function.__name__}-{tree}")
         for n, functions in enumerate((OF_Q, OF_Q_QD, OF_Q_QD_QDD), start=1) for function in functions
         for tree, model in TREES.items()
         if not (function is alg.aba and model.has_mimic)]      # articulated bodies are for trees without followers


@pytest.mark.parametrize(("function", "n", "model"), CASES)
def test_symbols_give_what_numbers_give(function, n, model):
    state = random_state(model, 3)[:n]
    result = function(model, *state)
    assert error(evaluate(function, model, *state), flatten(result)) < 1e-12


def test_friction_runs_on_symbols():
    model = random_tree(2, 5)
    _, qd, _ = random_state(model, 3)
    assert error(evaluate(alg.friction_torque, model, qd), alg.friction_torque(model, qd)) < 1e-12
