"""A simulated robot with dynamics, controller and a web page.

`ros2 launch rdyn_ros simulation.launch.py -s` lists the arguments.
"""
from rdyn_ros.bringup.ros_launch import launch_description


def generate_launch_description():
    """What `rdyn up simulation` starts, as a launch description."""
    return launch_description("simulation")
