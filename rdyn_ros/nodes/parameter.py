"""What a node parameter is: a dataclass field with unit, range, description and whether it is live."""
from collections.abc import Iterable
from dataclasses import field, fields
from math import inf, isfinite
from typing import get_type_hints

from ..errors import RdynError

TYPES = {bool: "bool", int: "integer", float: "double", str: "string",
         tuple[float, ...]: "double array", tuple[str, ...]: "string array"}


def parameter(default, description, *, unit="", low=-inf, high=inf, choices=(), sizes=(), live=False):
    """Declares a parameter: low <= value <= high [unit], one of `choices`, arrays of `sizes`.

    `live` parameters may change at any time, the others only while the node is unconfigured.
    """
    return field(default=default, metadata={
        "description": description, "unit": unit, "low": low, "high": high,
        "choices": choices, "sizes": sizes, "live": live})


class Parameters:
    """Base of the frozen dataclasses that declare a node's parameters and hold their values.

    An instance exists only with allowed values: anything else raises RdynError with a sentence.
    """

    def __post_init__(self):
        for name, kind, _, meta in declarations(type(self)):
            given = getattr(self, name)
            several = isinstance(given, Iterable) and not isinstance(given, str)
            value = tuple(given) if several else given
            if not (_has_type(value, kind) and _in_range(value, meta)):
                point = " (a double needs its point: 2.0)" if kind is float and type(value) is int else ""
                raise RdynError(f"parameter '{name}' is {given!r}; it must be {allowed(kind, meta)}{point}")
            object.__setattr__(self, name, value)


def declarations(cls):
    """All parameters of a class as (name, type, default, metadata), base classes first."""
    kinds = get_type_hints(cls)
    return [(f.name, kinds[f.name], f.default, f.metadata) for f in fields(cls)]


def allowed(kind, meta):
    """Says in words which values are allowed: "a double from 0.001 to 10 [s]"."""
    text = f"a{'n' if kind is int else ''} {TYPES[kind]}"
    if meta["choices"]:
        text += " out of " + ", ".join(repr(c) for c in meta["choices"])
    if meta["sizes"]:
        text += " with " + " or ".join(str(s) for s in meta["sizes"]) + " entries"
    low, high = meta["low"], meta["high"]
    if low > -inf and high < inf:
        text += f" from {low:g} to {high:g}"
    elif low > -inf:
        text += f" of at least {low:g}"
    elif high < inf:
        text += f" of at most {high:g}"
    return text + (f" [{meta['unit']}]" if meta["unit"] else "")


def _has_type(value, kind):
    if kind in (bool, int, float, str):
        return type(value) is kind
    return isinstance(value, tuple) and all(type(v) is kind.__args__[0] for v in value)


def _in_range(value, meta):
    entries = value if isinstance(value, tuple) else (value,)
    numbers = [v for v in entries if isinstance(v, float | int)]
    return (all(isfinite(v) and meta["low"] <= v <= meta["high"] for v in numbers)
            and (not meta["choices"] or value in meta["choices"])
            and (not meta["sizes"] or len(value) in meta["sizes"]))
