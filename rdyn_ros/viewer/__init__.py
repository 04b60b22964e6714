"""A page in the browser with the robot, its torques and its state; the only folder that imports viser."""
from .view import View

__all__ = ["View"]
