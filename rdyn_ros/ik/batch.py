"""Many targets at once: all branches of all targets on the vector kernels, or all numeric searches, in one call."""
import numpy as np

from ..boundary import UNIT
from ..errors import RdynError
from .constants import STATUSES
from .result import SUCCESS, IkBatch
from .targets import real_numbers, rigid


def solve_batch(kinematics, targets, frame, seeds, given):
    """IkBatch of targets (N, 4, 4); seeds (nq,), (N, nq) or None. A target that is no pose gets bad_input."""
    T, frame = read_batch(targets), kinematics.model.frame(frame).name
    request = kinematics.request(frame, given)
    geometry, n = request.geometry, len(T)
    given_no_seeds, seeds = seeds is None, read_seeds(kinematics.model, seeds, geometry.rest, n)
    good = rigid(T) & np.isfinite(seeds).all(axis=1)
    if kinematics.model.floating_base:
        good &= abs(np.linalg.norm(seeds[:, 3:7], axis=1) - 1.0) <= UNIT
    rows = np.flatnonzero(good)
    batch = IkBatch(np.zeros(n, dtype=bool), np.full(n, "bad_input", dtype=object), seeds.copy(), np.full(n, np.inf),
                    np.full(n, np.inf))
    status, q, residuals = request.solver.solve_many(
        T[rows], np.ascontiguousarray(seeds[rows]), -1 if given_no_seeds else 0,
        all_angles(request, T[rows], seeds[rows]) if request.by_formula and len(rows) else None)
    solved = status < len(SUCCESS)
    done = rows[solved]
    batch.success[done], batch.reasons[done], batch.q[done] = True, np.array(STATUSES)[status[solved]], q[solved]
    batch.residual_position[done], batch.residual_rotation[done] = residuals[solved].T
    for i in rows[~solved]:                             # one by one, for the reason
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
        given = rest if seeds is None else real_numbers(seeds)
    except (TypeError, ValueError):
        given = None
    if given is None or given.shape not in ((model.nq,), (n, model.nq)):
        raise RdynError(f"seeds must be numbers, ({model.nq},) or ({n}, {model.nq}); got "
                        + (f"{seeds!r}" if given is None else f"shape {given.shape}"))
    return np.broadcast_to(given, (n, model.nq))


def all_angles(request, T, seeds):
    """Angles (N, branches · n) of all branches of a closed form, at the arm angles or free angles to try first."""
    geometry = request.geometry
    if request.round_the_arm:
        given = geometry.arm_angle.run(seeds)
    elif geometry.free is not None:
        given = seeds[:, [geometry.free]]
    else:
        given = np.full((len(T), 1), request.options.arm_angle or 0.0)
    return geometry.formula.run(T[:, :3].reshape(-1, 12), given)
