"""Simulation: integrators and a simulated arm that stands in for the real one."""
from .arm import ArmSettings, SimulatedArm
from .integrators import SCHEMES

__all__ = ["SCHEMES", "ArmSettings", "SimulatedArm"]
