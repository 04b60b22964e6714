"""What services share: the state a request is about, frames by name, and refusals with a reason."""
from math import isfinite
from time import monotonic

import numpy as np

from ..errors import RdynError
from .joint_states import Snapshot
from .messages import nanoseconds, time_message

SUCCESS = ("ok", "converged", "singular")  # reasons of answers that hold


class RequestError(RdynError):
    """A request that is answered with a reason code and a sentence."""

    def __init__(self, reason, sentence):
        super().__init__(sentence)
        self.reason = reason


def answering(node, handler):
    """Service callback around handler(node, robot, request, response) that turns refusals into answers.

    `robot` is the LoadedRobot in force. The handler returns None, or the reason code of its answer.
    """
    def callback(request, response):
        try:
            if node.loaded is None:
                raise RequestError("no_model", "no robot is loaded yet; robot_description has not come")
            response.reason = handler(node, node.loaded, request, response) or "ok"
            response.success = response.reason in SUCCESS
        except RdynError as error:
            response.success, response.message = False, str(error)
            response.reason = error.reason if isinstance(error, RequestError) else "bad_input"
        return response
    return callback


def state_of(node, message):
    """Snapshot that a JointState in a request stands for: its numbers by name, or the latest measured."""
    if not message.name:
        return measured_state(node)
    names = message.name
    q = by_name(node, names, message.position, "position", every=True)
    qd = by_name(node, names, message.velocity, "velocity") if len(message.velocity) else None
    effort = by_name(node, names, message.effort, "effort") if len(message.effort) else np.zeros(len(q))
    return Snapshot(q, qd, effort, nanoseconds(message.header.stamp))


def measured_state(node):
    """Snapshot of the latest measured state; refused when there is none or it is stale."""
    if missing := node.states.missing():
        raise RequestError("no_state", "no state is given and none is measured yet of " + ", ".join(missing))
    age, timeout = node.states.age(monotonic()), node.values.state_timeout
    if age >= timeout:
        raise RequestError("stale_state",
                           f"the measured state is {age:.3f} s old, allowed are {timeout:g} s")
    return node.states.snapshot()


def by_name(node, names, numbers, what, every=False):
    """`numbers` of the joints `names` in the robot's order; others are 0, or must not be if `every`."""
    order = node.states.names
    if len(numbers) != len(names):
        raise RdynError(f"{len(numbers)} values of {what} for {len(names)} joint names; give as many")
    given = dict(zip(names, numbers, strict=True))
    if len(given) < len(names):
        raise RdynError(f"a joint is named twice in {', '.join(names)}")
    optional = [node.values.joint_prefix + name for name in node.values.optional_joints]
    missing = [name for name in order if every and name not in given and name not in optional]
    if missing:
        raise RdynError(f"{what} of {', '.join(missing)} is missing; all of {', '.join(order)} are needed")
    if bad := [name for name in order if not isfinite(given.get(name, 0.0))]:
        raise RdynError(f"{what} of {bad[0]} is {given[bad[0]]}; only finite numbers are allowed")
    return np.array([given.get(name, 0.0) for name in order])


def frame_of(node, name):
    """Frame of the robot by its name with or without frame_prefix; empty is the first tip."""
    if not name:
        return node.outputs.tips[0]
    known, prefix = node.loaded.robot.frame_names, node.values.frame_prefix
    return name.removeprefix(prefix) if name not in known else name


def wrenches_of(node, frames, wrenches):
    """{frame: (fx fy fz tx ty tz)} of lists of names and geometry_msgs/Wrench."""
    if len(frames) != len(wrenches):
        raise RdynError(f"{len(wrenches)} wrenches for {len(frames)} wrench_frames; give as many")
    total = {}
    for name, w in zip(frames, wrenches, strict=True):
        frame = frame_of(node, name)
        f = np.array([w.force.x, w.force.y, w.force.z, w.torque.x, w.torque.y, w.torque.z])
        total[frame] = total.get(frame, 0.0) + f
    return total


def stamp_header(node, header, state):
    """Fills a header with the stamp of a state and the robot's base."""
    header.stamp, header.frame_id = time_message(state.stamp), node.outputs.base
