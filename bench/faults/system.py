"""A running system that can be hurt: simulator, dynamics, control (and viewer) in processes of their own."""

import dataclasses
import os
import signal
import subprocess
import time
from contextlib import suppress

import numpy as np

import rdyn_ros
from rdyn_ros.bringup.description import describe
from rdyn_ros.bringup.fleet import Fleet

from ..waiting import waited
from .relay import SOURCES, Relay
from .watch import COMMANDS, TORQUES, Watch

RATE = 200.0  # [Hz] of joint states: all processes and the watch share one small machine
MAX_DELTA_TAU = 1.0  # [N m]
STATE_TIMEOUT = 0.1  # [s]
STOP_TIME = 0.5  # [s]
NATURAL_FREQUENCY = 4.0  # [rad/s] of the law: a loop that bears 50 ms more delay, at 200 Hz and MAX_DELTA_TAU
ROBOT = rdyn_ros.load("arm_7r")
MIDDLE = np.clip(0.0, ROBOT.limits.lower + 0.5, ROBOT.limits.upper - 0.5)  # [rad] about which it swings


class System:
    """Starts all nodes, waits until torque flows, ends all on the way out."""

    def __init__(self, relay=False, env=None, without=(), depth=5000, **arguments):
        """`arguments` of the bring-up; `relay`: what the simulator says goes through one; `env` of its nodes;
        `without`: nodes that somebody else starts; `depth` of the watch's queues.
        """
        more = {"simulator": {"rate": RATE, "step": 1.0 / RATE},
                "dynamics": {"state_timeout": STATE_TIMEOUT},
                "control": {"state_timeout": STATE_TIMEOUT, "stop_time": STOP_TIME,
                            "max_delta_tau": [MAX_DELTA_TAU], "natural_frequency": [NATURAL_FREQUENCY]}}
        arguments = {"robot": ROBOT.name, "viewer": "false"} | arguments
        self.processes = {p.name: dataclasses.replace(p, parameters=p.parameters | more.get(p.name, {}))
                          for p in describe("simulation", **arguments)}
        if relay:
            self.processes["simulator"] = dataclasses.replace(
                self.processes["simulator"], remappings=tuple(SOURCES.items()))
        self.elsewhere = {name: self.processes.pop(name) for name in without}
        self._fleet = Fleet(tuple(self.processes.values()), output=subprocess.DEVNULL)
        self._namespace, self._env = arguments.get("namespace", ""), env or {}
        self.watch = self.relay = self._freezing = None
        self._relayed, self._depth = relay, depth

    def __enter__(self):
        before = {name: os.environ.get(name) for name in self._env}
        os.environ.update(self._env)
        try:
            self._fleet.__enter__()
        finally:
            for name, value in before.items():
                os.environ.pop(name) if value is None else os.environ.__setitem__(name, value)
        self.watch = Watch(f"/{self._namespace}", joints=ROBOT.joint_names, depth=self._depth)
        self.relay = Relay() if self._relayed else None
        return self

    def __exit__(self, *_):
        if self.relay:
            self.relay.close()
        self.watch.close()
        self._fleet.stop()

    def ready(self):
        """Waits until torques flow, enabled; returns the time it took [s]."""
        start = time.time()
        self.watch.wait(TORQUES, start)
        self._drive()
        return time.time() - start

    def swing(self):
        """Makes the arm swing, torque on."""
        self._drive(lambda: self.watch.swing(ROBOT.joint_names, MIDDLE))

    def _drive(self, move=lambda: None):
        """Torque on, and moved, anew where a busy machine took torque away; TimeoutError when it does not stay."""
        for patience in (5.0, 5.0, 60.0):
            self.watch.enable()
            move()
            with suppress(TimeoutError):
                self.watch.wait(COMMANDS, time.time(), patience)
                return
        raise TimeoutError("torque does not stay on")

    def freeze(self, name, seconds):
        """SIGSTOP, and SIGCONT after so many seconds, whatever becomes of this process meanwhile."""
        pid = self.pids()[name]
        self._freezing = subprocess.Popen(["sh", "-c", f"sleep {seconds}; kill -CONT {pid}"], start_new_session=True)
        os.kill(pid, signal.SIGSTOP)

    def thawed(self):
        """Waits until the process runs again."""
        self._freezing.wait()

    def kill(self, name):
        """kill -9."""
        self._fleet.running[name].kill()
        self._fleet.running[name].wait()

    def restart(self, name):
        """Starts a killed node again."""
        self._fleet.start(self.processes[name])

    def pids(self):
        """Process of each node."""
        return {name: process.pid for name, process in self._fleet.running.items()}

    def waited(self):
        """What those on the way from state to torque have waited for a core so far (see bench.waiting)."""
        pids = [pid for name, pid in self.pids().items() if name != "viewer"]
        return waited([*pids, os.getpid()] if self.relay else pids)

    def alive(self):
        """Names of the nodes whose process runs."""
        return [name for name, process in self._fleet.running.items() if process.poll() is None]
