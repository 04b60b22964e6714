"""The compiler that works in the background."""
import threading

from rdyn_ros.kernels import background


def wait_until_idle(seconds=120):
    """Returns when everything that was asked of it so far is done."""
    done = threading.Event()
    background.submit(done.set)
    assert done.wait(seconds)
