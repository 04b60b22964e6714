"""Inverse kinematics: fresh random reachable targets, contenders in turns on the same ones."""
import gc
from time import perf_counter, thread_time

import numpy as np
from eaik.IK_HP import HPRobot
from ik_geo import Robot

import rdyn_ros as rdyn
from rdyn_ros.ik import recognise
from rdyn_ros.ik.screws import chain_to, intersection
from rdyn_ros.spatial import pose_matrix

from .robots import FOLDER, ours
from .row import Row

TITLE = "Inverse kinematics"
TARGETS = 1000          # timed, beside a peer
REPETITIONS = 5         # of all targets; the median of their medians is told
SOLVED = 10_000         # solved, for the share of successes
PLACED = ("anthropomorphic", "spherical", "cylindrical", "cartesian")   # by three axes: only the position counts
CLOSED = ("UR5", "ur5_like", "kawasaki_fs20n", "arm_6r", "arm_7r", *PLACED, "4 axes", "5 axes")
TOLERANCE = 1e-6        # [m] and [rad], for all contenders
ROBOTS = {"Panda": None, "UR5": None, "xArm7": ("xarm_description/urdf/xarm7.urdf", None),
          "Kinova": ("kinova_description/robots/kinova.urdf", None),
          "Talos arm": ("talos_data/robots/talos_left_arm.urdf", None),
          "iCub arm": ("icub_description/robots/icub.urdf", "l_hand")}


def robot_of(name):
    """Robot of the benchmark with the tip that is asked for."""
    if ROBOTS[name] is None:
        return ours(name)
    path, frame = ROBOTS[name]
    robot = rdyn.load(FOLDER / path, allow_massless=True)
    return robot.with_tool("bench_tip", frame=frame or robot.tips[0])


def random_targets(robot, count, seed):
    """Poses (count, 4, 4) of random configurations within limits."""
    lower, upper = (np.clip(limit, -np.pi, np.pi) for limit in robot.limits[:2])
    return robot.fk(np.random.default_rng(seed).uniform(lower, upper, (count, robot.nv)))


def in_turns(contenders, targets, clock=perf_counter):
    """{name: times (N,) [s]} of {name: solve(target)}, each on every target before the next one comes."""
    times = {name: np.empty(len(targets)) for name in contenders}
    for solve in contenders.values():
        solve(targets[0])
    gc.collect()
    gc.disable()
    try:
        for i, T in enumerate(targets):
            for name, solve in contenders.items():
                start = clock()
                solve(T)
                times[name][i] = clock() - start
    finally:
        gc.enable()
    return times


def percentiles(contenders, targets, *shares):
    """{name: times [µs] within which so many of 100 answers come} in turns, each the middle one of REPETITIONS.

    Starts by chance and neighbours even out.
    """
    runs = [in_turns(contenders, targets) for _ in range(REPETITIONS)]
    return {name: 1e6 * np.median([np.percentile(times[name], shares) for times in runs], axis=0)
            for name in contenders}


def toolbox(robot):
    """Levenberg-Marquardt of Robotics Toolbox on the same axes and limits; None when it is not installed."""
    try:
        from roboticstoolbox import ET, ETS
    except ImportError:
        return None
    model, parts = robot.model, []
    for body in model.bodies[1:]:
        align = _z_onto(body.joint.axis)
        limits = np.array([body.joint.lower, body.joint.upper])
        parts += [ET.SE3(pose_matrix(body.R @ align, body.p)), ET.Rz(qlim=limits),
                  ET.SE3(pose_matrix(align.T, np.zeros(3)))]
    tip = model.frame()
    ets = ETS([*parts, ET.SE3(pose_matrix(tip.R, tip.p))])
    return lambda T: ets.ik_LM(T, tol=TOLERANCE**2)     # of ½|e|²: never stricter than TOLERANCE in both m and rad


def _z_onto(axis):
    """A rotation whose z is the axis."""
    x = np.cross(axis, np.eye(3)[np.argmin(abs(axis))])
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(axis, x), axis])


def closed_form_peers(robot):
    """{name: solve(target)} of closed-form solvers from PyPI on the axes of a robot with three parallel ones."""
    chain = chain_to(robot.model)
    points = np.array([screw.p for screw in chain.screws] + [chain.home[:3, 3]])
    points[4] = points[5] = intersection(chain.screws[4:6], 1e-3)
    H, P = np.array([screw.h for screw in chain.screws]), np.diff(points, axis=0, prepend=np.zeros((1, 3)))
    back = chain.home[:3, :3]
    geo, eaik, turn = Robot.three_parallel_two_intersecting(H, P), HPRobot(H, P), pose_matrix(back.T, np.zeros(3))
    return {"ik-geo": lambda T: geo.get_ik(back @ T[:3, :3].T, T[:3, 3]), "EAIK": lambda T: eaik.IK(T @ turn)}


def closed_form_robot(name):
    """A robot of CLOSED: the UR5, a shipped one, or the first axes of the UR-like one."""
    if name == "UR5":
        return ours(name)
    if not name.endswith(" axes"):
        return rdyn.load(name)
    arm = rdyn.load("ur5_like")
    return arm.with_tool("bench_tip", frame=arm.model.link_names[int(name[0]) - 1])


def lost(robot, places):
    """How many of SOLVED random configurations are not among the solutions of their pose, or have one off by 1e-10.

    Asked without a seed; of a seven-axis arm, which has a family of solutions, at the arm angle of the configuration.
    """
    form = recognise(robot.model)
    x, turns = list(form.chain.coordinates), [screw.turns for screw in form.chain.screws]
    lower, upper = (np.clip(limit, -np.pi, np.pi) for limit in robot.limits[:2])
    Q = np.random.default_rng(14).uniform(lower, upper, (SOLVED, robot.nv))
    count = 0
    for q, T in zip(Q, robot.fk(Q), strict=True):
        options = {"position_only": True} if places else {"arm_angle": form.arm.angle(q)} if form.arm else {}
        found = robot.ik_all(T, method="closed_form", **options).solutions
        exact = len(found) and abs(robot.fk(found) - T)[:, :3, 3 if places else 0:].max() < 1e-10
        off = (found - q)[:, x]
        count += not exact or abs(np.where(turns, np.angle(np.exp(1j * off)), off)).max(axis=1).min() > 1e-6
    return count


def rows():
    """Successes of six arms, times beside Robotics Toolbox, all solutions beside ik-geo and EAIK, a batch."""
    for name in ROBOTS:
        robot = robot_of(name)
        targets = random_targets(robot, SOLVED, seed=11)
        alone = {"ours": lambda T, solve=robot.ik: solve(T, method="numeric")}
        numeric = in_turns(alone, targets[:TARGETS], thread_time)["ours"]
        missed = sum(not solved(robot, robot.ik(T, method="numeric", timeout=5.0), T) for T in targets)
        yield Row(f"missed of {SOLVED} targets, {name}", missed, "targets", target=0)
        yield Row(f"numeric, 99 of 100 within (CPU time), {name}", 1e6 * np.percentile(numeric, 99))
    for name in CLOSED:
        yield Row(f"lost of {SOLVED} configurations (modulo whole turns), closed form, {name}",
                  lost(closed_form_robot(name), name in PLACED), "configurations", target=0)
    for name in ("Panda", "UR5"):
        robot = robot_of(name)
        targets = random_targets(robot, TARGETS, seed=12)
        yield from beside_toolbox(name, robot, toolbox(robot), targets)
        yield batch_row(f"numeric, {name}", robot, targets, 1.3, method="numeric")
    robot = robot_of("UR5")
    peers = closed_form_peers(robot)
    targets = random_targets(robot, TARGETS, seed=13)
    times = percentiles({"ours": robot.ik_all} | peers, targets, 50)
    for peer in peers:
        yield Row("all solutions, UR5", times["ours"][0], "µs", peer, times[peer][0], 1)
    yield batch_row("nearest solution, UR5", robot, targets, 1.0)


def beside_toolbox(name, robot, peer, targets):
    """Rows of the numeric solver in turns with Robotics Toolbox; without it (None) the target beside it is missed."""
    contenders = {"ours": lambda T: robot.ik(T, method="numeric")} | ({"peer": peer} if peer else {})
    times = percentiles(contenders, targets, 50, 99)
    (middle, most), (theirs, _) = times["ours"], times.get("peer", (np.nan, np.nan))
    what = "Robotics Toolbox ik_LM" + ("" if peer else " (not installed)")
    yield Row(f"numeric, median, {name}", middle, "µs", what, theirs, 8)
    yield Row(f"numeric, 99 of 100 within (wall time, in turns), {name}", most, target=200)


def per_target(contenders, targets):
    """{name: time for a target [µs]} of {name: solve(all targets)} in turns, the middle one of REPETITIONS."""
    times = {name: [] for name in contenders}
    for _ in range(1 + REPETITIONS):            # the first one warms up
        for name, solve in contenders.items():
            start = perf_counter()
            solve(targets)
            times[name].append(perf_counter() - start)
    return {name: 1e6 * np.median(some[1:]) / len(targets) for name, some in times.items()}


def batch_row(what, robot, targets, ratio, **options):
    """Row of a batch beside its targets one by one, at least so many times faster."""
    times = per_target({"one": lambda targets: [robot.ik(T, **options) for T in targets],
                        "all": lambda targets: robot.ik_batch(targets, **options)}, targets)
    return Row(f"{what}, batch of {TARGETS}", times["all"], "µs", "one by one", times["one"], ratio)


def solved(robot, result, T):
    """Whether a result reaches the target, by forward kinematics, inside the limits."""
    X, q = robot.fk(result.q), result.q
    turn = 2.0 * np.arcsin(min(1.0, np.linalg.norm(X[:3, :3] - T[:3, :3]) / np.sqrt(8.0)))
    near = np.linalg.norm(X[:3, 3] - T[:3, 3]) < 1.001 * TOLERANCE and turn < 1.001 * TOLERANCE
    return result.success and near and (q >= robot.limits.lower).all() and (q <= robot.limits.upper).all()
