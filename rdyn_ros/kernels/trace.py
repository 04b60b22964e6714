"""From an algorithm and a robot to a straight-line program."""
import numpy as np

from .program import program
from .symbol import Graph


def trace(algorithm, model, shapes):
    """Program of algorithm(model, *arrays) for inputs of the given shapes; it may return one array or several."""
    graph = Graph()
    sizes = [int(np.prod(shape)) for shape in shapes]
    arguments = [np.array(graph.inputs(i, size), dtype=object).reshape(shape)
                 for i, (size, shape) in enumerate(zip(sizes, shapes, strict=True))]
    result = algorithm(model, *arguments)
    arrays = [np.asarray(x, dtype=object) for x in (result if isinstance(result, tuple) else (result,))]
    return program(graph, sizes, arrays)
