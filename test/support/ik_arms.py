"""Arms for inverse kinematics: bare chains of screws, and real robots with the frames asked for."""
import numpy as np

from rdyn_ros import load
from rdyn_ros.ik.screws import Chain, Screw
from rdyn_ros.spatial import pose_matrix, rodrigues
from support.pinocchio_judge import example_robots

X, Y, Z = np.eye(3)
HOME = pose_matrix(rodrigues(np.array([1.0, 2.0, 3.0]) / 14**0.5, 0.7), np.array([1.1, 0.2, 0.9]))
WRIST, PAN = (1.0, 0.1, 0.7), (0.0, 0.0, 0.3)


def screw(h, p, turns=True):
    h = np.array(h, dtype=float)
    return Screw(tuple((h / np.linalg.norm(h)).tolist()), tuple(map(float, p)), turns)


def meet(point, *axes):
    """Turning axes that pass a point, each given by another point on it."""
    return [screw(h, np.array(point) + (0.3 + k) * np.array(h)) for k, h in enumerate(axes)]


def slide(h):
    return screw(h, (0.0, 0.0, 0.0), False)


SHOULDER = [screw(Z, (0, 0, 0)), screw(Y, (0.1, 0.2, 0.4)), screw(-Y, (0.1, 0, 1))]
THREE = [screw(Y, (0, 0.1, 0.1)), screw(Y, (0.4, 0.1, 0.1)), screw(-Y, (0.8, 0.1, 0.1))]
SKEW = [screw((0.3, 0.1, 1), (0, 0, 0)), screw((0.1, 1, 0.3), (0.1, 0.2, 0.4)), screw((1, -0.7, 0.5), (0.1, 0, 1))]
APART = [screw(-Z, (0.8, 0.2, 0.0)), screw((0.3, 1, 0.2), (0.95, 0.25, 0.15))]
CHAINS = {      # name: (screws, kind, most solutions)
    "offsets and spherical wrist": ([*SHOULDER, *meet(WRIST, X, Y, X)], "spherical wrist", 8),
    "oblique axes everywhere": ([screw((0.3, 0.1, 1), (0, 0, 0)), *SHOULDER[1:],
                                 *meet(WRIST, (1, 0.1, 0.2), (0.2, 1, 0.1), (1, 0, 0.4))], "spherical wrist", 8),
    "axes 1 and 2 meet": ([*meet(PAN, Z, (0.1, 1, 0.2)), screw((0.4, -0.7, 0.5), (0.1, 0, 1)),
                           *meet(WRIST, X, Y, X)], "spherical wrist", 8),
    "axes 2 and 3 meet": ([screw((0.4, -0.7, 0.5), (0.1, 0, 1)), *meet(PAN, Z, (0.1, 1, 0.2)),
                           *meet(WRIST, X, Y, X)], "spherical wrist", 8),
    "axes 1 and 2 parallel": ([screw(Z, (0, 0, 0)), screw(Z, (0.5, 0, 1)), screw((1, 0, 0.3), (0.6, 0.4, 1)),
                               *meet(WRIST, X, Y, X)], "spherical wrist", 8),
    "axes in general position": ([*SKEW, *meet(WRIST, X, Y, X)], "spherical wrist", 8),
    "shoulder and arm in general position": ([*meet(WRIST, X, Y, X), *SKEW], "spherical wrist, read from the tip", 8),
    "a slide in the arm": ([*meet(PAN, Z, Y), slide(X), *meet(WRIST, X, Y, X)], "spherical wrist", 8),
    "three parallel axes": ([screw(Z, (0, 0, 0)), *THREE, *meet((0.8, 0.2, 0.0), -Z, Y)], "three parallel axes", 8),
    "three parallel axes, the last two apart": ([screw(Z, (0, 0, 0)), *THREE, *APART], "three parallel axes", 8),
    "the first two apart": ([*APART, *THREE, screw(Z, (0, 0, 0))], "three parallel axes, read from the tip", 8),
    "spherical shoulder, offset elbow": (
        [*meet((0, 0, 0), Z, Y, X), screw(X, (0, 0.1, 0.2)), screw(X, (0.4, 0.5, 0.5)), screw(Z, (0.8, 0.5, 1.2))],
        "three parallel axes, read from the tip", 8),
    "five joints, three parallel": ([screw(Z, (0, 0, 0)), *THREE, screw(X, (0.9, 0.2, 0.1))],
                                    "three parallel axes, 5 joints", 4),
    "four joints, three parallel": ([screw(Z, (0, 0, 0)), *THREE], "three parallel axes, 4 joints", 4),
    "two wrist axes": ([*SHOULDER, *meet(WRIST, X, Y)], "arm with two wrist axes", 4),
    "one wrist axis": ([*SHOULDER, *meet(WRIST, X)], "arm with one wrist axis", 4),
    "SCARA": ([screw(Z, (0, 0, 0)), screw(Z, (0.4, 0.1, 0.1)), slide(Z), screw(-Z, (0.8, 0.1, 0.1))], "SCARA", 2),
    "planar": ([screw(Z, (0.4, 0.1, 0.1)), screw(-Z, (0.8, 0.1, 0.1)), screw(Z, (1.0, 0.1, 0.0))], "planar arm", 2),
    "anthropomorphic": (SHOULDER, "three-axis arm, anthropomorphic", 4),
    "spherical": ([*meet(PAN, Z, Y), slide(X)], "three-axis arm, spherical", 4),
    "slide, pan, tilt": ([slide(X), *meet(PAN, Z, Y)], "three-axis arm", 4),
    "cylindrical": ([screw(Z, (0, 0, 0)), slide(Z), slide(X)], "three-axis arm, cylindrical", 2),
    "cylindrical, lift first": ([slide(Z), screw(Z, (0.1, 0.2, 0.4)), slide(X)], "three-axis arm, cylindrical", 2),
    "cartesian": ([slide(Z), slide(X), slide(Y)], "three-axis arm, cartesian", 1),
    "seven axes": ([*meet((0, 0, 0.36), Z, Y, Z), screw(-Y, (0.05, 0, 0.78)), *meet((0, 0, 1.18), Z, (0.1, 1, 0.1), Z)],
                   "spherical shoulder and wrist", 8),
}


def chain(name):
    screws = tuple(CHAINS[name][0])
    return Chain(screws, tuple(range(len(screws))), HOME)


FRAMES = {"panda": "panda_hand_tcp", "ur5_robot": "tool0", "xarm7": None, "kinova": None, "talos_left_arm": None,
          "icub": "l_hand"}


def real(name):
    """Robot of example-robot-data with the frame of FRAMES as its only tip."""
    path = next(path for path in example_robots() if path.stem == name)
    robot = load(path, allow_massless=True)
    return robot.with_tool("tip", frame=FRAMES[name] or robot.tips[0])


ARMS = ["kawasaki_fs20n", "ur5_like", "arm_7r", "panda"]     # by formulas of three kinds, and numeric


def arm_of(name):
    """Shipped robot, or a real one."""
    return real(name) if name in FRAMES else load(name)


def misses(robot, result, T, frame=None):
    """Position [m] and rotation [rad] between what q gives and the target."""
    X = robot.fk(result.q, frame)
    turn = np.linalg.norm(X[:3, :3] - T[:3, :3]) / np.sqrt(2.0)        # = 2 sin(angle / 2)
    return np.linalg.norm(X[:3, 3] - T[:3, 3]), 2.0 * np.arcsin(min(1.0, turn / 2.0))


def within(robot, q):
    return (q >= robot.limits.lower).all() and (q <= robot.limits.upper).all()


def inside(robot, random, count):
    """Random configurations (count, nq) within limits; a joint without limits turns by up to pi."""
    lower, upper = (np.clip(x, -np.pi, np.pi) for x in robot.limits[:2])
    return random.uniform(lower, upper, (count, robot.nv))


def answers():
    """Every bit of what is answered for one target, for all solutions and for a batch: numeric, closed form, 7 axes."""
    bits = []
    for robot in (real("panda"), load("kawasaki_fs20n"), load("arm_7r")):
        robot.compile("fk")         # targets to the last bit: the plain algorithm answers until this is made
        targets = [robot.fk(q) for q in inside(robot, np.random.default_rng(9), 25)]
        bits += [robot.ik(T, timeout=10.0).q for T in targets]
        bits += [robot.ik_all(T, timeout=10.0).solutions for T in targets[:5]]
        bits += [robot.ik_batch(np.array(targets), timeout=10.0).q]
    return [q.tobytes().hex() for q in bits]


HALF = "1.5707963267948966"


def robot_of(*joints, half_range=3, limits=None):
    """Robot of joints (xyz, axis, kind="revolute", rpy="0 0 0", more=""), in a row, within ±half_range or limits."""
    parts = ['<robot name="bare"><link name="l0"/>']
    limits = limits or [(-half_range, half_range)] * len(joints)
    for i, ((xyz, axis, *more), (lower, upper)) in enumerate(zip(joints, limits, strict=True), 1):
        kind, rpy, last = more + ["revolute", "0 0 0", ""][len(more):]
        parts.append(f"""<link name="l{i}"><inertial><mass value="1"/>
            <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
            <joint name="j{i}" type="{kind}"><parent link="l{i - 1}"/><child link="l{i}"/>
            <origin xyz="{xyz}" rpy="{rpy}"/><axis xyz="{axis}"/>
            <limit lower="{lower}" upper="{upper}" velocity="1" effort="1"/>{last}</joint>""")
    return load("".join([*parts, "</robot>"]))


def six(wrist, half=HALF, **limits):
    """Six axes with a wrist that is spherical when `wrist`, the way from axis 4 to 5, has no second part."""
    turned = {k: ["revolute", f"{sign}{half} 0 0"] for k, sign in ((1, ""), (3, ""), (4, "-"), (5, ""))}
    steps = ["0 0 0.3", "0.1 0 0", "0.5 0 0", "0.05 0 0", wrist, "0 0 0"]
    return robot_of(*((step, "0 0 1", *turned.get(k, [])) for k, step in enumerate(steps)), **limits)


CLOSED = ["kawasaki_fs20n", "ur5_like", "arm_6r", "arm_7r"]     # shipped robots with a closed form


def distances(a, q, turns):
    """Largest joint difference of each row of a to q, whole turns aside."""
    d = np.array(a) - q
    return np.abs(np.where(turns, np.angle(np.exp(1j * d)), d)).max(axis=-1, initial=0.0)
