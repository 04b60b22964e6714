"""Five ways to the same numbers (the sources check each other)."""
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from rdyn_ros import algorithms as alg
from rdyn_ros.algorithms import block_jacobians, covariant, newton_euler
from support.compare import error
from support.trees import random_state, random_tree

EXACT = 1e-9
TREES = st.builds(random_tree, st.integers(0, 10**6), st.integers(5, 40), st.booleans(), st.integers(0, 2))
SEEDS = st.integers(0, 10**6)
steady = settings(max_examples=15, deadline=None, derandomize=True)


@steady
@given(TREES, SEEDS)
def test_inverse_dynamics_agrees_in_all_formulations(model, seed):
    q, qd, qdd = random_state(model, seed)
    tau = alg.rnea(model, q, qd, qdd)
    assert error(block_jacobians.inverse_dynamics(model, q, qd, qdd), tau) < EXACT
    assert error(block_jacobians.inverse_dynamics(model, q, qd, qdd, axes="link"), tau) < EXACT
    assert error(covariant.inverse_dynamics(model, q, qd, qdd), tau) < EXACT
    assert error(newton_euler.inverse_dynamics(model, q, qd, qdd), tau) < EXACT
    Y, pi = alg.regressor(model, q, qd, qdd), alg.inertial_parameters(model)
    assert error(Y @ pi + model.armature * qdd, tau) < EXACT


@steady
@given(TREES, SEEDS)
def test_mass_matrix_and_bias_agree_in_all_formulations(model, seed):
    q, qd, _ = random_state(model, seed)
    M, C = alg.crba(model, q), alg.coriolis_matrix(model, q, qd)
    for axes in ("base", "link"):
        A, b = block_jacobians.equations_of_motion(model, q, qd, axes)
        assert error(A, M) < EXACT
        assert error(b, C @ qd) < EXACT
    assert error(covariant.metric_and_christoffel(model, q)[0], M) < EXACT
    assert error(C @ qd, alg.coriolis_torque(model, q, qd)) < EXACT
    assert error(alg.gravity_torque(model, q), -covariant.weights(model, q)) < EXACT
    assert error(alg.gravity_torque(model, q), -block_jacobians.gravity_load(model, q)) < EXACT


@steady
@given(TREES, SEEDS)
def test_forward_dynamics_returns_the_acceleration_by_every_way(model, seed):
    q, qd, qdd = random_state(model, seed)
    tau = alg.rnea(model, q, qd, qdd)
    assert error(alg.forward_dynamics(model, q, qd, tau), qdd) < EXACT
    for axes in ("base", "link"):
        assert error(block_jacobians.forward_dynamics(model, q, qd, tau, axes), qdd) < EXACT
    if not model.has_mimic:
        assert error(alg.aba(model, q, qd, tau), qdd) < EXACT


@settings(steady, max_examples=6)
@given(TREES, SEEDS)
def test_external_loads_on_every_link_agree_in_all_formulations(model, seed):
    q, qd, qdd = random_state(model, seed)
    loads = np.random.default_rng(seed).normal(size=(model.n, 6))       # at centres of mass, base axes
    rotations = block_jacobians.links(model, q).tau[1:]
    turned = np.array([np.concatenate([R.T @ load[:3], R.T @ load[3:]])
                       for R, load in zip(rotations, loads, strict=True)])
    at_origins = [np.zeros(6)] + [np.concatenate([load[:3], load[3:] + np.cross(body.com, load[:3])])
                                  for body, load in zip(model.bodies[1:], turned, strict=True)]
    tau = alg.rnea(model, q, qd, qdd, f_ext=at_origins)
    pairs = [None] + [(load[:3], load[3:]) for load in at_origins[1:]]
    assert error(newton_euler.inverse_dynamics(model, q, qd, qdd, pairs), tau) < EXACT
    for axes, given_loads in (("base", loads), ("link", turned)):
        assert error(block_jacobians.inverse_dynamics(model, q, qd, qdd, axes, given_loads), tau) < EXACT
        assert error(block_jacobians.forward_dynamics(model, q, qd, tau, axes, given_loads), qdd) < EXACT
    assert error(alg.forward_dynamics(model, q, qd, tau, at_origins), qdd) < EXACT
    assert error(alg.joint_reactions(model, q, qd, qdd, at_origins, "base"),
                 block_jacobians.reactions(model, q, qd, qdd, loads)) < EXACT


@steady
@given(TREES, SEEDS)
def test_joint_reactions_agree_in_all_formulations(model, seed):
    q, qd, qdd = random_state(model, seed)
    local = alg.joint_reactions(model, q, qd, qdd)
    base = alg.joint_reactions(model, q, qd, qdd, axes="base")
    assert error(base, block_jacobians.reactions(model, q, qd, qdd)) < EXACT
    force, moment, _ = newton_euler.link_loads(model, q, qd, qdd)
    assert error(local, np.hstack([force[1:], moment[1:]])) < EXACT
    along = np.concatenate([model.S[i].T @ local[i - 1] for i, _ in model.edges])
    if not model.has_mimic:
        assert error(along + model.armature * qdd, alg.rnea(model, q, qd, qdd)) < EXACT


@settings(steady, max_examples=6)
@given(st.builds(random_tree, SEEDS, st.integers(5, 12), st.just(False), st.integers(0, 2)), SEEDS)
def test_christoffel_symbols_agree_with_the_covariant_form(model, seed):
    q, qd, _ = random_state(model, seed)
    gamma = alg.christoffel(model, q)
    assert error(gamma, covariant.metric_and_christoffel(model, q)[1].transpose(2, 0, 1)) < EXACT
    assert error(gamma, gamma.transpose(0, 2, 1)) < EXACT
    assert error(gamma @ qd, alg.coriolis_matrix(model, q, qd)) < EXACT


@steady
@given(TREES, SEEDS)
def test_link_jacobians_agree(model, seed):
    q, qd, _ = random_state(model, seed)
    place, i = block_jacobians.links(model, q), model.n
    xi = block_jacobians.xi(model, q, i)
    assert error(np.vstack([xi[3:], xi[:3]]), alg.jacobian(model, q, f"link{i}")) < EXACT
    R = place.tau[i].T
    local = np.vstack([R @ xi[3:], R @ xi[:3]])
    assert error(local, alg.jacobian(model, q, f"link{i}", axes="local")) < EXACT
    motion = block_jacobians.blocks(model, q, qd)
    velocities = alg.body_velocities(model, q, qd)
    assert np.vstack(motion.C).shape == np.vstack(motion.D).shape == (3 * model.n, model.nv)
    for body, C, D in zip(range(1, model.n + 1), motion.C, motion.D, strict=True):
        v, w = velocities[body][:3], velocities[body][3:]
        assert error(C @ qd, place.tau[body] @ w) < EXACT
        assert error(D @ qd, place.tau[body] @ (v + np.cross(w, model.bodies[body].com))) < EXACT


@steady
@given(TREES, SEEDS)
def test_external_wrenches_act_through_the_jacobian(model, seed):
    q, qd, qdd = random_state(model, seed)
    f_ext = {"tool": np.arange(6.0), f"link{model.n // 2}": np.array([1.0, -2.0, 3.0, -4.0, 5.0, -6.0])}
    loads = alg.body_wrenches(model, q, f_ext)
    tau, torque = alg.rnea(model, q, qd, qdd, f_ext=loads), alg.external_torque(model, q, f_ext)
    assert error(tau, alg.rnea(model, q, qd, qdd) - torque) < EXACT
    pairs = [(f[:3], f[3:]) for f in loads]
    assert error(newton_euler.inverse_dynamics(model, q, qd, qdd, pairs), tau) < EXACT
    assert error(alg.forward_dynamics(model, q, qd, tau, loads), qdd) < EXACT
    assert error(alg.static_torque(model, q, loads), alg.gravity_torque(model, q) - torque) < EXACT
    if not model.has_mimic:
        assert error(alg.aba(model, q, qd, tau, loads), qdd) < EXACT
