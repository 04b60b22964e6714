"""Each fault: what is done to the system, and how it is expected to get over it."""

import time
from dataclasses import dataclass

import numpy as np
from sensor_msgs.msg import JointState

from ..outcomes import Outcome
from .system import MAX_DELTA_TAU, ROBOT, STATE_TIMEOUT, STOP_TIME
from .watch import COMMANDS, STATES, TORQUES, largest_step

ROUNDING = 1e-9  # [N m]


@dataclass(frozen=True)
class Limits:
    """What the table allows: `slack` [s] for a node to get a core when its time has come, and for recovery."""

    slack: float = 0.1
    recovery: float = 30.0


class Case:
    """One fault under watch: `hurt()` does it, `heal()` undoes it; the rest is judged the same for all."""

    def __init__(self, tried, hurt, heal=lambda system: None, silent=(), again=False, lasts=1.0):
        """`silent`: topics that must stop; `again`: torque must be enabled anew; `lasts` [s]."""
        self.tried, self.hurt, self.heal = tried, hurt, heal
        self.silent, self.again, self.lasts = silent, again, lasts

    def __call__(self, system, limits):
        """Outcome of this fault in a system that is ready, while its arm swings."""
        watch = system.watch
        system.swing()
        watch.clear()
        watch.wait(COMMANDS, time.time())
        self.hurt(system)
        hurt = time.time()
        time.sleep(self.lasts)
        stopped = {topic: max(watch.last(topic) - hurt, 0.0) for topic in self.silent}
        self.heal(system)
        healed, problem = time.time(), ""
        try:
            watch.wait(TORQUES, healed, limits.recovery)
            if self.again:
                watch.enable(limits.recovery)
            watch.wait(COMMANDS, time.time(), limits.recovery)
        except TimeoutError as error:
            problem = f"; did not recover: {error}"
        recovery = time.time() - healed
        commands, states = list(watch.heard[COMMANDS]), list(watch.heard[STATES])
        finite = all(np.isfinite(x).all() for topic in (COMMANDS, TORQUES) for _, x in watch.heard[topic])
        step = largest_step(commands, states)
        allowed = {
            TORQUES: STATE_TIMEOUT + limits.slack,
            COMMANDS: STATE_TIMEOUT + STOP_TIME + limits.slack,
        }
        late = [topic for topic, seconds in stopped.items() if seconds > allowed[topic]]
        quiet = "".join(f", {topic} silent after {seconds:.2f} s" for topic, seconds in stopped.items())
        told = (
            f"largest step {step:.2f} N m{quiet}, recovered in {recovery:.1f} s"
            f"{'' if finite else ', NOT FINITE'}{problem}"
        )
        held = bool(finite and not late and not problem and step <= MAX_DELTA_TAU + ROUNDING)
        silence = f", silent in {max(allowed[t] for t in self.silent):.1f} s" if self.silent else ""
        return Outcome(
            self.tried, 1, told, f"step {MAX_DELTA_TAU} N m, finite{silence}, {limits.recovery:.0f} s", held
        )


def _kill(name):
    return Case(
        f"kill -9 and restart of {name}",
        lambda s: s.kill(name),
        lambda s: s.restart(name),
        silent={"simulator": (TORQUES, COMMANDS), "dynamics": (TORQUES,), "control": (COMMANDS,)}.get(
            name, ()
        ),
        again=name in ("simulator", "control"),
        lasts=2.0,
    )


def _freeze(name, seconds):
    long = seconds > STATE_TIMEOUT + STOP_TIME
    silent = {
        "simulator": (TORQUES, COMMANDS) if long else (TORQUES,),
        "dynamics": (TORQUES,),
        "control": (COMMANDS,),
    }[name]
    return Case(
        f"SIGSTOP of {name} for {seconds:g} s",
        lambda s: s.freeze(name, seconds),
        lambda s: s.thawed(),
        silent=silent,
        again=long and name != "dynamics",
        lasts=seconds,
    )


class _Rogue:
    """Another publisher of joint_states for as long as the fault lasts."""

    def __init__(self, make):
        self._make, self._timer = make, None

    def begin(self, system):
        publisher = system.watch.node.create_publisher(JointState, "joint_states", 10)
        names = list(ROBOT.joint_names)
        self._timer = system.watch.node.create_timer(0.01, lambda: publisher.publish(self._make(names)))

    def end(self, system):
        system.watch.node.destroy_timer(self._timer)


def _rogue(tried, make):
    rogue = _Rogue(make)
    return Case(tried, rogue.begin, rogue.end, again=True)


def _nan(names):
    return JointState(
        name=names, position=[float("nan")] * len(names), velocity=[float("inf")] * len(names)
    )


def _strangers(names):
    return JointState(name=["a", "b", "a"], position=[1.0, 2.0, 3.0])


def _twin(names):
    return JointState(name=names, position=[0.01] * len(names), velocity=[0.0] * len(names))


KILLS = tuple(_kill(name) for name in ("simulator", "dynamics", "control"))
SHORT = (
    *KILLS,
    _freeze("simulator", 0.3),
    _freeze("control", 0.3),
    _rogue("a rogue publisher: nan and inf", _nan),
    _rogue("a rogue publisher: strange and doubled names", _strangers),
)
LONG = (
    *SHORT,
    _kill("viewer"),
    _freeze("dynamics", 0.3),
    *(_freeze(name, 5.0) for name in ("simulator", "dynamics", "control")),
    _rogue("two publishers of one robot", _twin),
)


def _relayed(tried, **damage):
    """The states go through a relay that damages them."""
    return Case(
        tried, lambda s: s.relay.damage(**damage), lambda s: s.relay.damage(), again=True, lasts=3.0
    )


RELAYED = (
    _relayed("joint states with 30 % loss", loss=0.3),
    _relayed("joint states delayed by 50 ms", delay=0.05),
    _relayed("joint states doubled", double=0.5),
    _relayed("joint states in wrong order", reorder=0.3),
)
