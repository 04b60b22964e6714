"""Resource limits: huge robots and texts, floods of calls; bounded time and memory, clear refusals."""

import subprocess
import sys
import time
from contextlib import contextmanager

import numpy as np
from builtin_interfaces.msg import Duration
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import PoseStamped
from rclpy.qos import DurabilityPolicy, QoSProfile
from rdyn_interfaces.srv import ComputeIK, GetMassMatrix
from sensor_msgs.msg import JointState
from std_msgs.msg import String

import rdyn_ros
from rdyn_ros.errors import RdynError
from rdyn_ros.nodes.messages import fill_pose
from rdyn_ros.spatial import matrix_quaternion

from .faults.watch import TORQUES, Watch
from .memory import memory
from .outcomes import Outcome

MEMORY = 500.0  # [MB] of a node
ROBOT = "arm_7r"


def chain(bodies):
    """URDF text of a chain with so many moving bodies."""
    links = "".join(
        f'<link name="l{k}"><inertial><origin xyz="0 0 0.05"/><mass value="1"/>'
        '<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        for k in range(bodies + 1)
    )
    joints = "".join(
        f'<joint name="j{k}" type="revolute"><parent link="l{k}"/><child link="l{k + 1}"/>'
        f'<origin xyz="0 0 0.1"/><axis xyz="{k % 2} {(k + 1) % 2} 0"/>'
        '<limit lower="-3" upper="3" velocity="3" effort="1000"/></joint>'
        for k in range(bodies)
    )
    return f'<robot name="chain">{links}{joints}</robot>'


@contextmanager
def dynamics(**parameters):
    """(process, Watch) of a dynamics node; its output is thrown away."""
    words = [word for name, value in parameters.items() for word in ("-p", f"{name}:={value}")]
    process = subprocess.Popen(
        [sys.executable, "-m", "rdyn_ros.nodes.dynamics_node", "--ros-args", *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    watch = Watch()
    try:
        yield process, watch
    finally:
        watch.close()
        process.kill()
        process.wait()


def big_robot():
    """A robot of 300 bodies from Python: loaded and answered, right against the sum of weights."""
    start = time.perf_counter()
    robot = rdyn_ros.load(chain(300))
    loaded = time.perf_counter() - start
    torque = robot.gravity_torque(np.zeros(300))
    took = time.perf_counter() - start
    force = robot.joint_reactions(np.zeros(300), np.zeros(300), np.zeros(300))[0][:3]
    right = abs(np.linalg.norm(force) - 300 * 9.81) < 1e-6 and np.isfinite(torque).all()
    return Outcome(
        "a robot of 300 bodies",
        1,
        f"loaded in {loaded:.2f} s, torques after {took:.2f} s",
        "10 s, right",
        bool(right and took < 10.0),
    )


def big_text():
    """A text of 10 MB is read or refused in words within seconds."""
    start = time.perf_counter()
    try:
        rdyn_ros.load(chain(2) + " " * 10_000_000)
        told = "read"
    except RdynError as refusal:
        told = f"refused: {str(refusal)[:80]}"
    took = time.perf_counter() - start
    return Outcome(
        "10 MB of robot text", 1, f"{told} in {took:.2f} s", "10 s", took < 10.0 and told != "read"
    )


def described(tried, bad, good, joints):
    """Texts on robot_description of one node: bad {words of its refusal: text}, then a good one with so many joints."""
    with dynamics() as (process, watch):
        said = []  # sentences of the node about itself
        watch.node.create_subscription(
            DiagnosticArray, "/diagnostics", lambda array: said.extend(status.message for status in array.status), 10
        )
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        topic = watch.node.create_publisher(String, "robot_description", latched)
        states = watch.node.create_publisher(JointState, "joint_states", 10)
        _awaited(topic.get_subscription_count)  # of a text sent before, the next would take the place
        start, refusals = time.monotonic(), {}
        for words, text in bad.items():
            topic.publish(String(data=text))
            refusals[words] = _awaited(lambda words=words: next((line for line in said if words in line), ""))
        topic.publish(String(data=good))
        state = JointState(name=[f"j{k}" for k in range(joints)], position=[0.1] * joints, velocity=[0.0] * joints)
        answers = _awaited(lambda: states.publish(state) or watch.heard[TORQUES])
        took, used = time.monotonic() - start, memory("VmHWM", process.pid)
        return served(tried, refusals, [heard.said for heard in answers], joints, took, used)


def _awaited(what, limit=60.0):
    """What `what()` gives once it is neither empty nor 0, or after the limit [s]."""
    end = time.monotonic() + limit
    while not (got := what()) and time.monotonic() < end:
        time.sleep(0.02)
    return got


def served(tried, refusals, torques, joints, took, used):
    """Row of `described`: refusals {words: sentence with them, empty when none came}, torques [(joints,)]."""
    told = [f"told: {sentence}" if sentence else f"not told: {words}" for words, sentence in refusals.items()]
    told.append(f"{'torques' if torques else 'no torques'} after {took:.1f} s, {used:.0f} MB")
    held = all(refusals.values()) and torques and len(torques[0]) == joints and used < MEMORY
    return Outcome(tried, 1, "; ".join(told), "60 s each, 500 MB", bool(held))


def floods(calls, targets):
    """So many calls of get_mass_matrix at once, then so many of compute_ik in the queue."""
    robot = rdyn_ros.load(ROBOT)
    with dynamics(robot=ROBOT) as (process, watch):
        middle = np.clip(np.zeros(7), robot.limits.lower, robot.limits.upper)
        mass = GetMassMatrix.Request()
        mass.state.name, mass.state.position = list(robot.joint_names), middle.tolist()
        yield _flood(
            watch, process, GetMassMatrix, "dynamics/get_mass_matrix", [mass] * calls, "service calls at once"
        )
        rng = np.random.default_rng(1)
        yield _flood(
            watch,
            process,
            ComputeIK,
            "dynamics/compute_ik",
            [_target(robot, rng) for _ in range(targets)],
            "requests for inverse kinematics in a queue",
        )


def _target(robot, rng):
    T = robot.fk(rng.uniform(robot.limits.lower, robot.limits.upper))
    pose = PoseStamped()
    fill_pose(pose.pose, T[:3, 3], matrix_quaternion(T[:3, :3]))
    return ComputeIK.Request(targets=[pose], timeout=Duration(sec=1))  # also on a busy machine


def _flood(watch, process, kind, name, requests, tried):
    """Sends all requests at once through ten clients, and counts the answers."""
    clients = [watch.node.create_client(kind, name, qos_profile=QoSProfile(depth=20_000)) for _ in range(10)]
    if not all(client.wait_for_service(60.0) for client in clients):
        return Outcome(tried, len(requests), f"no service {name}", "", False)
    start, futures = time.monotonic(), []
    for k, request in enumerate(requests):
        futures.append(clients[k % 10].call_async(request))
    while not all(future.done() for future in futures) and time.monotonic() < start + 300.0:
        time.sleep(0.05)
    took, used = time.monotonic() - start, memory("VmHWM", process.pid)
    return answered(tried, len(requests), [future.result() for future in futures if future.done()], took, used)


def answered(tried, asked, answers, took, used):
    """Row of a flood: every request can be fulfilled, so every one must bring a result."""
    results = sum(answer.success for answer in answers)
    return Outcome(
        tried,
        asked,
        f"{len(answers)} answered in {took:.1f} s, {results} of them with a result, {used:.0f} MB",
        "all with a result, 300 s, 500 MB",
        results == asked and used < MEMORY,
    )


def limit_trials(calls=1000, targets=10_000):
    """All Outcomes of this page."""
    yield big_robot()
    yield big_text()
    bad = {"longer than 10000000 characters": chain(2) + " " * 10_000_000,
           "more than 200000 elements": chain(28_900)}  # 9.9 MB of links
    yield described("10 MB of robot_description, then 9.9 MB, then a good one", bad, chain(2), 2)
    yield described("300 bodies on robot_description", {}, chain(300), 300)
    yield from floods(calls, targets)
