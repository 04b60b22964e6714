"""Symbols trace NumPy code into the smallest program that computes the same."""
from collections import Counter

import numpy as np
import pytest

from rdyn_ros.kernels.pairs import paired
from rdyn_ros.kernels.program import Angle
from rdyn_ros.kernels.symbol import MUL, Graph, Symbol
from rdyn_ros.kernels.trace import trace


def program_of(function, *sizes):
    return trace(lambda _, *vectors: function(*vectors), None, sizes)


def operations(function, *sizes):
    program = program_of(function, *sizes)
    return [program.nodes[i][0] for i in program.order]


def test_equal_expressions_are_computed_once():
    assert operations(lambda x: np.array([x[0] * x[1], x[1] * x[0] + 1.0]), 2) == ["mul", "add"]


def test_zeros_and_ones_vanish():
    R = np.array([[0.0, 1.0], [-1.0, 0.0]])
    assert operations(lambda x: R @ x, 2) == ["neg"]
    assert operations(lambda x: np.array([x[0] * 0.0, x[0] - x[0], x[0] / 1.0]), 1) == []


def test_signs_and_factors_merge():
    assert operations(lambda x: np.array([-x[0] + x[1]]), 2) == ["sub"]
    assert operations(lambda x: np.array([2.0 * (3.0 * x[0])]), 1) == ["mul"]
    assert operations(lambda x: np.array([x[0] - x[1], x[1] - x[0]]), 2) == ["sub", "neg"]


def test_a_size_is_one_operation():
    assert operations(lambda x: np.array([abs(x[0]), np.abs(x)[1]]), 2) == ["abs", "abs"]


def test_a_shared_denominator_is_divided_by_once():
    assert operations(lambda x: x[:2] / x[2], 3).count("div") == 1


def test_what_no_output_needs_is_not_computed():
    assert operations(lambda x: np.array([x[0] + x[1], x[0] * x[1]])[:1], 2) == ["add"]


def test_sines_and_cosines_of_joint_angles_are_inputs_and_not_arithmetic():
    program = program_of(lambda q: np.array([np.sin(q[0]) * np.cos(q[0]), np.cos(-0.5 * q[1] + 0.25)]), 2)
    assert program.angles == (Angle(0, 0), Angle(0, 1, -0.5, 0.25))
    assert [program.nodes[i][0] for i in program.order] == [MUL]


def test_numpy_stays_in_charge_of_arrays():
    x = Symbol(graph := Graph(), graph.node("input", 0, 0))
    ones = np.ones(2)
    for array in (ones * x, x * ones, np.float64(2.0) * x * ones, x + ones, ones - x):
        assert isinstance(array, np.ndarray)
        assert array.dtype == object


def test_a_branch_on_a_symbol_is_refused():
    with pytest.raises(TypeError, match="branch"):
        program_of(lambda x: x if x[0] else -x, 1)
    with pytest.raises(TypeError, match="exponents"):
        program_of(lambda x: x**0.5, 1)


def test_twin_outputs_are_computed_side_by_side():
    def products(a, x, y):
        A, X, Y = (z.reshape(3, 3) for z in (a, x, y))
        return A @ X, A @ Y
    program = program_of(products, 9, 9, 9)
    kinds = Counter(twins.nodes[i][0] for twins in [paired(program)] for i in twins.order)
    assert kinds == {"join": 18, "mul2": 27, "add2": 18, "low": 9, "high": 9}


def test_a_program_that_gains_nothing_from_twins_stays_as_it_is():
    program = program_of(lambda x: (x[:2] + x[2:], x[:2] * x[2:]), 4)
    assert paired(program) is program
