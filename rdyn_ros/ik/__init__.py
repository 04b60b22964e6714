"""Inverse kinematics: closed form with all solutions, numeric for any tree and frame, one result type."""
from .closed_form import ClosedForm, recognise
from .result import REASONS, IkBatch, IkResult
from .solver import InverseKinematics
from .velocity import IkVelocity, damped_velocity

__all__ = ["REASONS", "ClosedForm", "IkBatch", "IkResult", "IkVelocity", "InverseKinematics",
           "damped_velocity", "recognise"]
