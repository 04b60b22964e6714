"""Random states, for tests of the numbers and for identifiable parameters."""
import numpy as np


def random_state(model, seed):
    """q (nq,), qd, qdd (nv,) of a model; the quaternion of a floating base is a unit one."""
    random = np.random.default_rng(seed)
    q = random.uniform(-3.0, 3.0, model.nq)
    if model.floating_base:
        q[3:7] /= np.linalg.norm(q[3:7])
    return q, random.normal(size=model.nv), random.normal(size=model.nv)
