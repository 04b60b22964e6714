"""Damaged input of every kind: each must be accepted or refused in words, quickly, and never crash."""
import rdyn_ros.nodes  # noqa: F401  before a trial imports rclpy
