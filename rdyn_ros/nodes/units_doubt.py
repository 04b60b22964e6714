"""Whether measured numbers can be in rad and m at all: far beyond a joint's limits they look like degrees or mm.

No ROS in here. Joints without limits say nothing: a wheel may have turned a thousand times.
"""
import numpy as np

FAR = {"rad": 1.0, "m": 0.1}    # beyond the position limits, which neither play nor a careful file explains
SHARE = 0.1                     # of the range, likewise
FAST = 5.0                      # times the velocity limit; a limit of 0 stands for none
MISTAKEN = {"rad": "degrees", "m": "millimetres"}


def units_doubt(robot, states):
    """Sentences on joints whose measured positions or velocities, of JointStates, are far too large for the robot."""
    limits, joints, names, (q, qd, _) = robot.limits, robot.model.joints, states.names, states.snapshot()
    reach = limits.upper - limits.lower
    slack = np.maximum([FAR[joint.unit] for joint in joints], SHARE * np.where(np.isfinite(reach), reach, 0.0))
    beyond = np.maximum(limits.lower - q, q - limits.upper)
    far = np.flatnonzero((beyond > slack) & np.isfinite(states.arrived))        # not those that are assumed at 0
    fast = [] if qd is None else np.flatnonzero((limits.velocity > 0.0) & (np.abs(qd) > FAST * limits.velocity))
    positions = [f"{names[i]} at {q[i]:.4g}, limits {limits.lower[i]:.4g} .. {limits.upper[i]:.4g} {joints[i].unit}"
                 for i in far]
    velocities = [f"{names[i]} at {qd[i]:.4g}, limit {limits.velocity[i]:.4g} {joints[i].unit}/s" for i in fast]
    return [f"{what} far beyond the limits ({'; '.join(told)}): are these "
            f"{' or '.join(dict.fromkeys(MISTAKEN[joints[i].unit] + per for i in found))}?"
            for what, told, found, per in (("positions", positions, far, ""), ("velocities", velocities, fast, "/s"))
            if told]
