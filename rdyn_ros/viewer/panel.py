"""The panel beside the scene: state, what to show, torque bars, sliders, target, plots."""
from time import monotonic

import numpy as np
import viser.uplot as uplot

from ..model.units import milli, units
from .bars import COLOURS, label, torque_bars
from .history import History
from .state_list import state_list

IDLE = 2.0              # [s] after which a slider follows the measured joint again
FULL_TURN = 3.1416      # [rad] of a slider where the joint has no limits


class Panel:
    """Widgets; `switches` {label: callable(on)}, those in `on` at first; `typed_target(position)` is called
    with typed numbers.
    """

    def __init__(self, gui, robot, on_joint, switches, on, typed_target):
        self._names, self._limits = robot.joint_names, robot.limits
        position, effort = units(robot.model)
        self._on_joint, self._touched = on_joint, {}
        with gui.add_folder("State"):
            self._state = gui.add_html(state_list([], 1.0))
        with gui.add_folder(f"Torques [{effort}], between limits"):
            self._bars = gui.add_html(torque_bars((), (), {}))
        with gui.add_folder("Show"):
            self.switches = {name: gui.add_checkbox(name, name in on) for name in switches}
            for name, switch in switches.items():
                self.switches[name].on_update(lambda event, s=switch: s(event.target.value))
        with gui.add_folder("Tool target"):
            self._target = gui.add_vector3("position [m]", (0.0, 0.0, 0.0), step=0.001)
            self._target.on_update(lambda event: event.client and typed_target(event.target.value))
            self._answer = gui.add_markdown("Switch the tool target on and drag it.")
        self._sliders_folder = gui.add_folder("Joints", visible=False)
        with self._sliders_folder:
            self._sliders = {name: slider for k, name in enumerate(self._names) if (slider := self._slider(gui, k))}
        with gui.add_folder("Plots"):
            self._joint = gui.add_dropdown("joint", self._names)
            self._torques = {name: History(COLOURS) for name in self._names}
            self._errors = History(self._names)
            self._torque_plot = _plot(gui, f"torque [{effort}]", {label(t): c for t, c in COLOURS.items()})
            hues = {name: f"hsl({360 * k // len(self._names)},70%,45%)" for k, name in enumerate(self._names)}
            self._error_plot = _plot(gui, f"tracking error [{milli(position)}]", hues)

    def show_state(self, statuses, timeout):
        """What the nodes say of themselves."""
        _update(self._state, "content", state_list(statuses, timeout))

    def show_torques(self, time, terms):
        """Bars and plot of {term: (n,) or None} at a time [s]."""
        effort = self._limits.effort[-len(self._names):]
        _update(self._bars, "content", torque_bars(self._names, effort, terms))
        unknown = np.full(len(self._names), np.nan)
        columns = [unknown if terms.get(term) is None else terms[term] for term in COLOURS]
        for k, name in enumerate(self._names):
            self._torques[name].add(time, [column[k] for column in columns])

    def show_tracking_error(self, time, error):
        """Plot of the tracking error (n,) [rad or m] at a time [s]."""
        self._errors.add(time, 1e3 * np.asarray(error))

    def draw_plots(self):
        """Sends the plots; they change slower than the rest."""
        self._torque_plot.data = self._torques[self._joint.value].columns()
        self._error_plot.data = self._errors.columns()

    def show_sliders(self, on):
        """Whether the joints may be moved from here: only simulated ones."""
        _update(self._sliders_folder, "visible", on)

    def follow(self, q):
        """Sliders that were not touched for a while go to the measured positions (n,)."""
        for name, position in zip(self._names, q, strict=True):
            slider, idle = self._sliders.get(name), monotonic() - self._touched.get(name, -IDLE) >= IDLE
            if slider and idle and abs(slider.value - position) > 1e-3:
                slider.value = float(np.clip(round(position, 3), slider.min, slider.max))

    def show_target(self, position):
        """The target's position [m] in numbers."""
        self._target.value = tuple(round(float(x), 4) for x in position)

    def say_target(self, text):
        """What inverse kinematics answered."""
        _update(self._answer, "content", text)

    def _slider(self, gui, k):
        """Slider of joint k; None where the limits leave no room."""
        name, at = self._names[k], len(self._limits.lower) - len(self._names) + k
        lower, upper = self._limits.lower[at], self._limits.upper[at]
        low = float(lower) if np.isfinite(lower) else -FULL_TURN
        high = float(upper) if np.isfinite(upper) else FULL_TURN
        if low == high:
            return None
        slider = gui.add_slider(name, low, high, (high - low) / 1000, float(np.clip(0.0, low, high)))

        @slider.on_update
        def moved(event):
            if event.client is not None and low <= event.target.value <= high:      # whatever a client sends
                self._touched[name] = monotonic()
                self._on_joint(name, event.target.value)
        return slider


def _update(handle, attribute, value):
    """Sends only what has changed."""
    if getattr(handle, attribute) != value:
        setattr(handle, attribute, value)


def _plot(gui, title, colours):
    curves = (uplot.Series(label=name, stroke=colour) for name, colour in colours.items())
    series = (uplot.Series(label="t"), *curves)
    scales = {"x": uplot.Scale(time=False, auto=True)}
    axes = (uplot.Axis(), uplot.Axis(size=60))     # [px], wide enough for -100.5
    return gui.add_uplot((np.zeros(1),) * len(series), series, title=title, aspect=1.6, scales=scales, axes=axes)
