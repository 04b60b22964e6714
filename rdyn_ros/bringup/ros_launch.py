"""The description as a ROS 2 launch description; the only place that imports launch."""
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch.logging import get_logger
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from .arguments import ARGUMENTS, unknown
from .description import describe


def launch_description(bringup):
    """LaunchDescription that starts what describe(bringup, ...) says, with the same arguments."""
    declared = [DeclareLaunchArgument(argument.name, default_value="", description=_about(argument))
                for argument in ARGUMENTS.values()]

    def start(context):
        _warn_of_unknown(context.argv)
        given = {name: LaunchConfiguration(name).perform(context) for name in ARGUMENTS}
        return [_node(process) for process in describe(bringup, **given)]

    return LaunchDescription([*declared, OpaqueFunction(function=start)])


def _warn_of_unknown(words):
    """`launch` passes over arguments that nobody declared; those of an including file are none of ours."""
    for name in (word.partition(":=")[0] for word in words if ":=" in word):
        if name not in ARGUMENTS:
            get_logger("rdyn_ros").warning(unknown("argument", name, ARGUMENTS))


def _about(argument):
    return argument.description + (f" [{argument.default}]" if argument.default else "")


def _node(process):
    files = [str(process.params_file)] if process.params_file else []
    return Node(package="rdyn_ros", executable=process.executable, name=process.name, output="screen",
                namespace=process.namespace, parameters=[*files, process.parameters],
                remappings=list(process.remappings))
