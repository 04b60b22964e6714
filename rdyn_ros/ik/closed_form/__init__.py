"""Inverse kinematics in closed form: recognised from the geometry, all branches, straight-line formulas."""
from .recognise import ClosedForm, recognise, recognise_chain

__all__ = ["ClosedForm", "recognise", "recognise_chain"]
