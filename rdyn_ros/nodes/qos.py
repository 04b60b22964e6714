"""Quality of service: of what sensors tell, and how parameters may change that of a topic."""
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.qos_overriding_options import QoSOverridingOptions

OVERRIDABLE = QoSOverridingOptions.with_default_policies()  # by qos_overrides.<topic>.<publisher or subscription>


def sensor_data(depth):
    """Keeps the last `depth` messages; every publisher matches it."""
    return QoSProfile(depth=depth, reliability=ReliabilityPolicy.BEST_EFFORT)
