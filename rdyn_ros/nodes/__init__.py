"""ROS 2 nodes: the only folder that imports rclpy and message packages."""
