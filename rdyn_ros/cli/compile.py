"""`rdyn compile`: machine code of a robot's functions, made now and kept for every later process."""
from functools import partial

from rich.progress import track

from ..kernels import cache
from ..robot import Robot
from .counted import counted
from .function_names import function_names
from .robot_arguments import add_robot_arguments, given_model

HELP = "compile the functions of a robot into the cache, inverse kinematics among them, so that later starts are quick"


def add_arguments(parser):
    """Declares the arguments of the verb."""
    add_robot_arguments(parser)
    parser.add_argument("--functions", default="all", help="comma-separated, as for export-c, or ik (default: all)")
    parser.add_argument("--frame", help="frame of inverse kinematics (default: the tip)")
    parser.add_argument("--batch", action="store_true", help="also the code for batches")


def run(arguments):
    """Compiles one function after the other under a progress bar."""
    robot, words = Robot(given_model(arguments)), [word.strip() for word in arguments.functions.split(",")]
    others = ",".join(word for word in words if word != "ik")
    robot.model.frame(arguments.frame)      # told first, if there is none
    names = function_names(others) if {*words} != {"ik"} else []
    tasks = [partial(robot.compile, name, batch=bool(batch)) for batch in range(1 + arguments.batch) for name in names]
    if others == "all" or "ik" in words:
        tasks.append(partial(robot.ik_prepare, arguments.frame))
    for make in track(tasks, description=f"compiling {robot.name}"):
        make()
    print(f"ready in {cache.folder()}: {counted(len(tasks), 'function')} of {robot.name}")
