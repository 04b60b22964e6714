"""Recorded runs: read them, and explain the measured torques term by term with the model. No ROS needed."""
from .files import read_recording
from .recording import Recording
from .terms import TorqueTerms, rms, torque_terms

__all__ = ["Recording", "TorqueTerms", "read_recording", "rms", "torque_terms"]
