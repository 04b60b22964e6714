"""Two by two: a scalar program with two outputs of one shape often does the same to different numbers.

Corresponding elements of two such outputs are laid side by side in a register of two, and so is all that
leads only to them; at the border single numbers are joined. Derivatives by q and by qd gain most.
"""
import dataclasses
import heapq
from collections import Counter

from .program import operands
from .symbol import ADD, MUL, NEG, SUB

JOIN, LOW, HIGH = "join", "low", "high"
TWIN = {ADD: "add2", SUB: "sub2", MUL: "mul2", NEG: "neg2"}
WORTH = 1.5         # instructions saved per number joined


def paired(program):
    """The program with twin instructions, or the program itself when that would not save enough."""
    seeds = _seeds(program)
    twins, joins = _grown(program, seeds)
    return _rewritten(program, seeds, twins, joins) if len(twins) > WORTH * len(joins) else program


def _seeds(program):
    """Pairs of nodes at the same place of two neighbouring outputs of one shape."""
    seeds, taken = [], 0
    for k in range(1, len(program.outputs)):
        if k > taken and program.shapes[k] == program.shapes[k - 1]:
            seeds += list(zip(program.outputs[k - 1], program.outputs[k], strict=True))
            taken = k + 1
    arithmetic = set(program.order)
    return [(a, b) for a, b in seeds if a != b and a in arithmetic and b in arithmetic]


def _grown(program, seeds):
    """Pairs computed as twins {pair: pairs of operands}, and pairs that are joined from single numbers.

    A pair is a twin when both do the same operation and neither is used in any other company. Users come
    before what they use, because operands have lower numbers.
    """
    nodes, uses = program.nodes, Counter(i for array in program.outputs for i in array)
    uses.update(i for node in program.order for i in operands(nodes[node]))
    demand, twins, joins = Counter(seeds), {}, set()
    heap = [(-max(pair), pair) for pair in set(seeds)]
    heapq.heapify(heap)
    while heap:
        _, (a, b) = heapq.heappop(heap)
        alike = a != b and nodes[a][0] == nodes[b][0] and nodes[a][0] in TWIN
        if not alike or not uses[a] == uses[b] == demand[a, b]:
            joins.add((a, b))
            continue
        twins[a, b] = _matched(nodes[a], nodes[b])
        for pair in twins[a, b]:
            if pair not in demand:
                heapq.heappush(heap, (-max(pair), pair))
            demand[pair] += 1
    return twins, joins


def _matched(one, other):
    """Operands side by side; in sums and products what both share stands together."""
    a, b = operands(one), operands(other)
    if one[0] in (ADD, MUL) and (a[0] == b[1] or a[1] == b[0]):
        b = b[::-1]
    return tuple(zip(a, b, strict=True))


def _rewritten(program, seeds, twins, joins):
    nodes, number, place = list(program.nodes), {}, {node: (node, 0) for node in program.order}

    def add(node, where):
        nodes.append(node)
        place[len(nodes) - 1] = where
        return len(nodes) - 1

    for pair in joins:
        number[pair] = add((JOIN, *pair), (max(pair), 1))
    for pair in sorted(twins, key=max):
        x = [number[operand] for operand in twins[pair]]
        number[pair] = add((TWIN[program.nodes[pair[0]][0]], *x, *[None] * (2 - len(x))), (max(pair), 2))
    halves = {}
    for a, b in seeds:
        if (a, b) in twins:
            halves[a] = add((LOW, number[a, b], None), (max(a, b), 3))
            halves[b] = add((HIGH, number[a, b], None), (max(a, b), 3))
    gone = {i for pair in twins for i in pair}
    order = sorted((i for i in place if i not in gone), key=place.get)
    outputs = tuple(tuple(halves.get(i, i) for i in array) for array in program.outputs)
    return dataclasses.replace(program, nodes=nodes, order=tuple(order), outputs=outputs)
