"""The environment of a shell in which nothing of ROS or of this run is set yet."""
import os

OURS = ("PYTHONPATH", "LD_LIBRARY_PATH", "CMAKE_PREFIX_PATH", "COLCON_PREFIX_PATH",
        "_ROS_WHEELS_BOOTSTRAP_COMPLETE", "MAKEFLAGS", "MFLAGS", "MAKELEVEL")


def clean_environment(**changes):
    """os.environ without what a set-up or a sourced workspace leaves in it, with changes."""
    return {name: value for name, value in os.environ.items() if name not in OURS} | changes
