"""Vector sine, cosine and arctan2: 3 units in the last place, correct beyond their range, nothing hidden."""
import ctypes

import numpy as np
import pytest

from rdyn_ros.kernels import ir, machine
from rdyn_ros.kernels.trace import trace

LANES = (2, 4, 8)


def on_vectors(algorithm, arguments, lanes):
    """Function of `arguments` arrays (n,) -> arrays (n,) by the batch code of that many lanes."""
    program = trace(lambda _, *vectors: algorithm(*vectors), None, [1] * arguments)
    loaded = machine.Loaded(machine.object_code(ir.batch(program, lanes)))
    prototype = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)
    function = prototype(loaded.address("batch"))

    def call(*given):
        results = [np.empty_like(given[0]) for _ in program.outputs]
        pointers = [(ctypes.c_void_p * len(arrays))(*(x.ctypes.data for x in arrays)) for arrays in (given, results)]
        function(*pointers, len(given[0]))
        return results
    call.loaded = loaded
    return call


@pytest.fixture(scope="module", params=LANES)
def sincos(request):
    """Function x (n,) -> sin x, cos x."""
    return on_vectors(lambda q: (np.sin(q), np.cos(q)), 1, request.param)


@pytest.fixture(scope="module", params=LANES)
def computed_sincos(request):
    """Function x, y (n,) -> sin xy, cos xy: of an angle that is no input."""
    return on_vectors(lambda x, y: (np.sin(x * y), np.cos(x * y)), 2, request.param)


@pytest.fixture(scope="module", params=LANES)
def arctan2(request):
    """Function y, x (n,) -> arctan2(y, x)."""
    return on_vectors(np.arctan2, 2, request.param)


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


def test_angles_that_are_computed_have_the_same_sines_and_cosines(sincos, computed_sincos):
    x = np.random.default_rng(1).uniform(-10.0, 10.0, 1001)
    np.testing.assert_array_equal(computed_sincos(x, np.ones_like(x)), sincos(x))


def test_arctan2_has_three_units_in_the_last_place_whatever_the_distance(arctan2):
    random = np.random.default_rng(2)
    eighths = np.pi / 8 * random.integers(-8, 9, 20_000)        # where the formula changes
    angle = np.concatenate([random.uniform(-np.pi, np.pi, 100_001),
                            eighths + random.normal(size=20_000) * 10.0 ** random.uniform(-16.0, -1.0, 20_000)])
    far = 10.0 ** random.uniform(-200.0, 200.0, len(angle))
    y, x = far * np.sin(angle), far * np.cos(angle)
    assert units(arctan2(y, x)[0], np.arctan2(y.astype(np.longdouble), x.astype(np.longdouble))) <= 3.0


def test_arctan2_of_zeros_infinities_and_what_is_not_a_number_is_that_of_libm(arctan2):
    some = np.array([0.0, -0.0, 1.0, -1.0, 5e-324, -5e-324, 1e308, -1.7e308, np.inf, -np.inf, np.nan])
    y, x = (grid.ravel().copy() for grid in np.meshgrid(some, some))
    expected = np.arctan2(y, x)
    for found in (arctan2(y, x)[0], np.concatenate([arctan2(y[[i]], x[[i]])[0] for i in range(len(y))])):
        np.testing.assert_array_equal(found, expected)
        np.testing.assert_array_equal(np.signbit(found)[~np.isnan(found)], np.signbit(expected)[~np.isnan(found)])
