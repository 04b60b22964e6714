"""LLVM IR to machine code of this CPU, and machine code to callable addresses."""
from functools import cache

import llvmlite.binding as llvm

LONG = 800_000        # characters of IR; beyond, LLVM's second level takes its time and finds nothing


@cache
def _target():
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_default_triple()


@cache
def cpu():
    """Name and features of this CPU: machine code runs where both are the same."""
    return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


@cache
def lanes():
    """Doubles a vector register holds: 8 with AVX-512, 4 with AVX, else 2."""
    features = llvm.get_host_cpu_features()
    return 8 if features.get("avx512f") else 4 if features.get("avx") else 2


def _machine(level=2):
    name, features = cpu()
    return _target().create_target_machine(cpu=name, features=features, opt=level, reloc="pic",
                                           codemodel="small", jit=True)


def object_code(ir):
    """Object file (bytes) of IR text."""
    machine = _machine(2 if len(ir) < LONG else 1)
    with llvm.parse_assembly(ir) as module:
        module.triple = _target().triple
        module.data_layout = str(machine.target_data)
        return machine.emit_object(module)


class Loaded:
    """Object code placed in memory; the addresses live as long as this object."""

    def __init__(self, object_file):
        backing = llvm.parse_assembly("")
        self._engine = llvm.create_mcjit_compiler(backing, _machine())
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(object_file))
        self._engine.finalize_object()

    def address(self, name):
        """Address of a function."""
        return self._engine.get_function_address(name)
