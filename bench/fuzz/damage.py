"""Strategies that damage a good text or a good run of bytes."""

import re

from hypothesis import strategies as st

NUMBER = re.compile(r"-?\d+\.?\d*(?:[eE][-+]?\d+)?")
ODD_VALUES = (
    "nan", "inf", "-inf", "0", "-1", "1e308", "1e-308", "99999999999999999999", "", "null", "true", "[]", "{}",
    "'", '"', "\x00", "é", "-", "<", ">", "&", "&amp;", "../../etc/passwd", "!!python/object:os.system", "*a", "&a x",
)
KINDS = ("set", "cut", "insert", "huge", "long")  # of damage to bytes


def _cut(text, start, stop):
    return text[:start] + text[stop:]


def _spans(text):
    return [match.span() for match in NUMBER.finditer(text)] or [(0, 0)]


def damaged_text(good):
    """Texts made from one of the good ones by one to four cuts, doublings, swaps of lines and odd values."""

    def apply(text, operation):
        kind, a, b, odd = operation
        lines = text.splitlines(keepends=True) or [""]
        if kind == "number":
            start, stop = _spans(text)[a % len(_spans(text))]
            return text[:start] + odd + text[stop:]
        if kind == "insert":
            return text[: a % (len(text) + 1)] + odd + text[a % (len(text) + 1) :]
        if kind == "cut":
            start = a % (len(text) + 1)
            return _cut(text, start, start + b % 200)
        i, j = a % len(lines), b % len(lines)
        if kind == "drop":
            return "".join(lines[:i] + lines[i + 1 :])
        if kind == "double":
            return "".join(lines[:i] + [lines[i]] + lines[i:])
        lines[i], lines[j] = lines[j], lines[i]
        return "".join(lines)

    def build(drawn):
        text, operations = drawn
        for operation in operations:
            text = apply(text, operation)
        return text

    place = st.integers(0, 1_000_000)
    operation = st.tuples(
        st.sampled_from(["number", "insert", "cut", "drop", "double", "swap"]),
        place,
        place,
        st.sampled_from(ODD_VALUES),
    )
    return st.tuples(st.sampled_from(list(good)), st.lists(operation, min_size=1, max_size=4)).map(build)


def damaged_bytes(good, kinds=KINDS):
    """Bytes made from one of the good runs by flips, cuts, insertions and length fields that lie."""

    def build(drawn):
        data, operations = bytearray(drawn[0]), drawn[1]
        for kind, place, value in operations:
            at = place % (len(data) + 1)
            if kind == "set" and at < len(data):
                data[at] = value
            elif kind == "cut":
                del data[at : at + value]
            elif kind == "insert":
                data[at:at] = bytes([value]) * (1 + value % 16)
            elif kind == "huge":  # refused at once, wherever it is a length
                data[at : at + 4] = b"\xff\xff\xff\x7f"
            elif kind == "long":  # room for that may be made
                data[at - at % 4 : at - at % 4 + 4] = (10 ** (6 + value % 3)).to_bytes(4, "little")
        return bytes(data)

    operation = st.tuples(
        st.sampled_from(kinds), st.integers(0, 1_000_000), st.integers(0, 255)
    )
    return st.tuples(st.sampled_from(list(good)), st.lists(operation, min_size=1, max_size=6)).map(build)
