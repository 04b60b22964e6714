"""Pinocchio as the outside judge: the same robot, the same state, its answers in our order and axes.

Pinocchio has every joint free; followers (mimic joints) are tied to their leaders here: qd_all = G qd and
tau = Gᵀ tau_all.
"""
from pathlib import Path

import numpy as np
import pinocchio as pin

from rdyn_ros.algorithms import joint_positions


def example_robots():
    """Paths of all URDF files of example-robot-data."""
    folder = Path(pin.__file__).parents[4] / "share" / "example-robot-data" / "robots"
    return sorted(folder.rglob("*.urdf"))


class Judge:
    """Pinocchio's view of a URDF that was also read as our Model."""

    def __init__(self, path, model):
        root = (pin.JointModelFreeFlyer(),) if model.floating_base else ()
        self.model = pin.buildModelFromUrdf(str(path), *root)
        self.model.gravity = pin.Motion(model.gravity, np.zeros(3))
        self.data, self.ours = self.model.createData(), model
        self.G = np.zeros((self.model.nv, model.nv))
        for body, joint in zip(range(1, model.n + 1), self.model.joints[1:], strict=True):
            rows, columns = slice(joint.idx_v, joint.idx_v + joint.nv), model.v_slice[body]
            self.G[rows, columns] = model.ratio[body] * np.eye(joint.nv)

    def configuration(self, q):
        """Our q as Pinocchio's: followers filled in, an endless joint as a point on the circle."""
        parts = []
        for x, joint in zip(joint_positions(self.ours, q)[1:], self.model.joints[1:], strict=True):
            parts.append([np.cos(x), np.sin(x)] if joint.nq == 2 else np.atleast_1d(x))
        return np.concatenate(parts)

    def answers(self, q, qd, qdd, frame, forward=True):
        """Pinocchio's values of everything it can compute at this state; forward dynamics need masses."""
        m, d, G, Q, v, a = self.model, self.data, self.G, self.configuration(q), self.G @ qd, self.G @ qdd
        result = {
            "rnea": G.T @ pin.rnea(m, d, Q, v, a),
            "gravity": G.T @ pin.computeGeneralizedGravity(m, d, Q),
            "nonlinear effects": G.T @ pin.nonLinearEffects(m, d, Q, v),
            "mass matrix": G.T @ _symmetric(pin.crba(m, d, Q)) @ G,
            "coriolis matrix": G.T @ pin.computeCoriolisMatrix(m, d, Q, v) @ G,
            "regressor": G.T @ pin.computeJointTorqueRegressor(m, d, Q, v, a),
            "kinetic energy": pin.computeKineticEnergy(m, d, Q, v),
            "potential energy": pin.computePotentialEnergy(m, d, Q),
            "centre of mass": pin.centerOfMass(m, d, Q).copy(),
        }
        pin.ccrba(m, d, Q, v)
        result["centroidal momentum"] = np.concatenate([d.hg.linear, d.hg.angular])
        result["centroidal matrix"] = d.Ag @ G
        pin.computeRNEADerivatives(m, d, Q, v, a)
        result["dtau/dq"], result["dtau/dqd"] = G.T @ d.dtau_dq @ G, G.T @ d.dtau_dv @ G
        if forward:
            result |= self._forward(result, Q, qd)
        return result | self._of_frame(Q, v, frame)

    def _forward(self, result, Q, qd):
        m, d, tau = self.model, self.data, result["rnea"]
        if not self.ours.has_mimic:
            qdd = pin.aba(m, d, Q, qd, tau).copy()
            pin.computeABADerivatives(m, d, Q, qd, tau)
            by_q, by_qd, by_tau = d.ddq_dq.copy(), d.ddq_dv.copy(), _symmetric(d.Minv)
        else:
            by_tau = np.linalg.inv(result["mass matrix"])
            qdd = by_tau @ (tau - result["nonlinear effects"])
            by_q, by_qd = -by_tau @ result["dtau/dq"], -by_tau @ result["dtau/dqd"]
        return {"forward dynamics": qdd, "dqdd/dq": by_q, "dqdd/dqd": by_qd, "dqdd/dtau": by_tau}

    def _of_frame(self, Q, v, frame):
        m, d, number = self.model, self.data, self.model.getFrameId(frame)
        pin.computeJointJacobiansTimeVariation(m, d, Q, v)
        pin.forwardKinematics(m, d, Q, v, 0.0 * v)
        pin.updateFramePlacements(m, d)
        result = {"fk": d.oMf[number].homogeneous}
        for axes, where in (("base", pin.LOCAL_WORLD_ALIGNED), ("local", pin.LOCAL)):
            result[f"jacobian {axes}"] = pin.getFrameJacobian(m, d, number, where) @ self.G
            bias = pin.getFrameClassicalAcceleration(m, d, number, where)
            result[f"jacobian_dot qd {axes}"] = np.concatenate([bias.linear, bias.angular])
        return result


def _symmetric(upper):
    return np.triu(upper) + np.triu(upper, 1).T
