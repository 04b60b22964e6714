"""Runs a bring-up until it is interrupted: what `rdyn up` does on machines without `launch`."""
import signal
import sys
import time
from contextlib import contextmanager

from .fleet import Fleet

LOOK = 0.05  # [s] from one look at the processes to the next
PAUSE = 1.0  # [s] before a process is started again
REFUSED = 2  # exit code of a node whose parameters cannot be; it would only refuse again


def supervise(descriptions, restart=False):
    """Exit code: 0 after Ctrl-C or SIGTERM, else that of the process that ended and made the others end.

    With `restart`, a process that ends is started again, unless it refused its parameters.
    """
    with interrupted() as stop, Fleet(descriptions) as fleet:
        tell(f"{', '.join(description.name for description in descriptions)} are starting; Ctrl-C ends all")
        while not stop:
            for description, code in fleet.ended():
                if not restart or code == REFUSED:
                    tell(f"{description.name} ended with exit code {code}; all are ended")
                    return code if code > 0 else 1
                tell(f"{description.name} ended with exit code {code}; it is started again")
                time.sleep(PAUSE)
                fleet.start(description)
            time.sleep(LOOK)
        return 0


@contextmanager
def interrupted():
    """A list that is empty until SIGINT or SIGTERM comes."""
    came = []
    before = {number: signal.signal(number, lambda number, _: came.append(number))
              for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield came
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def tell(sentence):
    """A line of our own between those of the nodes."""
    print(f"rdyn up: {sentence}", file=sys.stderr, flush=True)
