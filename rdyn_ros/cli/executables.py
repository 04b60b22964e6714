"""What the installed commands call; it imports nothing heavy, so that Ctrl-C also ends one that is still importing."""
import re
import signal
import sys
from functools import partial
from importlib import import_module

ROS = re.compile(r"rclpy|rpyutils|rcl_interfaces|rdyn_interfaces|ament_\w+|\w+_(msgs|srvs|interfaces)\b")


def _run(module):
    """Runs main() of a module; until that is imported, Ctrl-C is the kernel's affair: no traceback of an import."""
    handler = signal.getsignal(signal.SIGINT)
    if handler is signal.default_int_handler:       # not where a shell has it ignored
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        main = import_module(module).main
    except ModuleNotFoundError as error:
        if not error.name or error.name.startswith("rdyn_ros"):
            raise
        advice = "nodes need ROS 2: source its setup.bash in this terminal, or take the .venv that 'make setup' makes" \
            if ROS.match(error.name) else "install what the package requires ('pip install .')"
        sys.exit(f"{module}: no Python module {error.name}; {advice}")
    signal.signal(signal.SIGINT, handler)
    return main()


rdyn = partial(_run, "rdyn_ros.cli.main")
dynamics_node, control_node, simulator_node, viewer_node = (
    partial(_run, f"rdyn_ros.nodes.{name}_node") for name in ("dynamics", "control", "simulator", "viewer"))
