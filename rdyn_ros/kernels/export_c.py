"""The same functions as C99 without dependencies, for controllers in C and C++ and for microcontrollers.

Arrays are flat, matrices row by row. A self-test compares the code with values of the plain algorithms.
"""
import re
from pathlib import Path

from ..errors import RdynError
from .c_selftest import selftest
from .c_statements import Precision, statements
from .functions import FUNCTIONS, STATE
from .kernels import Kernels


def export_c(model, names, folder, single=False, force=False):
    """Writes header, source, self-test and CMake file for public functions; returns their paths.

    RdynError when one of them exists, unless forced.
    """
    robot, precision, folder = identifier(model.name), Precision(single), Path(folder)
    public = Kernels(model).public
    kernels = {name: public[name] for name in names}
    programs = {name: kernel.trace() for name, kernel in kernels.items()}
    declarations = {name: declaration(robot, name, programs[name], precision) for name in names}
    texts = {
        f"{robot}.h": header(model, robot, declarations, programs),
        f"{robot}.c": source(robot, declarations, programs, precision),
        f"{robot}_selftest.c": selftest(model, robot, kernels, programs, precision),
        "CMakeLists.txt": CMAKE.format(robot=robot),
    }
    if not force and (there := [file for file in texts if (folder / file).exists()]):
        raise RdynError(f"{folder} has {', '.join(there)} already; give another folder, or force to replace them")
    folder.mkdir(parents=True, exist_ok=True)
    for file, text in texts.items():
        (folder / file).write_text(text)
    return [folder / file for file in texts]


def identifier(name):
    """A robot's name as a C identifier."""
    word = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_").lower()
    return word if word[:1].isalpha() else f"robot_{word}"


def declaration(robot, name, program, precision):
    """Prototype of a function, without the semicolon."""
    function, real = FUNCTIONS[name], precision.type
    given = [f"const {real} {x}[{size}]"
             for x, size in zip(function.inputs, program.input_sizes, strict=True)]
    made = [f"{real} {x}[{size}]"
            for (x, _), size in zip(function.outputs, program.output_sizes, strict=True)]
    return f"void {robot}_{name}({', '.join([*given, *made])})"


def header(model, robot, declarations, programs):
    """The .h file."""
    guard, lines = f"{robot.upper()}_H", []
    for name, prototype in declarations.items():
        function, program = FUNCTIONS[name], programs[name]
        about = function.algorithm.__doc__.strip().splitlines()[0]
        shapes = [f"{x} {shape} [{unit}]"
                  for (x, unit), shape in zip(function.outputs, program.shapes, strict=True)]
        units = [f"{x} [{STATE[x]}]" for x in function.inputs]
        chosen = "".join(f"; {option} {value}" for option, value in
                         zip(function.options, function.defaults(model), strict=True))
        lines += [f"/* {about}", f" * in: {', '.join(units)}; out: {', '.join(shapes)}{chosen} */",
                  f"{prototype};", ""]
    joints = "\n".join(f" *   {k}: {joint}" for k, joint in enumerate(model.joint_names))
    return f"""/* Dynamics of {model.name}. SI units, radians; matrices row by row.
 * An output may be the same array as an input.
 * Coordinates{', behind those of the floating base' if model.floating_base else ''}:
{joints}
 */
#ifndef {guard}
#define {guard}
#ifdef __cplusplus
extern "C" {{
#endif

#define {robot.upper()}_NQ {model.nq}
#define {robot.upper()}_NV {model.nv}

{chr(10).join(lines)}
#ifdef __cplusplus
}}
#endif
#endif
"""


def source(robot, declarations, programs, precision):
    """The .c file."""
    bodies = ("\n".join([declarations[name], "{", *statements(FUNCTIONS[name], program, precision), "}\n"])
              for name, program in programs.items())
    return f'#include "{robot}.h"\n\n#include <math.h>\n\n' + "\n".join(bodies)


CMAKE = """cmake_minimum_required(VERSION 3.10)
project({robot} C)

add_library({robot} {robot}.c)
target_include_directories({robot} PUBLIC ${{CMAKE_CURRENT_SOURCE_DIR}})
target_link_libraries({robot} PUBLIC m)
set_target_properties({robot} PROPERTIES C_STANDARD 99)

enable_testing()
add_executable({robot}_selftest {robot}_selftest.c)
target_link_libraries({robot}_selftest {robot})
add_test(NAME {robot}_selftest COMMAND {robot}_selftest)
"""
