"""The description as a ROS 2 launch description; the only place that imports launch."""
from difflib import get_close_matches

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch.logging import get_logger
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from .arguments import ARGUMENTS, unknown
from .description import describe
from .fleet import PATIENCE

MISSPELT = 0.8  # likeness of a name to one of ours: robt, sim_time are, robot_ip is not


def launch_description(bringup):
    """LaunchDescription that starts what describe(bringup, ...) says, with the same arguments."""
    declared = [DeclareLaunchArgument(argument.name, default_value="", description=_about(argument))
                for argument in ARGUMENTS.values()]

    def start(context):
        _warn_of_unknown(context.argv)
        given = {name: LaunchConfiguration(name).perform(context) for name in ARGUMENTS}
        inside = context.launch_configurations.get("ros_namespace", "")  # of PushRosNamespace
        return [_node(process) for process in describe(bringup, inside, **given)]

    return LaunchDescription([*declared, OpaqueFunction(function=start)])


def _warn_of_unknown(words):
    """`launch` passes over arguments that nobody declared; those unlike ours are of a file that includes this one."""
    for name in (word.partition(":=")[0] for word in words if ":=" in word):
        if name not in ARGUMENTS and get_close_matches(name, ARGUMENTS, 1, MISSPELT):
            get_logger("rdyn_ros").warning(unknown("argument", name, ARGUMENTS))


def _about(argument):
    return argument.description + (f" [{argument.default}]" if argument.default else "")


def _node(process):
    return Node(package="rdyn_ros", executable=process.executable, name=process.name, output="screen",
                namespace=process.namespace, arguments=["--ros-args", *process.parameter_words()],
                remappings=list(process.remappings),
                sigterm_timeout=str(PATIENCE))  # a second signal would cut torque while it is led to zero
