"""The arithmetic of a program as functions without branches.

Long programs are cut into parts of some hundred instructions, because compile time grows faster than length;
values that cross a cut go through a scratch buffer on the stack.
"""
from ..program import operands
from ..symbol import ACOS, ADD, ATAN2, CONST, COS, DIV, INPUT, MUL, NEG, SIN, SQRT, SUB, TANH
from .text import argument_pointers, double, splat, suffix

PART = 800         # instructions a part
BINARY = {ADD: "fadd contract", SUB: "fsub contract", MUL: "fmul contract", DIV: "fdiv"}
ZERO = (CONST, 0.0, None)
INTRINSIC = {SQRT: "sqrt", SIN: "sin", COS: "cos", TANH: "tanh", ACOS: "acos", ATAN2: "atan2"}


class Layout:
    """Where the scratch buffer holds what: sines and cosines of the angles, then values that cross a cut."""

    def __init__(self, program, sine, cosine, start):
        """sine(angle), cosine(angle): slots that are filled beforehand, all below start."""
        order = program.order
        self.parts = [order[i:i + PART] for i in range(0, len(order), PART)] or [()]
        home = {node: k for k, part in enumerate(self.parts) for node in part}
        crossing = sorted({i for node in order for i in operands(program.nodes[node])
                           if home.get(i, home[node]) != home[node]})
        self.slot = {node: start + i for i, node in enumerate(crossing)}
        self.slot.update((node, sine(angle)) for node, angle in program.sin.items())
        self.slot.update((node, cosine(angle)) for node, angle in program.cos.items())
        self.size = max(1, start + len(crossing))

    def calls(self, prefix=""):
        """Runs all parts on the arguments %in and %out, or their namesakes with a prefix."""
        return [f"  call void @part{k}(ptr %{prefix}in, ptr %{prefix}out, ptr %scratch)"
                for k in range(len(self.parts))]


def parts(program, layout, lanes):
    """IR of `void part<k>(ptr in, ptr out, ptr scratch)`; in and out are arrays of pointers to arguments."""
    T, where = double(lanes), {}
    for k, nodes in enumerate(program.outputs):
        for element, node in enumerate(nodes):
            where.setdefault(node, []).append((k, element))
    names = {INTRINSIC[program.nodes[i][0]] for i in program.order if program.nodes[i][0] in INTRINSIC}
    text = ["declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)"]
    text += [f"declare {T} @llvm.{name}.{suffix(lanes)}({', '.join([T] * (1 + (name == 'atan2')))})"
            for name in sorted(names) if lanes == 1 or name not in ("sin", "cos")]
    computed = set(program.order)
    copied = [node for node in where if node not in computed and program.nodes[node] != ZERO]
    for k, part in enumerate(layout.parts):
        text.append(_part(program, layout, lanes, k, part, where, copied if k == 0 else ()))
    return "\n".join([*text, "!0 = !{}"])


def zeros(program, lanes, prefix=""):
    """Clears the outputs that have zero entries: the parts leave those out."""
    clear = "  call void @llvm.memset.p0.i64"
    return [f"{clear}(ptr %{prefix}out{k}, i8 0, i64 {8 * lanes * len(nodes)}, i1 false)"
            for k, nodes in enumerate(program.outputs) if any(program.nodes[node] == ZERO for node in nodes)]


def _part(program, layout, lanes, k, part, where, copied):
    T, nodes, ready, lines = double(lanes), program.nodes, {}, []

    def address(base, element, align):
        lines.append(f"  %a{len(lines)} = getelementptr {T}, ptr {base}, i64 {element}")
        return f"ptr %a{len(lines) - 1}, align {align}"

    def value(node):
        if node not in ready:
            operation, a, b = nodes[node]
            if operation is CONST:
                ready[node] = splat(a, lanes)
                return ready[node]
            if operation is INPUT:
                place = address(f"%in{a}", b, 8)
            else:
                place = address("%scratch", layout.slot[node], 8 * lanes)
            lines.append(f"  %v{node} = load {T}, {place}, !invariant.load !0")   # never written here
            ready[node] = f"%v{node}"
        return ready[node]

    def give_out(node):
        for argument, element in where.get(node, ()):
            lines.append(f"  store {T} {value(node)}, {address(f'%out{argument}', element, 8)}")

    for node in part:
        operation = nodes[node][0]
        x = [value(i) for i in operands(nodes[node])]
        if operation in BINARY:
            lines.append(f"  %v{node} = {BINARY[operation]} {T} {x[0]}, {x[1]}")
        elif operation is NEG:
            lines.append(f"  %v{node} = fneg {T} {x[0]}")
        else:
            arguments = ", ".join(f"{T} {i}" for i in x)
            lines.append(f"  %v{node} = call {T} @llvm.{INTRINSIC[operation]}.{suffix(lanes)}({arguments})")
        ready[node] = f"%v{node}"
        if node in layout.slot:
            lines.append(f"  store {T} %v{node}, {address('%scratch', layout.slot[node], 8 * lanes)}")
        give_out(node)
    for node in copied:
        give_out(node)
    return "\n".join([f"define internal void @part{k}(ptr %in, ptr %out, ptr %scratch) noinline {{",
                      *argument_pointers("in", len(program.input_sizes)),
                      *argument_pointers("out", len(program.outputs)), *lines, "  ret void", "}"])
