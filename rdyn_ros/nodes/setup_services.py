"""Services that change what the robot carries and how it is mounted."""
from time import monotonic

import numpy as np
from rdyn_interfaces.srv import SetGravity, SetPayload

from ..control.preflight import too_heavy
from ..errors import RdynError
from .loaded_robot import Payload
from .messages import NANO, fill_vector, inertia_message, inertia_of, nanoseconds, vector_of
from .parameters import MOST_GRAVITY, MOST_MASS
from .requests import RequestError, frame_of, measured_state, pose_of

WORDS = SetPayload.Request
ADD, REPLACE, REMOVE, LIST = WORDS.ADD, WORDS.REPLACE, WORDS.REMOVE, WORDS.LIST
MOST = MOST_MASS, 100.0, 1e6  # [kg], [m], [kg m^2]: beyond any arm, and far from torques that overflow


def set_payload(node, here, request, response):
    """Adds, replaces, removes or lists payloads by name."""
    operation, robot = request.operation or REPLACE, here.loaded
    if operation not in (ADD, REPLACE, REMOVE, LIST):
        raise RdynError(f"operation {operation!r}; allowed are {ADD}, {REPLACE}, {REMOVE}, {LIST}")
    if operation != LIST:
        duration = _transition(request)
        payloads = _changed(here, dict(robot.payloads), operation, request)
        # compiles here, in this thread: the topics must not wait for it
        load = robot.load.carrying(payloads)

        def loading(current):
            if current.bare is not robot.bare:
                raise RdynError("another robot was loaded meanwhile; ask again")
            return current.with_load(load, monotonic(), duration)
        robot = node.change_loaded(loading)
    response.message = _too_heavy(here, robot)
    now = monotonic()
    for name, payload in robot.payloads.items():
        response.names.append(name)
        response.frames.append(payload.frame)
        response.inertias.append(inertia_message(*payload[1:]))
        response.shares.append(robot.payload_share(name, now))


def set_gravity(node, here, request, response):
    """Sets gravity, given in the base or in any frame at its measured position."""
    g, duration = vector_of(request.gravity.vector), _transition(request)
    if not (abs(g) <= MOST_GRAVITY).all():
        raise RdynError(f"gravity is {g.tolist()}; each number must be from {-MOST_GRAVITY:g} to {MOST_GRAVITY:g} "
                        "[m/s^2]")
    g = pose_of(here, request.gravity.header.frame_id)[:3, :3] @ g
    node.change_loaded(lambda robot: robot.with_gravity(g, monotonic(), duration))
    answer = response.gravity
    answer.header.frame_id = here.outputs.base
    fill_vector(answer.vector, g)


SERVICES = (("~/set_payload", SetPayload, set_payload), ("~/set_gravity", SetGravity, set_gravity))


def _changed(here, payloads, operation, request):
    """Payloads after the operation."""
    name = request.name
    if operation == REMOVE:
        if name and name not in payloads:
            raise RequestError("unknown_name", f"no payload {name!r}; known: {', '.join(payloads)}")
        return {key: value for key, value in payloads.items() if name and key != name}
    name = name or "payload"
    if operation == ADD and name in payloads:
        raise RequestError("name_taken", f"payload {name!r} exists; use {REPLACE}, or another name")
    inertia = inertia_of(request.inertia)
    for value, most, what in zip(inertia, MOST, ("mass [kg]", "com [m]", "inertia [kg m^2]"), strict=True):
        if not (np.abs(value) <= most).all():
            raise RdynError(f"{what} is {np.asarray(value).tolist()}; each number must be from {-most:g} to {most:g}")
    payloads[name] = Payload(frame_of(here, request.frame), *inertia)
    return payloads


def _too_heavy(here, robot):
    """Sentence on joints that cannot hold what the robot carries where it is; "" if all can, or none is measured."""
    try:
        q = measured_state(here).q
    except RequestError:
        return ""
    weak = too_heavy(robot.aimed, q, here.values.effort_scale * robot.bare.limits.effort)
    return f"the arm cannot hold itself with its payloads where it is: {'; '.join(weak)}" if weak else ""


def _transition(request):
    duration = nanoseconds(request.transition) / NANO
    if duration < 0.0:
        raise RdynError(f"transition of {duration} s; it must not be negative")
    return duration
