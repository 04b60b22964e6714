"""A request that makes no sense is refused in words: what was given, what is allowed."""
import numpy as np
import pytest

from rdyn_ros import RdynError, load
from rdyn_ros.ik import problem
from support.ik_arms import ARMS, arm_of, inside


@pytest.mark.parametrize("built", [True, False])
def test_what_is_rigid_is_the_same_for_one_and_for_many(built, monkeypatch):
    if not built:
        monkeypatch.setattr(problem, "Solver", None)
    robot, random = load("kawasaki_fs20n"), np.random.default_rng(3)
    poses = robot.fk(inside(robot, random, 60))
    for T, scale, last in zip(poses, random.uniform(0.0, 3e-7, 60), random.uniform(0.0, 2e-6, 60), strict=True):
        T[:3, :3] *= 1.0 + scale
        T[3, 0] = last * (random.random() < 0.5)
    for k, (place, value) in enumerate([((1, 3), np.inf), ((0, 0), np.nan), ((2, 2), 1e200), ((0, 3), 1e6)]):
        poses[k], poses[k][place] = poses[20], value
    refused = robot.ik_batch(poses, timeout=20.0).reasons == "bad_input"
    assert 5 < refused.sum() < 55
    for T, bad in zip(poses, refused, strict=True):
        if bad:
            with pytest.raises(RdynError, match="no rigid pose" if np.isfinite(T).all() else "only finite"):
                robot.ik(T)
        else:
            robot.ik(T, timeout=20.0)



def test_a_robot_without_joints_takes_no_posture_but_an_empty_one():
    robot = load('<robot name="still"><link name="a"/><link name="b"><inertial><mass value="1"/><inertia ixx="1" '
                 'iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="j" type="fixed">'
                 '<parent link="a"/><child link="b"/></joint></robot>')
    assert robot.ik(np.eye(4), "b", posture=[]).success
    for posture in (object(), ["a"], [[1.0, 2.0], [3.0, 4.0]], [None]):
        with pytest.raises(RdynError, match="posture must be 0 finite numbers"):
            robot.ik(np.eye(4), "b", posture=posture)



BAD = {
    "a matrix that scales": (np.diag([2.0, 2.0, 2.0, 1.0]), {}, "rigid"),
    "a mirror": (np.diag([1.0, 1.0, -1.0, 1.0]), {}, "mirror"),
    "a wrong last row": (np.ones((4, 4)), {}, "last row"),
    "not a number": (np.full((4, 4), np.nan), {}, "nan"),
    "another shape": (np.eye(3), {}, r"\(3, 3\)"),
    "a place alone": ([0.3, 0.0, 0.5], {"position_only": True}, "whose last column is the position"),
    "no numbers": ("somewhere", {}, "pose"),
    "a number that is too large": (np.eye(4), {"seed": [10**400] * 6}, "seed must be numbers"),
    "an axis for each frame": (np.eye(4), {"axis": {"tool": "z"}}, "one axis holds for all frames"),
    "a tolerance that is too large a number": (np.eye(4), {"tolerance": (10**400, 1.0)}, "finite number"),
    "weights in a column": (np.eye(4), {"weights": np.ones((6, 1))}, r"shape \(6, 1\)"),
    "weights that are objects": (np.eye(4), {"weights": np.ones(6, dtype=object)}, "weights must be 6"),
    "weights that are times": (np.eye(4), {"weights": np.ones(6, "m8[ns]")}, "weights must be 6"),
    "weights that are masked": (np.eye(4), {"weights": np.ma.array(np.ones(6), mask=[0] * 5 + [1])}, "weights must be"),
    "restarts that are a time": (np.eye(4), {"max_restarts": np.timedelta64(1, "s")}, "a whole number"),
    "an arm angle of a search": (np.eye(4), {"method": "numeric", "arm_angle": 0.3}, "^arm_angle and method 'numeric'"),
    "no target": ({}, {}, "at least one"),
    "unknown frame": (np.eye(4), {"frame": "tip_of_the_moon"}, "no frame 'tip_of_the_moon'"),
    "seed too short": (np.eye(4), {"seed": [0.0]}, r"seed has shape \(1,\); \w+ takes \(6,\)$"),
    "seed not a number": (np.eye(4), {"seed": [np.nan] * 6}, "seed"),
    "unknown option": (np.eye(4), {"fast": True}, "no option fast"),
    "no time": (np.eye(4), {"timeout": 0.0}, "timeout"),
    "time not a number": (np.eye(4), {"timeout": np.nan}, "timeout"),
    "negative tolerance": (np.eye(4), {"tolerance": -1.0}, "tolerance"),
    "axis of length 0": (np.eye(4), {"axis": (0, 0, 0)}, "axis"),
    "unknown axis": (np.eye(4), {"axis": "w"}, "'x', 'y', 'z' or three numbers"),
    "weights all 0": (np.eye(4), {"weights": [0] * 6}, "weights"),
    "weights in words": (np.eye(4), {"weights": "heavy"}, "weights"),
    "weights for nobody": (np.eye(4), {"weights": {}}, "at least one frame"),
    "weights for an unknown frame": (np.eye(4), {"weights": {"moon": [1] * 6}}, "no frame 'moon'"),
    "weights for a frame without target": (np.eye(4), {"weights": {"base": [1] * 6}}, "base, which has no target"),
    "too few weights for a frame": (np.eye(4), {"weights": {"base": [1] * 5}}, "6 finite numbers"),
    "a weight that is no number": (np.eye(4), {"weights": [np.nan] * 6}, "6 finite numbers"),
    "a posture that is too short": (np.eye(4), {"posture": [0.0]}, "6 finite numbers"),
    "an unknown posture": (np.eye(4), {"posture": "lazy"}, r"'centre' or positions \(6,\)"),
    "an arm angle in words": (np.eye(4), {"arm_angle": "big"}, "arm_angle must be a finite number"),
    "an arm angle for six axes": (np.eye(4), {"arm_angle": 0.3}, "only seven-axis arms"),
    "time in words": (np.eye(4), {"timeout": "1"}, "timeout must be a finite number; got '1'"),
    "time that is none": (np.eye(4), {"timeout": True}, "timeout must be a finite number; got True"),
    "a tolerance below rounding": (np.eye(4), {"tolerance": 1e-20}, "at least 1e-12"),
    "a complex pose": (np.eye(4) * (1.0 + 1e-9j), {}, "must be a pose"),
    "nothing": (None, {}, "must be a pose"),
    "seed with two axes": (np.eye(4), {"seed": np.zeros((1, 6))}, r"shape \(1, 6\)"),
    "seed in words": (np.eye(4), {"seed": "home"}, "seed must be numbers"),
    "three tolerances": (np.eye(4), {"tolerance": [1e-6] * 3}, "a finite number, for m and rad, or two"),
    "a tolerance in a list in a list": (np.eye(4), {"tolerance": [[1e-6], 1e-6]}, "a finite number, for m and rad"),
    "a tolerance in words": (np.eye(4), {"tolerance": "x"}, "got 'x'"),
    "a misspelt option": (np.eye(4), {"toleranc": 1e-6}, "near names: tolerance"),
    "postures of a batch": (np.eye(4), {"posture": np.zeros((2, 6))}, r"shape \(2, 6\): one for all"),
    "a rotation that is not quite one": (np.diag([1.00001, 1, 1, 1]), {}, "at most 3e-07 is allowed"),
    "frames named twice over": ({"flange": np.eye(4)}, {"frame": "flange"}, "no frame beside it"),
    "half a restart": (np.eye(4), {"max_restarts": 0.5}, "max_restarts"),
    "endless restarts": (np.eye(4), {"max_restarts": 10**30}, "from 0 to 1e"),
    "weights inside weights": (np.eye(4), {"weights": {"tool": {"tool": [1] * 6}}}, "6 finite numbers"),
    "a position that does not count": (np.eye(4), {"position_only": True, "weights": [0, 0, 0, 1, 1, 1]}, "nothing to"),
    "an axis that does not count": (np.eye(4), {"axis": "z", "weights": [1, 1, 1, 0, 0, 0]}, "one weight above 0"),
    "an axis with three weights": (np.eye(4), {"axis": "z", "weights": [1, 1, 1, 1, 1, 0]}, "one weight above 0"),
    "half an index": (np.eye(4), {"indices": {"ks": 1.7}}, "indices"),
    "two frames for one pose": (np.eye(4), {"frame": ("tool", "base")}, "no frame"),
    "a frame named twice": ({"tool": np.eye(4), None: np.eye(4)}, {}, r"twice; give each once \(None is tool\)"),
    "weights for a frame named twice": (np.eye(4), {"weights": {None: [1] * 6, "tool": [2] * 6}}, "a frame twice"),
    "a frame in a tuple": (np.eye(4), {"frame": ("tool",)}, "no frame"),
    "unknown method": (np.eye(4), {"method": "magic"}, "'closed_form'"),
    "two masks": (np.eye(4), {"axis": "z", "position_only": True}, "choose one"),
    "indices without a closed form": (np.eye(4), {"axis": "z", "indices": {"ks": 1}}, "or without axis$"),
    "indices of a search": (np.eye(4), {"method": "numeric", "indices": {"ks": 1}}, "or without method 'numeric'$"),
}



@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_in_words(case):
    target, options, words = BAD[case]
    robot = load("kawasaki_fs20n")
    for solve in (robot.ik, robot.ik_all):
        with pytest.raises(RdynError, match=words):
            solve(target, **options)



def test_bad_input_is_refused_in_the_same_words_without_the_c_extension(monkeypatch):
    monkeypatch.setattr(problem, "Solver", None)
    robot = load("kawasaki_fs20n")
    for target, options, words in BAD.values():
        with pytest.raises(RdynError, match=words):
            robot.ik(target, **options)
    T = robot.fk(np.full(6, 0.3))
    for same in (T, T.tolist(), T.astype(np.float32), np.asfortranarray(T), {robot.tips[0]: T}):
        assert robot.ik(same, seed=[0] * 6, timeout=20.0).success



@pytest.mark.parametrize("name", ARMS)
def test_seeds_are_checked_whatever_finds_the_solution(name):
    robot = arm_of(name)
    T = robot.fk(np.full(robot.nq, 0.2))
    for seed in ([np.inf] * robot.nq, np.full(robot.nq, np.nan), "home", np.zeros((1, robot.nq)), [0.0]):
        for solve in (robot.ik, robot.ik_all):
            with pytest.raises(RdynError, match="seed"):
                solve(T, seed=seed)
    result = robot.ik(T, seed=[1e9] * robot.nq, timeout=10.0)
    assert result.success
    assert abs(robot.fk(result.q) - T).max() < 2e-6



@pytest.mark.parametrize("name", ["arm_6r", "walker"])
def test_poses_in_tuples_or_with_more_axes_are_refused(name):
    robot = load(name)
    frames = robot.tips if name == "walker" else robot.tips[:1]
    reach = {frame: robot.fk(robot.ik_seed(frame), frame) for frame in frames}
    for targets in (reach, {frame: T + 9.0 * np.eye(4, k=3) for frame, T in reach.items()}):
        for ask in (robot.ik, robot.ik_all):
            for T in targets.values():
                for wrong in ((T,), [T, T], (T, T), ((T,),), T[0], None, "pose"):
                    with pytest.raises(RdynError, match=r"must be a pose|has shape"):
                        ask(wrong, frames[0])
            if len(frames) > 1:
                with pytest.raises(RdynError, match="has shape"):
                    ask(targets | {frames[0]: targets[frames[0]][None]})

