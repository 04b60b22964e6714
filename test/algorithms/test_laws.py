"""Laws of mechanics that hold for every tree."""
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import simpson

from rdyn_ros import Robot
from rdyn_ros import algorithms as alg
from support.compare import error
from support.differences import complex_step, difference, position_rate
from support.trees import random_state, random_tree

SEEDS = st.integers(0, 10**6)
TREES = st.builds(random_tree, SEEDS, st.integers(5, 20), st.booleans(), st.integers(0, 2))
SMALL_TREES = st.builds(random_tree, SEEDS, st.integers(5, 8), st.booleans(), st.integers(0, 1))
steady = settings(max_examples=12, deadline=None, derandomize=True)
few = settings(max_examples=5, deadline=None, derandomize=True)
DIFFERENCE = 1e-7     # what central differences of order 4 with step 1e-5 can tell


@steady
@given(TREES, SEEDS)
def test_mass_matrix_is_symmetric_and_positive_definite_and_gives_the_kinetic_energy(model, seed):
    q, qd, _ = random_state(model, seed)
    M = alg.crba(model, q)
    assert error(M, M.T) < 1e-14
    assert np.linalg.eigvalsh(M)[0] > 0
    assert error(alg.kinetic_energy(model, q, qd), 0.5 * qd @ M @ qd) < 1e-12


def on_one_path(parents):
    """(n, n) bool: coordinate j lies between coordinate i and the base."""
    path = np.eye(len(parents), dtype=bool)
    for i, p in enumerate(parents):
        if p >= 0:
            path[i] |= path[p]
    return path


@steady
@given(TREES, SEEDS)
def test_mass_matrix_is_factorised_without_fill_in(model, seed):
    M, parents = alg.crba(model, random_state(model, seed)[0]), alg.dof_parents(model)
    L = alg.ltl(M, parents)
    assert error(L.T @ L, M) < 1e-12
    assert (np.triu(L, 1) == 0).all()
    assert (L[~on_one_path(parents)] == 0).all()


@few
@given(TREES, SEEDS)
def test_mass_rate_minus_twice_coriolis_is_skew(model, seed):
    q, qd, _ = random_state(model, seed)
    M_dot = difference(lambda t: alg.crba(model, alg.integrate(model, q, t[0] * qd)), 1)[..., 0]
    N = M_dot - 2.0 * alg.coriolis_matrix(model, q, qd)
    assert error(N, -N.T, floor=1.0) < DIFFERENCE


@few
@given(TREES, SEEDS)
def test_gravity_torque_is_the_gradient_of_potential_energy(model, seed):
    q, _, _ = random_state(model, seed)
    slope = difference(lambda delta: alg.potential_energy(model, alg.integrate(model, q, delta)), model.nv)
    assert error(alg.gravity_torque(model, q), slope, floor=1.0) < DIFFERENCE


@few
@given(SMALL_TREES, SEEDS)
def test_derivatives_of_inverse_dynamics_are_slopes(model, seed):
    q, qd, qdd = random_state(model, seed)
    by_q, by_qd, by_qdd = alg.rnea_derivatives(model, q, qd, qdd)
    slope = difference(lambda d: alg.rnea(model, alg.integrate(model, q, d), qd, qdd), model.nv)
    assert error(by_q, slope, floor=1.0) < DIFFERENCE
    assert error(by_qd, complex_step(lambda x: alg.rnea(model, q, x, qdd), qd)) < 1e-12
    assert error(by_qdd, complex_step(lambda x: alg.rnea(model, q, qd, x), qdd)) < 1e-12
    if not model.floating_base:
        assert error(by_q, complex_step(lambda x: alg.rnea(model, x, qd, qdd), q)) < 1e-12


@few
@given(SMALL_TREES, SEEDS)
def test_derivatives_of_forward_dynamics_are_slopes(model, seed):
    q, qd, qdd = random_state(model, seed)
    tau = alg.rnea(model, q, qd, qdd)
    by_q, by_qd, by_tau = alg.forward_dynamics_derivatives(model, q, qd, tau)
    slope = difference(lambda d: alg.forward_dynamics(model, alg.integrate(model, q, d), qd, tau), model.nv)
    assert error(by_q, slope, floor=1.0) < DIFFERENCE
    assert error(by_qd, complex_step(lambda x: alg.forward_dynamics(model, q, x, tau), qd)) < 1e-11
    assert error(by_tau, np.linalg.inv(alg.crba(model, q))) < 1e-9


@few
@given(SMALL_TREES, SEEDS)
def test_jacobians_and_their_rates_are_slopes(model, seed):
    q, qd, qdd = random_state(model, seed)
    poses = difference(lambda d: alg.frame_pose(model, alg.integrate(model, q, d)), model.nv)
    J = alg.jacobian(model, q)
    assert error(J[:3], poses[:3, 3], floor=1.0) < DIFFERENCE
    R = alg.frame_pose(model, q)[:3, :3]
    turns = np.einsum("ikn,jk->ijn", poses[:3, :3], R)
    assert error(J[3:], np.array([turns[2, 1], turns[0, 2], turns[1, 0]]), floor=1.0) < DIFFERENCE
    for axes in ("base", "local"):
        slope = difference(lambda d, axes=axes: alg.jacobian(model, alg.integrate(model, q, d), axes=axes), model.nv)
        assert error(alg.jacobian_dot(model, q, qd, axes=axes), slope @ qd, floor=1.0) < DIFFERENCE
        v = alg.jacobian(model, q, axes=axes) @ qd
        assert error(alg.frame_velocity(model, q, qd, axes=axes), v) < 1e-12
    point = np.array([0.1, -0.2, 0.3])
    moved = alg.point_jacobian(model, q, point)
    assert error(moved, np.vstack([J[:3] + np.cross(J[3:], R @ point, axis=0), J[3:]])) < 1e-12
    a = alg.jacobian_dot(model, q, qd) @ qd + J @ qdd
    assert error(alg.frame_acceleration(model, q, qd, qdd), a) < 1e-12
    slope = difference(lambda d: alg.center_of_mass(model, alg.integrate(model, q, d)), model.nv)
    assert error(alg.com_jacobian(model, q), slope, floor=1.0) < DIFFERENCE


@few
@given(SMALL_TREES, SEEDS)
def test_power_of_the_drives_is_the_rate_of_energy(model, seed):
    q, qd, qdd = random_state(model, seed)

    def energy(t):
        q_t, qd_t = alg.integrate(model, q, t[0] * qd + 0.5 * t[0]**2 * qdd), qd + t[0] * qdd
        return alg.kinetic_energy(model, q_t, qd_t) + alg.potential_energy(model, q_t)
    assert error(difference(energy, 1)[0], alg.rnea(model, q, qd, qdd) @ qd, floor=1.0) < DIFFERENCE


def motion(model, q, qd, torque, step, steps):
    """States along the motion under torque(qd), by Runge and Kutta's rule of fourth order."""
    def rate(state):
        q, qd = state[:model.nq], state[model.nq:]
        return np.concatenate([position_rate(model, q, qd), alg.forward_dynamics(model, q, qd, torque(qd))])
    state = np.concatenate([q, qd])
    for _ in range(steps):
        k1 = rate(state)
        k2 = rate(state + 0.5 * step * k1)
        k3 = rate(state + 0.5 * step * k2)
        k4 = rate(state + step * k3)
        state = state + step / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        yield state[:model.nq], state[model.nq:]


def test_energy_grows_by_the_work_of_the_drives_along_a_motion():
    model = random_tree(7, 5)
    q, qd, _ = random_state(model, 1)
    start = alg.kinetic_energy(model, q, qd) + alg.potential_energy(model, q)
    step, tau = 1e-3, np.linspace(-2.0, 2.0, model.nv)
    states = list(motion(model, q, qd, lambda qd: tau, step, 100))
    work = simpson([tau @ qd, *(tau @ rate for _, rate in states)], dx=step)
    end = alg.kinetic_energy(model, *states[-1]) + alg.potential_energy(model, states[-1][0])
    assert abs(end - start - work) < 1e-7 * max(abs(start), abs(end), 1.0)


def test_a_free_floating_tree_keeps_its_momentum():
    model = random_tree(11, 5, floating=True).replace(gravity=np.zeros(3))
    q, qd, _ = random_state(model, 2)
    before = alg.momentum_matrix(model, q) @ qd
    *_, (q, qd) = motion(model, q, qd, lambda qd: np.concatenate([np.zeros(6), -0.3 * qd[6:]]), 2e-3, 60)
    assert error(alg.momentum_matrix(model, q) @ qd, before) < 1e-7


@steady
@given(TREES, SEEDS)
def test_momentum_is_mass_times_velocity_and_moves_with_its_point(model, seed):
    q, qd, _ = random_state(model, seed)
    base, com = alg.momentum_matrix(model, q) @ qd, alg.centroidal_matrix(model, q) @ qd
    c, mass = alg.center_of_mass(model, q), sum(body.mass for body in model.bodies[1:])
    assert error(com[:3], mass * (alg.com_jacobian(model, q) @ qd)) < 1e-12
    assert error(base[3:], com[3:] + np.cross(c, com[:3])) < 1e-12


@steady
@given(st.builds(random_tree, SEEDS, st.integers(5, 20), st.booleans()), SEEDS)
def test_hybrid_dynamics_fills_in_what_is_missing(model, seed):
    q, qd, qdd = random_state(model, seed)
    tau = alg.rnea(model, q, qd, qdd)
    bodies = [i for i, _ in model.edges if (seed >> (i % 20)) & 1]
    mask = np.zeros(model.nv, bool)
    for i in bodies:
        mask[model.v_slice[i]] = True
    given_qdd, given_tau = np.where(mask, qdd, 0.0), np.where(mask, 0.0, tau)
    for found_qdd, found_tau in (
            alg.hybrid_dynamics(model, q, qd, given_qdd, given_tau, bodies),
            alg.hybrid_dynamics_by_mass_matrix(model, q, qd, given_qdd, given_tau, mask)):
        assert error(found_qdd, qdd) < 1e-9
        assert error(found_tau, tau) < 1e-9


@steady
@given(st.builds(random_tree, SEEDS, st.integers(5, 12), st.just(True)), SEEDS)
def test_floating_base_turns_wrench_into_acceleration_and_back(model, seed):
    q, qd, qdd = random_state(model, seed)
    tau = alg.rnea(model, q, qd, qdd)
    f0, joints = alg.base_wrench(model, q, qd, qdd[:6], tau[6:])
    assert error(f0, tau[:6]) < 1e-9
    assert error(joints, qdd[6:]) < 1e-9
    a0, joints = alg.base_acceleration(model, q, qd, tau[:6], tau[6:])
    assert error(a0, qdd[:6]) < 1e-9
    assert error(joints, qdd[6:]) < 1e-9
    falling, _ = alg.base_acceleration(model, q, 0.0 * qd, np.zeros(6), np.zeros(model.nv - 6))
    R = alg.frame_pose(model, q, "link1")[:3, :3]
    assert error(R @ falling[:3], model.gravity) < 1e-9


@few
@given(st.builds(random_tree, SEEDS, st.integers(5, 7), st.booleans()), SEEDS)
def test_base_parameters_explain_every_torque(model, seed):
    q, qd, qdd = random_state(model, seed)
    independent, dependent, K = alg.base_parameters(model)
    Y, pi = alg.regressor(model, q, qd, qdd), alg.inertial_parameters(model)
    beta = pi[independent] + K @ pi[dependent]
    assert len(independent) < len(pi) or model.floating_base
    assert error(Y[:, independent] @ beta, Y @ pi) < 1e-8


@steady
@given(TREES, SEEDS)
def test_operational_inertia_turns_a_push_into_the_acceleration_of_the_frame(model, seed):
    q, _, _ = random_state(model, seed)
    push, J = np.arange(1.0, 7.0), alg.jacobian(model, q)
    qdd = alg.forward_dynamics(model, q, np.zeros(model.nv), alg.gravity_torque(model, q) + J.T @ push)
    mobility = alg.operational_mobility(model, q)
    Lambda = alg.inertia_of_mobility(mobility)
    assert error(J @ qdd, mobility @ push) < 1e-9
    assert error(mobility @ Lambda @ mobility, mobility) < 1e-8


def test_inverse_velocity_says_what_the_jacobian_allows():
    model = random_tree(5, 9, parents=[0, 1, 2, 3, 4, 5, 6, 7, 8])
    q, _, _ = random_state(model, 4)
    twist = np.arange(1.0, 7.0)
    many = alg.inverse_velocity(model, q, twist)
    assert (many.rank, many.reason) == (6, "many: shortest taken")
    assert error(alg.jacobian(model, q) @ many.qd, twist) < 1e-9
    damped = alg.inverse_velocity(model, q, twist, damping=0.5)
    assert damped.reason == "damped"
    assert np.linalg.norm(damped.qd) < np.linalg.norm(many.qd)
    one = alg.inverse_velocity(model, q, twist, frame="link1")
    assert (one.rank, one.unreachable.shape) == (1, (6, 5))
    assert error(one.unreachable.T @ alg.jacobian(model, q, "link1"), np.zeros((5, 9)), floor=1.0) < 1e-9
    assert one.reason == "singular: nearest taken"
    short = random_tree(5, 3, parents=[0, 1, 2])
    assert alg.inverse_velocity(short, q[:3], twist).reason == "few joints: nearest taken"
    assert error(one.residual + alg.jacobian(model, q, "link1") @ one.qd, twist) < 1e-12


def test_friction_opposes_motion_and_saturates():
    model = random_tree(1, 5)
    fast = np.full(model.nv, 3.0)
    assert error(alg.friction_torque(model, fast), 3.0 * model.viscous + model.coulomb) < 1e-12
    assert error(alg.friction_torque(model, -fast), -alg.friction_torque(model, fast)) < 1e-12
    assert (alg.friction_torque(model, 0.0 * fast) == 0).all()


def test_friction_takes_the_power_of_every_joint_also_of_followers():
    model = random_tree(1, 6, mimics=2)
    qd = np.random.default_rng(0).normal(0.0, 0.01, model.nv)
    power = 0.0
    for body, at, ratio in zip(model.bodies[1:], model.v_slice[1:], model.ratio[1:], strict=True):
        speed = ratio * qd[at][0]
        power += speed * (body.joint.viscous * speed + body.joint.coulomb * np.tanh(speed / 0.01))
    assert {abs(ratio) for ratio in model.ratio} != {1.0}
    assert error(qd @ alg.friction_torque(model, qd), power) < 1e-12
    assert error(Robot(model).friction_torque(qd), alg.friction_torque(model, qd)) < 1e-12


def test_articulated_bodies_refuse_mimic_joints():
    model = random_tree(1, 6, mimics=1)
    q, qd, qdd = random_state(model, 1)
    with pytest.raises(ValueError, match="mimic"):
        alg.aba(model, q, qd, qdd)
