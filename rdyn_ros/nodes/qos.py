"""Quality of service of what sensors tell."""
from rclpy.qos import QoSProfile, ReliabilityPolicy


def sensor_data(depth):
    """Keeps the last `depth` messages; every publisher matches it."""
    return QoSProfile(depth=depth, reliability=ReliabilityPolicy.BEST_EFFORT)
