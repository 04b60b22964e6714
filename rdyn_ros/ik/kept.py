"""What was made for options, to be found again when they are given again."""
from collections import OrderedDict
from collections.abc import Mapping
from contextlib import suppress
from copy import deepcopy
from types import MappingProxyType

import numpy as np

MOST = 64           # kept; options that change all the time must not fill the memory
PLAIN = frozenset((bool, int, float, str, type(None)))


class Kept(OrderedDict):
    """The MOST that were used last; threads may share it."""

    def used(self, key):
        """What is kept under a key, or None."""
        if key not in self:                             # as of most new options; KeyError takes longer
            return None
        try:
            self.move_to_end(key)
            return self[key]
        except KeyError:                                # another thread forgot it meanwhile
            return None

    def keep(self, key, value):
        """Keeps a value, which it returns."""
        self[key] = value
        self.trim()
        return value

    def trim(self):
        """Forgets what was used longest ago, when there are too many."""
        with suppress(KeyError):                        # another thread did
            while len(self) > MOST:
                self.popitem(last=False)


def key_of(frame, given):
    """Under what options of a frame, or a tuple of several, are kept; TypeError for a kind that cannot be."""
    if not given:
        return (frame,)
    return (frame, *given.items()) if PLAIN.issuperset(map(type, given.values())) else (frame, _frozen(given))


def alike(given, kept):
    """Whether options that are equal are also of the same types: True, 1 and 1.0 are not all allowed."""
    return not given or all(value is kept[name] or _of_one_type(value, kept[name]) for name, value in given.items())


def copied(value):
    """Options that stay when those given are changed."""
    kind = type(value)                                  # deepcopy takes ten times as long
    if kind in PLAIN:
        return value
    if kind is dict or kind is MappingProxyType:        # as IkResult tells indices
        return kind({key: copied(of) for key, of in value.items()})
    if kind is list or kind is tuple:
        return kind(value) if PLAIN.issuperset(map(type, value)) else kind([copied(each) for each in value])
    return deepcopy(value)


def _frozen(value):
    """Dicts, lists and arrays by what they hold now."""
    kind = type(value)                                  # the usual kinds first: others take longer to tell apart
    if kind in PLAIN:
        return value
    if kind is list or kind is tuple:
        return tuple(value if PLAIN.issuperset(map(type, value)) else [_frozen(each) for each in value])
    if kind is dict or isinstance(value, Mapping):
        return frozenset([(key, _frozen(of)) for key, of in value.items()])
    return (value.shape, value.dtype.str, value.tobytes()) if isinstance(value, np.ndarray) else value


def _of_one_type(a, b):
    if type(a) is not type(b):
        return False
    if isinstance(a, Mapping):
        return alike(a, b)
    return not isinstance(a, list | tuple) or all(map(_of_one_type, a, b))
