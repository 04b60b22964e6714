"""Angle of several points (x, y) at once, as LLVM IR.

The angle is k π/4 ± atan t with t = n/d, n and d the smaller and the larger of |x| and |y|, or, nearer to a diagonal,
t = (n-d)/(n+d): |t| <= tan π/8, where atan t is a polynomial. Points beyond LIMIT go to libm; what is not a number
stays so.
"""
from .lines import Lines
from .text import whole

LIMIT = 2.0**1000               # below it n + d is finite
DIAGONAL = 0.41421356237309503  # tan π/8
QUARTER = (0.7853981633974483, 3.061616997868383e-17)       # π/4 in two pieces
# atan t = t + t³ P(t²), by Chebyshev interpolation on t² <= 0.1716 in 80 digits
ATAN = (-0.3333333333333333, 0.19999999999995516, -0.14285714284665682, 0.11111111015187018, -0.0909090457530649,
        0.07692183125376892, -0.06664510525508936, 0.05858140904866328, -0.050854078345894844, 0.03923044778479309,
        -0.019175404711104935)


def atan2(lanes):
    """IR of `<lanes x double> vector_atan2(y, x)`, beside that of sincos."""
    lines = Lines(lanes)
    V, K, let, vector, pick = lines.V, lines.K, lines.let, lines.vector, lines.pick
    pick("n", "%steep", "%ax", "%ay")
    let("reach", f"fmul {V} %d, {vector(DIAGONAL)}")
    let("diagonal", f"fcmp ogt {V} %n, %reach")
    let("less", f"fsub {V} %n, %d")
    let("more", f"fadd {V} %n, %d")
    let("zero", f"fcmp oeq {V} %d, {vector(0.0)}")
    pick("d1", "%zero", vector(1.0), "%d")              # the angle of 0, 0 is 0
    pick("above", "%diagonal", "%less", "%n")
    pick("below", "%diagonal", "%more", "%d1")
    let("t", f"fdiv {V} %above, %below")
    let("z", f"fmul {V} %t, %t")
    let("tz", f"fmul {V} %t, %z")
    p = lines.polynomial("p", ATAN, "%z")
    let("tp", f"fmul contract {V} %tz, {p}")
    let("atan", f"fadd contract {V} %t, %tp")
    let("backwards", f"icmp slt {K} %xbits, {whole(0, lanes)}")
    k, angle = pick("k0", "%diagonal", vector(1.0), vector(0.0)), "%atan"
    for name, mark, most in (("s", "%steep", 2.0), ("b", "%backwards", 4.0)):      # most π/4 - angle
        let(f"k{name}", f"fsub {V} {vector(most)}, {k}")
        let(f"a{name}", f"fneg {V} {angle}")
        k, angle = pick(f"k{name}1", mark, f"%k{name}", k), pick(f"a{name}1", mark, f"%a{name}", angle)
    for name, piece in (("low", QUARTER[1]), ("high", QUARTER[0])):
        let(f"k{name}2", f"fmul contract {V} {k}, {vector(piece)}")
        angle = let(name, f"fadd contract {V} %k{name}2, {angle}")
    let("signed", f"call {V} @llvm.copysign.v{lanes}f64({V} {angle}, {V} %y)")
    body = "\n".join(lines)
    return f"""
declare {V} @llvm.copysign.v{lanes}f64({V}, {V})
declare {V} @llvm.atan2.v{lanes}f64({V}, {V})
define internal {V} @vector_atan2({V} %y, {V} %x) noinline {{
  %ax = call {V} @llvm.fabs.v{lanes}f64({V} %x)
  %ay = call {V} @llvm.fabs.v{lanes}f64({V} %y)
  %xbits = bitcast {V} %x to {K}
  %steep = fcmp ogt {V} %ay, %ax
  %d = select {lines.B} %steep, {V} %ay, {V} %ax
  %small = fcmp ule {V} %d, {vector(LIMIT)}
  %all = call i1 @llvm.vector.reduce.and.v{lanes}i1({lines.B} %small)
  br i1 %all, label %near, label %far
near:
{body}
  ret {V} %signed
far:
  %lib = call {V} @llvm.atan2.v{lanes}f64({V} %y, {V} %x)
  ret {V} %lib
}}
"""
