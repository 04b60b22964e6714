"""Scalars that remember how they were computed: NumPy object arrays of them trace an algorithm into a graph.

Equal expressions are one node (common subexpressions merge as they arise), constants fold, and zeros and ones
vanish, so that only the arithmetic a given robot really needs remains. Plain numbers stay Python floats.
"""
import numpy as np

ADD, SUB, MUL, DIV, NEG, ABS, SQRT, SIN, COS, TANH, ATAN2, ACOS, INPUT, CONST = (
    "add", "sub", "mul", "div", "neg", "abs", "sqrt", "sin", "cos", "tanh", "atan2", "acos", "input", "const")

PLAIN = (float, int, np.generic)
MOST_NODES = 400_000        # about two seconds of tracing


class TooLongError(Exception):
    """A trace that is no longer worth its while."""


class Graph:
    """Nodes (operation, operand, operand), each once; an operand is the number of an earlier node."""

    def __init__(self):
        self.nodes = []
        self._index = {}

    def node(self, operation, a=None, b=None):
        """Number of the node, made if it is new."""
        key = (operation, a, b)
        index = self._index.get(key)
        if index is None:
            index = self._index[key] = len(self.nodes)
            self.nodes.append(key)
            if index > MOST_NODES:
                raise TooLongError
        return index

    def inputs(self, argument, size):
        """List of symbols for the elements of an argument."""
        return [Symbol(self, self.node(INPUT, argument, element)) for element in range(size)]

    def operand(self, value):
        """Number of the node of a symbol or a plain number."""
        return value.index if type(value) is Symbol else self.node(CONST, float(value))

    def add(self, a, b):
        """a + b."""
        x, y = self.nodes[a], self.nodes[b]
        if y[0] is NEG:
            return self.sub(a, y[1])
        if x[0] is NEG:
            return self.sub(b, x[1])
        return self.node(ADD, min(a, b), max(a, b))

    def sub(self, a, b):
        """a - b."""
        x, y = self.nodes[a], self.nodes[b]
        if y[0] is NEG:
            return self.add(a, y[1])
        if x[0] is NEG:
            return self.negative(self.add(x[1], b))
        mirrored = self._index.get((SUB, b, a))
        return self.node(SUB, a, b) if mirrored is None else self.negative(mirrored)

    def mul(self, a, b):
        """a b, signs drawn to the front."""
        x, y = self.nodes[a], self.nodes[b]
        if x[0] is NEG:
            return self.negative(self.mul(x[1], b))
        if y[0] is NEG:
            return self.negative(self.mul(a, y[1]))
        return self.node(MUL, min(a, b), max(a, b))

    def scale(self, a, c):
        """c a for a plain number c > 0; chains of factors become one."""
        x = self.nodes[a]
        if x[0] is MUL and self.nodes[x[1]][0] is CONST:
            return self.scale(x[2], c * self.nodes[x[1]][1])
        if x[0] is MUL and self.nodes[x[2]][0] is CONST:
            return self.scale(x[1], c * self.nodes[x[2]][1])
        return a if c == 1.0 else self.mul(a, self.node(CONST, c))

    def negative(self, a):
        """-a."""
        x = self.nodes[a]
        return x[1] if x[0] is NEG else self.node(NEG, a)


class Symbol:
    """One scalar of a trace. It has no __array_ufunc__, so NumPy stays in charge of arrays."""

    __slots__ = ("graph", "index")

    def __init__(self, graph, index):
        self.graph, self.index = graph, index

    def __add__(self, other):
        if type(other) is Symbol:
            return Symbol(self.graph, self.graph.add(self.index, other.index))
        if not isinstance(other, PLAIN):
            return NotImplemented
        if other == 0.0:
            return self
        return Symbol(self.graph, self.graph.add(self.index, self.graph.operand(other)))

    __radd__ = __add__

    def __sub__(self, other):
        if type(other) is not Symbol:
            return self + -other if isinstance(other, PLAIN) else NotImplemented
        if self.index == other.index:
            return 0.0
        return Symbol(self.graph, self.graph.sub(self.index, other.index))

    def __rsub__(self, other):
        return -self + other

    def __mul__(self, other):
        if type(other) is Symbol:
            return Symbol(self.graph, self.graph.mul(self.index, other.index))
        if not isinstance(other, PLAIN):
            return NotImplemented
        if other == 0.0:
            return 0.0
        product = self.graph.scale(self.index, abs(float(other)))
        return Symbol(self.graph, product if other > 0.0 else self.graph.negative(product))

    __rmul__ = __mul__

    def __truediv__(self, other):
        if type(other) is Symbol:               # one division for all that share a denominator
            return self * (1.0 / other)
        return self * (1.0 / float(other)) if isinstance(other, PLAIN) else NotImplemented

    def __rtruediv__(self, other):
        if not isinstance(other, PLAIN):
            return NotImplemented
        return 0.0 if other == 0.0 else Symbol(
            self.graph, self.graph.node(DIV, self.graph.operand(other), self.index))

    def __neg__(self):
        return Symbol(self.graph, self.graph.negative(self.index))

    def __pos__(self):
        return self

    def __abs__(self):
        return self._unary(ABS)

    def __pow__(self, exponent):
        if not isinstance(exponent, int) or exponent < 1:
            raise TypeError(f"a traced scalar takes whole positive exponents, not {exponent!r}")
        return self if exponent == 1 else self * self ** (exponent - 1)

    def __bool__(self):
        raise TypeError("a traced algorithm must not branch on the value of a state")

    def _unary(self, operation):
        return Symbol(self.graph, self.graph.node(operation, self.index))

    def sin(self):
        """Called by np.sin."""
        return self._unary(SIN)

    def cos(self):
        """Called by np.cos."""
        return self._unary(COS)

    def sqrt(self):
        """Called by np.sqrt."""
        return self._unary(SQRT)

    def tanh(self):
        """Called by np.tanh."""
        return self._unary(TANH)

    def arccos(self):
        """Called by np.arccos."""
        return self._unary(ACOS)

    def arctan2(self, other):
        """Called by np.arctan2."""
        return Symbol(self.graph, self.graph.node(ATAN2, self.index, self.graph.operand(other)))
