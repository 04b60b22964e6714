"""A block of states that lie in lanes already: element i of an argument is a vector, with state k in lane k."""
from .sincos import sincos, stored_sincos
from .straight_line import Layout, parts, zeros
from .text import angle, argument_pointers, double

LANES = 4       # on every CPU: where registers hold fewer, the compiler takes two or four for each vector


def lanes_layout(program):
    """Layout whose scratch holds sine and cosine of each angle side by side."""
    return Layout(program, lambda i: 2 * i, lambda i: 2 * i + 1, 2 * len(program.angles))


def lanes_sincos(program, lanes, prefix=""):
    """Puts sines and cosines of the angles in %in, or its namesake with a prefix, where lanes_layout wants them."""
    V, lines = double(lanes), []
    for i, theta in enumerate(program.angles):
        value = angle(lines, theta, str(i), lanes, f"%{prefix}in{theta.argument}")
        lines += [f"  %s{i} = getelementptr {V}, ptr %scratch, i64 {2 * i}",
                  f"  %c{i} = getelementptr {V}, ptr %scratch, i64 {2 * i + 1}",
                  *stored_sincos(str(i), value, lanes)]
    return lines


def block(program, _):
    """IR of `i64 block(ptr in, ptr out)`; whether numbers are finite is not looked at."""
    layout = lanes_layout(program)
    return "\n".join([
        sincos(LANES), parts(program, layout, LANES), "define i64 @block(ptr %in, ptr %out) {",
        f"  %scratch = alloca {double(LANES)}, i64 {layout.size}, align 64",
        *argument_pointers("in", len(program.input_sizes)), *argument_pointers("out", len(program.outputs)),
        *lanes_sincos(program, LANES), *zeros(program, LANES), *layout.calls(), "  ret i64 0", "}"])
