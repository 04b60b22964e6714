"""What the dynamics node says about itself on /diagnostics, and in its log when input was refused."""
from math import inf
from time import monotonic

from .joint_states import Reason
from .messages import NANO
from .units_doubt import units_doubt

SILENCE = 1.0  # [s] without gravity from an IMU that is worth a warning


def judge(node):
    """(level, sentence, {key: value}) of the node's health."""
    now, values = monotonic(), node.values
    report = node.monitor.report()
    here = node.serving
    if here is None:
        why = f": {node.refused}" if node.refused else "; the topic robot_description has not brought one"
        return "ERROR", f"no robot yet{why}", report
    states, robot = here.states, here.loaded
    age, missing = states.age(now), states.missing()
    difference = (node.get_clock().now().nanoseconds - states.stamp) / NANO if states.stamp else 0.0
    difference -= min(age, values.state_timeout)    # a driver that has paused has no other clock
    report |= {
        "robot": robot.bare.name, "model_hash": robot.robot.model.key[:16],
        "joints": ", ".join(states.names), "input_age_s": f"{age:.4f}",
        "stamp_difference_s": f"{difference:.4f}",
        "assumed_joints": ", ".join(states.assumed()), **robot.report(now),
        "velocity": "known" if states.has_velocity.all() else "missing",
        "executor": type(node.executor).__name__,
        "kernels": "compiled" if robot.load.code else "plain",
        "state": "active" if node.active else "inactive"}
    if node.imu is not None:
        report["imu_age_s"] = f"{node.imu.age(now):.4f}"
    warnings = [odd] if (odd := node.monitor.odd(Reason.VELOCITY_MISSING)) else []      # told in its own words
    if missing or age >= values.state_timeout:
        sentence = "; ".join([
            f"no state yet of {', '.join(missing)}" if missing else
            f"joint states are stale: {states.stale(now, values.state_timeout)}, {age:.3f} s old, state_timeout is "
            f"{values.state_timeout:g} s", *warnings])
        if warnings:  # mere silence is told once, by the watchdog
            _log(node, sentence)
        return "ERROR", sentence, report
    rate, wanted = float(report["input_rate_hz"]), values.wanted_rate
    if rate < 0.9 * wanted:
        warnings.append(f"joint states come at {rate:.0f} Hz, wanted are {wanted:.0f} Hz")
    warnings += units_doubt(robot.bare, states)
    if not states.has_velocity.all():
        warnings.append("velocities are missing: coriolis, friction and twist are left out")
    if abs(difference) > values.stamp_tolerance:
        warnings.append(f"input stamps differ from the node's clock by {difference:.1f} s (another clock, or a "
                        "simulator that is too slow?)")
    if node.imu is not None and (silence := node.imu.age(now)) > SILENCE:
        since = f"for {silence:.1f} s" if silence < inf else "yet"
        warnings.append(f"the IMU has not told where gravity points {since}: gravity stays as it is")
    if here.command.weak.any():
        weak = ", ".join(name for name, is_weak in zip(states.names, here.command.weak, strict=True) if is_weak)
        warnings.append("the compensation is beyond effort_scale of the effort limits, more may not be commanded "
                        f"to {weak}: the arm is not held")
    if node.refused:
        warnings.append(f"robot_description was refused: {node.refused}")
    if not node.active:
        warnings.append("not active: nothing is published")
    if warnings:
        sentence = "; ".join(warnings)
        _log(node, sentence)
        return "WARN", sentence, report
    unstamped = "" if states.stamp else "; joint states bear no stamp (0), nor do the answers"
    return "OK", f"answering{unstamped}", report


def _log(node, sentence):
    node.get_logger().warning(sentence, throttle_duration_sec=5.0)
