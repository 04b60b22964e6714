"""Parameters of the control node: each changes the setting that it is about, and no other. No processes."""
from dataclasses import fields, replace

import numpy as np
import pytest

import rdyn_ros as rdyn
from rdyn_ros.nodes.control_settings import control_settings
from rdyn_ros.nodes.parameters import ControlParameters

CHANGES = {
    "natural_frequency": ((7.0,), "gains.kp gains.kd"), "damping_ratio": ((0.7,), "gains.kd"),
    "stiffness": ((55.0,), "gains.kp"), "damping": ((6.0,), "gains.kd"),
    "cartesian_stiffness": ((1.0, 2.0, 3.0, 4.0, 5.0, 6.0), "impedance"),
    "cartesian_damping": ((1.0, 2.0, 3.0, 4.0, 5.0, 6.0), "impedance"),
    "cartesian_reach": ((0.123, 0.2), "impedance"), "posture_frequency": (1.25, "impedance"),
    "max_delta_tau": ((0.5,), "bounds"), "effort_scale": (0.25, "bounds"), "ramp_time": (3.5, "bounds"),
    "stop_time": (3.5, "bounds"), "velocity_scale": (0.25, "envelope"), "position_margin": (0.123, "envelope"),
    "driver_compensates_gravity": (True, "terms"), "use_coriolis_compensation": (False, "terms"),
    "use_friction": (True, "terms"), "use_rotor_inertia": (False, "terms"),
    "hand_damping": ((0.77,), "hand_damping"), "stop_damping": ((7.7,), "stop_damping"),
    "collision_threshold": ((7.7,), "collision_threshold"), "observer_gain": (7.7, "observer_gain"),
    "interpolation": ("cubic", "interpolation"), "tip": ("link_4", "frame"), "limit_zone": (0.123, "limit_zone"),
    "limit_stiffness": (7.7, "limit_stiffness"), "state_timeout": (0.33, "state_timeout"),
    "reference_step": (0.033, "reference_step"), "preflight": (False, "preflight"),
    "preflight_relative": (0.44, "preflight_relative"), "preflight_floor": (0.44, "preflight_floor"),
    "start_from": ("zero", "start_measured"), "collision_stops": (True, "collision_stops"),
}


@pytest.fixture(scope="module")
def robot():
    return rdyn.load("arm_7r")


def parts(settings):
    """{name: number, text or array} of the settings; gains by their two halves."""
    found = {f.name: getattr(settings, f.name) for f in fields(settings)}
    gains = found.pop("gains")
    return {**found, "gains.kp": gains.kp, "gains.kd": gains.kd}


def same(a, b):
    """Whether two settings, or tuples of them, are equal."""
    if isinstance(a, np.ndarray | tuple):
        return all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))
    return same(tuple(vars(a).values()), tuple(vars(b).values())) if hasattr(a, "__dict__") else a == b


@pytest.mark.parametrize("name", CHANGES)
def test_a_parameter_changes_its_setting_and_no_other(robot, name):
    value, expected = CHANGES[name]
    defaults = ControlParameters()
    before, after = (parts(control_settings(v, robot)) for v in (defaults, replace(defaults, **{name: value})))
    assert {key for key in before if not same(before[key], after[key])} == set(expected.split())
