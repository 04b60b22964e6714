"""`rdyn up`: the bring-ups of the launch files on machines without `launch`."""
import shlex

from ..bringup import ARGUMENTS, SETS, describe
from ..bringup.supervise import supervise
from ..errors import RdynError

HELP = "start nodes together, as the launch files do; Ctrl-C ends them"


def add_arguments(parser):
    """Declares the arguments of the verb."""
    listed = "; ".join(f"{name}: {argument.description}" for name, argument in ARGUMENTS.items())
    parser.add_argument("bringup", metavar="BRINGUP", help=", ".join(SETS))
    parser.add_argument("arguments", nargs="*", default=[], metavar="NAME:=VALUE", help=listed)
    parser.add_argument("--restart", action="store_true", help="start a node again when it ends; the others go on")
    parser.add_argument("--dry-run", action="store_true", help="only print what would be started")


def run(arguments):
    """Starts the processes, or prints them; returns the exit code."""
    processes = describe(arguments.bringup, **dict(map(split, arguments.arguments)))
    if arguments.dry_run:
        for process in processes:
            print(shlex.join([process.executable, *process.ros_arguments()]))
        return 0
    return supervise(processes, arguments.restart)


def split(word):
    """(name, value) of "name:=value"."""
    name, sign, value = word.partition(":=")
    if not sign:
        raise RdynError(f"'{word}' is not an argument; write NAME:=VALUE, as in robot:=arm_7r")
    return name, value
