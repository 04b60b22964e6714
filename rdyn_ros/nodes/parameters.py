"""Every parameter of every node, declared once: type, default, unit, range, meaning, and whether it is live.

A class per node, over classes of what several nodes share; its instances hold the values. docs/parameters.md is
generated from here.
"""
from dataclasses import dataclass
from functools import partial

from ..control.safety import SLOWEST
from ..control.settings import MODES
from ..control.trajectory import HERMITE
from ..simulation.integrators import SCHEMES
from .parameter import Parameters, parameter

MOST_GRAVITY = 100.0  # [m/s^2] along each axis
MOST_MASS = 10_000.0  # [kg] of a payload
GRAVITY = partial(
    parameter, (), "Gravity in base axes, [0.0, 0.0, -9.81] for an upright robot; empty: as the robot file says.",
    unit="m/s^2", low=-MOST_GRAVITY, high=MOST_GRAVITY, sizes=(0, 3))
QUEUE_DEPTH = partial(parameter, description="Messages of joint_states kept while the node is busy.", low=1, high=1000)


@dataclass(frozen=True)
class CommonParameters(Parameters):
    """Shared by all nodes."""

    robot: str = parameter(
        "", "Robot: name of a shipped file (such as planar_2r) or path of a .yaml, .urdf or .xacro file. "
        "Empty: robot_description decides.")
    robot_description: str = parameter(
        "", "Robot as text (URDF or YAML), used when robot is empty. Both empty: the latched topic "
        "robot_description decides, now and whenever it changes.")
    joint_prefix: str = parameter(
        "", "Put before the robot's joint names in all messages (left_ for left_elbow).")
    autostart: bool = parameter(True, "Configure and activate at start, without a lifecycle manager.")
    executor: str = parameter(
        "events", "Executor of the process: events is fast, single is rclpy's usual one and stands in where "
        "events does not exist. Joint states of the dynamics node have a thread of their own.",
        choices=("events", "single"))
    diagnostics_period: float = parameter(
        1.0, "Time from one message on /diagnostics to the next.", unit="s", low=0.05, high=60.0, live=True)


@dataclass(frozen=True)
class EffortParameters(CommonParameters):
    """Shared by dynamics, control and simulator."""

    joints: tuple[str, ...] = parameter(
        (), "Joints of commands and torques, in this order; empty: all joints of the robot in its order.")
    gravity: tuple[float, ...] = GRAVITY()
    command_topic: str = parameter(
        "effort_controller/commands", "std_msgs/Float64MultiArray with the efforts, in the order of joints.")


@dataclass(frozen=True)
class StateParameters(EffortParameters):
    """Shared by dynamics and control."""

    frame_prefix: str = parameter(
        "", "Put before the robot's frame names in headers and TF; requests may leave it out.")
    queue_depth: int = QUEUE_DEPTH(20)
    optional_joints: tuple[str, ...] = parameter(
        (), "Joints that count as standing at 0 as long as no message brings them (a silent gripper).")
    wanted_rate: float = parameter(
        0.0, "Rate of joint states below 90 % of which diagnostics say WARN; 0: none.",
        unit="Hz", low=0.0, high=10000.0, live=True)
    estimate_velocity: bool = parameter(
        False, "Where messages bring no velocity, estimate it by filtered differences.", live=True)
    velocity_cutoff: float = parameter(
        20.0, "Cut-off frequency of the filter of estimate_velocity.",
        unit="Hz", low=0.1, high=1000.0, live=True)

    @property
    def cutoff(self):
        """Of estimated velocities [Hz]; 0: they are not estimated."""
        return self.velocity_cutoff if self.estimate_velocity else 0.0


@dataclass(frozen=True)
class DynamicsParameters(StateParameters):
    """Node dynamics."""

    gravity: tuple[float, ...] = GRAVITY(live=True)
    queue_depth: int = QUEUE_DEPTH(50)
    base_frame: str = parameter(
        "", "Another name of the robot's base in poses and twists (no other frame of the "
        "robot); empty: that of its base link.")
    tips: tuple[str, ...] = parameter(
        (), "Frames whose pose is published; the first is the tool of ~/pose and ~/twist, each further one "
        "has ~/<tip>/pose. Empty: the robot's tips.")
    state_timeout: float = parameter(
        0.1, "Age at which a joint's state is stale: output stops, diagnostics say ERROR.",
        unit="s", low=0.001, high=60.0, live=True)
    stamp_tolerance: float = parameter(
        1.0, "Difference between input stamps and the node's clock from which diagnostics say WARN.",
        unit="s", low=0.001, high=3600.0, live=True)
    imu_topic: str = parameter(
        "", "sensor_msgs/Imu on the robot whose acceleration tells where gravity points. Empty: none.")
    imu_cutoff: float = parameter(
        1.0, "Cut-off frequency of the low-pass on the IMU's acceleration.",
        unit="Hz", low=0.01, high=1000.0, live=True)
    use_gravity_compensation: bool = parameter(True, "Gravity is part of ~/compensation.", live=True)
    use_coriolis_compensation: bool = parameter(
        True, "Coriolis and centrifugal torque are part of ~/compensation.", live=True)
    use_friction: bool = parameter(False, "Friction is part of ~/compensation.", live=True)
    gravity_scale: float = parameter(
        1.0, "Factor on gravity in ~/compensation.", low=0.0, high=2.0, live=True)
    coriolis_scale: float = parameter(
        1.0, "Factor on the Coriolis torque in ~/compensation.", low=0.0, high=2.0, live=True)
    friction_scale: float = parameter(
        1.0, "Factor on friction in ~/compensation.", low=0.0, high=2.0, live=True)
    driver_compensates_gravity: bool = parameter(
        False, "The robot's driver already adds gravity: it is left out of ~/compensation.", live=True)
    command_topic: str = parameter(
        "", "std_msgs/Float64MultiArray for a ros2_control effort controller, in the order of joints, such "
        "as effort_controller/commands. Empty: none.")
    ramp_time: float = parameter(
        0.5, "Time over which command_topic passes from the measured effort (else from zero) to the whole "
        "compensation after activation and after stale input.", unit="s", low=0.0, high=60.0, live=True)
    use_measured_effort: bool = parameter(
        True, "Effort in joint_states is measured: command_topic begins there, unless the driver compensates gravity. "
        "False where a driver fills it with something else: it begins at zero.", live=True)
    max_delta_tau: float = parameter(
        1.0, "Largest change of an effort from one message of command_topic to the next; 0: no bound.",
        unit="N m or N", low=0.0, high=1e6, live=True)
    effort_scale: float = parameter(
        1.0, "Part of the joints' effort limits that command_topic may use.", low=0.01, high=1.0, live=True)
    publish_tf: bool = parameter(False, "Publish the tips on TF too (needs tf2_ros).")
    ik_timeout: float = parameter(
        0.05, "Time that ~/compute_ik may take when the request names none.",
        unit="s", low=1e-5, high=60.0, live=True)
    ik_position_tolerance: float = parameter(
        1e-5, "Position error that counts as reached in ~/compute_ik.",
        unit="m", low=1e-12, high=1.0, live=True)
    ik_orientation_tolerance: float = parameter(
        1e-5, "Orientation error that counts as reached in ~/compute_ik.",
        unit="rad", low=1e-12, high=3.2, live=True)


@dataclass(frozen=True)
class ControlParameters(StateParameters):
    """Node control."""

    tip: str = parameter(
        "", "Frame that cartesian_impedance moves and external_wrench acts on; empty: the robot's "
        "tip.")
    mode: str = parameter("gravity_compensation", "Law at start; ~/set_mode changes it.",
                          choices=MODES)
    report_rate: float = parameter(
        100.0, "Rate of controller_state, external_torque and external_wrench at most.",
        unit="Hz", low=0.1, high=10000.0, live=True)
    state_timeout: float = parameter(0.1, "Age at which joint states are stale: torque fades to zero.",
                                     unit="s", low=0.001, high=10.0, live=True)
    watchdog_period: float = parameter(
        0.005, "Time from one look at the age of the joint states to the next.",
        unit="s", low=0.001, high=1.0)
    use_measured_effort: bool = parameter(
        True, "Effort in joint_states is measured: pre-flight, start and observer use it. False where a driver "
        "fills it with something else, such as zeros.", live=True)
    natural_frequency: tuple[float, ...] = parameter(
        (15.0,), "Of the error in pd, pd_gravity and computed_torque; one number, or one per joint.",
        unit="rad/s", low=0.0, high=1000.0, live=True)
    damping_ratio: tuple[float, ...] = parameter((1.0,), "Of the error; one number, or one per joint.",
                                                 low=0.0, high=10.0, live=True)
    stiffness: tuple[float, ...] = parameter(
        (), "Acceleration per position error, one per joint; empty: from natural_frequency.",
        unit="1/s^2", low=0.0, high=1000000.0, live=True)
    damping: tuple[float, ...] = parameter(
        (), "Acceleration per velocity error, one per joint; empty: from damping_ratio.",
        unit="1/s", low=0.0, high=10000.0, live=True)
    hand_damping: tuple[float, ...] = parameter(
        (0.5,), "Rate with which speed decays in gravity_compensation.",
        unit="1/s", low=0.0, high=200.0, live=True)
    stop_damping: tuple[float, ...] = parameter(
        (10.0,), "Rate with which speed decays in mode damping, after faults and when torque ends.",
        unit="1/s", low=0.0, high=200.0, live=True)
    use_coriolis_compensation: bool = parameter(
        True, "Coriolis and centrifugal torque are commanded.", live=True)
    use_friction: bool = parameter(False, "Friction of the robot file is commanded.", live=True)
    use_rotor_inertia: bool = parameter(True, "Rotor inertia of the robot file is commanded.", live=True)
    driver_compensates_gravity: bool = parameter(
        False, "The driver already adds gravity: it is not commanded.")
    interpolation: str = parameter(
        "quintic", "Of trajectories between their points.", choices=tuple(HERMITE), live=True)
    reference_step: float = parameter(0.1, "Largest distance of ~/reference from the present one.",
                                      unit="rad or m", low=0.0, high=10.0, live=True)
    cartesian_stiffness: tuple[float, ...] = parameter((400.0, 400.0, 400.0, 30.0, 30.0, 30.0),
                                                       "Of the tool in base axes.", unit="N/m x3, N m/rad x3",
                                                       low=0.0, high=1e5, sizes=(6,), live=True)
    cartesian_damping: tuple[float, ...] = parameter(
        (60.0, 60.0, 60.0, 5.0, 5.0, 5.0), "Of the tool in base axes.",
        unit="N s/m x3, N m s/rad x3", low=0.0, high=10000.0, sizes=(6,), live=True)
    cartesian_reach: tuple[float, ...] = parameter(
        (0.1, 0.5), "Largest error of position and orientation that the spring at the tool feels.",
        unit="m, rad", low=0.0, high=10.0, sizes=(2,), live=True)
    posture_frequency: float = parameter(4.0, "Natural frequency of the posture in the null space.",
                                         unit="rad/s", low=0.0, high=100.0, live=True)
    limit_zone: float = parameter(0.0, "Distance from a position limit at which repulsion begins; 0: none.",
                                  unit="rad or m", low=0.0, high=1.0, live=True)
    limit_stiffness: float = parameter(0.0, "Stiffness of the repulsion from position limits.",
                                       unit="N m/rad or N/m", low=0.0, high=1e5, live=True)
    max_delta_tau: tuple[float, ...] = parameter(
        (1.0,), "Largest change of an effort from one command to the next; one number, or one per joint.",
        unit="N m or N", low=0.001, high=1000000.0, live=True)
    effort_scale: float = parameter(1.0, "Part of the joints' effort limits that may be commanded.",
                                    low=0.01, high=1.0, live=True)
    velocity_scale: float = parameter(
        1.1, "Part of the joints' velocity limits beyond which torque turns to damping. Motions may go up to the "
        "limits: what is above 1 is room for noise.",
        low=0.01, high=10.0, live=True)
    position_margin: float = parameter(
        0.05, "Distance beyond the position limits at which torque turns to damping.",
        unit="rad or m", low=0.0, high=10.0, live=True)
    ramp_time: float = parameter(0.5, "Time over which torque passes to a law that is enabled or changed.",
                                 unit="s", low=0.0, high=60.0, live=True)
    stop_time: float = parameter(
        0.1, "Time over which torque fades to zero: without joint states at once, when disabled once the arm "
        "stands (or 0.5 s later).", unit="s", low=0.0, high=SLOWEST, live=True)
    start_from: str = parameter(
        "measured", "Torque at which commands begin: the measured effort (zero where there is none, or the "
        "driver compensates gravity), or zero.", choices=("measured", "zero"))
    preflight: bool = parameter(
        True, "Before torque is enabled, compare measured effort with the model.", live=True)
    preflight_relative: float = parameter(0.25, "Allowed difference as a part of the model's gravity torque.",
                                          low=0.0, high=10.0, live=True)
    preflight_floor: float = parameter(
        2.0, "Allowed difference beside that.", unit="N m or N", low=0.0, high=1000000.0, live=True)
    observer_gain: float = parameter(50.0, "Rate with which the external torque is followed.",
                                     unit="1/s", low=0.1, high=1000.0, live=True)
    collision_threshold: tuple[float, ...] = parameter(
        (0.0,), "External torque beyond which a collision is reported; one number, or one per joint; 0: "
        "none.", unit="N m or N", low=0.0, high=1000000.0, live=True)
    collision_stops: bool = parameter(False, "A collision turns torque to damping.", live=True)


@dataclass(frozen=True)
class SimulatorParameters(EffortParameters):
    """Node simulator."""

    rate: float = parameter(1000.0, "Of joint_states, in simulated time.", unit="Hz", low=1.0, high=10000.0)
    step: float = parameter(0.001, "Of the integration.", unit="s", low=1e-5, high=0.1)
    scheme: str = parameter("rk4", "Integration; gauss_legendre keeps the energy.",
                            choices=tuple(SCHEMES))
    pace: str = parameter(
        "clock", "What drives simulated time: the clock, each command (lockstep), or ~/step.",
        choices=("clock", "lockstep", "stepped"))
    real_time_factor: float = parameter(
        1.0, "Simulated over real time with pace clock; as fast as it can when that is too fast.",
        low=0.001, high=1000.0)
    publish_clock: bool = parameter(False, "Publish simulated time on /clock and stamp joint_states with it.")
    start: tuple[float, ...] = parameter(
        (), "Joint positions at start; empty: 0, or the nearest within the limits.", unit="rad or m")
    payload_mass: float = parameter(0.0, "Mass at the tip; the model of the other nodes does not know of it.",
                                    unit="kg", low=0.0, high=MOST_MASS, live=True)
    payload_com: tuple[float, ...] = parameter((0.0, 0.0, 0.0), "Centre of that mass in the tip's frame.",
                                               unit="m", sizes=(3,), live=True)
    friction: bool = parameter(True, "Friction of the robot file acts.")
    stops: bool = parameter(True, "Joints stop at their position limits.")
    brakes: bool = parameter(True, "Brakes hold the arm while no commands come.")
    command_timeout: float = parameter(
        0.1, "Age at which a command fades to zero; 0: the last acts for ever.", unit="s", low=0.0, high=60.0)
    actuator_delay: float = parameter(0.0, "From a command to its torque.", unit="s", low=0.0, high=1.0)
    actuator_noise: float = parameter(
        0.0, "Standard deviation of the torque.", unit="N m or N", low=0.0, high=1000.0)
    position_noise: float = parameter(
        0.0, "Standard deviation of measured positions.", unit="rad or m", low=0.0, high=1.0)
    velocity_noise: float = parameter(0.0, "Standard deviation of measured velocities.", unit="rad/s or m/s",
                                      low=0.0, high=10.0)
    position_resolution: float = parameter(
        0.0, "Step of the encoders; 0: none.", unit="rad or m", low=0.0, high=1.0)
    driver_compensates_gravity: bool = parameter(False, "The simulated driver adds gravity to every command.")
    seed: int = parameter(0, "Of all noise; equal seeds and commands give equal runs.", low=0, high=2**31 - 1)


@dataclass(frozen=True)
class ViewerParameters(CommonParameters):
    """Node viewer."""

    host: str = parameter(
        "127.0.0.1", "Address that serves the page: this machine only. 0.0.0.0: every network it is in.")
    port: int = parameter(8080, "Port of the page, or the next free one.", low=1, high=65535)
    allowed_hosts: tuple[str, ...] = parameter(
        (), "Names, beside localhost and IP addresses, under which browsers may ask for the page.")
    tip: str = parameter("", "Frame of the trail and of the target that is dragged; empty: the robot's tip.")
    rate: float = parameter(15.0, "Of the picture.", unit="Hz", low=1.0, high=60.0)
    state_timeout: float = parameter(
        1.0, "Age at which joint states, and diagnostics beyond their period, are shown as missing.",
        unit="s", low=0.1, high=60.0, live=True)
    dynamics: str = parameter("dynamics", "Name of the dynamics node: torques and inverse kinematics.")
    control: str = parameter("control", "Name of the control node: tracking error and motions by sliders.")
    simulator: str = parameter(
        "simulator", "Name of the simulator; sliders move joints only while it, and nobody else, brings joint_states.")
