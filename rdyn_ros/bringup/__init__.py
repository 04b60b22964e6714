"""What is started together, with which parameters: for launch files, `rdyn up` and the demo."""
from .arguments import ARGUMENTS, Argument
from .description import SETS, Process, describe

__all__ = ["ARGUMENTS", "SETS", "Argument", "Process", "describe"]
