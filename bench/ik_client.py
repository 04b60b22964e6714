"""Asks a dynamics node for inverse kinematics without pause: prints "asking", then the median time of answers [ms].

python -m bench.ik_client NODE SECONDS [passing]; `passing`: its payload and gravity are in transition meanwhile.
"""
import sys
import time

import numpy as np
import rclpy
from geometry_msgs.msg import PoseStamped
from rclpy.executors import SingleThreadedExecutor
from rdyn_interfaces.srv import ComputeIK, SetGravity, SetPayload

import rdyn_ros as rdyn
from bench.robots import TIPS, urdf
from rdyn_ros.nodes.messages import fill_pose
from rdyn_ros.spatial import matrix_quaternion


def main(asked, seconds, *passing):
    rclpy.init(args=[])
    node = rclpy.create_node("ik_client")
    executor = SingleThreadedExecutor()
    executor.add_node(node)

    def asking(kind, name):
        client = node.create_client(kind, f"{asked}/{name}")
        client.wait_for_service(20.0)

        def ask(request):
            future = client.call_async(request)
            executor.spin_until_future_complete(future, 5.0)
            assert future.result().success, future.result().message
        return ask

    if passing:
        payload, gravity = SetPayload.Request(), SetGravity.Request()
        payload.inertia.m, gravity.gravity.vector.z = 1.0, -1.62
        payload.transition.sec = gravity.transition.sec = 1000
        asking(SetPayload, "set_payload")(payload)
        asking(SetGravity, "set_gravity")(gravity)
    solve = asking(ComputeIK, "compute_ik")
    robot = rdyn.load(urdf("Panda"))
    middle = 0.5 * (robot.limits.lower + robot.limits.upper)
    target = PoseStamped()
    T = robot.fk(middle + 0.3, TIPS["Panda"])
    fill_pose(target.pose, T[:3, 3], matrix_quaternion(T[:3, :3]))
    print("asking", flush=True)
    times, end = [], time.monotonic() + seconds
    while time.monotonic() < end:
        begin = time.perf_counter()
        solve(ComputeIK.Request(targets=[target]))
        times.append(time.perf_counter() - begin)
    print(1e3 * np.median(times))
    rclpy.shutdown()


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]), *sys.argv[3:])
