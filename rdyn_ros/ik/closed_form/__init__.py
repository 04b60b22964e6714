"""Inverse kinematics in closed form: recognised from the geometry, all branches, straight-line formulas."""
from .recognise import TOLERANCE, ClosedForm, recognise, recognise_chain

__all__ = ["TOLERANCE", "ClosedForm", "recognise", "recognise_chain"]
