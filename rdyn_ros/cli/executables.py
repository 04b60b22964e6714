"""What the installed commands call; it imports nothing heavy, so that Ctrl-C also ends one that is still importing."""
import signal
from functools import partial
from importlib import import_module


def _run(module):
    """Runs main() of a module; until that is imported, Ctrl-C is the kernel's affair: no traceback of an import."""
    handler = signal.getsignal(signal.SIGINT)
    if handler is signal.default_int_handler:       # not where a shell has it ignored
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    main = import_module(module).main
    signal.signal(signal.SIGINT, handler)
    return main()


rdyn = partial(_run, "rdyn_ros.cli.main")
dynamics_node, control_node, simulator_node, viewer_node = (
    partial(_run, f"rdyn_ros.nodes.{name}_node") for name in ("dynamics", "control", "simulator", "viewer"))
