"""A C program that compares exported functions with values of the plain algorithms."""
import numpy as np

from .functions import FUNCTIONS

STATES = 3          # each function is compared at


def selftest(model, robot, kernels, programs, precision):
    """The program; it ends with 0 when all values agree."""
    real, number, checks, random = precision.type, precision.number, [], np.random.default_rng(0)
    for name, kernel in kernels.items():
        function, program = FUNCTIONS[name], programs[name]
        for _ in range(STATES):
            vectors = [_state(model, x, size, random) for x, size in
                       zip(function.inputs, program.input_sizes, strict=True)]
            result = kernel.plain(*vectors)
            results = result if isinstance(result, tuple) else (result,)
            lines = [f"        static const {real} {x}[] = {{{', '.join(map(number, v))}}};"
                     for x, v in zip(function.inputs, vectors, strict=True)]
            expected = [", ".join(map(number, np.ravel(r))) for r in results]
            lines += [f"        static const {real} expected{k}[] = {{{x}}};" for k, x in enumerate(expected)]
            lines += [f"        {real} out{k}[{np.size(r)}];" for k, r in enumerate(results)]
            outs = [f"out{k}" for k in range(len(results))]
            lines.append(f"        {robot}_{name}({', '.join([*function.inputs, *outs])});")
            lines += [f'        wrong += compare("{name}", out{k}, expected{k}, {np.size(r)});'
                      for k, r in enumerate(results)]
            checks.append("    {\n" + "\n".join(lines) + "\n    }")
    return SELFTEST.format(robot=robot, real=real, tolerance=number(precision.tolerance), zero=number(0.0),
                           fabs=precision.call("fabs"), checks="\n".join(checks))


def _state(model, name, size, random):
    vector = random.uniform(-2.0, 2.0, size)
    if name == "q" and model.floating_base:
        vector[3:7] /= np.linalg.norm(vector[3:7])
    return vector


SELFTEST = """#include "{robot}.h"

#include <math.h>
#include <stdio.h>

static int compare(const char *name, const {real} *out, const {real} *expected, int count)
{{
    {real} largest = {zero};
    int i;
    for (i = 0; i < count; i++)
        if ({fabs}(expected[i]) > largest) largest = {fabs}(expected[i]);
    for (i = 0; i < count; i++)
        if (!({fabs}(out[i] - expected[i]) <= {tolerance} * ({tolerance} + largest))) {{
            printf("%s[%d] is %g, not %g\\n", name, i, (double)out[i], (double)expected[i]);
            return 1;
        }}
    return 0;
}}

int main(void)
{{
    int wrong = 0;
{checks}
    if (wrong) printf("%d comparisons failed\\n", wrong);
    else puts("all right");
    return wrong != 0;
}}
"""
