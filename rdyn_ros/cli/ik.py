"""`rdyn ik`: joint positions for a pose, as a table of solutions."""
import json
import warnings
from contextlib import suppress

import numpy as np

from ..errors import RdynError, RobotWarning
from ..ik.constants import TURN
from ..ik.options import METHODS
from ..ik.task import unknowns
from ..model.units import units
from ..robot import Robot
from ..spatial import pose_matrix, quaternion_matrix, rotation_rpy
from .counted import counted
from .robot_arguments import add_robot_arguments, given_model

MOST = 10           # rows that people look through
BASE = ("x", "y", "z", "qx", "qy", "qz", "qw")      # of q before its joints, where the base floats
HELP = "find joint positions for a pose: all solutions with indices, limit margins and manipulability"


def add_arguments(parser):
    """Declares the arguments of the verb."""
    add_robot_arguments(parser)
    parser.add_argument("--xyz", nargs=3, type=float, required=True, metavar=("X", "Y", "Z"), help="position [m]")
    turn = parser.add_mutually_exclusive_group()
    turn.add_argument("--rpy", nargs=3, type=float, metavar=("R", "P", "Y"), help="roll, pitch, yaw [rad]; without "
                      "--rpy and --quaternion: position only")
    turn.add_argument("--quaternion", nargs=4, type=float, metavar=("X", "Y", "Z", "W"), help="instead of --rpy")
    parser.add_argument("--frame", help="frame to place (default: the tip)")
    parser.add_argument("--seed", nargs="+", type=float, metavar="Q", help="positions to stay near, of all "
                        "joints; before them x y z qx qy qz qw of a base that floats")
    parser.add_argument("--axis", nargs="+", metavar="A", help="only this axis of the frame, x, y, z or three "
                        "numbers in its axes, must point as it does in the pose of --rpy or --quaternion")
    parser.add_argument("--weights", nargs=6, type=float, metavar=("X", "Y", "Z", "RX", "RY", "RZ"), help="how much "
                        "each direction counts, in base axes; 0 leaves it free")
    parser.add_argument("--posture", nargs="+", metavar="Q", help="where free motion should go: centre, or positions "
                        "like those of --seed")
    parser.add_argument("--arm-angle", type=float, help="of a seven-axis arm [rad] (default: some all round)")
    parser.add_argument("--indices", nargs="+", metavar="INDEX", help="only this branch of a closed form: some of ks=1 "
                        "ke=-1 kw=1 (shoulder, elbow, wrist)")
    parser.add_argument("--method", choices=METHODS, help="default: auto, a closed form where the arm has one")
    parser.add_argument("--tolerance", nargs="+", type=float, metavar="T", help="when a pose counts as reached: one "
                        "number for m and rad (default 1e-6), or two")
    parser.add_argument("--max-restarts", type=int, help="starts after the first (default 1000)")
    parser.add_argument("--timeout", type=float, help="time for the whole request [s] (default 0.05)")
    parser.add_argument("--most", type=int, default=MOST, metavar="N", help=f"rows at most (default {MOST})")
    parser.add_argument("--json", action="store_true", help="machine-readable output")


def run(arguments):
    """Print the solutions; 1 when there is none. Without an orientation only the position counts."""
    if arguments.most < 1:
        raise RdynError(f"--most is {arguments.most}; give a whole number from 1 on")
    robot = Robot(given_model(arguments, allow_massless=True))
    given = {name: getattr(arguments, name) for name in ("arm_angle", "max_restarts", "method", "timeout", "weights")}
    given |= {name: one_or_numbers(getattr(arguments, name)) for name in ("axis", "posture", "tolerance")}
    given["indices"] = arguments.indices and branch(arguments.indices)
    if arguments.rpy is None and arguments.quaternion is None:
        given["position_only"] = True
        for option in ("axis", "arm_angle"):
            if given[option] is not None:
                raise RdynError(f"--{option.replace('_', '-')} needs --rpy or --quaternion: without them the "
                                "orientation is free")
    options = {name: value for name, value in given.items() if value is not None}
    robot.ik_prepare(arguments.frame)
    try:
        result = robot.ik_all(target(arguments), arguments.frame, arguments.seed, **options)
    except RdynError as error:
        if not str(error).endswith("without position_only"):
            raise
        raise RdynError(f"{error}: give --rpy or --quaternion") from None
    if arguments.json:
        print(json.dumps(plain(robot, result, arguments.frame), indent=2))
    else:
        lines = [*table(robot, result, arguments.frame, fixed(options))]
        most = arguments.most + len(lines) - len(result.solutions)
        print("\n".join(lines[:most]))
        if len(lines) > most:
            print(f"{len(lines) - most} more: --most {len(result.solutions)} prints all")
    return int(not result.success)


def fixed(options):
    """How many numbers the target and the options tell."""
    x, y, z, *turns = [int(weight > 0.0) for weight in options.get("weights", [1.0] * 6)]
    turned = 0 if "position_only" in options else 2 if "axis" in options else sum(turns)
    return x + y + z + turned + ("arm_angle" in options)


def one_or_numbers(given):
    """Words as numbers, where they are, and the only one by itself; None when none were given."""
    with suppress(TypeError, ValueError):                   # words are refused by who asks for numbers
        given = [float(each) for each in given]
    return given[0] if given and len(given) == 1 else given


def branch(words):
    """{index: 1 or -1} of words such as ks=1."""
    signs = {"1": 1, "+1": 1, "-1": -1}
    named = dict(word.partition("=")[::2] for word in words)
    if len(named) < len(words) or not signs.keys() >= {*named.values()}:
        raise RdynError(f"--indices {' '.join(words)}: give each index once, as 1 or -1, such as ks=1 ke=-1")
    return {name: signs[sign] for name, sign in named.items()}


def target(arguments):
    """Pose (4, 4) of the arguments."""
    R = np.eye(3)
    if arguments.rpy is not None:
        if not np.isfinite(arguments.rpy).all():
            raise RdynError(f"--rpy is {' '.join(map(str, arguments.rpy))}; give three finite angles in rad")
        if max(map(abs, arguments.rpy)) > TURN:
            told = " ".join(f"{angle:g}" for angle in arguments.rpy)
            warnings.warn(f"--rpy {told} is taken as rad; are these degrees?", RobotWarning, stacklevel=2)
        R = rotation_rpy(arguments.rpy)
    if arguments.quaternion is not None:
        quaternion = np.array(arguments.quaternion)
        if not quaternion.any():
            raise RdynError("--quaternion has length 0 and says no orientation; no rotation is 0 0 0 1")
        if not np.isfinite(quaternion).all():
            raise RdynError(f"--quaternion is {' '.join(map(str, quaternion))}; give four finite numbers x y z w")
        quaternion /= abs(quaternion).max()                 # whose square is a number
        R = quaternion_matrix(quaternion / np.linalg.norm(quaternion))
    return pose_matrix(R, np.array(arguments.xyz))


def moving(robot, frame):
    """Positions in q and columns of the Jacobian of the joints that move the frame."""
    found = unknowns(robot.model, (robot.model.frame(frame).name,))
    return list(found.positions), list(found.columns)


def margins(robot, q, frame):
    """{joint: distance to its nearer limit [rad or m]} of the joints that move the frame and have limits."""
    positions, columns = moving(robot, frame)
    lower, upper = (limit[columns] for limit in robot.limits[:2])
    left = np.minimum(q[positions] - lower, upper - q[positions])
    names = [robot.joint_names[v - robot.nv] for v in columns]      # from the end: a floating base has no name
    return {name: float(x) for name, x in zip(names, left, strict=True) if np.isfinite(x)}


def tightest(margins):
    """(joint, margin) of the joint that is nearest to a limit; None twice when none has any."""
    return min(margins.items(), key=lambda item: item[1], default=(None, None))


def manipulability(robot, q, frame):
    """Volume of the velocity ellipsoid: product of the singular values of the Jacobian."""
    J = robot.jacobian(q, frame)[:, moving(robot, frame)[1]]
    return float(np.prod(np.linalg.svd(J, compute_uv=False)))


def plain(robot, result, frame):
    """The result as plain data."""
    solutions = []
    for q, named, psi, lost in rows(result):
        left = margins(robot, q, frame)
        joint, least = tightest(left)
        solutions.append({"q": q.tolist(), "indices": dict(named), "arm_angle": psi, "singular": bool(lost),
                          "margin": least, "margin_joint": joint, "margins": left,
                          "manipulability": manipulability(robot, q, frame)})
    return {"success": result.success, "reason": result.reason, "message": result.message, "method": result.method,
            "joints": list(robot.joint_names),
            "coordinates": [*BASE[:robot.nq - len(robot.joint_names)], *robot.joint_names],     # of q
            "solutions": solutions, "q": result.q.tolist(),
            "residual_position": finite(result.residual_position),
            "residual_rotation": finite(result.residual_rotation), "distance": finite(result.distance),
            "violations": dict(result.violations), "time": result.time}


def finite(x):
    """The number, or None: JSON knows no infinite ones."""
    return float(x) if np.isfinite(x) else None


def rows(result):
    """(q, indices, arm angle or None, singular) of every solution."""
    angles = result.arm_angles or [None] * len(result.solutions)
    return zip(result.solutions, result.indices, angles, result.singular, strict=True)


def table(robot, result, frame, told):
    """Lines of the table, one solution each, below the names and their units; so many numbers tell the target."""
    kind, place = robot.ik_class(frame), f"{robot.name} to {robot.model.frame(frame).name}"
    how = f"closed form ({kind})" if result.method == "closed_form" else "numeric"
    if not result.success:
        yield f"{place}: {result.reason}: {result.message}"
        return
    many = " of infinitely many, nearest first" if len(moving(robot, frame)[1]) > told else ""
    yield f"{place}: {counted(len(result.solutions), 'solution')}{many}, {how}, {1e6 * result.time:.0f} µs"
    if result.message != result.reason:
        yield result.message
    turning = ["arm angle"] if result.arm_angles else []
    names = [*result.indices[0], *turning, *robot.joint_names, "margin", "of", "manipulability"]
    unit = [*("" for _ in result.indices[0]), *("[rad]" for _ in turning),
            *(f"[{joint.unit}]" for joint in robot.model.joints), f"[{units(robot.model)[0]}]", "", "[SI]"]
    width = [max(len(name), len(of), 9) for name, of in zip(names, unit, strict=True)]
    width[-2] = max(9, *map(len, ("", *robot.joint_names)))
    for head in (names, unit):
        yield "  ".join(word.rjust(w) for word, w in zip(head, width, strict=True))
    for q, named, psi, lost in rows(result):
        joint, least = tightest(margins(robot, q, frame))
        joints = q[robot.nq - len(robot.joint_names):]
        turn = [] if psi is None else [f"{psi:.4f}"]
        cells = [*(f"{sign:+d}" for sign in named.values()), *turn, *(f"{x:.5f}" for x in joints),
                 *(("-", "-") if joint is None else (f"{least:.4f}", joint)), f"{manipulability(robot, q, frame):.4g}"]
        yield "  ".join(c.rjust(w) for c, w in zip(cells, width, strict=True)) + ("  singular" if lost else "")
