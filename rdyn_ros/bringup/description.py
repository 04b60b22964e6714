"""describe("simulation", robot="arm_7r") -> the processes to start, with parameters and remappings."""
from dataclasses import dataclass, field
from importlib.util import find_spec
from os.path import expanduser

from ..errors import RdynError
from ..robot import load
from . import params_file
from .arguments import ARGUMENTS, check, flag, unknown
from .ros_yaml import parameter_text

SETS = {  # bring-up: nodes, beside the viewer
    "dynamics": ("dynamics",),
    "control": ("dynamics", "control"),
    "simulation": ("simulator", "dynamics", "control"),
    "gravity_compensation": ("dynamics",),
}
SILENT = {"dynamics"}  # bring-ups beside whatever commands the robot; a params file may name its topic for others
FIXED = {"simulator", "control"}  # nodes of robots whose base stands
ROBOT = {"simulation": "arm_7r"}  # where nobody names one; beside hardware nothing may be guessed


@dataclass(frozen=True)
class Process:
    """One node process: executable and node name, with all that ROS lets one say at the start."""

    executable: str
    name: str
    namespace: str = ""
    parameters: dict = field(default_factory=dict)  # all of them: what a file says and what arguments put over it
    remappings: tuple = ()

    def ros_arguments(self):
        """The same as words of a command line."""
        words = ["--ros-args", "-r", f"__node:={self.name}"]
        if self.namespace:
            words += ["-r", f"__ns:=/{self.namespace.strip('/')}"]
        words += self.parameter_words()
        for source, target in self.remappings:
            words += ["-r", f"{source}:={target}"]
        return words

    def parameter_words(self):
        """The parameters as words; a file is none of them, for in ROS the order of its sections decides what counts."""
        return [word for name, value in self.parameters.items() for word in ("-p", f"{name}:={parameter_text(value)}")]


def describe(bringup, inside="", **given):
    """Processes of a bring-up (a key of SETS) with the arguments of ARGUMENTS, given as texts.

    An argument counts as given on the command line, else as in the params file. One that nobody names becomes no
    parameter, so that those in the params file hold. A relative namespace lies `inside` that of a launch file.
    """
    if bringup not in SETS:
        raise RdynError(unknown("bring-up", bringup, SETS))
    given = check(given)
    if bringup in SILENT and "command_topic" in given:
        raise RdynError(f"bring-up {bringup} commands no efforts, so it has no command_topic; gravity_compensation "
                        "does, or a params_file that gives node dynamics the parameter command_topic")
    file = params_file.find(given["params_file"]) if "params_file" in given else None
    wanted = (params_file.arguments(file) if file else {}) | given
    viewer = wanted.get("viewer") or str(bringup == "simulation" and find_spec("viser") is not None)
    names = SETS[bringup] + (("viewer",) if flag("viewer", viewer) else ())
    namespace = _joined(inside, wanted.get("namespace", ""))
    processes = tuple(_process(name, namespace, bringup, wanted, file) for name in names)
    for robot in {process.parameters.get("robot") for process in processes} - {None}:
        if load(robot).floating_base and FIXED & set(names):  # here, once, what every node would refuse
            raise RdynError(f"robot {robot} has a floating base, which {' and '.join(sorted(FIXED & set(names)))} "
                            "cannot move; allowed are robots with a fixed base")
    return processes


def _joined(inside, namespace):
    """A namespace inside another one, unless it is absolute."""
    return namespace if namespace.startswith("/") else "/".join(filter(None, (inside.rstrip("/"), namespace)))


def _process(name, namespace, bringup, wanted, file):
    topic = wanted.get("joint_states_topic", "joint_states")
    said = params_file.parameters(file, f"/{namespace}/{name}".replace("//", "/")) if file else {}
    return Process(f"{name}_node", name, namespace, said | _parameters(name, bringup, wanted, said),
                   (("joint_states", topic),) if topic != "joint_states" else ())


def _parameters(name, bringup, wanted, said):
    """Parameters that follow from the arguments `wanted`, and those that a bring-up needs where nothing is `said`."""
    parameters = {}
    commands = name in ("simulator", "control") or (name, bringup) == ("dynamics", "gravity_compensation")
    if "robot" in wanted:
        parameters["robot"] = expanduser(wanted["robot"])
    elif bringup in ROBOT and not said.keys() & {"robot", "robot_description"}:
        parameters["robot"] = ROBOT[bringup]
    if "use_sim_time" in wanted:
        clock = "publish_clock" if name == "simulator" else "use_sim_time"
        parameters[clock] = flag("use_sim_time", wanted["use_sim_time"])
    if commands and ("command_topic" in wanted or "command_topic" not in said):
        parameters["command_topic"] = wanted.get("command_topic", ARGUMENTS["command_topic"].default)
    return parameters
