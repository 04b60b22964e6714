"""Many targets at once: the branches of all targets, or all numeric searches, in one call."""
from collections.abc import Mapping
from textwrap import shorten

import numpy as np

from ..boundary import UNIT
from ..errors import RdynError
from . import explain
from .constants import STATUSES
from .result import NOTHING, SUCCESS, IkBatch, objects
from .targets import check_frames, in_order, real_numbers, rigid


def solve_batch(kinematics, targets, frame, seeds, given):
    """IkBatch of targets (N, 4, 4), or {frame: (N, 4, 4)}; seeds (nq,), (N, nq) or None. No pose: bad_input."""
    frames, T = read_batch(kinematics.model, targets, frame)
    request = kinematics.request(frames, given, True) if len(frames) > 1 else kinematics.request(frames[0], given)
    geometry, n = request.geometry, len(T)
    given_no_seeds, seeds = seeds is None, read_seeds(kinematics.model, seeds, geometry.rest, n)
    good = rigid(T).all(axis=1) & np.isfinite(seeds).all(axis=1)
    if kinematics.model.floating_base:
        good &= abs(np.linalg.norm(seeds[:, 3:7], axis=1) - 1.0) <= UNIT
    rows = np.flatnonzero(good)
    wanted, starts = T[rows], np.ascontiguousarray(seeds[rows])
    counts, q, figures = (
        request.solver.best_of_many(wanted, starts, arm_angles(request, starts), request.any_arm_angle)
        if request.by_formula
        else request.solver.search_many(wanted, starts, -1 if given_no_seeds else 0, request.seconds,
                                        geometry.block_address))
    status, iterations, restarts, branch, sharp = counts.T
    solved, reasons = status < len(SUCCESS), objects(STATUSES)[status]
    batch = refused(seeds)
    for field, value in zip(batch, (
            solved, reasons, q, *figures.T[:2], objects(geometry.indices or [NOTHING])[branch]
            if request.by_formula else NOTHING, 0.0, NOTHING, iterations, restarts, figures.T[2],
            reasons, objects(("numeric", "closed_form"))[sharp]), strict=True):
        field[rows] = value
    batch.messages[batch.reasons == "timeout"] = explain.timeout(request.options).message
    for i in np.flatnonzero(~batch.success & (batch.reasons != "timeout")):         # one by one, for the reason
        try:
            result = kinematics.solve(dict(zip(frames, T[i], strict=True)), None,
                                      None if given_no_seeds else np.ascontiguousarray(seeds[i]), given)
        except RdynError as error:
            batch.messages[i] = str(error)
            continue
        told = (*result[:5], *(result.indices[:1] or [NOTHING]), result.distance, result.violations, result.iterations,
                result.restarts, result.time, result.message, result.method)
        for field, value in zip(batch, told, strict=True):
            field[i] = value
    return batch


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
    targets = in_order(targets)
    poses = [read_poses(some) for some in targets.values()]
    if len(lengths := {len(some) for some in poses}) > 1:
        raise RdynError(f"the frames have {' and '.join(map(str, sorted(lengths)))} targets; give each as many")
    return tuple(model.frame(name).name for name in targets), np.stack(poses, axis=1)


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


def arm_angles(request, seeds):
    """Arm angles (N,) to try first of seven-axis arms; None for others."""
    if request.geometry.arm is None:
        return None
    if request.round_the_arm and len(seeds):
        return request.geometry.arm_angle(seeds)[:, 0]
    return np.full(len(seeds), request.options.arm_angle or 0.0)
