"""Many targets at once: the branches of all targets, or all numeric searches, in one call."""
from collections.abc import Mapping
from textwrap import shorten

import numpy as np

from ..boundary import UNIT
from ..errors import RdynError
from .constants import STATUSES
from .result import NOTHING, SUCCESS, IkBatch, objects
from .targets import check_frames, in_order, real_numbers, rigid


def solve_batch(kinematics, targets, frame, seeds, given):
    """IkBatch of targets (N, 4, 4), or {frame: (N, 4, 4)}; seeds (nq,), (N, nq) or None. No pose: bad_input."""
    frames, T = read_batch(kinematics.model, targets, frame)
    request = kinematics.request(frames, given, True) if len(frames) > 1 else kinematics.request(frames[0], given)
    unseeded, seeds = seeds is None, read_seeds(kinematics.model, seeds, request.geometry.rest, len(T))
    batch = refused(seeds)
    answer_together(batch, request, T, unseeded, sound(kinematics.model, T, seeds))
    batch.messages[batch.reasons == "timeout"] = request.late.message
    for i in np.flatnonzero(~batch.success & (batch.reasons != "timeout")):         # one by one, for the reason
        try:
            one = kinematics.solve(dict(zip(frames, T[i], strict=True)), None,
                                   None if unseeded else np.ascontiguousarray(seeds[i]), given)
        except RdynError as error:
            batch.messages[i] = str(error)
        else:
            write(batch, i, success=one.success, reasons=one.reason, q=one.q, residual_position=one.residual_position,
                  residual_rotation=one.residual_rotation, indices=(*one.indices, NOTHING)[0], distance=one.distance,
                  violations=one.violations, iterations=one.iterations, restarts=one.restarts, time=one.time,
                  messages=one.message, method=one.method)
    return batch


def sound(model, T, seeds):
    """Rows of targets (N, k, 4, 4) that are rigid, with seeds (N, nq) to start from."""
    good = rigid(T).all(axis=1) & np.isfinite(seeds).all(axis=1)
    if model.floating_base:
        good &= abs(np.linalg.norm(seeds[:, 3:7], axis=1) - 1.0) <= UNIT
    return np.flatnonzero(good)


def answer_together(batch, request, T, unseeded, rows):
    """Writes the answers to rows of targets (N, k, 4, 4), from the seeds that are in the batch."""
    geometry, solver = request.geometry, request.solver
    wanted, starts = T[rows], np.ascontiguousarray(batch.q[rows])
    if request.by_formula:
        counts, q, figures = solver.best_of_many(wanted, starts, request.options.arm_angle, request.any_arm_angle)
    else:
        counts, q, figures = solver.search_many(wanted, starts, -1 if unseeded else 0, request.seconds,
                                                geometry.block_address)
    status, iterations, restarts, branch, sharp = counts.T
    reasons, (position, rotation, time) = objects(STATUSES)[status], figures.T
    write(batch, rows, success=status < len(SUCCESS), reasons=reasons, q=q, residual_position=position,
          residual_rotation=rotation, iterations=iterations, restarts=restarts, time=time, messages=reasons,
          method=objects(("numeric", "closed_form"))[sharp])
    if request.by_formula:
        batch.indices[rows] = objects(geometry.indices or [NOTHING])[branch]


def write(batch, rows, **fields):
    """Puts values into fields of rows."""
    for name, value in fields.items():
        getattr(batch, name)[rows] = value


def refused(seeds):
    """IkBatch for seeds (N, nq) before any row is answered."""
    n = len(seeds)
    nothing = np.full(n, NOTHING, dtype=object)
    return IkBatch(np.zeros(n, dtype=bool), np.full(n, "bad_input", dtype=object), seeds.copy(), np.full(n, np.inf),
                   np.full(n, np.inf), nothing, np.zeros(n), nothing.copy(),
                   np.zeros(n, dtype=int), np.zeros(n, dtype=int), np.zeros(n), np.full(n, "", dtype=object),
                   np.full(n, "", dtype=object))


def read_batch(model, targets, frame):
    """(frames, targets (N, k, 4, 4)) of poses (N, 4, 4) for a frame, or of {frame: poses} for several."""
    if not isinstance(targets, Mapping):
        return (model.frame(frame).name,), read_poses(targets)[:, None]
    check_frames(targets, frame, "poses")
    names = in_order(model, targets)
    poses = [read_poses(targets[name]) for name in names]
    if len(lengths := {len(some) for some in poses}) > 1:
        raise RdynError(f"the frames have {' and '.join(map(str, sorted(lengths)))} targets; give each as many")
    return tuple(model.frame(name).name for name in names), np.stack(poses, axis=1)


def read_poses(targets):
    """Targets as float64 (N, 4, 4)."""
    try:
        T = real_numbers(targets)
    except (TypeError, ValueError):
        raise RdynError(f"targets must be poses (N, 4, 4); got {shorten(repr(targets), 100)}") from None
    if T.ndim != 3 or T.shape[1:] != (4, 4):
        raise RdynError(f"targets have shape {T.shape}; they must be poses (N, 4, 4)")
    return T


def read_seeds(model, seeds, rest, n):
    """Seeds (n, nq) of None, one for all, or one each; a row that is not finite stays, its target gets bad_input."""
    try:
        given = rest if seeds is None else real_numbers(seeds)
    except (TypeError, ValueError):
        given = None
    if given is None or given.shape not in ((model.nq,), (n, model.nq)):
        raise RdynError(f"seeds must be numbers, ({model.nq},) or ({n}, {model.nq}); got "
                        + (f"{seeds!r}" if given is None else f"shape {given.shape}"))
    return np.broadcast_to(given, (n, model.nq))
