"""Strategies for ROS messages of any type, odd in every field."""

import re
from importlib import import_module

from hypothesis import strategies as st

SEQUENCE = re.compile(r"sequence<([^,>]+)(?:, \d+)?>$")
ARRAY = re.compile(r"(.+)\[(\d+)\]$")
RANGES = {
    f"{sign}int{bits}": (0, 2**bits - 1) if sign else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    for sign in ("u", "")
    for bits in (8, 16, 32, 64)
}
NUMBERS = st.sampled_from([0.0, 1.0, -1.0, 0.3]) | st.floats(-3.0, 3.0) | st.floats()


def odd_message(message_type, words):
    """Messages of a type; strings are often some of the `words`, so that names sometimes fit."""
    fields = message_type.get_fields_and_field_types()
    return st.fixed_dictionaries({name: _field(kind, words) for name, kind in fields.items()}).map(
        lambda values: message_type(**values)
    )


def _field(kind, words):
    if match := SEQUENCE.match(kind):
        same = st.just(list(words)) if match[1] == "string" else st.nothing()
        sized = st.lists(_field(match[1], words), min_size=len(words), max_size=len(words))
        return same | sized | st.lists(_field(match[1], words), max_size=8)
    if match := ARRAY.match(kind):
        return st.lists(_field(match[1], words), min_size=int(match[2]), max_size=int(match[2]))
    if kind in ("double", "float"):
        return NUMBERS
    if kind == "boolean":
        return st.booleans()
    if kind in ("octet", "byte"):
        return st.binary(min_size=1, max_size=1)
    if kind in RANGES:
        return st.sampled_from([0, 1]) | st.integers(*RANGES[kind])
    if kind.startswith("string"):
        return st.sampled_from(["", *words]) | st.text(
            st.characters(codec="utf-8", exclude_characters="\0"), max_size=10
        )
    package, name = kind.split("/")
    return odd_message(getattr(import_module(f"{package}.msg"), name), words)
