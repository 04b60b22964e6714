"""Many targets at once: all branches of all targets on the vector kernels, or all numeric searches in one call."""
import numpy as np

from ..errors import RdynError
from .result import STATUSES, SUCCESS, IkBatch
from .rotation_error import rotation_angles
from .targets import real_numbers, rigid

TURN = 2.0 * np.pi


def solve_batch(kinematics, targets, frame, seeds, given):
    """IkBatch of targets (N, 4, 4); seeds (nq,), (N, nq) or None. A target that is no pose gets bad_input."""
    T = read_batch(targets)
    request = kinematics.request(frame, given)
    geometry, n = request.geometry, len(T)
    given_no_seeds, seeds = seeds is None, read_seeds(kinematics.model, seeds, geometry.rest, n)
    good = rigid(T) & np.isfinite(seeds).all(axis=1)
    batch = IkBatch(np.zeros(n, dtype=bool), np.full(n, "bad_input", dtype=object), seeds.copy(), np.full(n, np.inf),
                    np.full(n, np.inf))
    if request.by_formula and not request.options.indices and good.any():
        nearest_branches(request, T, seeds, np.flatnonzero(good), batch)
    elif not request.by_formula:
        found_numerically(request, T, seeds, np.flatnonzero(good), -1 if given_no_seeds else 0, batch)
    for i in np.flatnonzero(good & ~batch.success):         # the reason, or the branch asked for
        result = kinematics.solve(T[i], frame, None if given_no_seeds else np.ascontiguousarray(seeds[i]), given)
        batch.success[i], batch.reasons[i], batch.q[i] = result[:3]
        batch.residual_position[i], batch.residual_rotation[i] = result[3:5]
    return batch


def read_batch(targets):
    """Targets as float64 (N, 4, 4)."""
    try:
        T = real_numbers(targets)
    except (TypeError, ValueError):
        raise RdynError(f"targets must be poses (N, 4, 4); got {targets!r}") from None
    if T.ndim != 3 or T.shape[1:] != (4, 4):
        raise RdynError(f"targets have shape {T.shape}; they must be poses (N, 4, 4)")
    return T


def read_seeds(model, seeds, rest, n):
    """Seeds (n, nq) of None, one for all, or one each; a row that is not finite stays, its target gets bad_input."""
    try:
        return np.broadcast_to(rest if seeds is None else real_numbers(seeds), (n, model.nq))
    except (TypeError, ValueError):
        raise RdynError(f"seeds must be numbers, ({model.nq},) or ({n}, {model.nq}); got {np.shape(seeds)}") from None


def found_numerically(request, T, seeds, rows, first, batch):
    """Fills the rows of a batch that the numeric solver solves, in one call that leaves the interpreter free."""
    status, q, residuals = request.solver.solve_many(T[rows], np.ascontiguousarray(seeds[rows]), first)
    solved = status < len(SUCCESS)
    done = rows[solved]
    batch.success[done], batch.reasons[done], batch.q[done] = True, np.array(STATUSES)[status[solved]], q[solved]
    batch.residual_position[done], batch.residual_rotation[done] = residuals[solved].T


def nearest_branches(request, T, seeds, rows, batch):
    """Fills the rows of a batch that a branch inside the limits solves to the tolerance."""
    geometry, options = request.geometry, request.options
    at, poses, seed = list(geometry.unknowns.positions), T[rows], seeds[rows]
    psi = geometry.arm_angle.run(seed) if geometry.arm is not None and options.arm_angle is None else np.full(
        (len(rows), 1), options.arm_angle or 0.0)
    angles = geometry.formula.run(poses[:, :3].reshape(-1, 12), psi).reshape(len(rows), -1, len(at))
    x0, turns = seed[:, None, at], np.array(geometry.unknowns.turns)
    x = np.where(turns, angles + TURN * np.round((x0 - angles) / TURN), angles)
    x = np.where(turns & (x < geometry.lower), x + TURN, np.where(turns & (x > geometry.upper), x - TURN, x))
    inside = ((x >= geometry.lower) & (x <= geometry.upper)).all(axis=2)       # NaN is outside
    far = np.where(inside, ((x - x0) ** 2).sum(axis=2), np.inf)
    best = far.argmin(axis=1)
    q = seed.copy()
    found = inside.any(axis=1)
    q[:, at] = np.where(found[:, None], x[np.arange(len(x)), best], x0[:, 0])
    reached = geometry.kinematics.run(q)[0][:, 0]
    position = np.linalg.norm(reached[:, :, 3] - poses[:, :3, 3], axis=1)
    rotation = np.zeros(len(q)) if options.position_only else rotation_angles(poses[:, :3, :3], reached[:, :, :3])
    solved = found & (position <= options.tolerance[0]) & (rotation <= options.tolerance[1])
    done = rows[solved]
    batch.success[done], batch.reasons[done], batch.q[done] = True, "converged", q[solved]
    batch.residual_position[done], batch.residual_rotation[done] = position[solved], rotation[solved]
