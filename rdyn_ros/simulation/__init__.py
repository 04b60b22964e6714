"""Simulation: integrators and a simulated arm that stands in for the real one."""
