"""One state per call, from Python."""
import numpy as np
import pinocchio as pin

import rdyn_ros as rdyn

from .measure import medians
from .peers import PEERS
from .robots import FILES, FOLDER, ours, pinocchio
from .row import Row

TITLE = "One call from Python"
TARGETS = {"inverse_dynamics": 5, "gravity_torque": 5, "mass_matrix": 5, "fk": 5, "jacobian": 5,
           "forward_dynamics": 8, "inverse_dynamics_derivatives": 4, "forward_dynamics_derivatives": 4}

HUMANOID = FOLDER / "icub_description/robots/icub.urdf"


def pinocchio_calls(name, q, v, a):
    """{function: call of Pinocchio that answers the same}."""
    model, data, frame = pinocchio(name)

    def fk():
        pin.forwardKinematics(model, data, q)
        return pin.updateFramePlacement(model, data, frame)

    return {
        "inverse_dynamics": lambda: pin.rnea(model, data, q, v, a),
        "gravity_torque": lambda: pin.computeGeneralizedGravity(model, data, q),
        "mass_matrix": lambda: pin.crba(model, data, q),
        "fk": fk,
        "jacobian": lambda: pin.computeFrameJacobian(model, data, q, frame, pin.LOCAL_WORLD_ALIGNED),
        "forward_dynamics": lambda: pin.aba(model, data, q, v, a),
        "inverse_dynamics_derivatives": lambda: pin.computeRNEADerivatives(model, data, q, v, a),
        "forward_dynamics_derivatives": lambda: pin.computeABADerivatives(model, data, q, v, a),
    }


def our_calls(name, q, v, a):
    """{function: our call}."""
    robot = ours(name)
    robot.compile(*TARGETS)
    one, three = (q,), (q, v, a)
    return {key: _bound(getattr(robot, key), three if "dynamics" in key else one) for key in TARGETS}


def _bound(function, arguments):
    return (lambda: function(*arguments)) if len(arguments) > 1 else (lambda q=arguments[0]: function(q))


def humanoid_rows():
    """Derivatives of a humanoid on a floating base, the longest programs of all, against Pinocchio."""
    robot = rdyn.load(HUMANOID, floating_base=True, allow_massless=True)
    model = pin.buildModelFromUrdf(str(HUMANOID), pin.JointModelFreeFlyer())
    data, q = model.createData(), pin.neutral(model)
    v = np.random.default_rng(5).uniform(-1.0, 1.0, robot.nv)
    peers = {"inverse_dynamics_derivatives": (pin.computeRNEADerivatives, 2),
             "forward_dynamics_derivatives": (pin.computeABADerivatives, 1)}
    robot.compile(*peers)
    for key, (peer, target) in peers.items():
        times = medians({"ours": _bound(getattr(robot, key), (q, v, v)), "pin": _bound(peer, (model, data, q, v, v))})
        yield Row(f"{key}, iCub, floating base", 1e6 * times["ours"], "µs", "Pinocchio", 1e6 * times["pin"], target)


def rows():
    """Every function on every robot against Pinocchio, and against the other peers where they have it."""
    yield from humanoid_rows()
    for name in FILES:
        random = np.random.default_rng(5)
        state = [random.uniform(-1.0, 1.0, ours(name).nv) for _ in range(3)]
        theirs, mine = {"Pinocchio": pinocchio_calls(name, *state)}, our_calls(name, *state)
        theirs.update((peer, calls(name, *state)) for peer, calls in PEERS.items())
        for key, target in TARGETS.items():
            contenders = {peer: calls[key] for peer, calls in theirs.items() if key in calls}
            times = medians({"ours": mine[key], **contenders})
            for peer in contenders:
                yield Row(f"{key}, {name}", 1e6 * times["ours"], "µs", peer, 1e6 * times[peer],
                          target if peer == "Pinocchio" else None)
