"""`rdyn demo`: a simulated arm moves through a trajectory, then floats, live in the terminal."""
import itertools
import math
import os
import tempfile
import time
from contextlib import nullcontext, suppress

from rich.console import Console
from rich.live import Live

from .. import load
from ..bringup import describe
from ..bringup.domain import silent_domain
from ..bringup.fleet import Fleet
from ..bringup.loopback import keep_to_this_machine
from ..errors import RdynError
from .demo_motion import targets, tour
from .demo_tables import WAITING, live_table, plain_line, summary

HELP = "show everything at work on a simulated arm: trajectory, then gravity compensation"
START = 60.0  # [s] within which the nodes must be up
SLOWEST = 10  # times that simulation may be slower than the clock
SETTLE = 0.2  # [s] of rest after a motion, at least
LOOK = 0.25   # [s] from one drawing to the next
PLAIN = {"highlight": False, "markup": False, "soft_wrap": True}


def add_arguments(parser):
    """Declares the arguments of the verb."""
    parser.add_argument("--seconds", type=float, default=0.0,
                        help="of motion and floating after the start-up (default: until Ctrl-C)")
    parser.add_argument("--robot", default="arm_7r", help="a shipped robot or a file (default: arm_7r)")
    parser.add_argument("--no-viewer", action="store_true", help="without the web page")


def run(arguments):
    """Runs the demo; returns 0 when all of it worked."""
    if not 0.0 <= arguments.seconds < math.inf:
        raise RdynError(f"--seconds is {arguments.seconds:g}; give a time to end after, or 0 to end on Ctrl-C")
    robot = load(arguments.robot)
    processes = describe("simulation", robot=arguments.robot, params_file="simulator",
                         viewer="false" if arguments.no_viewer else "")
    domain = silent_domain()
    os.environ["ROS_DOMAIN_ID"] = str(domain)
    keep_to_this_machine()
    console = Console()
    names = ", ".join(process.name for process in processes)
    then = f", then {arguments.seconds:g} s of motion and floating" if arguments.seconds else ""
    console.print(f"starting {names} for {robot.name} on ROS domain {domain} of this machine{then}", **PLAIN)
    with tempfile.TemporaryFile("w+") as log, Fleet(processes, log) as fleet:
        try:
            perform(robot, fleet, console, arguments.seconds)
        except KeyboardInterrupt:
            console.print("ended before the nodes were there", **PLAIN)
        except RdynError:
            log.seek(0)
            console.print("".join(log.readlines()[-10:]), **PLAIN)
            raise
    return 0


def perform(robot, fleet, console, seconds):
    """The demo's story: wait, move, float; again and again when no time is given."""
    from ..nodes.demo import DemoPeer  # needs ROS
    with DemoPeer() as peer:
        stage = Stage(peer, fleet, console, robot)
        stage.show(WAITING, START, until=peer.is_ready)
        if not peer.is_ready():
            raise RdynError(f"the nodes were not ready within {START:.0f} s")
        with suppress(KeyboardInterrupt):
            for turn in (0,) if seconds else itertools.count():
                move_and_float(robot, peer, stage, turn, seconds or 20.0)
        peer.enable(False)
        for line in summary(robot, peer.seen):
            console.print(line, **PLAIN)


def move_and_float(robot, peer, stage, turn, seconds):
    """One turn: torque on, a trajectory, then gravity compensation."""
    moving = 0.6 * seconds
    peer.set_mode("computed_torque")
    peer.enable(True)
    stage.show("taking over", START, until=peer.seen.follows)
    start = peer.seen.state.reference.positions
    times, *points = tour(start, targets(robot, turn), robot.limits.velocity, 0.9 * moving)
    peer.move(robot.joint_names, times, *points)
    stage.show_robot_time("moving", max(moving, times[-1] + SETTLE))
    peer.enable(True)
    peer.set_mode("gravity_compensation")
    stage.show_robot_time("floating", seconds - moving)


class Stage:
    """Shows what the peer sees: a table that lives in a terminal, a line each second elsewhere."""

    def __init__(self, peer, fleet, console, robot):
        self._peer, self._fleet, self._console, self._robot = peer, fleet, console, robot
        self._began, self._told, self._page = time.monotonic(), 0.0, ""

    def show_robot_time(self, name, seconds):
        """Shows a time of the robot, which passes slowly where simulation is slow."""
        end = self._peer.seen.time() + seconds
        self.show(name, SLOWEST * seconds, lambda: self._peer.seen.time() >= end)

    def show(self, name, seconds, until=lambda: False):
        """Listens and draws for a time, or until a condition holds; RdynError when a node ends."""
        seen = self._peer.seen
        seen.begin(name)
        end = time.monotonic() + seconds
        terminal = self._console.is_terminal
        table = Live(console=self._console, transient=True, auto_refresh=False) if terminal else nullcontext()
        with table as live:
            while time.monotonic() < end and not until():
                self._peer.listen(min(LOOK, max(0.01, end - time.monotonic())))
                for process, code in self._fleet.ended():
                    raise RdynError(f"{process.name} ended with exit code {code}; its last words are above")
                self._tell_page()
                if terminal:
                    live.update(live_table(self._robot, name, seen), refresh=True)
                elif time.monotonic() - self._told >= 1.0:
                    self._told = time.monotonic()
                    line = plain_line(self._robot, name, seen)
                    self._console.print(f"{self._told - self._began:4.0f} s  {line}", **PLAIN)

    def _tell_page(self):
        """Prints the address of the web page once it is known."""
        page = self._peer.seen.health.get("viewer", ("", "", {}))[2].get("page", "")
        if page != self._page:
            self._page = page
            self._console.print(f"the arm is shown on {page}", **PLAIN)
