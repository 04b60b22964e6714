"""A program as C statements."""
from .program import operands
from .symbol import ABS, ACOS, ADD, ATAN2, CONST, COS, DIV, INPUT, MUL, NEG, SIN, SQRT, SUB, TANH

OPERATORS = {ADD: "+", SUB: "-", MUL: "*", DIV: "/"}
CALLS = {ABS: "fabs", SQRT: "sqrt", SIN: "sin", COS: "cos", TANH: "tanh", ACOS: "acos", ATAN2: "atan2"}


class Precision:
    """How numbers are written: in double or in single precision."""

    def __init__(self, single):
        self.type, self._mark = ("float", "f") if single else ("double", "")
        self.tolerance = 1e-3 if single else 1e-9

    def number(self, value):
        """A constant."""
        return f"{float(value)!r}{self._mark}"

    def call(self, name):
        """A function of math.h."""
        return name + self._mark


def statements(function, program, precision):
    """One line per instruction; results are written last: an output may be the same array as an input."""
    real, nodes, read = precision.type, program.nodes, set()

    def value(node):
        operation, a, b = nodes[node]
        if operation is INPUT:
            read.add(a)
            return f"{function.inputs[a]}[{b}]"
        return precision.number(a) if operation is CONST else f"v{node}"

    lines = []
    for angles, name in ((program.sin, "sin"), (program.cos, "cos")):
        for node, k in angles.items():
            angle = program.angles[k]
            read.add(angle.argument)
            x = f"{function.inputs[angle.argument]}[{angle.element}]"
            x = x if angle.ratio == 1.0 else f"{precision.number(angle.ratio)} * {x}"
            x = x if angle.offset == 0.0 else f"{x} + {precision.number(angle.offset)}"
            lines.append(f"    const {real} v{node} = {precision.call(name)}({x});")
    for node in program.order:
        operation, x = nodes[node][0], [value(i) for i in operands(nodes[node])]
        if operation in OPERATORS:
            text = f"{x[0]} {OPERATORS[operation]} {x[1]}"
        elif operation is NEG:
            text = f"-{x[0]}"
        else:
            text = f"{precision.call(CALLS[operation])}({', '.join(x)})"
        lines.append(f"    const {real} v{node} = {text};")
    results = []
    for (name, _), array in zip(function.outputs, program.outputs, strict=True):
        for element, node in enumerate(array):
            x = value(node)
            if nodes[node][0] is INPUT:         # read it before an output may overwrite it
                lines.append(f"    const {real} {name}_{element} = {x};")
                x = f"{name}_{element}"
            results.append(f"    {name}[{element}] = {x};")
    lines += results
    unused = [f"    (void){x};" for i, x in enumerate(function.inputs) if i not in read]
    return unused + lines
