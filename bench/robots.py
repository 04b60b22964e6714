"""The robots of the benchmarks, for every contender from the same URDF text (PyPI example-robot-data)."""
import re
from functools import cache
from pathlib import Path

import pinocchio as pin

import rdyn_ros as rdyn

FOLDER = Path(pin.__file__).parents[4] / "share" / "example-robot-data" / "robots"
FILES = {
    "Panda": "panda_description/urdf/panda.urdf",
    "UR5": "ur_description/urdf/ur5_robot.urdf",
    "Talos": "talos_data/robots/talos_reduced.urdf",
}
TIPS = {"Panda": "panda_hand_tcp", "UR5": "tool0", "Talos": "gripper_left_base_link"}


@cache
def urdf(name):
    """URDF text; the Panda with its fingers held, so that all contenders see seven joints."""
    text = (FOLDER / FILES[name]).read_text()
    if name == "Panda":
        text = re.sub(r'(<joint name="panda_finger_joint\d" type=)"prismatic"', r'\1"fixed"', text)
        text = re.sub(r'<mimic joint="panda_finger_joint1"[^>]*/>', "", text)
    return text


@cache
def ours(name):
    """Robot of this package, its tip as in TIPS."""
    return rdyn.load(urdf(name)).with_tool("bench_tip", frame=TIPS[name])


@cache
def pinocchio(name):
    """Model and data of Pinocchio, and the number of the tip's frame."""
    model = pin.buildModelFromXML(urdf(name))
    return model, model.createData(), model.getFrameId(TIPS[name])
