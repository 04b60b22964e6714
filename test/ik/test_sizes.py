"""The size of an arm, of its slides and of its limits does not decide whether a target is found."""
import dataclasses

import numpy as np
import pytest

from rdyn_ros import load
from rdyn_ros.ik import problem
from support.ik_arms import inside, real, robot_of


def scaled(arm, scale):
    """The same arm, so many times as long."""
    bodies = [dataclasses.replace(body, p=scale * body.p) for body in arm.model.bodies]
    frames = [dataclasses.replace(frame, p=scale * frame.p) for frame in arm.model.frames]
    return type(arm)(arm.model.replace(bodies=tuple(bodies), frames=tuple(frames)))


ARM = (("0 0 0.3", "0 0 1"), ("0.1 0.1 0.2", "0 1 0"), ("0 0.1 0.4", "0 1 0"), ("0.1 0 0.3", "1 0 0"),
       ("0.1 0.05 0", "0 1 0"), ("0.1 0 0.03", "1 0 0"))


def with_slides(slide, *joints):
    """A chain of joints whose slides have a limit of that length [m] either way."""
    chain = robot_of(*joints)
    bodies = [dataclasses.replace(body, joint=dataclasses.replace(body.joint, lower=-slide, upper=slide))
              if body.joint.kind == "prismatic" else body for body in chain.model.bodies[1:]]
    return type(chain)(chain.model.replace(bodies=(chain.model.bodies[0], *bodies)))


def on_a_rail(slide):
    """An arm of six axes on a rail."""
    return with_slides(slide, ("0 0 0", "1 0 0", "prismatic"), *ARM)


@pytest.mark.parametrize("scale", [1e-2, 1e2])
def test_large_and_small_arms_are_solved_alike(scale):
    arm = load("arm_6r")
    other = scaled(arm, scale)
    for q in inside(arm, np.random.default_rng(9), 100):
        one, two = (robot.ik(robot.fk(q), method="numeric", timeout=10.0, tolerance=(1e-6 * size, 1e-6))
                    for robot, size in ((arm, 1.0), (other, scale)))
        assert one.success and two.success
        assert (one.iterations, one.restarts) == (two.iterations, two.restarts)
        np.testing.assert_allclose(one.q, two.q, atol=1e-5)


@pytest.mark.parametrize("method", ["closed_form", "numeric"])
@pytest.mark.parametrize("scale", [1e-3, 1e3])
@pytest.mark.parametrize("bend", [0.0, 1e-4])
def test_a_pose_is_singular_or_not_whatever_the_size_of_the_arm(bend, scale, method):
    arm = load("arm_6r")
    other = scaled(arm, scale)
    for q in inside(arm, np.random.default_rng(10), 100):
        q[4] = bend * np.sign(q[4]) if abs(q[3]) > 1.0 else q[4]        # the wrist of some is aligned, or nearly
        one, two = (robot.ik(robot.fk(q), seed=q, method=method, timeout=10.0) for robot in (arm, other))
        assert one.reason == two.reason
        assert one.success


@pytest.mark.parametrize(("slide", "far"), [(3.0, 2.0), (50.0, 40.0), (1e3, 2.0), (1e5, 1e3), (1e6, 2.0), (1e30, 1e4),
                                            (1e308, 2.0)])
def test_an_arm_on_a_long_rail_is_solved_as_on_a_short_one(slide, far):
    robot = on_a_rail(slide)
    robot.ik_prepare()
    q = np.random.default_rng(3).uniform(-2.0, 2.0, (50, 7))
    q[:, 0] *= 0.5 * far
    T = robot.fk(q)
    assert all(robot.ik(each, timeout=10.0).success for each in T)
    assert robot.ik_batch(T, timeout=10.0).success.all()


@pytest.mark.parametrize(("slide", "far"), [(3.0, 2.0), (1e30, 1e3)])
def test_scipy_goes_along_the_rail_too(monkeypatch, slide, far):
    monkeypatch.setattr(problem, "Solver", None)
    robot = on_a_rail(slide)
    for q in np.random.default_rng(3).uniform(-2.0, 2.0, (5, 7)):
        q[0] *= 0.5 * far
        assert robot.ik(robot.fk(q), timeout=60.0).success


@pytest.mark.parametrize("slide", [3.0, 1e4, 1e6])
def test_rails_that_are_nearly_parallel_are_used_together(slide):
    rails = ("0 0 0", "1 0 0", "prismatic"), ("0 0 0", "0.995 0.1 0", "prismatic")
    robot = with_slides(slide, *rails, *ARM)
    for q in np.random.default_rng(3).uniform(-2.0, 2.0, (20, 8)):
        q[:2] *= 0.4 * min(slide, 1e3) * np.array([1.0, -1.0])
        assert robot.ik(robot.fk(q), timeout=10.0).success


@pytest.mark.parametrize("slide", [3.0, 1e5, 1e6, 1e9])
def test_an_aligned_wrist_is_singular_however_long_a_slide_is(slide):
    robot = with_slides(slide, ("0 0 0", "0 0 1"), ("0 0 0.2", "1 0 0", "prismatic"), ("0 0 0.1", "0 1 0"),
                        ("0.3 0 0", "1 0 0"), ("0 0 0", "0 1 0"), ("0 0 0", "1 0 0"))
    for method in ("auto", "numeric"):
        for bend, reason in ((0.0, "singular"), (0.5, "converged")):
            q = np.array([0.4, 0.8, 0.5, 0.3, bend, 0.2])
            assert robot.ik(robot.fk(q), seed=q, method=method, timeout=10.0).reason == reason


def test_motion_on_a_rail_is_damped_as_without_one():
    twist = [0.1, 0.0, 0.0, 0.0, 0.0, 0.2]
    for slide in (3.0, 50.0, 1e30):
        motion = on_a_rail(slide).ik_velocity(np.full(7, 0.4), twist)
        assert motion.damping == 0.0
        np.testing.assert_allclose(motion.achieved, twist, atol=1e-9)


def test_a_slide_ends_where_it_ends():
    robot = on_a_rail(3.0)
    robot.ik_prepare()
    T = robot.fk([0.5, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    T[0, 3] += 6.0
    hurried, patient = (robot.ik(T, timeout=seconds) for seconds in (1e-4, 10.0))
    assert hurried.reason == patient.reason == "out_of_reach"
    assert 0.0 < hurried.distance <= patient.distance < 6.0
    panda = real("panda").with_tool("finger", frame="panda_leftfinger")         # on a slide of 4 cm
    T = panda.fk(panda.ik_seed("finger"), "finger")
    T[:3, 3] = 5.0, 0.0, 1.0
    assert 3.9 < panda.ik(T, "finger", timeout=10.0).distance < 4.5


@pytest.mark.parametrize("offset", ["1e-12", "1e-7", "0.001"])
def test_a_head_whose_axes_nearly_meet_is_turned(offset):
    head = robot_of(("0 0 0", "0 0 1"), (f"{offset} 0 0", "0 1 0"))
    for q in np.random.default_rng(4).uniform(-1.4, 1.4, (50, 2)):
        assert head.ik(head.fk(q), timeout=10.0).success


def test_joints_with_limits_of_many_turns_come_back_next_to_the_seed():
    arm = load("arm_7r")
    wide = [dataclasses.replace(body, joint=dataclasses.replace(body.joint, lower=-1e9, upper=1e9))
            for body in arm.model.bodies[1:]]
    robot = type(arm)(arm.model.replace(bodies=(arm.model.bodies[0], *wide)))
    for q in np.random.default_rng(0).uniform(-3.0, 3.0, (60, 7)):
        result = robot.ik(arm.fk(q), seed=np.zeros(7), method="numeric", timeout=10.0)
        assert result.success
        assert abs(result.q).max() < np.pi + 1e-9
