"""Is every number one to compute with: finite, and so small that what follows from it is finite too?

Adding to the exponent field of a double reaches the sign bit only from some exponent on, here that of 2¹⁵⁰, or of
inf and nan; or-ed over all numbers, one sign bit answers for all. No state of a robot is as large. With inputs and
quotients below it the outputs are finite, because they are polynomials of a low degree in them.
"""
from .text import whole

EXPONENT = 0x7FF0000000000000
CARRY = (2048 - (1023 + 150)) << 52


def marked(lines, name, bits, lanes):
    """Appends the mark of integer vector `bits`: sign bit set where the number is too large."""
    K = f"<{lanes} x i64>"
    lines.append(f"  %{name}e = and {K} {bits}, {whole(EXPONENT, lanes)}")
    lines.append(f"  %{name}m = add {K} %{name}e, {whole(CARRY, lanes)}")
    return f"%{name}m"


def answer(lines, mark, lanes):
    """Appends the return of 1 when some lane of the or-ed marks has its sign bit set, else 0."""
    lines.append(f"  %any = call i64 @llvm.vector.reduce.or.v{lanes}i64(<{lanes} x i64> {mark})")
    lines.append("  %strange = lshr i64 %any, 63")
    lines.append("  ret i64 %strange")


def declaration(lanes):
    """What `answer` needs."""
    return f"declare i64 @llvm.vector.reduce.or.v{lanes}i64(<{lanes} x i64>)"


def marks(lanes):
    """IR of `<lanes x i64> marks(ptr numbers, i64 count)`: or-ed marks of an array."""
    K, square, column = f"<{lanes} x i64>", [], []
    first, second = marked(square, "v", "%bits", lanes), marked(column, "c", "%one", lanes)
    return f"""
define internal {K} @marks(ptr %x, i64 %n) noinline {{
entry:
  br label %groups
groups:
  %j = phi i64 [0, %entry], [%jn, %group]
  %acc = phi {K} [zeroinitializer, %entry], [%accn, %group]
  %jn = add i64 %j, {lanes}
  %fits = icmp sle i64 %jn, %n
  br i1 %fits, label %group, label %columns
group:
  %p = getelementptr double, ptr %x, i64 %j
  %bits = load {K}, ptr %p, align 8
{chr(10).join(square)}
  %accn = or {K} %acc, {first}
  br label %groups
columns:
  %c = phi i64 [%j, %groups], [%cn, %column]
  %tail = phi {K} [%acc, %groups], [%tailn, %column]
  %left = icmp slt i64 %c, %n
  br i1 %left, label %column, label %end
column:
  %pc = getelementptr double, ptr %x, i64 %c
  %word = load i64, ptr %pc, align 8
  %one = insertelement {K} zeroinitializer, i64 %word, i64 0
{chr(10).join(column)}
  %tailn = or {K} %tail, {second}
  %cn = add i64 %c, 1
  br label %columns
end:
  ret {K} %tail
}}"""
