"""The public robot: what it accepts, what it refuses and in which words, batches, robots from robots."""
import numpy as np
import pytest

from rdyn_ros import RdynError, Robot, RobotWarning, load
from rdyn_ros import algorithms as alg
from rdyn_ros.model import Body, Frame, Joint, Model
from support.compare import error
from support.trees import random_state, random_tree

STATE_METHODS = {          # method: the vectors it takes
    "fk": "q", "fk_all": "q", "jacobian": "q", "mass_matrix": "q", "gravity_torque": "q", "christoffel": "q",
    "com": "q", "com_jacobian": "q", "centroidal_matrix": "q", "operational_inertia": "q",
    "static_torque": "q",
    "velocity": "q qd", "jacobian_dot": "q qd", "coriolis_matrix": "q qd", "coriolis_torque": "q qd",
    "energy": "q qd", "momentum": "q qd", "friction_torque": "qd", "acceleration": "q qd qdd",
    "inverse_dynamics": "q qd qdd", "inverse_dynamics_derivatives": "q qd qdd",
    "forward_dynamics": "q qd tau",
    "forward_dynamics_derivatives": "q qd tau", "regressor": "q qd qdd", "joint_reactions": "q qd qdd"}
FRAME_METHODS = ("fk", "jacobian", "operational_inertia")
WRONG = (                  # value: words of the refusal
    (np.zeros(4), r"shape \(4,\).*\(3,\)"), (np.zeros((2, 2, 3)), "shape"), (0.5, "shape"),
    (None, "shape|numbers"),
    ([0.0, np.nan, 0.0], r"\[1\] is nan.*finite"), ([0.0, 0.0, -np.inf], r"is -inf.*finite"),
    (["a", "b", "c"], "numbers"))


@pytest.fixture(scope="module")
def arm():
    return Robot(random_tree(4, 3, parents=[0, 1, 2]))


@pytest.fixture(scope="module")
def floating():
    return Robot(random_tree(4, 3, floating=True, parents=[0, 1, 2]))


def vectors(method):
    return [np.full(3, 0.1 * (k + 1)) for k, _ in enumerate(STATE_METHODS[method].split())]


@pytest.mark.parametrize("method", STATE_METHODS)
def test_wrong_shapes_and_values_are_refused_by_name(arm, method):
    call, good = getattr(arm, method), vectors(method)
    for k, name in enumerate(STATE_METHODS[method].split()):
        for wrong, words in WRONG:
            with pytest.raises(RdynError, match=words) as refusal:
                call(*good[:k], wrong, *good[k + 1:])
            assert str(refusal.value).startswith(name)


@pytest.mark.parametrize("method", FRAME_METHODS)
def test_an_unknown_frame_is_refused_with_the_frames_there_are(arm, method):
    for name, words in (("tol", "near names: tool"), ("OO", "near names: tool"), ("xyz", "its frames are .*tool"),
                        (np.zeros(2), "a frame is given by its name, such as 'tool'")):
        with pytest.raises(RdynError, match=rf"no frame .*; {words}"):
            getattr(arm, method)(np.zeros(3), name)


@pytest.mark.parametrize("method", STATE_METHODS)
def test_a_batch_is_its_rows(arm, method):
    random = np.random.default_rng(1)
    batch = [random.uniform(-1, 1, (5, 3)) for _ in STATE_METHODS[method].split()]
    together = getattr(arm, method)(*batch)
    rows = [getattr(arm, method)(*(x[k] for x in batch)) for k in range(5)]
    if isinstance(together, tuple):
        for part, of_rows in zip(together, zip(*rows, strict=True), strict=True):
            assert error(part, np.stack(of_rows)) < 1e-12
    else:
        assert error(together, np.stack(rows)) < 1e-12


def test_batches_must_agree_in_length_and_a_single_vector_serves_all(arm):
    q = np.random.default_rng(2).uniform(-1, 1, (4, 3))
    with pytest.raises(RdynError, match="q 4, qd 3"):
        arm.coriolis_torque(q, q[:3])
    assert error(arm.coriolis_torque(q, q[0]), arm.coriolis_torque(q, np.repeat(q[:1], 4, axis=0))) < 1e-12
    with pytest.raises(RdynError, match="length"):
        arm.fk(q[:0])


def test_axes_and_reference_points_are_words_from_a_list(arm):
    with pytest.raises(RdynError, match="axes is 'world'; allowed are 'base', 'local'"):
        arm.jacobian(np.zeros(3), axes="world")
    with pytest.raises(RdynError, match="about is 'hip'"):
        arm.momentum(np.zeros(3), np.zeros(3), about="hip")


def test_a_quaternion_that_is_no_rotation_is_refused(floating):
    q, qd, _ = random_state(floating.model, 1)
    q[3:7] *= 1.1
    with pytest.raises(RdynError, match="quaternion"):
        floating.fk(q)
    with pytest.raises(RdynError, match="quaternion"):
        floating.coriolis_torque(np.stack([q, q]), qd)


def test_external_wrenches_are_checked_and_act(arm):
    q, qd, qdd = random_state(arm.model, 3)
    push = {"tool": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], "link2": [0.0, 0.0, -9.0, 0.0, 0.0, 0.0]}
    tau = arm.inverse_dynamics(q, qd, qdd, push)
    assert error(tau, arm.inverse_dynamics(q, qd, qdd) - alg.external_torque(arm.model, q, push)) < 1e-12
    assert error(arm.forward_dynamics(q, qd, tau, push), qdd) < 1e-9
    with pytest.raises(RdynError, match="f_ext"):
        arm.inverse_dynamics(q, qd, qdd, [1.0] * 6)
    with pytest.raises(RdynError, match="names a frame twice: None, tool"):
        arm.inverse_dynamics(q, qd, qdd, {None: np.ones(6), "tool": np.ones(6)})
    with pytest.raises(RdynError, match=r"f_ext\['tool'\] has shape \(3,\)"):
        arm.inverse_dynamics(q, qd, qdd, {"tool": [1.0, 2.0, 3.0]})
    with pytest.raises(RdynError, match="no frame 'hand'"):
        arm.forward_dynamics(q, qd, tau, {"hand": np.zeros(6)})
    many = {"tool": np.stack([push["tool"], np.zeros(6)])}
    assert error(arm.joint_reactions(q, qd, qdd, many)[1], arm.joint_reactions(q, qd, qdd)) < 1e-12


def test_joint_reactions_in_both_axes_hold_the_whole_robot(arm):
    q = random_state(arm.model, 3)[0]
    still = np.zeros(3)
    local, base = (arm.joint_reactions(q, still, still, axes=axes) for axes in ("local", "base"))
    assert local.shape == (3, 6)
    weight = sum(body.mass for body in arm.model.bodies[1:]) * arm.gravity
    assert error(base[0, :3], -weight) < 1e-12
    R = arm.fk(q, "link1")[:3, :3]
    assert error(R @ local[0, :3], base[0, :3]) < 1e-12


def test_hybrid_dynamics_takes_each_joint_once(arm, floating):
    q, qd, qdd = random_state(arm.model, 5)
    tau = arm.inverse_dynamics(q, qd, qdd, {"tool": np.ones(6)})
    known = {"qdd": {"joint2": qdd[1]}, "tau": {"joint1": tau[0], "joint3": tau[2]}}
    found_qdd, found_tau = arm.hybrid_dynamics(q, qd, known, {"tool": np.ones(6)})
    assert error(found_qdd, qdd) < 1e-9
    assert error(found_tau, tau) < 1e-9
    every = dict.fromkeys(arm.joint_names, 0.0)
    for wrong, words in (({"qdd": {"joint1": 0.0}}, "joint2"), ({"force": {}}, "known must be"),
                         ({"qdd": {"elbow": 0.0}}, "'elbow'; allowed are joint1"),
                         ({"qdd": every, "tau": {"joint1": 0.0}}, "not both"),
                         ({"qdd": every | {"joint1": np.nan}}, "finite")):
        with pytest.raises(RdynError, match=words):
            arm.hybrid_dynamics(q, qd, wrong)
    q, qd, qdd = random_state(floating.model, 5)
    tau = floating.inverse_dynamics(q, qd, qdd)
    held = {"qdd": {"base": qdd[:6]}, "tau": {"joint2": tau[6], "joint3": tau[7]}}
    found_qdd, found_tau = floating.hybrid_dynamics(q, qd, held)
    assert error(found_tau[:6], tau[:6]) < 1e-9
    free_qdd, free_tau = floating.hybrid_dynamics(q, qd, {"tau": held["tau"]})
    assert (free_tau[:6] == 0).all()
    assert error(free_qdd, floating.forward_dynamics(q, qd, free_tau)) < 1e-9


def test_inverse_velocity_takes_one_state_and_a_sane_damping(arm):
    twist = np.ones(6)
    assert arm.inverse_velocity(np.ones(3), twist).rank == 3
    for arguments, words in (
            ((np.ones(2), twist), "q has shape"), ((np.ones(3), np.ones(3)), "twist has shape"),
            ((np.ones((2, 3)), twist), "one at a time"), ((np.ones(3), twist, None, -1.0), ">= 0")):
        with pytest.raises(RdynError, match=words):
            arm.inverse_velocity(*arguments)


def test_a_robot_without_joints_is_a_robot():
    rock = Robot(Model("rock", (Body("base", -1, mass=1.0),), (Frame("base", 0),), tips=("base",)))
    assert rock.inertial_parameters().shape == (0,)
    nothing = np.zeros(0)
    for method, names in STATE_METHODS.items():
        getattr(rock, method)(*(nothing for _ in names.split()))
    assert rock.mass_matrix(nothing).shape == (0, 0)
    assert error(rock.fk(nothing), np.eye(4)) == 0


def test_a_singular_mass_matrix_is_told():
    bodies = (Body("base", -1), Body("link1", 0, Joint("turn", "revolute", (0, 0, 1))))
    robot = Robot(Model("weightless", bodies, (Frame("base", 0), Frame("link1", 1)), tips=("link1",)))
    for call in (robot.forward_dynamics, robot.forward_dynamics_derivatives):
        with pytest.raises(RdynError, match=r"weightless: the mass matrix is singular, joint 'turn'.*mass"):
            call([0.0], [0.0], [1.0])
    with pytest.raises(RdynError, match="singular"):
        robot.hybrid_dynamics([0.0], [0.0], {"tau": {"turn": 1.0}})
    qdd, tau = robot.hybrid_dynamics([0.0], [0.0], {"qdd": {"turn": 1.0}})
    assert (qdd, tau) == ([1.0], [0.0])


def test_hybrid_dynamics_tells_when_only_rounding_moves_a_free_joint():
    """A point mass on the crooked axis of the last joint: its inertia is rounding, not zero."""
    axis = np.array([0.48, 0.6, 0.64])
    bodies = (Body("base", -1), Body("arm", 0, Joint("turn", "revolute", (0, 0, 1)), mass=1.0, inertia=np.eye(3)),
              Body("tip", 1, Joint("spin", "revolute", axis), p=(1, 0, 0), mass=0.7, com=0.3 * axis))
    robot = Robot(Model("point", bodies, (Frame("tip", 2),), tips=("tip",)))
    assert 0 < abs(robot.mass_matrix([0.1, 0.2])[1, 1]) < 1e-12
    for q in ([0.1, 0.2], [[0.1, 0.2], [0.3, 0.4]]):
        with pytest.raises(RdynError, match="mass matrix is singular, joint 'spin'"):
            robot.hybrid_dynamics(q, [0.0, 0.0], {"qdd": {"turn": 1.0}, "tau": {"spin": 1.0}})
    qdd, _ = robot.hybrid_dynamics([0.1, 0.2], [0.0, 0.0], {"qdd": {"spin": 0.0}, "tau": {"turn": 1.0}})
    assert np.isfinite(qdd).all()


def test_a_mass_matrix_that_only_rounding_makes_regular_is_told_too():
    model = random_tree(4, 3, parents=[0, 1, 2])
    joint = Joint("spin", "revolute", (0.6, 0.0, 0.8))
    bead = Body("bead", 2, joint, model.bodies[3].R, model.bodies[3].p, 1.0, 0.3 * joint.axis)   # on the axis
    robot = Robot(model.replace(bodies=(*model.bodies[:3], bead)))
    for _ in range(2):
        with pytest.raises(RdynError, match="'spin' moves no inertia"):
            robot.forward_dynamics(np.ones(3), np.ones(3), np.ones(3))
    geared = Joint("spin", "revolute", (0.6, 0.0, 0.8), rotor_inertia=1e-4)
    sound = Robot(model.replace(bodies=(*model.bodies[:3], Body("bead", 2, geared, mass=1.0, com=bead.com))))
    assert np.isfinite(sound.forward_dynamics(np.ones(3), np.ones(3), np.ones(3))).all()


def test_arguments_and_robots_are_left_as_they_were(arm):
    q = [0.1, 0.2, 0.3]
    arm.fk(q)
    assert q == [0.1, 0.2, 0.3]
    before = arm.gravity_torque(q)
    heavy = arm.with_payload(2.0, [0.0, 0.0, 0.1], 0.01 * np.eye(3))
    wall, longer = arm.with_gravity([9.81, 0.0, 0.0]), arm.with_tool("pen", [0.0, 0.0, 0.2], [0.0, 0.1, 0.0])
    assert error(arm.gravity_torque(q), before) == 0
    assert error(heavy.gravity_torque(q), before) > 1e-3
    assert error(wall.gravity_torque(q), before) > 1e-3
    tool = arm.fk(q)
    assert error(longer.fk(q)[:3, 3], tool[:3, 3] + 0.2 * tool[:3, 2]) < 1e-12
    assert longer.tips[0] == "pen"


def test_a_payload_weighs_where_it_hangs(arm):
    q, com = np.array([0.1, 0.2, 0.3]), np.array([0.05, -0.02, 0.1])
    heavy = arm.with_payload(2.0, com)
    pose = arm.fk(q)
    arm_of_force = pose[:3, :3] @ com
    weight = 2.0 * arm.gravity
    wrench = np.concatenate([weight, np.cross(arm_of_force, weight)])
    assert error(heavy.gravity_torque(q), arm.static_torque(q, {"tool": wrench})) < 1e-12
    q, qd, qdd = random_state(arm.model, 2)
    tip = Robot(heavy.model)
    assert error(tip.forward_dynamics(q, qd, tip.inverse_dynamics(q, qd, qdd)), qdd) < 1e-9
    for wrong, words in (((-1.0,), "mass > 0"), ((np.nan,), "mass"), ((1.0, [0, 0]), "com"),
                         ((1.0, [0, 0, 0], [[1, 2, 0], [0, 1, 0], [0, 0, 1]]), "symmetric")):
        with pytest.raises(RdynError, match=words):
            arm.with_payload(*wrong)


def test_a_payload_on_a_body_that_has_only_a_tensor_leaves_it_that():
    text = """<robot name="wheel"><link name="a"/><link name="b"><inertial><mass value="0"/>
        <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
        <joint name="j" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint></robot>"""
    with pytest.warns(RobotWarning):
        robot = load(text, allow_massless=True)
    alone, m, l = robot.mass_matrix([0.0])[0, 0], 0.5, 0.3
    assert alone == pytest.approx(0.1)
    assert robot.with_payload(m, (l, 0.0, 0.0)).mass_matrix([0.0])[0, 0] == pytest.approx(alone + m * l * l, rel=1e-12)


def test_shipped_robots_say_who_they_are():
    robot = load("planar_2r")
    assert "planar_2r" in repr(robot)
    assert robot.nq == robot.nv == len(robot.joint_names) == len(robot.limits.lower)
    assert robot.regressor(*np.zeros((3, 2))).shape == (2, 10 * len(robot.link_names))
    assert robot.fk_all(np.zeros(2)).shape == (len(robot.frame_names), 4, 4)
    assert robot.base_parameters().K.shape[0] == len(robot.base_parameters().independent)


def test_batches_of_wrenches_must_fit_those_of_the_state(arm):
    q, many = np.zeros(3), {"tool": np.zeros((5, 6))}
    four = np.zeros((4, 3))
    for call in (lambda: arm.inverse_dynamics(four, q, q, many), lambda: arm.inverse_dynamics(q, four, q, many),
                 lambda: arm.forward_dynamics(q, q, four, many), lambda: arm.static_torque(four, many),
                 lambda: arm.external_torque(four, many), lambda: arm.joint_reactions(four, q, q, many),
                 lambda: arm.external_torque(q, many | {"link2": np.zeros((4, 6))})):
        with pytest.raises(RdynError, match="batches have the lengths"):
            call()


def test_no_wrench_is_a_wrench_of_zeros(arm):
    assert (arm.external_torque(np.zeros(3)) == np.zeros(3)).all()
    assert arm.external_torque(np.zeros((4, 3)), {}).shape == (4, 3)


@pytest.mark.parametrize(("known", "words"), [
    ({"qdd": {"joint1": np.ones(3), "joint2": np.ones(4)}, "tau": {"joint3": 0.0}}, "lengths"),
    ({"qdd": [1.0, 2.0, 3.0]}, "known must be"), ({"qdd": None, "tau": {}}, "known must be"),
    ({"tau": {"joint1": None, "joint2": 0.0, "joint3": 0.0}}, "known 'joint1'.* is nan"),
    ({"tau": {"joint1": [1.0, [2.0]], "joint2": 0.0, "joint3": 0.0}}, "known 'joint1' must be numbers")])
def test_what_is_not_known_in_hybrid_dynamics_is_told(arm, known, words):
    with pytest.raises(RdynError, match=words):
        arm.hybrid_dynamics(np.zeros(3), np.zeros(3), known)


def test_words_are_words_and_one_state_is_one_state(arm):
    with pytest.raises(RdynError, match="axes is"):
        arm.jacobian(np.zeros(3), axes=np.zeros(3))
    for arguments in ((np.zeros((4, 3)), np.zeros(6)), (np.zeros(3), np.zeros((4, 6))),
                      (np.zeros(3), np.zeros(6), None, np.zeros((4, 3)))):
        with pytest.raises(RdynError, match="one at a time"):
            arm.ik_velocity(*arguments)


@pytest.mark.parametrize("compiled", [False, True])
def test_a_result_that_is_not_finite_is_refused_whatever_computes_it(compiled):
    robot, fast = load("planar_2r"), np.full(2, 1e200)
    push = {robot.tips[0]: np.full(6, 1.7e308)}
    ones, names = np.ones(2), ("inverse_dynamics", "forward_dynamics", "coriolis_torque")
    for name in names if compiled else ():
        robot.compile(name)
        robot.compile(name, batch=True)
    for shape in ((2,), (3, 2), (20, 2)):
        one, big = np.ones(shape), np.ones(shape) * fast
        for method, vectors in (("inverse_dynamics", (one, big, one)), ("forward_dynamics", (one, big, one)),
                                ("coriolis_torque", (one, big)), ("energy", (one, big)),
                                ("momentum", (one, 1e108 * big)), ("external_torque", (one, push))):
            with pytest.raises(RdynError, match="the result is not finite for these inputs"):
                getattr(robot, method)(*vectors)
    assert np.isfinite(robot.inverse_dynamics(ones, 1e60 * ones, ones)).all()     # far, and still a number


def test_the_quaternion_that_is_wrong_is_the_one_told(floating):
    q, _, _ = random_state(floating.model, 1)
    long = np.concatenate([q[:3], 3.0 * q[3:7], q[7:]])
    with pytest.raises(RdynError, match="has length 3;"):
        floating.fk(np.stack([q, long]))


def test_a_quaternion_off_by_rounding_still_turns_rigidly(floating):
    q, _, _ = random_state(floating.model, 1)
    rough = np.concatenate([q[:3], (1.0 + 9e-7) * q[3:7], q[7:]])
    assert error(floating.fk(rough), floating.fk(q)) < 1e-13
    floating.compile("fk")
    assert error(floating.fk(rough), floating.fk(q)) < 1e-13


def test_both_energies_have_the_batch(arm):
    q, qd = np.zeros(3), np.ones((4, 3))
    energy = arm.energy(q, qd)
    assert energy.kinetic.shape == energy.potential.shape == (4,)
    assert error(energy.potential, np.full(4, arm.energy(q, qd[0]).potential)) < 1e-15


def test_payloads_and_tools_that_make_no_sense_are_refused(arm):
    for payload, words in ((("1",), "numbers"), ((1.0, (0, 0, 0), np.diag([1.0, 0.1, 0.1])), "sum of the two others"),
                           ((1.0, (0, 0, 0), [[1e-9, 1e-9, 0], [0, 1e-9, 0], [0, 0, 1e-9]]), "symmetric")):
        with pytest.raises(RdynError, match=words):
            arm.with_payload(*payload)
    for name in (5, "", None):
        with pytest.raises(RdynError, match="name of a tool"):
            arm.with_tool(name)
    plate = np.diag([1.0, 1.0, 2.0])        # flat: the equality
    assert arm.with_payload(1.0, inertia=plate).nv == 3
