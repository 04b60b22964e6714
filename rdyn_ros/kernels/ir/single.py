"""One state: doubles all the way, but for the sines and cosines, which go in groups."""
from ..pairs import paired
from . import finite
from .sincos import sincos, stored_sincos
from .straight_line import Layout, parts, zeros
from .text import angle, argument_pointers, double

INLINE = 64         # longest array whose check for finite numbers is written out


def single(program, lanes):
    """IR of `i64 single(ptr in, ptr out)`."""
    program = paired(program)
    V, lines = double(lanes), []
    angles = len(program.angles)
    layout = Layout(program, lambda i: i // lanes * 2 * lanes + i % lanes,
                    lambda i: i // lanes * 2 * lanes + lanes + i % lanes, 2 * lanes * -(-angles // lanes))
    for group in range(0, angles, lanes):
        x = "zeroinitializer"
        for lane, theta in enumerate(program.angles[group:group + lanes], group):
            value = angle(lines, theta, str(lane), 1, f"%in{theta.argument}")
            lines.append(f"  %x{lane} = insertelement {V} {x}, double {value}, i64 {lane - group}")
            x = f"%x{lane}"
        lines += [f"  %s{group} = getelementptr double, ptr %scratch, i64 {2 * group}",
                  f"  %c{group} = getelementptr double, ptr %scratch, i64 {2 * group + lanes}",
                  *stored_sincos(str(group), x, lanes)]
    lines += [*zeros(program, 1), *layout.calls()]
    if layout.watched:
        lines.append(f"  %watched = getelementptr double, ptr %scratch, i64 {layout.first_watched}")
    arrays = [(f"in{k}", size) for k, size in enumerate(program.input_sizes)]
    _check(lines, [*arrays, ("watched", layout.watched)] if layout.watched else arrays, lanes)
    main = ["define i64 @single(ptr %in, ptr %out) {",
            f"  %scratch = alloca double, i64 {layout.size}, align 64",
            *argument_pointers("in", len(program.input_sizes)),
            *argument_pointers("out", len(program.outputs)), *lines, "}"]
    return "\n".join([finite.declaration(lanes), finite.marks(lanes), sincos(lanes),
                      parts(program, layout, 1), *main])


def _check(lines, arrays, lanes):
    """Whether all (name, size) arrays are finite; the last group of one may overlap the group before."""
    K, mark = f"<{lanes} x i64>", "zeroinitializer"
    for array, size in arrays:
        if size < lanes or size > INLINE:
            lines.append(f"  %f{array} = call {K} @marks(ptr %{array}, i64 {size})")
            found = [f"%f{array}"]
        else:
            found = []
            for j in sorted({*range(0, size - lanes + 1, lanes), size - lanes}):
                lines += [f"  %g{array}_{j} = getelementptr double, ptr %{array}, i64 {j}",
                          f"  %b{array}_{j} = load {K}, ptr %g{array}_{j}, align 8"]
                found.append(finite.marked(lines, f"f{array}_{j}", f"%b{array}_{j}", lanes))
        for i, one in enumerate(found):
            lines.append(f"  %m{array}_{i} = or {K} {mark}, {one}")
            mark = f"%m{array}_{i}"
    finite.answer(lines, mark, lanes)
