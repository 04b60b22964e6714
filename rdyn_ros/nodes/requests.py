"""What services share: the state a request is about, frames by name, and refusals with a reason.

`here` is what the node serves at the moment: its Serving, with loaded, states, outputs, values.
"""
import traceback
from math import isfinite
from time import monotonic

import numpy as np

from ..errors import RdynError
from .joint_states import Snapshot
from .messages import nanoseconds, time_message, wrench_of

SUCCESS = ("ok", "converged", "singular")  # reasons of answers that hold


class RequestError(RdynError):
    """A request that is answered with a reason code and a sentence."""

    def __init__(self, reason, sentence):
        super().__init__(sentence)
        self.reason = reason


def service_callback(node, handler):
    """Service callback around handler(node, here, request, response) that turns refusals into answers.

    The handler returns None, or the reason code of its answer.
    """
    def callback(request, response):
        try:
            if node.serving is None:
                raise RequestError("no_model", "no robot is loaded yet; robot_description has not come")
            response.reason = handler(node, node.serving, request, response) or "ok"
            response.success = response.reason in SUCCESS
        except RdynError as error:
            response.success, response.message = False, str(error)
            response.reason = error.reason if isinstance(error, RequestError) else "bad_input"
        except Exception as error:  # the other services must go on
            node.get_logger().error(traceback.format_exc())
            response.success, response.reason = False, "failed"
            response.message = f"this request met a mistake of the node, {error!r}; its log tells more"
        return response
    return callback


def state_of(here, message):
    """Snapshot that a JointState in a request stands for: its numbers by name, or the latest measured."""
    if not names_joints(message, "the state"):
        return measured_state(here)
    names = message.name
    q = by_name(here, names, message.position, "position", every=True)
    qd = by_name(here, names, message.velocity, "velocity") if len(message.velocity) else None
    return Snapshot(q, qd, nanoseconds(message.header.stamp))


def names_joints(message, what):
    """Whether a JointState in a request tells anything; RdynError for numbers that belong to no joint."""
    numbers = max(len(message.position), len(message.velocity))
    if numbers and not message.name:
        raise RdynError(f"{what} has {numbers} values and no joint names; give as many names, or no values")
    return bool(message.name)


def measured_state(here, needed="no state is given"):
    """Snapshot of the latest measured state; refused, with why it is needed, when there is none or it is stale."""
    if missing := here.states.missing():
        raise RequestError("no_state", f"{needed} and none is measured yet of " + ", ".join(missing))
    now, timeout = monotonic(), here.values.state_timeout
    age = here.states.age(now)
    if age >= timeout:
        raise RequestError("stale_state", f"the measured state of {here.states.stale(now, timeout)} is {age:.3f} s "
                                          f"old, allowed are {timeout:g} s")
    return here.states.snapshot()


def by_name(here, names, numbers, what, every=False, extras=True):
    """`numbers` of the joints `names` in the robot's order; others are 0, or must not be if `every`.

    Names that are no joints of the robot are passed over, or refused without `extras`.
    """
    order = here.states.names
    if len(numbers) != len(names):
        raise RdynError(f"{len(numbers)} values of {what} for {len(names)} joint names; give as many")
    given = dict(zip(names, numbers, strict=True))
    if len(given) < len(names):
        raise RdynError(f"a joint is named twice in {', '.join(names)}")
    unknown = [name for name in names if name not in order]
    if unknown and not extras:
        raise RdynError(f"{what} of {', '.join(unknown)}: no such joint; the robot has {', '.join(order)}")
    optional = [here.values.joint_prefix + name for name in here.values.optional_joints]
    missing = [name for name in order if every and name not in given and name not in optional]
    if missing:
        raise RdynError(f"{what} of {', '.join(missing)} is missing; all of {', '.join(order)} are needed")
    if bad := [name for name in order if not isfinite(given.get(name, 0.0))]:
        raise RdynError(f"{what} of {bad[0]} is {given[bad[0]]}; only finite numbers are allowed")
    return np.array([given.get(name, 0.0) for name in order])


def frame_of(here, name):
    """Frame of the robot by its name with or without frame_prefix; empty is the first tip."""
    if not name:
        return here.outputs.tips[0]
    return name if name in here.loaded.robot.frame_names else name.removeprefix(here.values.frame_prefix)


def pose_of(here, name):
    """Pose (4, 4) of a frame in the base; at the measured position when the frame moves."""
    robot, frame = here.loaded.robot, frame_of(here, name)
    if name in ("", here.outputs.base):
        return np.eye(4)
    fixed = robot.model.frame(frame).body == 0
    needed = f"'{name}' moves with the joints"
    return robot.fk(np.zeros(robot.nq) if fixed else measured_state(here, needed).q, frame)


def wrenches_of(here, frames, wrenches):
    """{frame: (fx fy fz tx ty tz)} of lists of names and geometry_msgs/Wrench."""
    if len(frames) != len(wrenches):
        raise RdynError(f"{len(wrenches)} wrenches for {len(frames)} wrench_frames; give as many")
    total = {}
    for name, message in zip(frames, wrenches, strict=True):
        frame = frame_of(here, name)
        total[frame] = total.get(frame, 0.0) + wrench_of(message)
    return total


def stamp_header(here, header, state):
    """Fills a header with the stamp of a state and the robot's base."""
    header.stamp, header.frame_id = time_message(state.stamp), here.outputs.base
