"""What the control node says about itself on /diagnostics."""
from time import monotonic

from .units_doubt import units_doubt

USUAL = ("repeated", "without_state")  # counters that are no reason to warn


def judge(node, last_refusal):
    """(level, sentence, {key: value}) of the node's health."""
    report = node.monitor.report()
    if node.serving is None:
        return "WARN", f"waiting for a robot on the topic robot_description; {last_refusal or 'none has come'}", report
    controller, robot, states, wanted = *node.serving[:3], node.values.wanted_rate
    now, safety, rate = monotonic(), controller.filter, float(report["input_rate_hz"])
    age, missing, odd = states.age(now), states.missing(), node.monitor.odd(*USUAL)
    values = {"robot": controller.robot.name, "mode": controller.mode, "phase": safety.phase.value,
              "fault": safety.fault, "last_refusal": last_refusal, "input_age_s": f"{age:.4f}",
              "assumed_joints": ", ".join(states.assumed()), **robot.report(now), **report}
    silent, far, timeout = "", "", node.values.state_timeout
    if missing:
        silent = f"no state yet of {', '.join(missing)}: start the driver"
    elif age >= timeout:
        silent = (f"joint states are stale: {states.stale(now, timeout)}, {age:.3f} s old, state_timeout is "
                  f"{timeout:g} s")
    else:
        far = "; ".join(units_doubt(robot.bare, states))
    if odd or far:
        node.get_logger().warning("; ".join(filter(None, (silent, far, odd))), throttle_duration_sec=5.0)
    slow = f"joint states come at {rate:.0f} Hz, wanted are {wanted:.0f} Hz" if rate < 0.9 * wanted else ""
    sentence = "; ".join(filter(None, (safety.fault, silent, far, slow, odd)))
    if safety.fault or silent:
        return "ERROR", sentence, values
    return ("WARN", sentence, values) if sentence else ("OK", f"{controller.mode}, {safety.phase.value}", values)
