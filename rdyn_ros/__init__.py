"""Rigid-body kinematics and dynamics of any robot. No ROS is needed: only rdyn_ros.nodes imports rclpy.

    import rdyn_ros as rdyn
    robot = rdyn.load("planar_2r")
    tau = robot.gravity_torque([0.3, -0.5])  # [N m]
"""
from importlib import import_module

__version__ = "0.1.0"

_HOME = {  # public name: module that holds it, imported on first use
    "IkResult": "rdyn_ros.ik",
    "RdynError": "rdyn_ros.errors",
    "Robot": "rdyn_ros.robot",
    "RobotFileError": "rdyn_ros.errors",
    "RobotWarning": "rdyn_ros.errors",
    "load": "rdyn_ros.robot",
}

__all__ = ["IkResult", "RdynError", "Robot", "RobotFileError", "RobotWarning", "load"]


def __getattr__(name):
    """The public name, from the module that holds it."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it offers {', '.join(__all__)}")
    value = globals()[name] = getattr(import_module(_HOME[name]), name)
    return value


def __dir__():
    """Public names, loaded or not."""
    return sorted({*globals(), *__all__})
