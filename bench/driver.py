"""A driver in a process of its own: says at 1 kHz that an arm stands and its motors carry its weight.

python -m bench.driver ROBOT FILE: until SIGTERM; then FILE holds the stamps [ns] of all it said, as int64.
"""
import signal
import struct
import sys
import time
from array import array
from pathlib import Path

import rclpy
from rclpy.serialization import serialize_message
from rclpy.signals import SignalHandlerOptions
from sensor_msgs.msg import JointState

import rdyn_ros

RATE = 1000.0  # [Hz]
CATCH_UP = 0.02  # [s] that the machine may pause without a state being left out
STAMP = struct.Struct("<iI")  # where a serialized message has it: after 4 bytes


def standing(robot):
    """A serialized JointState of the robot, to be stamped."""
    q = 0.5 * (robot.limits.lower + robot.limits.upper) + 0.2
    return bytearray(serialize_message(JointState(
        name=list(robot.joint_names), position=q.tolist(), velocity=[0.0] * len(q),
        effort=robot.gravity_torque(q).tolist())))


def drive(say, done):
    """Calls say() at RATE by an absolute schedule until done(); a longer pause than CATCH_UP moves the schedule."""
    due = time.perf_counter()
    while not done():
        while (left := due - time.perf_counter()) > 0.0:
            time.sleep(left)
        say()
        due += 1.0 / RATE
        if (now := time.perf_counter()) - due > CATCH_UP:
            due = now


def main():
    """Publishes joint_states with the present time."""
    name, path = sys.argv[1:]
    message, stamps, ended = standing(rdyn_ros.load(name)), array("q"), []
    rclpy.init(args=[], signal_handler_options=SignalHandlerOptions.NO)
    signal.signal(signal.SIGTERM, lambda *_: ended.append(True))
    publisher = rclpy.create_node("driver").create_publisher(JointState, "joint_states", 100)

    def say():
        stamps.append(time.time_ns())
        STAMP.pack_into(message, 4, *divmod(stamps[-1], 10**9))
        publisher.publish(bytes(message))

    drive(say, lambda: ended)
    Path(path).write_bytes(stamps.tobytes())


if __name__ == "__main__":
    main()
