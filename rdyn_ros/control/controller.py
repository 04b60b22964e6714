"""The controller: a law, its reference, the observer and the safety filter, driven by joint states.

No ROS, no clock. Two times are used: `now`, steady time, for ramps and the watchdog; `t`, the time of the
joint states, for motion.
"""
from contextlib import suppress
from dataclasses import replace

import numpy as np

from ..errors import RdynError
from . import laws
from .braking import braked
from .modes import Wanted, mode_torque
from .motion import TURN, endless, on_nearest_turn, rest, seams, within_turn
from .observer import collision, observe, start_observer
from .passage import AIMLESS, Aim, left
from .preflight import STILL, preflight, too_heavy
from .reference import check_reference, patience
from .safety import DRIVEN, Phase, SafetyFilter
from .settings import FOLLOWING, check_mode
from .trajectory import Streamed, check_limits, hold, trajectory

NO_NUMBER = RdynError, np.linalg.LinAlgError  # a measured state beyond all bounds; a mass matrix without inverse
PLAY = 0.01         # [rad or m] that a joint enabled beyond its range may move further out
STOP = 0.5          # [s] within which a motion ends


class Controller:
    """Controls `robot` with `settings` in one of MODES; `filter.output` is the command (n,) [N m or N]."""

    def __init__(self, robot, settings, mode="gravity_compensation"):
        self.robot, self.settings, self.mode = robot, settings, check_mode(mode)
        n, self._endless = robot.nv, endless(robot)
        self._before = ()                                       # robots that still have a share
        self._from = []                                         # what a ramp passes over from, see control.passage
        self.filter = SafetyFilter(settings.bounds, np.zeros(n))
        self.state, self.t, self.seen = None, 0.0, -np.inf      # last state, its time, when it came
        self._told, self.turns = np.zeros(n), np.zeros(n)       # its positions as told, and turns folded away from them
        self.leap = 0.0                                         # [s] that its time leapt; 0 when it went on
        self.motion, self.target, self.posture = None, None, np.zeros(n)
        self.reference = None                                   # in force at t, None before the first state
        self.observed = None
        self.collided = False
        self._gravity_in_effort = False                         # a driver that compensates it reports it, too
        self._excess = np.zeros(n)                              # how far outside joints were when enabled

    def take(self, now, t, state):
        """Answers a joint state; True when `filter.output` is a command to send.

        An older t is passed over; an equal one brings another part of the robot, measured at the same time.
        """
        self.leap = self._leap(t)
        fresh_start = self.state is None or now - self.seen > self.settings.state_timeout or self.leap != 0.0
        if not fresh_start and t < self.t:
            return False
        if self._endless.any():         # drivers may fold these joints into one turn
            self.turns = np.zeros(len(state.q)) if fresh_start else self.turns + seams(
                state.q, self._told, self._endless)
            self._told = np.where(fresh_start | within_turn(state.q), state.q, self._told)
            state = state._replace(q=state.q + TURN * self.turns)
        self._observe(t, state, fresh_start)
        self.state, self.t, self.seen = state, t, now
        if fresh_start or self.filter.phase is Phase.FADING:
            self._stay()
            self._from, self.filter = [(1.0, Aim("damping"))], self.filter.found(now).change(now)
        elif self.filter.phase is Phase.IDLE:
            self.reference = rest(state.q)
        if self.filter.phase is Phase.STOPPING and np.all(np.abs(state.qd) <= STILL):
            self.filter = self.filter.stands(now)
        self._watch(now)
        return self._command(now)

    def tick(self, now):
        """Watchdog, to be called often: without fresh states it leads the torque to zero.

        True when there is a command.
        """
        if now - self.seen <= self.settings.state_timeout or self.filter.phase is Phase.IDLE:
            return False
        return self.step(now)

    def step(self, now):
        """Next command from the state last known, whatever its age. True when there is one."""
        if now - self.seen > self.settings.state_timeout:
            self.filter = self.filter.lost(now)
        return self._command(now)

    def enable(self, now):
        """Torque on; returns the reasons why not, empty when it is."""
        reasons = self._reasons(now)
        if not reasons and self.filter.phase not in DRIVEN:
            self._stay()
            begins = self.filter.phase is Phase.IDLE
            self._excess = self.settings.envelope.excess(self.state.q)
            use = self.settings.start_measured and self.settings.terms.gravity
            self.filter = self.filter.enable(now, self.state.effort if use else None)
            self._from = [(1.0, Aim(None, torque=self.filter.output) if begins else Aim("damping"))]
        return reasons

    def disable(self, now):
        """Torque off, by a ramp."""
        self.filter = self.filter.disable(now)

    def set_mode(self, now, mode):
        """Another law from now on, by a ramp from all that has a share then; damping at once, within the rate limit.

        A motion goes on when both laws follow one; else it is braked while its law passes away.
        """
        before, self.mode = self.mode, check_mode(mode)
        if mode == before:
            return
        if self.filter.phase in DRIVEN:
            self._from = left(self._from, self.filter.share(now), Aim(before, None, self.target, self.posture))
            if not {before, mode} <= set(FOLLOWING):
                self._brake()
                self._stay()
        self.filter = self.filter.switch(now) if mode == "damping" else self.filter.change(now)

    def _brake(self):
        """Laws that pass away follow the motion in force no longer: they brake it within half of the ramp."""
        duration = min(STOP, 0.5 * self.settings.bounds.ramp_time)
        motion = braked(self.motion, self.t, duration, self.robot.limits) if duration else self.motion
        self._from = [(part, aim._replace(motion=aim.motion or motion)) for part, aim in self._from]

    def set_robot(self, robot, *before):
        """Another payload, tool or gravity of the same arm; the rate limit smooths the change.

        before: (weight, robot) pairs that still have a share in the torque, which is linear in masses and
        gravity.
        """
        self.robot, self._before = robot, before

    def set_settings(self, settings):
        """Other settings from now on."""
        self.settings = settings
        self.filter = replace(self.filter, bounds=settings.bounds)

    def follow(self, times, points, stamp=None):
        """Follows a trajectory (see control.trajectory) from the motion in force; RdynError refuses it."""
        self._need_mode(FOLLOWING, "a joint trajectory")
        motion = trajectory(self.t, self.motion, times, points, self.settings.interpolation, stamp, self._endless,
                            self.turns)
        check_limits(motion, self.robot.limits, self.robot.model.joints)
        self.motion = motion

    def stop(self, duration=STOP):
        """Ends the motion in force within duration [s], joints near their limits sooner, and holds."""
        self._need_mode(FOLLOWING, "a stop")
        self.motion = braked(self.motion, self.t, duration, self.robot.limits)

    def set_reference(self, reference):
        """Follows a streamed reference; RdynError refuses one too far from the present, or beyond limits."""
        self._need_mode(FOLLOWING, "a reference")
        s, limits, present = self.settings, self.robot.limits, self.motion.sample(self.t)
        reference = reference._replace(q=on_nearest_turn(reference.q, present.q, self._endless))
        check_reference(reference, present, limits, s.reference_step, self.robot.model.joints)
        self.motion = Streamed(self.t, reference,
                               patience(reference, limits, s.reference_step, s.state_timeout))

    def set_target(self, pose):
        """Target pose (4, 4) of the tool in the base for cartesian_impedance."""
        self._need_mode(("cartesian_impedance",), "a target pose")
        self.target = pose

    def _need_mode(self, modes, what):
        if self.filter.phase not in DRIVEN:
            raise RdynError(f"the controller is {self.filter.phase.value}; enable it before sending {what}")
        if self.mode not in modes:
            raise RdynError(f"mode is {self.mode}; {what} needs {' or '.join(modes)}")

    def _reasons(self, now):
        if self.state is None or now - self.seen > self.settings.state_timeout:
            return ["no fresh joint states: start the driver, or see /diagnostics for what was refused or missing"]
        q, qd = self.state.q, self.state.qd
        s = self.settings
        if fast := s.envelope.violation(self.robot.model.joints, q, qd, np.zeros(len(q), bool)):
            return [fast]
        try:
            weak = too_heavy(self.robot, q, s.bounds.effort) if s.terms.gravity else []
            if weak or not s.preflight or self.filter.phase is not Phase.IDLE:
                return weak
            return preflight(self.robot, self.state, not s.terms.gravity, s.preflight_relative, s.preflight_floor)
        except RdynError as error:      # a measured state beyond all bounds
            return [str(error)]

    def _leap(self, t):
        """By how much time t [s] leaps ahead, or back to begin anew; 0 when it goes on, or is a little old."""
        ahead = t - self.t
        leaps = self.state is not None and (ahead > self.settings.state_timeout or ahead < -1.0)
        return ahead if leaps else 0.0

    def _stay(self):
        """From now on the wanted motion is to stay where the arm is."""
        q = self.state.q
        self.motion, self.target, self.posture = hold(q, self.t), np.full((4, 4), np.nan), q
        self.reference = rest(q)
        with suppress(RdynError):       # as in _blend
            self.target = self.robot.fk(q, self.settings.frame)

    def _watch(self, now):
        """Envelope and collision: faults while the law drives."""
        s, outside = self.settings, self.settings.envelope.excess(self.state.q)
        self._excess = np.minimum(self._excess, outside)
        out = outside > np.where(self._excess > 0.0, self._excess + PLAY, 0.0)
        fault = s.envelope.violation(self.robot.model.joints, self.state.q, self.state.qd, out)
        if not fault and self.collided and s.collision_stops:
            fault = "collision: external torque beyond collision_threshold"
        if fault:
            self.filter = self.filter.trip(now, fault)

    def _command(self, now):
        if self.filter.phase is Phase.IDLE:
            return False
        s, driven = self.settings, self.filter.phase in DRIVEN
        law = before = damping = self.filter.output
        if driven:
            self.reference = rest(self.state.q) if self.mode in AIMLESS else self.motion.sample(self.t)
            law = before = self._law(self.mode, self.reference, self.target, self.posture)
        if self.filter.phase is Phase.RAMPING:
            before = sum(part * self._torque(aim) for part, aim in self._from)
        if not (driven and np.isfinite(law).all() and np.isfinite(before).all()):       # else nobody asks for it
            damping = self._blend(lambda robot: laws.damping(
                robot, self.state, s.stop_damping, s.terms, now - self.seen))
        self.filter = self.filter.step(now, law, damping, before)
        return True

    def _torque(self, aim):
        """Torque (n,) of what a ramp passes over from."""
        if aim.mode is None:
            return aim.torque
        reference = (aim.motion or self.motion).sample(self.t) if aim.mode in FOLLOWING else rest(self.state.q)
        return self._law(aim.mode, reference, aim.target, aim.posture)

    def _law(self, mode, *wanted):
        """Torque (n,) of a mode for what is wanted now, see Wanted."""
        wanted = Wanted(*wanted)
        return self._blend(lambda robot: mode_torque(mode, robot, self.state, wanted, self.settings))

    def _blend(self, torque):
        """torque(robot), or the weighted sum while one robot passes over to another; nan where no number answers."""
        share = 1.0 - sum(weight for weight, _ in self._before)
        try:
            return share * torque(self.robot) + sum(weight * torque(robot) for weight, robot in self._before)
        except NO_NUMBER:               # the filter knows what to do
            return np.full(len(self.state.q), np.nan)

    def _observe(self, t, state, fresh_start):
        s = self.settings
        observed = start_observer(state.q, state.qd)
        with suppress(NO_NUMBER):
            tau = self._acting(state)
            if not fresh_start and (state.effort is not None or self.filter.phase is not Phase.IDLE):
                observed = observe(self.robot, self.observed, state.q, state.qd, tau, t - self.t, s.observer_gain)
        if not np.isfinite(observed.external).all():
            observed = start_observer(state.q, state.qd)
        self.observed, self.collided = observed, collision(observed.external, s.collision_threshold)

    def _acting(self, state):
        """Torque (n,) of motors and driver together: as measured, else as commanded.

        Whether a driver that compensates gravity reports it, too, is judged while nothing is commanded and gravity
        is felt.
        """
        tau = self.filter.output if state.effort is None else state.effort
        if self.settings.terms.gravity:
            return tau
        g = self.robot.gravity_torque(state.q)
        if state.effort is None:
            return tau + g
        if self.filter.phase is Phase.IDLE and np.abs(g).max() > self.settings.preflight_floor:
            self._gravity_in_effort = bool(np.linalg.norm(tau - g) < np.linalg.norm(tau))
        return tau if self._gravity_in_effort else tau + g
