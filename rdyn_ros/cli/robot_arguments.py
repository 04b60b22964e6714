"""The arguments that say which robot: the same in every verb."""
from argparse import BooleanOptionalAction

from ..errors import RdynError
from ..model import load_model


def add_robot_arguments(parser):
    """Declares ROBOT, name:=value and --floating-base, --no-floating-base."""
    parser.add_argument("robot", help="path (.urdf .xacro .yaml) or name of a shipped robot")
    parser.add_argument("xacro", nargs="*", default=[], metavar="name:=value", help="arguments of a xacro file")
    parser.add_argument("--floating-base", action=BooleanOptionalAction,
                        help="let the root link move freely, or hold it (default: as the file says)")


def given_model(arguments, allow_massless=False):
    """Model of the robot that the arguments name."""
    return load_model(arguments.robot, arguments.floating_base, xacro_arguments(arguments.xacro), allow_massless)


def xacro_arguments(words):
    """{name: value} of words such as "prefix:=left_"."""
    for word in words:
        if ":=" not in word or word.startswith(":="):
            raise RdynError(f"'{word}' given; what follows the robot are arguments of a xacro file, name:=value; "
                            "for anything else there are options, see --help")
    return dict(word.split(":=", 1) for word in words)
