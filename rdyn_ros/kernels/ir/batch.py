"""Many states: one in each lane. A block of rows is turned into lanes, computed, and turned back."""
from . import finite
from .block import lanes_layout, lanes_sincos
from .sincos import sincos
from .straight_line import parts, zeros
from .text import argument_pointers, double
from .turning import lanes_to_rows, rows_to_lanes


def batch(program, lanes):
    """IR of `i64 batch(ptr in, ptr out, i64 n)`; the last block repeats the last row to be full."""
    V, K, layout = double(lanes), f"<{lanes} x i64>", lanes_layout(program)
    head, load, save, mark = [], [], [], "%before"
    for name, sizes in (("in", program.input_sizes), ("out", program.output_sizes)):
        head += [*argument_pointers(name, len(sizes)), f"  %l{name} = alloca ptr, i64 {len(sizes)}"]
        for i, size in enumerate(sizes):
            head += [f"  %l{name}{i} = alloca {V}, i64 {max(1, size)}, align 64",
                     f"  %pl{name}{i} = getelementptr ptr, ptr %l{name}, i64 {i}",
                     f"  store ptr %l{name}{i}, ptr %pl{name}{i}"]
            arguments = f"(ptr %{name}{i}, i64 {size}, i64 %row, i64 %last, ptr %l{name}{i})"
            if name == "out":
                save.append(f"  call void @lanes_to_rows{arguments}")
            else:
                load += [f"  %f{i} = call {K} @rows_to_lanes{arguments}", f"  %m{i} = or {K} {mark}, %f{i}"]
                mark = f"%m{i}"
    if layout.watched:
        save += [f"  %watched = getelementptr {V}, ptr %scratch, i64 {layout.first_watched}",
                 f"  %fw = call {K} @marks(ptr %watched, i64 {lanes * layout.watched})",
                 f"  %mw = or {K} {mark}, %fw"]
        mark = "%mw"
    head += zeros(program, lanes, "l")
    end = []
    finite.answer(end, mark, lanes)
    main = ["define i64 @batch(ptr %in, ptr %out, i64 %n) {", "entry:",
            f"  %scratch = alloca {V}, i64 {layout.size}, align 64", *head,
            "  %last = sub i64 %n, 1", "  br label %block", "block:",
            "  %row = phi i64 [0, %entry], [%next, %block]",
            f"  %before = phi {K} [zeroinitializer, %entry], [{mark}, %block]",
            *load, *lanes_sincos(program, lanes, "l"), *layout.calls("l"), *save,
            f"  %next = add i64 %row, {lanes}", "  %more = icmp slt i64 %next, %n",
            "  br i1 %more, label %block, label %end", "end:", *end, "}"]
    return "\n".join([finite.declaration(lanes), finite.marks(lanes), sincos(lanes), rows_to_lanes(lanes),
                      lanes_to_rows(lanes), parts(program, layout, lanes), *main])
