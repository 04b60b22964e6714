"""Asks a dynamics node for inverse kinematics without pause: prints "asking", then the median time of answers [ms]."""
import sys
import time

import numpy as np
import rclpy
from geometry_msgs.msg import PoseStamped
from rclpy.executors import SingleThreadedExecutor
from rdyn_interfaces.srv import ComputeIK

import rdyn_ros as rdyn
from bench.robots import TIPS, urdf
from rdyn_ros.nodes.messages import fill_pose
from rdyn_ros.spatial import matrix_quaternion


def main(service, seconds):
    rclpy.init(args=[])
    node = rclpy.create_node("ik_client")
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    client = node.create_client(ComputeIK, service)
    client.wait_for_service(20.0)
    robot = rdyn.load(urdf("Panda"))
    middle = 0.5 * (robot.limits.lower + robot.limits.upper)
    target = PoseStamped()
    T = robot.fk(middle + 0.3, TIPS["Panda"])
    fill_pose(target.pose, T[:3, 3], matrix_quaternion(T[:3, :3]))
    print("asking", flush=True)
    times, end = [], time.monotonic() + seconds
    while time.monotonic() < end:
        begin = time.perf_counter()
        future = client.call_async(ComputeIK.Request(targets=[target]))
        executor.spin_until_future_complete(future, 5.0)
        assert future.result().success, future.result().message
        times.append(time.perf_counter() - begin)
    print(1e3 * np.median(times))
    rclpy.shutdown()


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))
