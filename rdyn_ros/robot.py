"""The public face: a robot with all its kinematics and dynamics as methods.

q, qd, qdd, tau follow `joint_names`; SI units, radians. Every vector may carry one leading batch axis unless a
method takes one state at a time: q (N, n) gives (N, ...). A floating base puts x y z qx qy qz qw in front of q, and
its linear then angular velocity in the axes of the root link in front of qd; tau[:6] is then the wrench on the root
link, in its axes. Everywhere else "base" is the fixed frame the robot stands in, the world of a floating one:
axes="base", f_ext, about="base".
"""
import warnings
from typing import NamedTuple

import numpy as np

from . import algorithms as alg
from .boundary import (
    GivingOut,
    amount,
    choice,
    finite,
    hybrid,
    one_length,
    position,
    regular,
    solvable,
    state,
    vector,
    wrenches,
)
from .errors import RdynError, RobotWarning
from .ik import InverseKinematics, damped_velocity
from .kernels import FUNCTIONS, Kernels, background
from .kernels.variants import hybrid_dynamics, loaded_reactions
from .model import Limits, Model, changes
from .model.load import load_model

AXES = ("base", "local")
NEED_INERTIA = ("forward_dynamics", "forward_dynamics_derivatives")


def load(source, floating_base=None, allow_massless=False, **arguments):
    """Robot from a path (.urdf .xacro .yaml), the text itself, or the name of a shipped robot.

    floating_base frees the root link (True) or holds it (False); None: as the file says. `arguments` go to
    xacro. A moving link without mass is refused unless `allow_massless`.
    """
    return Robot(load_model(source, floating_base, arguments, allow_massless))


class Energy(NamedTuple):
    """Kinetic and potential energy [J]."""

    kinetic: float
    potential: float


class Robot:
    """A robot; it never changes. `model` is the tree behind it.

    "base" in axes=, f_ext, about= and gravity is the fixed frame it stands in, the world of a floating robot; only
    q, qd, qdd and tau of a floating base speak of its root link, in the axes of that link.
    """

    name: str                       # as its file says
    joint_names: tuple[str, ...]    # in the order of q, qd, qdd and tau; joints that mimic others are not among them
    link_names: tuple[str, ...]     # the n_links moving links, those that are fixed to one merged into it
    frame_names: tuple[str, ...]    # all n_frames that a pose can be asked of: links, merged ones too, and tools
    tips: tuple[str, ...]           # frames at the ends; the first is the default of every `frame`
    nq: int                         # length of q: one a joint, and 7 of a floating base
    nv: int                         # length of qd, qdd and tau: one a joint, and 6 of a floating base
    floating_base: bool             # whether its root link moves freely
    limits: Limits                  # lower, upper, velocity, effort: (nv,) each, inf where there is none
    gravity: np.ndarray             # (3,) [m/s²], base axes
    model: Model                    # the tree behind it: bodies, joints, frames

    def __init__(self, model):
        """Robot of a rdyn_ros.model.Model."""
        self.model = model
        self.name, self.gravity, self.limits = model.name, model.gravity, model.limits
        self.joint_names, self.link_names = model.joint_names, model.link_names
        self.frame_names, self.tips = model.frame_names, model.tips
        self.nq, self.nv, self.floating_base = model.nq, model.nv, model.floating_base
        self._kernel, self._ik = Kernels(model), InverseKinematics(model)
        self._solid, self._inertialess = alg.is_solid(model), alg.inertialess_joint(model)
        for name, kernel in self._kernel.public.items():        # the compiled way in, before the method of that name
            overridden = getattr(type(self), name) is not getattr(Robot, name)
            if not overridden and not (self._inertialess and name in NEED_INERTIA):
                vars(self)[name] = kernel.door(GivingOut(getattr(self, name)))
        self._kernel.public["forward_dynamics_derivatives"].stand_in = self._composed_derivatives

    def __setattr__(self, name, value):
        if name in vars(self) or hasattr(type(self), name):
            raise RdynError(f"a robot never changes: '{name}' cannot be set; with_gravity, with_payload and with_tool "
                            "give a new robot")
        super().__setattr__(name, value)

    def __reduce__(self):
        return type(self), (self.model,)

    def __repr__(self):
        base = ", floating base" if self.floating_base else ""
        return f"<Robot {self.name}: joints {len(self.joint_names)}, links {len(self.link_names)}{base}>"

    # configurations

    def neutral(self):
        """q (nq,) with all joints at zero and a floating base at the origin, unturned."""
        return alg.neutral(self.model)

    def integrate(self, q, v):
        """q ⊕ v (nq,): where the constant velocity v (nv,), ordered as qd, leads from q in one unit of time.

        Joints add up, also the endless ones; a floating base moves in SE(3), its quaternion stays a unit one.
        """
        return alg.integrate(self.model, *state(self.model, q=q, v=v))

    def difference(self, q0, q1):
        """v (nv,) with q0 ⊕ v = q1; a floating base turns the shorter way."""
        return alg.difference(self.model, *state(self.model, q0=q0, q1=q1))

    # kinematics

    def fk(self, q, frame=None):
        """Pose (4, 4) of a frame in the base; the default frame is the tip."""
        return self._each(alg.frame_pose, self._frame(frame), q=q)

    def fk_all(self, q):
        """Poses (n_frames, 4, 4) of all frames in the base, in the order of frame_names."""
        return self._each(alg.frame_poses, q=q)

    def velocity(self, q, qd, frame=None, axes="base"):
        """Velocity (6,) of a frame's origin: vx vy vz wx wy wz [m/s, rad/s]."""
        return self._each(alg.frame_velocity, self._frame(frame), choice("axes", axes, AXES), q=q, qd=qd)

    def acceleration(self, q, qd, qdd, frame=None, axes="base"):
        """Acceleration (6,) of a frame's origin, linear then angular [m/s², rad/s²]."""
        return self._each(alg.frame_acceleration, self._frame(frame), choice("axes", axes, AXES),
                          q=q, qd=qd, qdd=qdd)

    def jacobian(self, q, frame=None, axes="base"):
        """Jacobian (6, nv) of a frame's origin, rows vx vy vz wx wy wz, in base or local axes."""
        return self._each(alg.jacobian, self._frame(frame), choice("axes", axes, AXES), q=q)

    def jacobian_dot(self, q, qd, frame=None, axes="base"):
        """Time derivative (6, nv) of the Jacobian along qd."""
        return self._each(alg.jacobian_dot, self._frame(frame), choice("axes", axes, AXES), q=q, qd=qd)

    def inverse_velocity(self, q, twist, frame=None, damping=0.0):
        """VelocitySolution(qd, residual, rank, condition, unreachable, reason) for a twist (6,), base axes.

        One state at a time. `damping` > 0 bounds qd near singularities.
        """
        q, twist = position(self.model, "q", q), vector(self.model, "twist", twist, 6, many=False)
        return alg.inverse_velocity(self.model, q, twist, self._frame(frame), amount("damping", damping))

    def ik(self, target, frame=None, seed=None, **options):
        """IkResult for a pose (4, 4) of a frame, or {frame: pose} for several.

        A closed form gives the solution next to the seed, a search the first it meets, from the seed on.
        options, explained in docs/ik.md: position_only=False, axis=None, weights=None, posture=None, tolerance=1e-6
        [m, rad], timeout=0.05 [s], max_restarts=1000, method="auto", indices=None, arm_angle=None [rad].
        """
        return self._ik.solve(target, frame, seed, options)

    def ik_all(self, target, frame=None, seed=None, **options):
        """IkResult with all solutions of a pose within limits, nearest to the seed first."""
        return self._ik.solve(target, frame, seed, options, every=True)

    def ik_batch(self, targets, frame=None, seeds=None, **options):
        """IkBatch for poses (N, 4, 4) of a frame, or {frame: poses} for several; seeds (nq,) or (N, nq)."""
        return self._ik.solve_batch(targets, frame, seeds, options)

    def ik_velocity(self, q, twist, frame=None, towards=None):
        """IkVelocity: damped joint velocities for a twist (6,), base axes, within the velocity limits.

        One state at a time. towards (nv,) is a joint velocity for the motion that the task leaves free. A floating base
        is held.
        """
        q, frame = position(self.model, "q", q), self._frame(frame)
        twist = vector(self.model, "twist", twist, 6, many=False)
        towards = None if towards is None else vector(self.model, "towards", towards, self.nv, many=False)
        free = np.arange(self.nv) >= (6 if self.model.floating_base else 0)
        towards = None if towards is None else towards * free
        with np.errstate(over="ignore", invalid="ignore"):
            found = damped_velocity(self.jacobian(q, frame) * free, twist, self.limits.velocity, towards,
                                    self._ik.geometry((frame,)).lever)
        if not np.isfinite(found.qd).all():
            raise RdynError(f"twist {twist} and towards {towards} are too large to compute with")
        return found

    def ik_prepare(self, frame=None, wait=True, **options):
        """Makes the machine code for ik to a frame, or a tuple of several, now or in the background.

        Else the first request waits for it; one with a timeout until 20 ms before its time is up. options: of requests
        to come, for which a solver is made, too.
        """
        prepare = self._ik.preparing(self._ik_geometry(frame).frames, options)
        prepare() if wait else background.submit(prepare)

    def ik_seed(self, frame=None):
        """The middle of the limits (nq,), for a frame or a tuple of several: near it are solutions without a seed.

        A search without a seed begins elsewhere, at the nearest of many postures. Joints that move none of the frames
        are as near to 0 as their limits let them.
        """
        return self._ik_geometry(frame).rest.copy()

    def ik_class(self, frame=None):
        """What kind of arm leads to a frame, in words, when it has a closed form; else None."""
        form = self._ik.geometry((self._frame(frame),)).closed_form
        return None if form is None else form.kind

    # dynamics

    def inverse_dynamics(self, q, qd, qdd, f_ext=None):
        """tau (nv,) for an acceleration, rotor inertia included, friction not.

        f_ext {frame: (fx fy fz tx ty tz)}: external wrenches at the frames' origins, base axes.
        """
        q, qd, qdd = state(self.model, q=q, qd=qd, qdd=qdd)
        external = self._external(f_ext, q=q, qd=qd, qdd=qdd)
        return self._each(alg.rnea, q=q, qd=qd, qdd=qdd) - external

    def forward_dynamics(self, q, qd, tau, f_ext=None):
        """qdd (nv,) under torques and external wrenches."""
        q, qd, tau = state(self.model, q=q, qd=qd, tau=tau)
        tau = tau + self._external(f_ext, q=q, qd=qd, tau=tau)
        solvable(self.model, self._inertialess)
        return self._solved(q, self._kernel(alg.forward_dynamics, ("q", "qd", "tau"))(q, qd, tau))

    def hybrid_dynamics(self, q, qd, known, f_ext=None):
        """(qdd, tau), whole, from known = {"qdd": {joint: value}, "tau": {joint: value}}.

        Every joint is in exactly one of the two; a floating base is called "base" and has six values.
        """
        q, qd = state(self.model, q=q, qd=qd)
        qdd, tau, prescribed = hybrid(self.model, known)
        external = self._external(f_ext, q=q, qd=qd, **{"known qdd": qdd, "known tau": tau})
        if not self._solid:
            free = tuple(np.flatnonzero(~prescribed).tolist())
            found = self._kernel(alg.pivots, ("q",), free)(q)
            solvable(self.model, alg.lost_joint(self.model, free, *found))
        kernel = self._kernel(hybrid_dynamics, ("q", "qd", "qdd", "tau"), tuple(prescribed.tolist()))
        qdd, tau = self._solved(q, kernel(q, qd, qdd, tau + external))
        return qdd, tau - external

    def external_torque(self, q, f_ext=None):
        """Σ Jᵀ f (nv,): what external wrenches {frame: (6,)}, base axes, do in the joints; zeros for none."""
        q, = state(self.model, q=q)
        return self._external(f_ext, q=q)

    def static_torque(self, q, f_ext=None):
        """tau (nv,) that holds the robot still under gravity and external wrenches."""
        return self.gravity_torque(q) - self.external_torque(q, f_ext)

    def mass_matrix(self, q):
        """M (nv, nv), symmetric positive definite."""
        return self._each(alg.crba, q=q)

    def coriolis_matrix(self, q, qd):
        """C (nv, nv) with Ṁ - 2 C skew."""
        return self._each(alg.coriolis_matrix, q=q, qd=qd)

    def christoffel(self, q):
        """Γ (nv, nv, nv) of the first kind: C_ij = Σ_k Γ_ijk qd_k."""
        return self._each(alg.christoffel, q=q)

    def gravity_torque(self, q):
        """g (nv,): what holds the robot still against gravity."""
        return self._each(alg.gravity_torque, q=q)

    def coriolis_torque(self, q, qd):
        """C qd (nv,): what Coriolis and centrifugal forces ask for."""
        return self._each(alg.coriolis_torque, q=q, qd=qd)

    def friction_torque(self, qd):
        """Viscous and smoothed Coulomb friction (nv,)."""
        return self._each(alg.friction_torque, qd=qd)

    def inverse_dynamics_derivatives(self, q, qd, qdd):
        """dtau/dq, dtau/dqd, dtau/dqdd, (nv, nv) each."""
        return self._each(alg.rnea_derivatives, q=q, qd=qd, qdd=qdd)

    def forward_dynamics_derivatives(self, q, qd, tau):
        """dqdd/dq, dqdd/dqd, dqdd/dtau, (nv, nv) each."""
        q, qd, tau = state(self.model, q=q, qd=qd, tau=tau)
        solvable(self.model, self._inertialess)
        return self._solved(q, self._kernel(alg.forward_dynamics_derivatives, ("q", "qd", "tau"))(q, qd, tau))

    def regressor(self, q, qd, qdd):
        """Y (nv, 10 n_links): tau = Y inertial_parameters() + rotor inertia · qdd."""
        return self._each(alg.regressor, q=q, qd=qd, qdd=qdd)

    def inertial_parameters(self):
        """π (10 n_links,): per link m, hx, hy, hz, Jxx, Jxy, Jyy, Jxz, Jyz, Jzz about the link's origin."""
        return alg.inertial_parameters(self.model)

    def base_parameters(self):
        """BaseParameters(independent, dependent, K): the combinations of π that motion can identify."""
        return alg.base_parameters(self.model)

    def joint_reactions(self, q, qd, qdd, f_ext=None, axes="local"):
        """Wrench (n_links, 6) in every joint, force then moment at the link's origin, link or base axes."""
        axes, f_ext = choice("axes", axes, AXES), wrenches(self.model, f_ext)
        q, qd, qdd = state(self.model, q=q, qd=qd, qdd=qdd)
        one_length({**f_ext, "q": q, "qd": qd, "qdd": qdd})
        inputs = ("q", "qd", "qdd", *["wrench"] * len(f_ext))
        kernel = self._kernel(loaded_reactions, inputs, (tuple(f_ext), axes))
        return finite(self.model, kernel(q, qd, qdd, *f_ext.values()))

    def energy(self, q, qd):
        """Energy(kinetic, potential) [J]."""
        q, qd = state(self.model, q=q, qd=qd)
        if qd.ndim > q.ndim:
            q = np.tile(q, (len(qd), 1))
        return Energy(self._each(alg.kinetic_energy, q=q, qd=qd), self._each(alg.potential_energy, q=q))

    def com(self, q):
        """Centre of mass (3,) [m] of the moving links, in the base."""
        return self._each(alg.center_of_mass, q=q)

    def com_jacobian(self, q):
        """Jacobian (3, nv) of the centre of mass."""
        return self._each(alg.com_jacobian, q=q)

    def momentum(self, q, qd, about="com"):
        """Linear and angular momentum (6,), base axes, about the centre of mass ("com") or the base."""
        q, qd = state(self.model, q=q, qd=qd)
        choice("about", about, ("com", "base"))
        A = alg.centroidal_matrix if about == "com" else alg.momentum_matrix
        return finite(self.model, np.einsum("...ij,...j->...i", self._each(A, q=q), qd))

    def centroidal_matrix(self, q):
        """A_G (6, nv): centroidal momentum = A_G qd."""
        return self._each(alg.centroidal_matrix, q=q)

    def operational_inertia(self, q, frame=None):
        """Λ (6, 6): inertia felt at a frame, base axes."""
        q, = state(self.model, q=q)
        mobility = self._kernel(alg.operational_mobility, ("q",), (self._frame(frame),))(q)
        return alg.inertia_of_mobility(self._solved(q, mobility))

    # machine code

    def compile(self, *names, batch=False, frame=None):
        """Makes the machine code of functions, all when none is named, now: for one state, or for batches.

        Those of a frame are made for `frame`, the tip unless named, in base axes. A function that is too long
        still answers, but slowly; a RobotWarning says so.
        """
        frame = self._frame(frame) if frame else None
        for name in names or FUNCTIONS:
            function = FUNCTIONS[choice("function", name, tuple(FUNCTIONS))]
            kernel = self._kernel(function.algorithm, function.inputs, function.defaults(self.model, frame))
            if kernel.compile("batch" if batch else "single") is None:
                warnings.warn(f"{self.name}: {name} has no machine code: {kernel.refused}", RobotWarning,
                              stacklevel=2)

    # other robots

    def with_payload(self, mass, com=(0.0, 0.0, 0.0), inertia=changes.NO_TENSOR, frame=None):
        """A new robot that carries a mass [kg] on a frame; com and inertia (about it) in the frame's axes."""
        return type(self)(changes.with_payload(self.model, mass, com, inertia, frame))

    def with_gravity(self, gravity):
        """A new robot under another gravity (3,) [m/s²], base axes."""
        return type(self)(changes.with_gravity(self.model, gravity))

    def with_tool(self, name="tool", xyz=(0.0, 0.0, 0.0), rpy=(0.0, 0.0, 0.0), frame=None):
        """A new robot whose tip is a new frame at xyz [m], rpy [rad] of another."""
        return type(self)(changes.with_tool(self.model, name, xyz, rpy, frame))

    # inside

    def _frame(self, name):
        return self.model.frame(name).name

    def _ik_geometry(self, frame):
        return self._ik.geometry(self._ik.frames(frame if isinstance(frame, tuple | list) and frame else (frame,)))

    def _each(self, algorithm, *options, **vectors):
        """algorithm(model, *vectors, *options), compiled; row by row over a batch."""
        return finite(self.model, self._kernel(algorithm, tuple(vectors), options)(*state(self.model, **vectors)))

    def _external(self, f_ext, **vectors):
        """Σ Jᵀ f (nv,) of wrenches whose batches agree in length with the vectors, q among them."""
        q, f_ext = vectors["q"], wrenches(self.model, f_ext)
        one_length({**vectors, **{f"f_ext['{name}']": f for name, f in f_ext.items()}})
        turned = (np.einsum("...ij,...i->...j", self.jacobian(q, name), f) for name, f in f_ext.items())
        return finite(self.model, sum(turned, np.zeros((*q.shape[:-1], self.nv))))

    def _solved(self, q, result):
        """A result of forward dynamics when it is finite; else the mass matrix is to blame, or the inputs."""
        try:
            return finite(self.model, result)
        except RdynError:
            regular(self.model, self.mass_matrix(q))
            raise

    def _composed_derivatives(self, q, qd, tau):
        """∂qdd = -M⁻¹ ∂tau at the qdd of tau, of compiled parts: the whole is long."""
        qdd = self.forward_dynamics(q, qd, tau)
        by_q, by_qd, M = self.inverse_dynamics_derivatives(q, qd, qdd)
        inverse = np.linalg.inv(M)
        inverse = 0.5 * (inverse + np.swapaxes(inverse, -1, -2))
        return -inverse @ by_q, -inverse @ by_qd, inverse
