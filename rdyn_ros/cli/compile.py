"""`rdyn compile`: machine code of a robot's functions, made now and kept for every later process."""
from rich.progress import track

from ..kernels import cache
from ..robot import Robot
from .counted import counted
from .function_names import function_names
from .robot_arguments import add_robot_arguments, given_model

HELP = "compile the functions of a robot into the cache, so that later starts are quick"


def add_arguments(parser):
    """Declares the arguments of the verb."""
    add_robot_arguments(parser)
    parser.add_argument("--functions", default="all", help="comma-separated, as for export-c (default: all)")
    parser.add_argument("--batch", action="store_true", help="also the code for batches")


def run(arguments):
    """Compiles one function after the other under a progress bar."""
    robot = Robot(given_model(arguments))
    names = function_names(arguments.functions)
    tasks = [(name, batch) for batch in range(1 + arguments.batch) for name in names]
    for name, batch in track(tasks, description=f"compiling {robot.name}"):
        robot.compile(name, batch=bool(batch))
    print(f"ready in {cache.folder()}: {counted(len(tasks), 'function')} of {robot.name}")
