"""What the control node says about itself on /diagnostics."""
from time import monotonic

USUAL = ("repeated", "without_state")  # counters that are no reason to warn


def judge(node, last_refusal):
    """(level, sentence, {key: value}) of the node's health."""
    report = node.monitor.report()
    if node.serving is None:
        return "WARN", f"waiting for a robot on the topic robot_description; {last_refusal or 'none has come'}", report
    controller, robot, wanted = node.serving.controller, node.serving.loaded, node.values.wanted_rate
    now, safety, rate = monotonic(), controller.filter, float(report["input_rate_hz"])
    values = {"robot": controller.robot.name, "mode": controller.mode, "phase": safety.phase.value,
              "fault": safety.fault, "last_refusal": last_refusal, **robot.report(now), **report}
    odd = f"; {said}" if (said := node.monitor.odd(*USUAL)) else ""
    if odd:
        node.get_logger().warning(said, throttle_duration_sec=5.0)
    if safety.fault:
        return "ERROR", f"{safety.fault}{odd}", values
    if missing := node.serving.states.missing():
        return "ERROR", f"no state yet of {', '.join(missing)}: start the driver{odd}", values
    if node.serving.states.age(now) >= node.values.state_timeout:
        return "ERROR", f"joint states are stale{odd}", values
    if rate < 0.9 * wanted:
        return "WARN", f"joint states come at {rate:.0f} Hz, wanted are {wanted:.0f} Hz{odd}", values
    if odd:
        return "WARN", said, values
    return "OK", f"{controller.mode}, {safety.phase.value}", values
