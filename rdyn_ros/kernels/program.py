"""Straight-line programs: what a trace boils down to, in an order that suits a compiler."""
from dataclasses import dataclass
from typing import NamedTuple

from .symbol import ADD, CONST, COS, INPUT, MUL, NEG, SIN, SUB


class Angle(NamedTuple):
    """ratio · input[element] + offset: an angle whose sine and cosine the program reads."""

    argument: int
    element: int
    ratio: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True)
class Program:
    """Outputs as functions of inputs, free of branches and loops.

    `nodes` maps a number to (operation, operand, operand); `order` lists the arithmetic in the order it runs.
    Sine and cosine of an Angle are no arithmetic: they come ready; `sin`, `cos` map a node to its angle.
    """

    input_sizes: tuple[int, ...]
    outputs: tuple[tuple[int, ...], ...]        # per output array, the node of each element
    shapes: tuple[tuple[int, ...], ...]
    nodes: list
    order: tuple[int, ...]
    angles: tuple[Angle, ...]
    sin: dict
    cos: dict

    @property
    def output_sizes(self):
        """Number of elements of each output."""
        return tuple(len(nodes) for nodes in self.outputs)


def program(graph, input_sizes, arrays):
    """Program of the object arrays that an algorithm returned."""
    outputs = tuple(tuple(graph.operand(x) for x in array.ravel().tolist()) for array in arrays)
    angles, sin, cos, order = {}, {}, {}, []
    for index in sorted(_needed(graph.nodes, outputs)):     # as the algorithm went: neighbours share values
        operation, a, _ = graph.nodes[index]
        angle = _angle(graph.nodes, a) if operation in (SIN, COS) else None
        if angle is not None:
            (sin if operation is SIN else cos)[index] = angles.setdefault(angle, len(angles))
        elif operation not in (INPUT, CONST):
            order.append(index)
    shapes = tuple(array.shape for array in arrays)
    return Program(tuple(input_sizes), outputs, shapes, graph.nodes, tuple(order), tuple(angles), sin, cos)


def operands(node):
    """Numbers of the nodes that a node reads."""
    operation, a, b = node
    if operation in (INPUT, CONST):
        return ()
    return (a,) if b is None else (a, b)


def _needed(nodes, outputs):
    """Nodes that the outputs depend on."""
    needed, stack = set(), [index for array in outputs for index in array]
    while stack:
        index = stack.pop()
        if index not in needed:
            needed.add(index)
            if nodes[index][0] not in (SIN, COS) or _angle(nodes, nodes[index][1]) is None:
                stack.extend(operands(nodes[index]))
    return needed


def _angle(nodes, index):
    """Angle of a node that is ±ratio · input ± offset, or less than that; None for any other."""
    (index, offset), sign = _split(nodes, index, ADD, 0.0), 1.0
    operation, a, b = nodes[index]
    if operation is SUB and nodes[a][0] is CONST:           # offset - ratio · input
        index, offset, sign = b, nodes[a][1], -1.0
    elif operation is NEG:
        index, sign = a, -1.0
    index, ratio = _split(nodes, index, MUL, 1.0)
    operation, argument, element = nodes[index]
    return Angle(argument, element, sign * ratio, offset) if operation is INPUT else None


def _split(nodes, index, operation, neutral):
    """(rest, constant) of a sum or product with a constant."""
    found, a, b = nodes[index]
    if found is operation:
        for constant, other in ((a, b), (b, a)):
            if nodes[constant][0] is CONST:
                return other, nodes[constant][1]
    return index, neutral
