"""The faults: what is done to the nodes, to their joint states and to their clock."""
from sensor_msgs.msg import JointState

from .case import PATIENCE, Case
from .system import ROBOT
from .watch import COMMANDS, TORQUES


def _missed(name):
    """What others do while a node is gone."""
    return {"simulator": {"silent": (TORQUES, COMMANDS)}, "dynamics": {"flowing": (COMMANDS,)},
            "control": {"flowing": (TORQUES,), "stands": True},
            "viewer": {"flowing": (COMMANDS, TORQUES), "page": True}}[name]


def _kill(name):
    return Case(f"kill -9 and restart of {name}", lambda s: s.kill(name), lambda s: s.restart(name), lasts=2.0,
                again=name in ("simulator", "control"), **_missed(name))


def _freeze(name, seconds):
    long = seconds > PATIENCE[COMMANDS]
    missed = _missed(name) if long or name != "control" else {"flowing": (TORQUES,)}
    return Case(f"SIGSTOP of {name} for {seconds:g} s", lambda s: s.freeze(name, seconds), lambda s: s.thawed(),
                lasts=seconds, again=long and name in ("simulator", "control"), **missed)


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


def _rogue(tried, make, **more):
    rogue = _Rogue(make)
    return Case(tried, rogue.begin, rogue.end, flowing=(COMMANDS, TORQUES), **more)


def _nan(names):
    return JointState(
        name=names, position=[float("nan")] * len(names), velocity=[float("inf")] * len(names)
    )


def _strangers(names):
    return JointState(name=["a", "b", "a"], position=[1.0, 2.0, 3.0])


def _twin(names):
    return JointState(name=names, position=[0.01] * len(names), velocity=[0.0] * len(names))


def _relayed(tried, lasts=3.0, **damage):
    """What the simulator says goes through a relay that damages it."""
    return Case(tried, lambda s: s.relay.damage(**damage), lambda s: s.relay.damage(), lasts=lasts,
                flowing=(COMMANDS, TORQUES))


SHORT = (
    *(_kill(name) for name in ("simulator", "dynamics", "control")),
    _freeze("simulator", 0.3),
    _freeze("control", 0.3),
    _rogue("a rogue publisher: nan and inf", _nan),
    _rogue("a rogue publisher: strange and doubled names", _strangers),
)
LONG = (
    *SHORT,
    _freeze("dynamics", 0.3),
    _freeze("viewer", 0.3),
    *(_freeze(name, 5.0) for name in ("simulator", "dynamics", "control", "viewer")),
    _kill("viewer"),
    _rogue("two publishers of one robot", _twin, again=True),  # as if it leapt to and fro: may be too fast
)
RELAYED_SHORT = (
    _relayed("joint states with 30 % loss", lasts=2.0, loss=0.3),
    _relayed("stamps step back by 1000 s and return", lasts=1.0, step=-1000),
)
RELAYED_LONG = (
    *RELAYED_SHORT,
    _relayed("stamps step forward by 1000 s and return", step=1000),
    _relayed("joint states delayed by 50 ms", delay=0.05),
    _relayed("joint states doubled", double=0.5),
    _relayed("joint states in wrong order", reorder=0.3),
)
SIM_TIME = (
    _relayed("sim time and stamps step forward by 1000 s and return", step=1000),
    _relayed("sim time and stamps step back by 1000 s and return", step=-1000),
    Case("sim time stands still for 1 s", lambda s: s.freeze("simulator", 1.0), lambda s: s.thawed(),
         silent=(TORQUES, COMMANDS), again=True),
    Case("sim time begins anew: simulator restarted", lambda s: s.kill("simulator"), lambda s: s.restart("simulator"),
         lasts=2.0, silent=(TORQUES, COMMANDS), again=True),
)
