"""From an algorithm and a robot to a straight-line program."""
import numpy as np

from .program import program
from .symbol import Graph


def trace(algorithm, model, sizes):
    """Program of algorithm(model, *vectors), vectors of the given sizes; one or more arrays may come out."""
    graph = Graph()
    vectors = [np.array(graph.inputs(i, size), dtype=object) for i, size in enumerate(sizes)]
    result = algorithm(model, *vectors)
    arrays = [np.asarray(x, dtype=object) for x in (result if isinstance(result, tuple) else (result,))]
    return program(graph, sizes, arrays)
