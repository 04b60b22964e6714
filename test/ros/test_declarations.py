"""Parameters as declared: documented, complete, and refused in words when wrong. No processes."""
from dataclasses import replace
from math import isfinite

import pytest

from rdyn_ros.errors import RdynError
from rdyn_ros.nodes import parameters
from rdyn_ros.nodes.parameter import TYPES, Parameters, declarations
from tools import parameter_reference

CLASSES = [c for c in vars(parameters).values() if isinstance(c, type) and issubclass(c, Parameters)][1:]


def test_the_reference_page_is_current():
    assert parameter_reference.PAGE.read_text() == parameter_reference.page(), (
        "run: python -m tools.parameter_reference")


@pytest.mark.parametrize("cls", CLASSES)
def test_every_parameter_has_a_known_type_a_meaning_and_an_allowed_default(cls):
    cls()
    for name, kind, _, meta in declarations(cls):
        assert kind in TYPES, name
        assert meta["description"].endswith((".", ")")), name
        if kind is float:
            assert isfinite(meta["high"]) or not meta["unit"], f"{name} has a unit and no range"


@pytest.mark.parametrize(("values", "words"), [
    ({"state_timeout": 2}, "is 2; it must be a double from 0.001 to 60 [s] (a double needs its point"),
    ({"state_timeout": 61.0}, "from 0.001 to 60 [s]"),
    ({"state_timeout": float("nan")}, "nan"),
    ({"executor": "turbo"}, "out of 'events', 'single'"),
    ({"queue_depth": 0}, "an integer from 1 to 1000"),
    ({"queue_depth": True}, "an integer"),
    ({"joints": ("a", 1)}, "a string array"),
    ({"gravity": (0.0, 0.0)}, "with 0 or 3 entries"),
    ({"use_friction": 1}, "a bool"),
])
def test_wrong_values_are_refused_with_what_is_allowed(values, words):
    with pytest.raises(RdynError) as error:
        replace(parameters.DynamicsParameters(), **values)
    assert words in str(error.value)
