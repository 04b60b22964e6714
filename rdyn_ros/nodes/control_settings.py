"""Parameters of the control node -> settings of the controller for a robot. No ROS in here."""
import numpy as np

from ..control.envelope import envelope
from ..control.feedforward import Terms
from ..control.gains import Gains, gains_from_frequency, per_joint
from ..control.impedance import Impedance
from ..control.safety import Bounds
from ..control.settings import ControlSettings


def control_settings(values, robot):
    """ControlSettings of ControlParameters; RdynError when an array fits neither one number nor the robot."""
    n = robot.nv

    def each(name):
        return per_joint(n, getattr(values, name), name)

    gains = gains_from_frequency(n, values.natural_frequency, values.damping_ratio)
    gains = Gains(each("stiffness") if values.stiffness else gains.kp,
                  each("damping") if values.damping else gains.kd)
    w = values.posture_frequency
    return ControlSettings(
        gains=gains,
        impedance=Impedance(np.array(values.cartesian_stiffness), np.array(values.cartesian_damping),
                            w * w, 2.0 * w, values.cartesian_reach),
        bounds=Bounds(values.effort_scale * robot.limits.effort, each("max_delta_tau"), values.ramp_time,
                      values.stop_time),
        envelope=envelope(robot.limits, values.velocity_scale, values.position_margin),
        terms=Terms(not values.driver_compensates_gravity, values.use_coriolis_compensation,
                    values.use_friction, values.use_rotor_inertia),
        hand_damping=each("hand_damping"),
        stop_damping=each("stop_damping"),
        collision_threshold=each("collision_threshold"),
        observer_gain=values.observer_gain,
        interpolation=values.interpolation,
        frame=robot.model.frame(values.tip).name if values.tip else None,
        limit_zone=values.limit_zone,
        limit_stiffness=values.limit_stiffness,
        state_timeout=values.state_timeout,
        reference_step=values.reference_step,
        preflight=values.preflight,
        preflight_relative=values.preflight_relative,
        preflight_floor=values.preflight_floor,
        start_measured=values.start_from == "measured",
        collision_stops=values.collision_stops,
    )
