"""Sine and cosine of several angles at once, as LLVM IR.

x = k π/2 + r with π/2 in three pieces of 33, 33 and 53 bits, so that k times a piece is exact (Cody and
Waite); sin r and cos r on |r| <= π/4 by polynomials in r². Beyond LIMIT libm answers; what is not a number stays so.
"""
from .lines import Lines
from .text import double, whole

LIMIT = 2.0**19
HALF_PI = (1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21)
TWO_OVER_PI = 0.6366197723675814
ROUND = 1.5 * 2.0**52           # x + ROUND has the nearest whole number to x in its last bits
# sin r = r + r³ P(r²), cos r = 1 - r²/2 + r⁴ Q(r²), by Chebyshev interpolation on r² <= 0.6169 in 80 digits
SIN = (-0.16666666666666666, 0.008333333333330948, -0.0001984126983675712, 2.755731610179909e-06,
       -2.5051131688000297e-08, 1.5918117983848815e-10)
COS = (0.041666666666666664, -0.0013888888888887398, 2.4801587298764778e-05, -2.7557317271258515e-07,
       2.0876146170183976e-09, -1.1382625349447592e-11)


def sincos(lanes):
    """IR of `{sine, cosine} vector_sincos(<lanes x double> x)`; far angles go to libm."""
    lines = Lines(lanes)
    V, K, let, vector = lines.V, lines.K, lines.let, lines.vector

    def reduced(name, x, piece):
        product = let(f"{name}k", f"fmul contract {V} %k, {vector(piece)}")
        return product, let(name, f"fsub contract {V} {x}, {product}")

    let("turns", f"fmul contract {V} %x, {vector(TWO_OVER_PI)}")
    let("rounded", f"fadd contract {V} %turns, {vector(ROUND)}")
    let("k", f"fsub {V} %rounded, {vector(ROUND)}")
    let("quadrant", f"bitcast {V} %rounded to {K}")
    reduced("r1", "%x", HALF_PI[0])
    second, _ = reduced("r2", "%r1", HALF_PI[1])
    let("lost1", f"fsub {V} %r1, %r2")
    let("lost2", f"fsub {V} %lost1, {second}")
    reduced("tail", "%lost2", HALF_PI[2])
    let("r", f"fadd {V} %r2, %tail")
    let("z", f"fmul {V} %r, %r")
    p, q = lines.polynomial("p", SIN, "%z"), lines.polynomial("q", COS, "%z")
    let("rz", f"fmul {V} %r, %z")
    let("sp", f"fmul contract {V} %rz, {p}")
    let("sine", f"fadd contract {V} %r, %sp")
    let("half", f"fmul {V} %z, {vector(0.5)}")
    let("w", f"fsub {V} {vector(1.0)}, %half")
    let("w1", f"fsub {V} {vector(1.0)}, %w")
    let("w2", f"fsub {V} %w1, %half")
    let("zz", f"fmul {V} %z, %z")
    let("cq", f"fmul contract {V} %zz, {q}")
    let("low", f"fadd contract {V} %w2, %cq")
    let("cosine", f"fadd {V} %w, %low")
    let("odd", f"and {K} %quadrant, {whole(1, lanes)}")
    let("swap", f"icmp ne {K} %odd, {whole(0, lanes)}")
    for name, same, other, shift in (("s", "%sine", "%cosine", 0), ("c", "%cosine", "%sine", 1)):
        lines.pick(f"{name}v", "%swap", other, same)
        let(f"{name}n", f"add {K} %quadrant, {whole(shift, lanes)}")
        let(f"{name}2", f"and {K} %{name}n, {whole(2, lanes)}")
        let(f"{name}sign", f"shl {K} %{name}2, {whole(62, lanes)}")
        let(f"{name}bits", f"bitcast {V} %{name}v to {K}")
        let(f"{name}signed", f"xor {K} %{name}bits, %{name}sign")
        let(f"{name}out", f"bitcast {K} %{name}signed to {V}")
    body = "\n".join(lines)
    return f"""
declare {V} @llvm.fabs.v{lanes}f64({V})
declare {V} @llvm.sin.v{lanes}f64({V})
declare {V} @llvm.cos.v{lanes}f64({V})
declare i1 @llvm.vector.reduce.and.v{lanes}i1({lines.B})
define internal {{{V}, {V}}} @vector_sincos({V} %x) noinline {{
  %size = call {V} @llvm.fabs.v{lanes}f64({V} %x)
  %small = fcmp ule {V} %size, {vector(LIMIT)}
  %all = call i1 @llvm.vector.reduce.and.v{lanes}i1({lines.B} %small)
  br i1 %all, label %near, label %far
near:
{body}
  %near1 = insertvalue {{{V}, {V}}} poison, {V} %sout, 0
  %near2 = insertvalue {{{V}, {V}}} %near1, {V} %cout, 1
  ret {{{V}, {V}}} %near2
far:
  %libs = call {V} @llvm.sin.v{lanes}f64({V} %x)
  %libc = call {V} @llvm.cos.v{lanes}f64({V} %x)
  %far1 = insertvalue {{{V}, {V}}} poison, {V} %libs, 0
  %far2 = insertvalue {{{V}, {V}}} %far1, {V} %libc, 1
  ret {{{V}, {V}}} %far2
}}
"""


def stored_sincos(name, x, lanes):
    """Lines that put sine and cosine of the vector x at %s<name> and %c<name>."""
    V = double(lanes)
    both = f"{{{V}, {V}}}"
    return [f"  %b{name} = call {both} @vector_sincos({V} {x})",
            *(line for i, where in enumerate("sc") for line in (
                f"  %{where}v{name} = extractvalue {both} %b{name}, {i}",
                f"  store {V} %{where}v{name}, ptr %{where}{name}, align 8"))]
