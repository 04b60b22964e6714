"""`rdyn compare`: the same quantities by every formulation, and how far they are apart."""
import json

import numpy as np

from ..algorithms.comparison import by_every_formulation, difference
from ..algorithms.sample import random_state
from ..model.units import units
from .counted import counted
from .robot_arguments import add_robot_arguments, given_model

HELP = "compute the same quantities by every formulation and print the differences"
AGREE = 1e-9        # relative difference from which formulations disagree


def add_arguments(parser):
    """Declares the arguments of the verb."""
    add_robot_arguments(parser)
    parser.add_argument("--seed", type=int, default=0, help="number of the random state (default 0)")
    parser.add_argument("--json", action="store_true", help="machine-readable output with all values")


def run(arguments):
    """Print the table; 1 when some formulation is off by more than 1e-9."""
    model = given_model(arguments)
    values = by_every_formulation(model, *random_state(model, arguments.seed))
    apart = {what: {name: difference(value, next(iter(found.values()))) for name, value in found.items()}
             for what, found in values.items()}
    if arguments.json:
        plain = {what: {name: {"value": np.asarray(value).tolist(), "difference": apart[what][name]}
                        for name, value in found.items()} for what, found in values.items()}
        print(json.dumps(plain, indent=2))
    else:
        print("\n".join(table(model, values, apart)))
    return int(worst(apart) > AGREE)


def table(model, values, apart):
    """Lines of the table: per quantity each formulation with its largest entry and its difference, then a verdict."""
    yield f"{model.name}: {counted(model.nv, 'coordinate')}, relative differences from the spatial recursion"
    unit = units_of(model)
    for what, found in values.items():
        yield f"{what} [{unit[what]}]"
        for name, value in found.items():
            mark = "" if apart[what][name] <= AGREE else "   <- DIFFERS"
            largest = abs(np.asarray(value)).max(initial=0.0)
            yield f"  {name:28} largest {largest:12.6g}   {apart[what][name]:8.1e}{mark}"
    verdict = "all formulations agree" if worst(apart) <= AGREE else "the formulations DIFFER"
    yield f"{verdict}: largest difference {worst(apart):.1e}, allowed {AGREE:.0e}"


def units_of(model):
    """{quantity: its unit in words}; a floating base slides and turns."""
    position, effort = ("rad or m", "N m or N") if model.floating_base else units(model)
    mass = {"N m": "kg m²", "N": "kg"}.get(effort, "kg m², kg m or kg")
    acceleration = " or ".join(f"{unit}/s²" for unit in position.split(" or "))
    return {"inverse dynamics": effort, "mass matrix": mass, "Coriolis torque": effort, "gravity torque": effort,
            "joint reactions": "N, N m", "forward dynamics": acceleration}


def worst(apart):
    """The largest of all differences."""
    return max(max(found.values()) for found in apart.values())
