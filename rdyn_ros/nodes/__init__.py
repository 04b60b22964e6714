"""ROS 2 nodes: the only folder that imports rclpy and message packages."""
from . import fast_cdr  # noqa: F401  before any of them loads its middleware
