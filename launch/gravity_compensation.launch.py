"""A robot that floats: the dynamics node commands what gravity and Coriolis forces need.

`ros2 launch rdyn_ros gravity_compensation.launch.py -s` lists the arguments.
"""
from rdyn_ros.bringup.ros_launch import launch_description


def generate_launch_description():
    """What `rdyn up gravity_compensation` starts, as a launch description."""
    return launch_description("gravity_compensation")
