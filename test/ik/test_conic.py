"""Where a conic cuts the unit circle: all angles are found, those that meet too."""
import numpy as np
import pytest

from rdyn_ros.ik.closed_form.conic import angle_on_conic

BRANCHES = [(ks, ke) for ks in (1, -1) for ke in (1, -1)]


def powers(theta):
    c, s = np.cos(theta), np.sin(theta)
    return np.array([c * c, c * s, s * s, c, s, np.ones_like(c)])


def conics_through(theta, random, sizes, slope=None):
    """Random conics (6, N) that vanish at theta (N,), with the slope there when it is given."""
    conic = random.normal(size=(6, len(theta))) * np.array(sizes)[:, None]
    if slope is not None:
        h = 1e-30                               # complex step
        conic[4] += (slope - np.imag((conic * powers(theta + 1j * h)).sum(axis=0)) / h) / np.cos(theta)
    conic[5] -= (conic * powers(theta)).sum(axis=0)
    return conic


def angles(conic):
    with np.errstate(invalid="ignore"):
        return np.array([angle_on_conic(conic, ks, ke) for ks, ke in BRANCHES])


def misses(found, theta):
    return np.nanmin(np.abs(np.angle(np.exp(1j * (found - theta)))), axis=0)


SIZES = {"any": (1, 1, 1, 1, 1, 1), "nearly a line": (1e-3, 1e-3, 1e-3, 1, 1, 1), "even": (1, 1, 1, 1e-3, 1e-3, 1),
         "symmetric": (1, 0, 1, 1, 0, 1), "symmetric the other way": (1, 0, 1, 0, 1, 1)}


@pytest.mark.parametrize("sizes", SIZES)
def test_as_many_angles_as_the_polynomial_has_roots_on_the_circle(sizes):
    random = np.random.default_rng(1)
    theta = random.uniform(-np.pi, np.pi, 200)
    conic = conics_through(theta, random, SIZES[sizes])
    found = angles(conic)
    assert misses(found, theta).max() < 1e-8
    for column, here in zip(conic.T, found.T, strict=True):
        here = here[np.isfinite(here)]
        assert abs(column @ powers(here)).max() < 1e-12 * np.linalg.norm(column)
        cc, cs, ss, c, s, one = column
        high, low = (cc - ss - 1j * cs) / 4.0, (c - 1j * s) / 2.0               # of z² and z, z = exp(iθ)
        z = np.roots([high, low, one + (cc + ss) / 2.0, low.conjugate(), high.conjugate()])
        assert len(here) == (abs(abs(z) - 1.0) < 1e-7).sum()


@pytest.mark.parametrize("slope", [0.0, 1e-9, 1e-6])
def test_angles_that_meet_are_not_lost(slope):
    random = np.random.default_rng(2)
    theta = random.uniform(-1.2, 1.2, 2000)
    found = angles(conics_through(theta, random, SIZES["any"], slope))
    assert misses(found, theta).max() < 1e-5
