"""Every parameter of every node, declared once: type, default, unit, range, meaning, and whether it is live.

A class per node; its instances hold the values. docs/parameters.md is generated from here.
"""
from dataclasses import dataclass

from .parameter import Parameters, parameter


@dataclass(frozen=True)
class CommonParameters(Parameters):
    """Shared by all nodes."""

    robot: str = parameter(
        "", "Robot: name of a shipped file (such as planar_2r) or path of a .yaml, .urdf or .xacro file. "
        "Empty: robot_description decides.")
    robot_description: str = parameter(
        "", "Robot as text (URDF or YAML), used when robot is empty. Both empty: the latched topic "
        "robot_description decides, now and whenever it changes.")
    autostart: bool = parameter(True, "Configure and activate at start, without a lifecycle manager.")
    executor: str = parameter(
        "events", "Executor of the process: events is fast, single is rclpy's usual one and stands in where "
        "events does not exist.", choices=("events", "single"))
    diagnostics_period: float = parameter(
        1.0, "Time from one message on /diagnostics to the next.", unit="s", low=0.05, high=60.0, live=True)


@dataclass(frozen=True)
class DynamicsParameters(CommonParameters):
    """Node dynamics."""

    joints: tuple[str, ...] = parameter(
        (), "Joints in every output, in this order; empty: all joints of the robot in its order.")
    optional_joints: tuple[str, ...] = parameter(
        (), "Joints that count as standing at 0 as long as no message brings them (a silent gripper).")
    joint_prefix: str = parameter(
        "", "Put before the robot's joint names in all messages (left_ for left_elbow).")
    frame_prefix: str = parameter("", "Put before the robot's frame names in headers and TF.")
    base_frame: str = parameter("", "frame_id of poses and twists; empty: the robot's base link.")
    tips: tuple[str, ...] = parameter(
        (), "Frames whose pose is published; the first is the tool of ~/pose and ~/twist, each further one "
        "has ~/<tip>/pose. Empty: the robot's tips.")
    state_timeout: float = parameter(
        0.1, "Age at which a joint's state is stale: output stops, diagnostics say ERROR.",
        unit="s", low=0.001, high=60.0, live=True)
    stamp_tolerance: float = parameter(
        1.0, "Difference between input stamps and the node's clock from which diagnostics say WARN.",
        unit="s", low=0.001, high=3600.0, live=True)
    queue_depth: int = parameter(
        10, "Messages of joint_states kept while the node is busy.", low=1, high=1000)
    gravity: tuple[float, ...] = parameter(
        (), "Gravity in base axes, [0.0, 0.0, -9.81] for an upright robot; empty: as the robot file says.",
        unit="m/s^2", low=-100.0, high=100.0, sizes=(0, 3), live=True)
    imu_topic: str = parameter(
        "", "sensor_msgs/Imu on the robot whose acceleration tells where gravity points. Empty: none.")
    imu_cutoff: float = parameter(
        1.0, "Cut-off frequency of the low-pass on the IMU's acceleration.",
        unit="Hz", low=0.01, high=1000.0, live=True)
    estimate_velocity: bool = parameter(
        False, "Where messages bring no velocity, estimate it by filtered differences.", live=True)
    velocity_cutoff: float = parameter(
        20.0, "Cut-off frequency of the filter of estimate_velocity.",
        unit="Hz", low=0.1, high=1000.0, live=True)
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
        0.5, "Time over which command_topic goes from zero to the whole compensation after activation and "
        "after stale input.", unit="s", low=0.0, high=60.0, live=True)
    max_delta_tau: float = parameter(
        1.0, "Largest change of an effort from one message of command_topic to the next; 0: no bound.",
        unit="N m or N", low=0.0, high=1e6, live=True)
    effort_scale: float = parameter(
        1.0, "Part of the joints' effort limits that command_topic may use.", low=0.0, high=1.0, live=True)
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
