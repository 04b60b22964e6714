"""Payloads and gravity that pass over slowly: at every moment the torque of the mixed robot."""
from inspect import signature

import numpy as np
import pytest

import rdyn_ros as rdyn
from rdyn_ros.control.controller import Controller
from rdyn_ros.control.motion import State
from rdyn_ros.errors import RdynError
from rdyn_ros.ik import IkBatch, IkResult
from rdyn_ros.kernels import background
from rdyn_ros.nodes.carried import USED, carried
from rdyn_ros.nodes.control_settings import control_settings
from rdyn_ros.nodes.loaded_robot import OVERLAPPING, Load, Payload, loaded
from rdyn_ros.nodes.parameters import ControlParameters
from rdyn_ros.nodes.tilted import HEAVY, Tilted

ROBOT = rdyn.load("planar_2r")
Q, QD = np.array([0.3, -0.8]), np.array([1.2, 0.4])
EXACT = {"rtol": 1e-12, "atol": 1e-12}


def box(mass):
    return Payload("tool", mass, np.array([0.1, 0.0, 0.2]), np.diag([0.02, 0.03, 0.04]))


def carrying(mass):
    return ROBOT.with_payload(*box(mass)[1:], "tool")


def start():
    return loaded(Load(ROBOT, {}, "tool"))


def gravity(robot, now):
    return robot.terms(Q, QD, now).gravity


def test_what_another_thread_changed_since_a_message_came_is_in_force_at_once():
    """A message that came at 10 s finds a gravity and a payload that were set, without a transition, at 10.001 s."""
    robot = start().with_gravity([0.0, 9.81, 0.0], now=10.001)
    robot = robot.with_load(Load(ROBOT, {"box": box(3.0)}, "tool"), now=10.001)
    assert robot.steady(10.0)
    wanted = carrying(3.0).with_gravity([0.0, 9.81, 0.0]).gravity_torque(Q)
    np.testing.assert_allclose(gravity(robot, 10.0), wanted, **EXACT)


def test_a_payload_in_transition_weighs_its_share():
    """Masses are linear in all torques: half way a box of 3 kg counts as one of 1.5 kg with half the inertia."""
    robot = start().with_load(Load(ROBOT, {"box": box(3.0)}, "tool"), now=10.0, duration=4.0)
    for now, share in ((9.0, 0.0), (10.0, 0.0), (11.0, 0.25), (12.0, 0.5), (14.0, 1.0), (99.0, 1.0)):
        part = Payload("tool", 3.0 * share, box(3.0).com, share * box(3.0).inertia)
        mixed = ROBOT.with_payload(*part[1:], "tool")
        terms = robot.terms(Q, QD, now)
        np.testing.assert_allclose(terms.gravity, mixed.gravity_torque(Q), **EXACT)
        np.testing.assert_allclose(terms.coriolis, mixed.coriolis_torque(Q, QD), **EXACT)
        assert robot.payload_share("box", now) == share
        assert robot.steady(now) == (share == 1.0)


def test_a_robot_under_another_gravity_answers_as_one_that_was_made_so_or_not_at_all():
    gravity = np.array([9.81, -2.0, 1.0])
    tilted, made = Tilted(Load(ROBOT, {}, "tool"), gravity), ROBOT.with_gravity(gravity)
    given = {"q": Q, "qd": QD, "qdd": QD, "tau": QD, "twist": np.full(6, 0.1), "known": {"shoulder": 1.0, "elbow": 0.5},
             "q0": Q, "q1": QD, "v": QD, "target": ROBOT.fk(Q), "targets": ROBOT.fk(Q)[None],
             "gravity": gravity}
    asked = set()
    for name in sorted({name for name in dir(type(ROBOT)) if not name.startswith("_")} - {"compile", "ik_prepare"}):
        if name in HEAVY:
            with pytest.raises(AttributeError, match="with_gravity"):
                getattr(tilted, name)
            continue
        of = getattr(made, name)
        if callable(of):
            needed = [given[each.name] for each in signature(getattr(type(ROBOT), name)).parameters.values()
                      if each.default is each.empty and each.kind is each.POSITIONAL_OR_KEYWORD and each.name != "self"]
            answers = [numbers(getattr(robot, name)(*needed)) for robot in (tilted, made)]
            np.testing.assert_allclose(*answers, **EXACT)
            asked.add(name)
    assert asked >= {"inverse_dynamics", "forward_dynamics", "gravity_torque", "energy", "mass_matrix", "fk"}
    assert (tilted.gravity == made.gravity).all()


@pytest.mark.parametrize("change", ["gravity", "payload under way"])
def test_an_arm_under_another_gravity_or_load_is_judged_before_torque_goes_on(change):
    robot = start().with_gravity([0.0, 9.81, 0.0], now=10.0) if change == "gravity" else start().with_load(
        Load(ROBOT, {"box": box(3.0)}, "tool"), now=10.0, duration=5.0)
    controller = Controller(ROBOT, control_settings(ControlParameters(), ROBOT))
    now, before = carried(robot, 11.0)
    controller.set_robot(now, *before)
    controller.take(11.0, 11.0, State(Q, np.zeros(2), np.array([40.0, -20.0])))
    assert "joint shoulder: measured 40.00" in " ".join(controller.enable(11.0))


def numbers(answer):
    """All numbers of an answer but for its time; 0 where it has none."""
    if isinstance(answer, IkResult | IkBatch):
        answer = answer.q
    parts = answer if isinstance(answer, tuple) else (answer,)
    return np.concatenate([np.ravel(part) for part in parts if isinstance(part, float | np.ndarray)] or [[0.0]])


def test_a_change_during_a_change_begins_where_the_first_one_is():
    first = start().with_load(Load(ROBOT, {"box": box(3.0)}, "tool"), 0.0, 4.0)
    second = first.with_load(Load(ROBOT, {}, "tool"), 1.0, 4.0)
    np.testing.assert_allclose(gravity(second, 1.0), gravity(first, 1.0), **EXACT)
    np.testing.assert_allclose(gravity(second, 5.0), ROBOT.gravity_torque(Q), **EXACT)
    quarter = ROBOT.gravity_torque(Q) + 0.25 * 0.5 * (carrying(3.0).gravity_torque(Q) - ROBOT.gravity_torque(Q))
    np.testing.assert_allclose(gravity(second, 3.0), quarter, **EXACT)


def test_too_many_changes_at_once_are_refused():
    robot, load = start(), Load(ROBOT, {}, "tool")
    with pytest.raises(RdynError, match="transition"):
        for _ in range(OVERLAPPING + 2):
            robot = robot.with_load(load, 0.0, 100.0)


def test_gravity_turns_linearly():
    robot = start().with_gravity([9.81, 0.0, 0.0], 0.0, 2.0)
    for now, g in ((0.0, [0.0, 0.0, -9.81]), (1.0, [4.905, 0.0, -4.905]), (2.0, [9.81, 0.0, 0.0])):
        np.testing.assert_allclose(gravity(robot, now), ROBOT.with_gravity(g).gravity_torque(Q), **EXACT)


@pytest.mark.parametrize("g", [ROBOT.gravity, [9.81, 0.0, 0.0]])
def test_the_robot_aimed_at_is_one_robot_while_payload_and_gravity_pass_over(g):
    """What services answer for: every term of the same masses under the same gravity."""
    robot = start().with_load(Load(ROBOT, {"box": box(3.0)}, "tool"), 0.0, 1e9).with_gravity(g, 0.0, 1e9)
    aimed, there, f = robot.aimed, carrying(3.0).with_gravity(g), {"tool": np.arange(6.0)}
    np.testing.assert_allclose(aimed.gravity_torque(Q), there.gravity_torque(Q), **EXACT)
    np.testing.assert_allclose(aimed.inverse_dynamics(Q, QD, QD, f), there.inverse_dynamics(Q, QD, QD, f), **EXACT)
    np.testing.assert_allclose(aimed.forward_dynamics(Q, QD, QD, f), there.forward_dynamics(Q, QD, QD, f), **EXACT)
    np.testing.assert_allclose(aimed.energy(Q, QD), there.energy(Q, QD), **EXACT)


def test_with_a_new_payload_all_that_a_cycle_asks_for_is_compiled_already(monkeypatch):
    """Else the plain algorithms answer, a hundred times slower, while torque flows."""
    load = Load(ROBOT, {}, "tool", USED, ("lower", "upper")).carrying({"box": box(1.25)})
    asked = []
    monkeypatch.setattr(background, "submit", asked.append)
    for frame in ("tool", "lower", "upper"):
        load.robot.fk(Q, frame)
        load.robot.jacobian(Q, frame)
    load.robot.inverse_dynamics(Q, QD, QD)
    load.robot.coriolis_matrix(Q, QD)
    load.robot.friction_torque(QD)
    assert not asked
    load.robot.fk(Q, "base")
    assert len(asked) == 1, "for another frame"


def test_a_payload_in_place_of_another_of_its_name_has_its_own_share():
    one = start().with_load(Load(ROBOT, {"box": box(1.0)}, "tool"), 0.0)
    five = one.with_load(Load(ROBOT, {"box": box(5.0)}, "tool"), 10.0, 100.0)
    assert [five.payload_share("box", now) for now in (10.0, 35.0, 110.0)] == [0.0, 0.25, 1.0]
    again = one.with_load(Load(ROBOT, {"box": box(1.0)}, "tool"), 10.0, 100.0)
    assert again.payload_share("box", 35.0) == 1.0, "the same in its place"


def moon():
    return ROBOT.with_gravity([0.0, 0.0, -1.62])


def remade(robot, other, now):
    return robot.replaced_by(*robot.remade(other, lambda payloads: Load(other, payloads, "tool"), now))


def test_a_robot_that_comes_while_payload_and_gravity_pass_over_goes_on_with_both():
    robot = start().with_load(Load(ROBOT, {"box": box(5.0)}, "tool"), 0.0, 100.0).with_gravity([9.81, 0, 0], 0.0, 50.0)
    other = remade(robot, rdyn.Robot(ROBOT.model), 20.0)
    for now in (20.0, 40.0, 80.0, 120.0):
        np.testing.assert_allclose(gravity(other, now), gravity(robot, now), **EXACT)
        assert other.payload_share("box", now) == robot.payload_share("box", now)
    assert remade(robot, moon(), 200.0).before == (), "what is over is not made again"


def test_gravity_that_was_set_stays_with_the_next_robot_although_it_was_that_of_the_last():
    own = ROBOT.gravity.tolist()
    np.testing.assert_array_equal(remade(start(), moon(), 0.0).gravity, [0.0, 0.0, -1.62])
    was_set = start().with_gravity(own, 0.0)
    np.testing.assert_array_equal(remade(was_set, moon(), 0.0).gravity, own)
    np.testing.assert_array_equal(remade(loaded(start().load, own), moon(), 0.0).gravity, own)
    given_up = was_set.with_gravity(None, 1.0)
    np.testing.assert_array_equal(remade(given_up, moon(), 1.0).gravity, [0.0, 0.0, -1.62])
