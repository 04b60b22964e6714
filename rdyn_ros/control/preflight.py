"""Pre-flight: before torque is enabled, does the effort measured at rest agree with the model?"""
import numpy as np

STILL = 0.05        # [rad/s or m/s] up to which a joint counts as standing


def preflight(robot, state, driver_compensates_gravity=False, relative=0.25, floor=2.0):
    """Reasons, in words, not to enable torque; empty when nothing speaks against it.

    Measured effort (n,) is compared with g(q): allowed is |measured - g| <= floor [N m or N] + relative |g| +
    Coulomb friction. A driver that compensates gravity may report it or not. Without measured effort only
    rest is checked: every |qd| <= STILL.
    """
    joints = robot.model.joints
    moving = [f"joint {joints[i].name} moves at {state.qd[i]:.3f} {joints[i].unit}/s; bring the arm to rest"
              for i in np.flatnonzero(np.abs(state.qd) > STILL)]
    if moving or state.effort is None:
        return moving
    measured, expected = state.effort, robot.gravity_torque(state.q)
    slack = floor + robot.model.coulomb
    allowed = slack + relative * np.abs(expected)
    wrong = np.abs(measured - expected) > allowed
    unloaded = np.all(np.abs(measured) <= slack)
    if not wrong.any() or (driver_compensates_gravity and unloaded):
        return []
    general = _general(robot, state.q, measured, expected, slack, unloaded)
    return general + [_joint(joints[i], measured[i], expected[i], allowed[i])
                      for i in np.flatnonzero(wrong)]


def too_heavy(robot, q, effort):
    """Sentences on the joints whose gravity torque at q is more than the effort (n,) that may be commanded."""
    return [f"joint {joint.name} needs {abs(held):.2f} {joint.effort_unit} against gravity, allowed are {allowed:.2f}: "
            "carry less, raise effort_scale if it is below 1, or bring the arm elsewhere"
            for joint, held, allowed in zip(robot.model.joints, robot.gravity_torque(q), effort, strict=True)
            if abs(held) > allowed]


def _joint(joint, measured, expected, allowed):
    line = (f"joint {joint.name}: measured {measured:.2f}, model {expected:.2f}, allowed difference {allowed:.2f} "
            f"{joint.effort_unit}")
    reversed_sign = abs(measured + expected) <= allowed < abs(expected)
    return line + ("; the sign looks reversed: check the joint's axis and its motor" if reversed_sign else "")


def _general(robot, q, measured, expected, slack, unloaded):
    """Single causes that explain all joints at once."""
    if unloaded:
        return ["no joint carries its weight: the driver already compensates gravity (set "
                "driver_compensates_gravity), or brakes hold the arm"]
    reasons = []
    strength = np.linalg.norm(robot.gravity)
    columns = np.stack([robot.with_gravity(axis).gravity_torque(q) for axis in np.eye(3)], axis=1)
    gravity = np.linalg.lstsq(columns, measured, rcond=1e-6)[0]
    explained = np.all(np.abs(columns @ gravity - measured) <= slack)
    if len(q) > 4 and explained and abs(np.linalg.norm(gravity) - strength) < 0.2 * strength:
        reasons.append(f"gravity points elsewhere: the efforts fit {np.round(gravity, 2).tolist()} m/s^2 in "
                       f"base axes, the model has {np.round(robot.gravity, 2).tolist()}")
    per_kilogram = -robot.jacobian(q)[:3].T @ robot.gravity
    difference = measured - expected
    mass = per_kilogram @ difference / max(per_kilogram @ per_kilogram, 1e-12)
    if mass > 0.0 and np.all(np.abs(difference - mass * per_kilogram) <= slack):
        reasons.append(f"payload: the difference fits {mass:.2f} kg more at the tool")
    return reasons
