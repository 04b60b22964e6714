"""Dynamics and a torque controller beside a robot.

`ros2 launch rdyn_ros control.launch.py -s` lists the arguments.
"""
from rdyn_ros.bringup.ros_launch import launch_description


def generate_launch_description():
    """What `rdyn up control` starts, as a launch description."""
    return launch_description("control")
