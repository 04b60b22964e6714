"""Control: laws, trajectories, observer, pre-flight and the safety filter; arrays in, arrays out, no ROS."""
from .controller import Controller
from .feedforward import Terms
from .gains import Gains, gains_from_frequency
from .impedance import Impedance, cartesian_impedance
from .laws import computed_torque, gravity_compensation, pd, pd_gravity
from .motion import Reference, State, rest
from .safety import Bounds, Phase, SafetyFilter
from .settings import MODES, ControlSettings
from .trajectory import Trajectory, hold, trajectory

__all__ = ["MODES", "Bounds", "ControlSettings", "Controller", "Gains", "Impedance", "Phase", "Reference",
           "SafetyFilter", "State", "Terms", "Trajectory", "cartesian_impedance", "computed_torque",
           "gains_from_frequency", "gravity_compensation", "hold", "pd", "pd_gravity", "rest", "trajectory"]
