"""Vector sine and cosine: 3 units in the last place up to 1e5, correct beyond, nothing hidden."""
import ctypes

import numpy as np
import pytest

from rdyn_ros.kernels import ir, machine
from rdyn_ros.kernels.trace import trace

LANES = (2, 4, 8)


@pytest.fixture(scope="module", params=LANES)
def sincos(request):
    """Function x (n,) -> sin x, cos x by the batch code of that many lanes."""
    program = trace(lambda _, q: (np.sin(q), np.cos(q)), None, [1])
    loaded = machine.Loaded(machine.object_code(ir.batch(program, request.param)))
    prototype = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)
    function = prototype(loaded.address("batch"))

    def call(x):
        s, c = np.empty_like(x), np.empty_like(x)
        results = (ctypes.c_void_p * 2)(s.ctypes.data, c.ctypes.data)
        function((ctypes.c_void_p * 1)(x.ctypes.data), results, len(x))
        return s, c
    call.loaded = loaded
    return call


def units(value, exact):
    """Distance in units in the last place of the exact value, which has more digits."""
    return np.max(abs(value - exact) / np.spacing(abs(exact.astype(float))))


def test_three_units_in_the_last_place_up_to_1e5(sincos):
    random = np.random.default_rng(0)
    near_zeros = np.arange(-60_000, 60_000, 7) * (np.pi / 2)
    x = np.concatenate([random.uniform(-s, s, 20_001) for s in (1e-3, 1.0, 10.0, 1e3, 1e5)] + [near_zeros])
    sine, cosine = sincos(x)
    assert units(sine, np.sin(x.astype(np.longdouble))) <= 3.0
    assert units(cosine, np.cos(x.astype(np.longdouble))) <= 3.0


def test_large_angles_are_those_of_libm(sincos):
    x = np.array([6e5, -1e9, 1e15, 1e22, -1e300])
    np.testing.assert_allclose(sincos(x), (np.sin(x), np.cos(x)), rtol=1e-15)


def test_what_is_not_a_number_stays_so(sincos):
    x = np.array([0.5, np.nan, np.inf, -np.inf])
    sine, cosine = sincos(x)
    assert np.isnan(sine[1:]).all()
    assert np.isnan(cosine[1:]).all()
    np.testing.assert_allclose([sine[0], cosine[0]], [np.sin(0.5), np.cos(0.5)], rtol=1e-15)
