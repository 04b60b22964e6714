"""Machine code answers as the plain algorithms do, for one state and for batches."""
import ctypes

import numpy as np
import pytest

from bench.growth import chain
from bench.robots import FOLDER
from rdyn_ros import Robot
from rdyn_ros import algorithms as alg
from rdyn_ros.errors import RobotWarning
from rdyn_ros.kernels import FUNCTIONS, Kernels, kernel, machine, symbol
from rdyn_ros.kernels.ir import LANES
from rdyn_ros.kernels.regroup import TORQUES, regrouped
from rdyn_ros.kernels.trace import trace
from rdyn_ros.model.load import load_model
from support.compare import error
from support.trees import random_state, random_tree

EXACT = 1e-12
TREES = {
    "branched": {"seed": 1, "bodies": 5},
    "mimic": {"seed": 2, "bodies": 4, "mimics": 1},
    "floating": {"seed": 3, "bodies": 2, "floating": True},
}


def model_of(name):
    return random_tree(**TREES[name])


def kernel_of(model, function):
    options = {"frame": "tool", "axes": "base"}
    chosen = tuple(options[name] for name in function.options)
    return Kernels(model)(function.algorithm, function.inputs, chosen)


def inputs(model, function, seeds):
    """Per input an array (len(seeds), size)."""
    states = [dict(zip(("q", "qd", "qdd"), random_state(model, seed), strict=True)) for seed in seeds]
    names = ("qdd" if name == "tau" else name for name in function.inputs)
    return [np.array([state[name] for state in states]) for name in names]


def answers(result):
    return result if isinstance(result, tuple) else (result,)


def agree(value, reference):
    assert len(answers(value)) == len(answers(reference))
    for a, b in zip(answers(value), answers(reference), strict=True):
        assert error(a, b) < EXACT


@pytest.mark.parametrize("name", ["fk_all", "inverse_dynamics", "mass_matrix"])
@pytest.mark.parametrize("tree", TREES)
def test_a_block_in_lanes_computes_what_a_batch_computes(tree, name):
    model, function = model_of(tree), FUNCTIONS[name]
    compiled, vectors = kernel_of(model, function), inputs(model, function, range(LANES))
    code = compiled.compile("block")
    given = [np.ascontiguousarray(v.T) for v in vectors]                # element by element, a state in each lane
    (shape,) = code.shapes
    out = np.empty((int(np.prod(shape)), LANES))
    code.function(*((ctypes.c_void_p * len(arrays))(*(a.ctypes.data for a in arrays)) for arrays in (given, [out])))
    agree(out.T.reshape(LANES, *shape), compiled.plain(*vectors))


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("tree", TREES)
def test_machine_code_computes_what_the_algorithm_computes(tree, name):
    model, function = model_of(tree), FUNCTIONS[name]
    compiled, vectors = kernel_of(model, function), inputs(model, function, range(5))
    rows = [v[0] for v in vectors]
    agree(compiled(*rows), compiled.plain(*rows))
    assert compiled.compile("single") is not None
    assert compiled.compile("batch") is not None
    agree(compiled(*rows), compiled.plain(*rows))
    agree(compiled(*vectors), compiled.plain(*vectors))


def test_one_vector_serves_a_whole_batch():
    robot = Robot(model_of("branched"))
    robot.compile("inverse_dynamics", batch=True)
    q, qd, qdd = inputs(robot.model, FUNCTIONS["inverse_dynamics"], range(7))
    tiled = robot.inverse_dynamics(q, np.tile(qd[0], (7, 1)), np.tile(qdd[0], (7, 1)))
    np.testing.assert_allclose(robot.inverse_dynamics(q, qd[0], qdd[0]), tiled, rtol=1e-13)


@pytest.mark.parametrize("count", range(1, 10))
def test_every_length_of_a_batch_is_served_row_by_row(count):
    robot = Robot(model_of("branched"))
    robot.compile("fk", batch=True)
    q, = inputs(robot.model, FUNCTIONS["fk"], range(count))
    assert robot.fk(q).shape == (count, 4, 4)
    assert error(robot.fk(q), np.array([alg.frame_pose(robot.model, row) for row in q])) < EXACT


@pytest.mark.parametrize("lanes", [2, 4, 8])
def test_every_width_of_vector_registers_gives_the_same(lanes, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(machine, "lanes", lambda: lanes)
    robot = Robot(model_of("branched"))
    q, qd, qdd = inputs(robot.model, FUNCTIONS["inverse_dynamics"], range(11))
    robot.compile("inverse_dynamics")
    expected = np.array([alg.rnea(robot.model, *row) for row in zip(q, qd, qdd, strict=True)])
    assert error(robot.inverse_dynamics(q, qd, qdd), expected) < EXACT
    assert error(robot.inverse_dynamics(q[0], qd[0], qdd[0]), expected[0]) < EXACT


@pytest.mark.parametrize(("place", "limit"), [(kernel, "MOST_INSTRUCTIONS"), (symbol, "MOST_NODES")])
def test_what_is_too_long_to_compile_is_answered_by_the_algorithm(monkeypatch, tmp_path, place, limit):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(place, limit, 10)
    robot = Robot(model_of("branched"))
    q, = inputs(robot.model, FUNCTIONS["fk"], range(3))
    with pytest.warns(RobotWarning, match="fk has no machine code: more than .* operations"):
        robot.compile("fk")
    assert robot.fk.installed == (False, False)
    assert error(robot.fk(q), np.array([alg.frame_pose(robot.model, row) for row in q])) < EXACT


@pytest.mark.parametrize("tree", TREES)
def test_derivatives_that_are_too_long_are_composed_of_shorter_functions(monkeypatch, tmp_path, tree):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    robot, name = Robot(model_of(tree)), "forward_dynamics_derivatives"
    long = len(Kernels(robot.model).public[name].trace().order)
    monkeypatch.setattr(kernel, "MOST_INSTRUCTIONS", long - 1)
    vectors = inputs(robot.model, FUNCTIONS[name], range(kernel.FEW + 1))
    rows = [alg.forward_dynamics_derivatives(robot.model, *row) for row in zip(*vectors, strict=True)]
    agree(robot.forward_dynamics_derivatives(*vectors), tuple(map(np.array, zip(*rows, strict=True))))
    assert robot.inverse_dynamics_derivatives.installed == (False, True)
    assert not any(robot.forward_dynamics_derivatives.installed)


@pytest.mark.parametrize("file", ["icub_description/robots/icub.urdf", "talos_data/robots/talos_reduced.urdf"])
def test_the_derivatives_of_a_floating_humanoid_are_short_enough_to_compile(file):
    program = Kernels(load_model(FOLDER / file, True, {}, True)).public["forward_dynamics_derivatives"].trace()
    assert len(program.order) < 0.9 * kernel.MOST_INSTRUCTIONS


@pytest.mark.parametrize("name", ["forward_dynamics", "mass_matrix", "inverse_dynamics"])
def test_a_chain_of_80_joints_is_short_enough_to_compile(name):
    program = Kernels(chain(80)).public[name].trace()
    assert len(program.order) < 0.9 * kernel.MOST_INSTRUCTIONS


def test_a_deep_tree_takes_articulated_bodies_and_they_agree():
    model = chain(25)
    q, qd, tau = random_state(model, 0)
    assert alg.forward_dynamics(model, q, qd, tau).tolist() == alg.aba(model, q, qd, tau).tolist()
    assert error(alg.forward_dynamics(model, q, qd, tau),
                 alg.forward_dynamics_by_mass_matrix(model, q, qd, tau)) < 1e-9


@pytest.mark.parametrize("tree", TREES)
def test_reactions_and_hybrid_dynamics_run_on_machine_code(tree):
    robot, count = Robot(model_of(tree)), kernel.FEW + 1
    q, qd, qdd = inputs(robot.model, FUNCTIONS["inverse_dynamics"], range(count))
    wrenches = {"tool": np.arange(6.0), "link1": np.ones((count, 6))}
    reactions = robot.joint_reactions(q, qd, qdd, wrenches)
    for k in range(count):
        loads = alg.body_wrenches(robot.model, q[k], {"tool": wrenches["tool"], "link1": np.ones(6)})
        assert error(reactions[k], alg.joint_reactions(robot.model, q[k], qd[k], qdd[k], loads)) < EXACT
    tau = robot.inverse_dynamics(q, qd, qdd)
    first, *others = robot.joint_names
    column = dict(zip(robot.joint_names, range(robot.nv - len(robot.joint_names), robot.nv), strict=True))
    known = {"qdd": {first: qdd[:, column[first]]}, "tau": {name: tau[:, column[name]] for name in others}}
    if robot.floating_base:
        known["tau"]["base"] = tau[:, :6]
    solved_qdd, solved_tau = robot.hybrid_dynamics(q, qd, known)
    assert error(solved_qdd, qdd) < 1e-9
    assert error(solved_tau, tau) < 1e-9


def test_without_the_extension_ctypes_calls_the_same_code(monkeypatch):
    monkeypatch.setattr(kernel, "Call", None)
    kernel.warn_of_missing_extensions.cache_clear()
    with pytest.warns(RuntimeWarning, match="without its C extensions.*install a C compiler") as told:
        robot = Robot(model_of("branched"))
    assert len(told) == 1
    q, qd, qdd = inputs(robot.model, FUNCTIONS["inverse_dynamics"], range(kernel.FEW + 1))
    robot.compile("inverse_dynamics")
    expected = np.array([alg.rnea(robot.model, *row) for row in zip(q, qd, qdd, strict=True)])
    assert error(robot.inverse_dynamics(q, qd, qdd), expected) < EXACT
    assert error(robot.inverse_dynamics(q[0], qd[0], qdd[0]), expected[0]) < EXACT


@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize("algorithm", sorted(TORQUES, key=lambda a: a.__name__))
def test_regrouped_parameters_change_no_torque(tree, algorithm):
    model = model_of(tree)
    q, qd, qdd = random_state(model, 4)
    count = algorithm.__code__.co_argcount - 1 - len(algorithm.__defaults__ or ())
    agree(algorithm(regrouped(model), *(q, qd, qdd)[:count]), algorithm(model, *(q, qd, qdd)[:count]))


def test_regrouping_leaves_less_to_compute():
    model = random_tree(seed=5, bodies=7, parents=range(7))
    compiled = kernel_of(model, FUNCTIONS["inverse_dynamics"])
    assert len(compiled.trace().order) < len(trace(alg.rnea, model, compiled.sizes).order)
