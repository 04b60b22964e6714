"""What was made for options, to be found again when they are given again."""
from collections import OrderedDict
from collections.abc import Mapping
from contextlib import suppress

import numpy as np

MOST = 64           # kept; options that change all the time must not fill the memory
PLAIN = frozenset((bool, int, float, str, type(None)))


class Kept(OrderedDict):
    """The MOST that were used last; threads may share it."""

    _last = ..., None   # key and value: most are asked for again at once, and to compare is faster than to look up

    def used(self, key):
        """What is kept under a key, or None."""
        last = self._last                               # read once: other threads may replace it
        if key == last[0]:
            return last[1]
        value = self.get(key)
        if value is not None:
            with suppress(KeyError):                    # another thread forgot it meanwhile
                self.move_to_end(key)
            self._last = key, value
        return value

    def keep(self, key, value):
        """Keeps a value, which it returns."""
        self[key] = value
        self._last = key, value
        self.trim()
        return value

    def trim(self):
        """Forgets what was used longest ago, when there are too many."""
        with suppress(KeyError):                        # another thread did
            while len(self) > MOST:
                self.popitem(last=False)


def key_of(frame, given, several):
    """Under what options of a frame, or a tuple of several, are kept; TypeError for a kind that may change unseen.

    Types of single values count: True, 1 and 1.0 are equal, but not all allowed.
    """
    key = [several or type(frame), frame]               # a tuple that is given as a frame is none
    for name, value in given.items():
        key += name, type(value), _frozen(value)
    return tuple(key)


def _frozen(value):
    """What an option holds now."""
    kind = type(value)                                  # the usual kinds first: others take longer to tell apart
    if kind in PLAIN:
        return value
    if kind is dict:
        return frozenset([(key, _frozen(of)) for key, of in value.items()])
    if kind is list or kind is tuple:
        return tuple(value if PLAIN.issuperset(map(type, value)) else [_frozen(each) for each in value])
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        return kind, value.shape, value.dtype, value.tobytes()
    if isinstance(value, np.generic):
        return value
    if isinstance(value, Mapping):
        return _frozen(dict(value))
    raise TypeError(f"options of type {kind.__name__} are read each time")
