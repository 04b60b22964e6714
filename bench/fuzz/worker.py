"""python -m bench.fuzz.worker BOX MODULE:FUNCTION ARGUMENT...: prints the Outcomes as lines of JSON.

The arguments are JSON; BOX is the file of the BlackBox.
"""

import dataclasses
import json
import os
import sys
from importlib import import_module

from . import trial
from .black_box import BlackBox


def main():
    """Runs the trials; what they print goes to stderr."""
    box, place, *arguments = sys.argv[1:]
    rows = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    trial.box = BlackBox(box)
    module, function = place.split(":")
    for row in getattr(import_module(module), function)(*map(json.loads, arguments)):
        print(json.dumps(dataclasses.astuple(row)), file=rows, flush=True)


if __name__ == "__main__":
    main()
