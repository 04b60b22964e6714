"""Kinematics and dynamics of trees, one algorithm a file, as functions of a model and coordinates.

The spatial recursions are named here. The independent formulations keep their modules, because they answer
the same questions: `block_jacobians` (source 001), `covariant` (source 003), `newton_euler` (source 004).
"""
from .aba import aba, hybrid_dynamics
from .configuration import difference, integrate, neutral
from .coriolis import christoffel, coriolis_matrix
from .crba import crba
from .derivatives import forward_dynamics_derivatives, rnea_derivatives
from .energy import kinetic_energy, potential_energy
from .external import body_wrenches, external_torque
from .floating import base_acceleration, base_wrench
from .forward_dynamics import forward_dynamics, forward_dynamics_by_mass_matrix
from .hybrid import hybrid_dynamics_by_mass_matrix
from .jacobian import jacobian, jacobian_dot, point_jacobian
from .joint_kinematics import joint_positions, joint_transforms
from .kinematics import (
    body_accelerations,
    body_poses,
    body_velocities,
    frame_acceleration,
    frame_pose,
    frame_poses,
    frame_velocity,
)
from .ltl import dof_parents, ltdl, ltdl_solve, ltl
from .momentum import center_of_mass, centroidal_matrix, com_jacobian, momentum_matrix
from .reactions import joint_reactions, static_torque
from .regressor import BaseParameters, base_parameters, inertial_parameters, regressor
from .rnea import rnea
from .singular import inertialess_joint, is_solid, lost_joint, pivots
from .terms import bias_torque, coriolis_torque, friction_torque, gravity_torque
from .velocity_problem import VelocitySolution, inertia_of_mobility, inverse_velocity, operational_mobility

__all__ = [
    "BaseParameters", "VelocitySolution", "aba", "base_acceleration", "base_parameters", "base_wrench",
    "bias_torque", "body_accelerations", "body_poses", "body_velocities", "body_wrenches", "center_of_mass",
    "centroidal_matrix", "christoffel", "com_jacobian", "coriolis_matrix", "coriolis_torque", "crba",
    "difference", "dof_parents", "external_torque", "forward_dynamics", "forward_dynamics_by_mass_matrix",
    "forward_dynamics_derivatives", "frame_acceleration", "frame_pose", "frame_poses", "frame_velocity",
    "friction_torque", "gravity_torque", "hybrid_dynamics", "hybrid_dynamics_by_mass_matrix",
    "inertia_of_mobility", "inertial_parameters", "inertialess_joint", "integrate", "inverse_velocity",
    "is_solid", "jacobian", "jacobian_dot", "joint_positions", "joint_reactions", "joint_transforms",
    "kinetic_energy", "lost_joint", "ltdl", "ltdl_solve", "ltl", "momentum_matrix", "neutral",
    "operational_mobility", "pivots", "point_jacobian", "potential_energy", "regressor", "rnea",
    "rnea_derivatives", "static_torque",
]
