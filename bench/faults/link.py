"""Run inside one of two network namespaces: the simulator lives in the other, then the link goes down."""
import dataclasses
import json
import os
import subprocess
import sys

from rdyn_ros.bringup.loopback import PROFILE, RANGE

from .case import Case, Limits
from .system import System
from .watch import COMMANDS, TORQUES

OTHER, END = "rdyn_a", "rdyn_vb"


def main():
    """Print the Outcome as one line of JSON."""
    for name in PROFILE:
        os.environ.pop(name, None)
    os.environ[RANGE] = "SUBNET"
    os.environ["FASTDDS_BUILTIN_TRANSPORTS"] = "UDPv4"
    system = System(without=("simulator",))
    simulator = system.elsewhere["simulator"]
    words = ["ip", "netns", "exec", OTHER, sys.executable, "-m", "rdyn_ros.nodes.simulator_node"]
    far = subprocess.Popen([*words, *simulator.ros_arguments()], stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
    try:
        with system:
            system.ready()
            cut = Case(sys.argv[1], lambda s: _link("down"), lambda s: _link("up"),
                       silent=(TORQUES, COMMANDS), again=True, lasts=2.0)
            print(json.dumps(dataclasses.astuple(cut(system, Limits()))))
    finally:
        far.kill()
        far.wait()


def _link(state):
    subprocess.run(["ip", "link", "set", END, state], check=True)
    if state == "up":
        subprocess.run(["ip", "route", "replace", "224.0.0.0/4", "dev", END], check=True)


if __name__ == "__main__":
    main()
