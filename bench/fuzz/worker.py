"""python -m bench.fuzz.worker BOX MODULE:FUNCTION ARGUMENT...: prints the Outcomes as lines of JSON.

The arguments are JSON; BOX is the file of the BlackBox. It ends when stdin does, so it never outlives its parent.
"""

import dataclasses
import json
import os
import sys
import threading
from importlib import import_module

from . import trial
from .black_box import BlackBox


def end_with_parent():
    """Waits for the end of stdin."""
    while os.read(0, 1):
        pass
    os._exit(1)


def main():
    """Runs the trials; what they print goes to stderr."""
    box, place, *arguments = sys.argv[1:]
    rows = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    threading.Thread(target=end_with_parent, daemon=True).start()
    trial.box = BlackBox(box)
    module, function = place.split(":")
    for row in getattr(import_module(module), function)(*map(json.loads, arguments)):
        print(json.dumps(dataclasses.astuple(row)), file=rows, flush=True)


if __name__ == "__main__":
    main()
