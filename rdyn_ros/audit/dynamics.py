"""The robot as a whole, at random states: its mass matrix and its energy balance."""
import numpy as np

from ..algorithms import crba, integrate, kinetic_energy, potential_energy, rnea
from ..spatial import matrix_quaternion, rodrigues

STATES, SEED = 10, 0
STEP = 1e-5               # [s] of the central difference of the energy
BALANCE = 1e-6            # relative error that differencing leaves


def check_dynamics(model, findings):
    """Errors when M(q) is not positive definite or power is not the rate of energy; one of each at most."""
    if model.nv == 0:
        findings.add("info", "no-joints", None, "robot", "nothing moves")
        return
    random = np.random.default_rng(SEED)
    for q, qd, qdd in (random_state(model, random) for _ in range(STATES)):
        eigenvalues = np.linalg.eigvalsh(crba(model, q))
        if not eigenvalues[0] > 1e-14 * eigenvalues[-1]:
            message = f"mass matrix not positive definite (eigenvalue {eigenvalues[0]:.3g}) at q = {words(q)}"
            findings.error("mass-matrix", None, "robot", message)
            return
        error = energy_imbalance(model, q, qd, qdd)
        if not error < BALANCE:
            message = f"power and rate of energy differ by {error:.3g} (relative) at q = {words(q)}"
            findings.error("energy", None, "robot", message)
            return


def random_state(model, random):
    """q within its limits (within ±3 where unlimited), qd and qdd of size 1."""
    limits = model.limits
    low, high = np.maximum(limits.lower, -3.0), np.minimum(limits.upper, 3.0)
    q = random.uniform(np.minimum(low, high), np.maximum(low, high))
    if model.floating_base:
        q = np.concatenate([q[:3], matrix_quaternion(rodrigues(np.array([0.6, 0.0, 0.8]), q[3])), q[6:]])
    return q, random.normal(size=model.nv), random.normal(size=model.nv)


def energy_imbalance(model, q, qd, qdd):
    """|qdᵀ tau - dE/dt| over the size of both, with dE/dt by central difference along the motion."""
    def energy(t):
        moved, velocity = integrate(model, q, (qd + 0.5 * t * qdd) * t), qd + t * qdd
        return kinetic_energy(model, moved, velocity) + potential_energy(model, moved)
    tau = rnea(model, q, qd, qdd)
    rate = (energy(STEP) - energy(-STEP)) / (2 * STEP)
    size = np.abs(qd * tau).sum() + abs(energy(0.0)) + 1e-12
    return abs(qd @ tau - rate) / size


def words(q):
    """A configuration for a message."""
    return np.array2string(q, precision=3, threshold=12, separator=", ", suppress_small=True)
