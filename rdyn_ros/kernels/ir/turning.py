"""Rows of numbers, one state each, to vectors that hold one number of several states, and back.

`rows_to_lanes(ptr rows, i64 width, i64 row, i64 last, ptr lanes)` returns the or-ed marks of what it moved
(see finite.py), `lanes_to_rows` nothing. Square blocks are transposed in registers; what remains of a row
goes one by one. A row beyond `last` stands for `last`.
"""
from . import finite
from .text import double


def rows_to_lanes(lanes):
    """IR of the way in."""
    V = double(lanes)
    square = [f"  %x0_{i} = load {V}, ptr %q{i}, align 8" for i in range(lanes)]
    turned = _transposed(square, lanes)
    square += [f"  store {V} {x}, ptr %l{i}, align {8 * lanes}" for i, x in enumerate(turned)]
    column, x = [], "poison"
    for i in range(lanes):
        column += [f"  %d{i} = load double, ptr %c{i}",
                   f"  %y{i} = insertelement {V} {x}, double %d{i}, i64 {i}"]
        x = f"%y{i}"
    column.append(f"  store {V} {x}, ptr %cl, align {8 * lanes}")
    function = _function("rows_to_lanes", lanes, square, column, [*turned, x])
    return "declare i64 @llvm.smin.i64(i64, i64)\n" + function


def lanes_to_rows(lanes):
    """IR of the way out."""
    V = double(lanes)
    square = [f"  %x0_{i} = load {V}, ptr %l{i}, align {8 * lanes}" for i in range(lanes)]
    turned = _transposed(square, lanes)
    square += [f"  store {V} {x}, ptr %q{i}, align 8" for i, x in enumerate(turned)]
    column = [f"  %y = load {V}, ptr %cl, align {8 * lanes}"]
    for i in range(lanes):
        column += [f"  %d{i} = extractelement {V} %y, i64 {i}", f"  store double %d{i}, ptr %c{i}"]
    return _function("lanes_to_rows", lanes, square, column)


def _transposed(lines, lanes):
    """Names of the transposed vectors %x0_0, ...: blocks of 1, 2, 4 numbers change places, stage by stage."""
    V, stage = double(lanes), 0
    while 1 << stage < lanes:
        s = 1 << stage
        low = [j if not j & s else lanes + j - s for j in range(lanes)]
        high = [j + s if not j & s else lanes + j for j in range(lanes)]
        for i in (i for i in range(lanes) if not i & s):
            for row, mask in ((i, low), (i + s, high)):
                order = f"<{lanes} x i32> <{', '.join(f'i32 {j}' for j in mask)}>"
                pair = f"{V} %x{stage}_{i}, {V} %x{stage}_{i + s}"
                lines.append(f"  %x{stage + 1}_{row} = shufflevector {pair}, {order}")
        stage += 1
    return [f"%x{stage}_{i}" for i in range(lanes)]


def _function(name, lanes, square, column, checked=()):
    """The loops over squares and columns; `checked` names the vectors of a square, then of a column."""
    V, K = double(lanes), f"<{lanes} x i64>"
    head, places, columns, checks, check = [], [], [], [], []
    for i in range(lanes):
        head += [f"  %i{i} = add i64 %row, {i}", f"  %k{i} = call i64 @llvm.smin.i64(i64 %i{i}, i64 %last)",
                 f"  %m{i} = mul i64 %k{i}, %width", f"  %r{i} = getelementptr double, ptr %rows, i64 %m{i}"]
        places += [f"  %q{i} = getelementptr double, ptr %r{i}, i64 %j", f"  %w{i} = add i64 %j, {i}",
                   f"  %l{i} = getelementptr {V}, ptr %lanes, i64 %w{i}"]
        columns.append(f"  %c{i} = getelementptr double, ptr %r{i}, i64 %c")
    square_mark, column_mark = "%acc", "%tail"
    for i, vector in enumerate(checked):
        lines, before = (checks, square_mark) if i < lanes else (check, column_mark)
        lines.append(f"  %b{i} = bitcast {V} {vector} to {K}")
        mark = finite.marked(lines, f"b{i}", f"%b{i}", lanes)
        lines.append(f"  %a{i} = or {K} {before}, {mark}")
        square_mark, column_mark = (f"%a{i}", column_mark) if i < lanes else (square_mark, f"%a{i}")
    return "\n".join([
        f"define internal {K if checked else 'void'} @{name}"
        "(ptr %rows, i64 %width, i64 %row, i64 %last, ptr %lanes) noinline {",
        "entry:", *head, "  br label %squares",
        "squares:", "  %j = phi i64 [0, %entry], [%jn, %square]",
        f"  %acc = phi {K} [zeroinitializer, %entry], [{square_mark}, %square]",
        f"  %jn = add i64 %j, {lanes}", "  %fits = icmp sle i64 %jn, %width",
        "  br i1 %fits, label %square, label %columns",
        "square:", *places, *square, *checks, "  br label %squares",
        "columns:", "  %c = phi i64 [%j, %squares], [%cn, %column]",
        f"  %tail = phi {K} [%acc, %squares], [{column_mark}, %column]", "  %left = icmp slt i64 %c, %width",
        "  br i1 %left, label %column, label %end",
        "column:", *columns, f"  %cl = getelementptr {V}, ptr %lanes, i64 %c", *column, *check,
        "  %cn = add i64 %c, 1", "  br label %columns",
        "end:", f"  ret {K} %tail" if checked else "  ret void", "}"])
