"""Processes that live together: started one by one, ended all at once, none outlives this one."""
import ctypes
import os
import signal
import subprocess
import sys
import time
from functools import partial

from ..control.safety import LONGEST_END

PATIENCE = LONGEST_END + 10.0  # [s] that a process has to end by itself
PR_SET_PDEATHSIG = 1  # prctl: signal to get when the parent dies


class Fleet:
    """A process per Process description; leaving the `with` ends all of them."""

    def __init__(self, descriptions, output=None):
        self._descriptions = descriptions
        self._output = output  # file for all they print; None: the terminal
        self.running = {}  # name: Popen

    def __enter__(self):
        for description in self._descriptions:
            self.start(description)
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self, description):
        """Starts one process; it does not get the terminal's Ctrl-C, which this process hands on once."""
        module = f"rdyn_ros.nodes.{description.executable}"
        self.running[description.name] = subprocess.Popen(
            [sys.executable, "-m", module, *description.ros_arguments()], start_new_session=True,
            preexec_fn=partial(_end_with, os.getpid()), stdout=self._output, stderr=self._output)

    def ended(self):
        """(description, exit code) of those that have ended by themselves."""
        return [(description, code) for description in self._descriptions
                if (code := self.running[description.name].poll()) is not None]

    def stop(self):
        """Ends all: SIGTERM, and SIGKILL to what does not end."""
        for process in self.running.values():
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
        deadline = time.monotonic() + PATIENCE
        for process in self.running.values():
            try:
                process.wait(max(0.0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _end_with(parent):
    """In the child: get SIGTERM when the parent dies, however it dies; end at once if it is dead already."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:
        os._exit(1)
