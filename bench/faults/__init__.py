"""Faults in a running system of simulator, dynamics, control and viewer, each in a process of its own."""
