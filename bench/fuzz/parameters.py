"""Strategies for the values of declared parameters: mostly of the right type and in range, sometimes odd."""
from math import isfinite

from hypothesis import strategies as st

MOST = 1e6  # where no limit is declared
ODD = (st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats() | st.text(max_size=10)
       | st.lists(st.floats(), max_size=4))


def values(declarations, words):
    """(name, value) of parameters; three of four are likely to be taken, strings are often some of the `words`."""
    likely = [_likely(name, kind, meta, words) for name, kind, _, meta in declarations if meta["live"]]
    anyone = [_likely(name, kind, meta, words) for name, kind, _, meta in declarations]
    names = st.sampled_from([name for name, *_ in declarations])
    return st.one_of(*[st.one_of(likely or anyone)] * 2, st.one_of(anyone), st.tuples(names, ODD))


def _likely(name, kind, meta, words):
    """(name, value) of one parameter, as it is declared."""
    low, high = (limit if isfinite(limit) else sign * MOST for sign, limit in ((-1, meta["low"]), (1, meta["high"])))
    text = st.sampled_from(meta["choices"] or ["", *words])
    one = {bool: st.booleans(), str: text, int: st.integers(int(low), int(high)), float: st.floats(low, high)}
    sizes = meta["sizes"] or (0, 1, len(words))
    several = st.sampled_from(sizes).flatmap(
        lambda size: st.lists(text if kind == tuple[str, ...] else one[float], min_size=size, max_size=size))
    return st.tuples(st.just(name), one.get(kind, several))
