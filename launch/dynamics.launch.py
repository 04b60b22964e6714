"""Torque terms, tool pose and services beside a robot.

`ros2 launch rdyn_ros dynamics.launch.py -s` lists the arguments.
"""
from rdyn_ros.bringup.ros_launch import launch_description


def generate_launch_description():
    """What `rdyn up dynamics` starts, as a launch description."""
    return launch_description("dynamics")
