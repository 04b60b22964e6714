"""The arithmetic of a program as functions without branches.

Long programs are cut into parts of some hundred instructions, because compile time grows faster than length;
values that cross a cut go through a scratch buffer on the stack.
"""
from collections import Counter
from itertools import accumulate, groupby
from math import inf

from ..pairs import HIGH, JOIN, LOW, TWIN
from ..program import operands
from ..symbol import ABS, ACOS, ADD, ATAN2, CONST, COS, DIV, INPUT, MUL, NEG, SIN, SQRT, SUB, TANH
from .atan2 import atan2
from .text import argument_pointers, double, splat, suffix

PARTS = ((1500, 800), (10_000, 500), (inf, 300))    # (length of a program up to which, length of its parts)
BINARY = {ADD: "fadd contract", SUB: "fsub contract", MUL: "fmul contract", DIV: "fdiv"}
TWINS = {TWIN[operation]: BINARY[operation] for operation in (ADD, SUB, MUL)}
WIDE = {JOIN, *TWIN.values()}       # operations that give two numbers
ZERO = (CONST, 0.0, None)
PARTIAL = {DIV, SQRT, ACOS, ATAN2}  # operations that can make finite numbers infinite or undefined
OURS = {ABS, SIN, COS, ATAN2}       # declared or defined by sincos and atan2 where there are vectors
INTRINSIC = {ABS: "fabs", SQRT: "sqrt", SIN: "sin", COS: "cos", TANH: "tanh", ACOS: "acos", ATAN2: "atan2"}


class Layout:
    """Where the scratch buffer holds what: sines and cosines, watched values, values that cross a cut.

    Watched are the results of partial operations: when they are finite, so is all that is computed from them.
    """

    def __init__(self, program, sine, cosine, start):
        """sine(angle), cosine(angle): slots that are filled beforehand, all below start."""
        self.parts = _cut(program)
        watched = [node for node in program.order if program.nodes[node][0] in PARTIAL]
        self.first_watched, self.watched = start, len(watched)
        self.slot = {node: start + i for i, node in enumerate(watched)}
        self.slot.update((node, sine(angle)) for node, angle in program.sin.items())
        self.slot.update((node, cosine(angle)) for node, angle in program.cos.items())
        self.size = max(1, self._share(program, start + len(watched)))

    def _share(self, program, size):
        """Slots for the values that cross a cut; one is free again after the last part that reads it."""
        home = {node: k for k, part in enumerate(self.parts) for node in part}
        last = {}
        for node in program.order:                  # later parts overwrite earlier ones
            last.update((i, home[node]) for i in operands(program.nodes[node]) if i in home)
        ending, free = [[] for _ in self.parts], {1: [], 2: []}
        for k, part in enumerate(self.parts):
            for node in part:
                if last.get(node, k) > k and node not in self.slot:
                    width = 2 if program.nodes[node][0] in WIDE else 1
                    if not free[width]:
                        size += size % width        # two numbers begin at an even slot
                        free[width].append(size)
                        size += width
                    self.slot[node] = free[width].pop()
                    ending[last[node]].append((width, self.slot[node]))
            for width, slot in ending[k]:
                free[width].append(slot)
        return size

    def calls(self, prefix=""):
        """Runs all parts on the arguments %in and %out, or their namesakes with a prefix."""
        return [f"  call void @part{k}(ptr %{prefix}in, ptr %{prefix}out, ptr %scratch)"
                for k in range(len(self.parts))]


def _cut(program):
    """The order in pieces of about equal length; instructions count, and results that are given out."""
    given = Counter(node for nodes in program.outputs for node in nodes)
    ends = list(accumulate(1 + given[node] for node in program.order))
    length = next(part for longest, part in PARTS if not ends or ends[-1] <= longest)
    return [tuple(node for node, _ in piece) for _, piece in
            groupby(zip(program.order, ends, strict=True), lambda pair: pair[1] // length)] or [()]


def parts(program, layout, lanes):
    """IR of `void part<k>(ptr in, ptr out, ptr scratch)`; in and out are arrays of pointers to arguments."""
    T, where = double(lanes), {}
    for k, nodes in enumerate(program.outputs):
        for element, node in enumerate(nodes):
            where.setdefault(node, []).append((k, element))
    used = {program.nodes[i][0] for i in program.order}
    text = ["declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)"]
    text += [f"declare {T} @llvm.{name}.{suffix(lanes)}({', '.join([T] * (1 + (operation is ATAN2)))})"
             for operation, name in INTRINSIC.items() if operation in used and (lanes == 1 or operation not in OURS)]
    text += [atan2(lanes)] if lanes > 1 and ATAN2 in used else []
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
    T, nodes, ready, turned, lines = double(lanes), program.nodes, {}, {}, []

    def address(base, element, align):
        lines.append(f"  %a{len(lines)} = getelementptr {T}, ptr {base}, i64 {element}")
        return f"ptr %a{len(lines) - 1}, align {align}"

    def form(node):
        """Type and alignment of a value."""
        return (double(2), 16) if nodes[node][0] in WIDE else (T, 8 * lanes)

    def value(node):
        if node not in ready:
            operation, a, b = nodes[node]
            if operation is CONST:
                ready[node] = splat(a, lanes)
                return ready[node]
            kind, align = form(node)
            source = (f"%in{a}", b, 8) if operation is INPUT else ("%scratch", layout.slot[node], align)
            place = address(*source)
            lines.append(f"  %v{node} = load {kind}, {place}, !invariant.load !0")   # never written here
            ready[node] = f"%v{node}"
        return ready[node]

    def give_out(node):
        for argument, element in where.get(node, ()):
            lines.append(f"  store {T} {value(node)}, {address(f'%out{argument}', element, 8)}")

    for node in part:
        x = [value(i) for i in operands(nodes[node])]
        if lanes > 1 and nodes[node][0] in (SIN, COS):
            both = f"{{{T}, {T}}}"
            if x[0] not in turned:                  # sine and cosine come together
                turned[x[0]] = f"%t{node}"
                lines.append(f"  %t{node} = call {both} @vector_sincos({T} {x[0]})")
            lines.append(f"  %v{node} = extractvalue {both} {turned[x[0]]}, {int(nodes[node][0] is COS)}")
        else:
            lines += _instruction(node, nodes[node][0], x, lanes)
        ready[node] = f"%v{node}"
        if node in layout.slot:
            kind, align = form(node)
            lines.append(f"  store {kind} %v{node}, {address('%scratch', layout.slot[node], align)}")
        give_out(node)
    for node in copied:
        give_out(node)
    return "\n".join([f"define internal void @part{k}(ptr %in, ptr %out, ptr %scratch) noinline {{",
                      *argument_pointers("in", len(program.input_sizes)),
                      *argument_pointers("out", len(program.outputs)), *lines, "  ret void", "}"])


def _instruction(node, operation, x, lanes):
    """Lines that set %v<node> from the values x."""
    T, V = double(lanes), double(2)
    if operation in BINARY:
        return [f"  %v{node} = {BINARY[operation]} {T} {x[0]}, {x[1]}"]
    if operation in TWINS:
        return [f"  %v{node} = {TWINS[operation]} {V} {x[0]}, {x[1]}"]
    if operation in (NEG, TWIN[NEG]):
        return [f"  %v{node} = fneg {T if operation is NEG else V} {x[0]}"]
    if operation is JOIN:
        return [f"  %j{node} = insertelement {V} poison, double {x[0]}, i64 0",
                f"  %v{node} = insertelement {V} %j{node}, double {x[1]}, i64 1"]
    if operation in (LOW, HIGH):
        return [f"  %v{node} = extractelement {V} {x[0]}, i64 {int(operation is HIGH)}"]
    function = "vector_atan2" if operation is ATAN2 and lanes > 1 else f"llvm.{INTRINSIC[operation]}.{suffix(lanes)}"
    return [f"  %v{node} = call {T} @{function}({', '.join(f'{T} {i}' for i in x)})"]
