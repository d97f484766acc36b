"""What jax computes for a program of StableHLO: the original that a compiled program is compared with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import jax  # pyright: ignore[reportMissingImports]
import numpy as np
from jax.extend import backend  # pyright: ignore[reportMissingImports]

from ..model.problems import OriginalModelError
from .bindings import CompileOptions, DeviceList, ir, passmanager, refine_polymorphic_shapes, stablehlo
from .importer import input_names, main_arguments
from .load import read_module


def run_original(path: Path, inputs: Mapping[str, np.ndarray[Any, Any]]) -> list[np.ndarray[Any, Any]]:
    """Returns the results of `@main` of a program for inputs by their names. Raises `OriginalModelError` for what XLA does not run."""
    module = read_module(path)
    return run_module(module, [inputs[name] for name in input_names(module)])


def run_module(module: Any, arguments: Sequence[np.ndarray[Any, Any]]) -> list[np.ndarray[Any, Any]]:
    """Returns the results of `@main` of a module of MLIR, compiled by XLA for the CPU; dynamic sizes become those of the arguments."""
    # The types of arguments are those of the program, 64 bits too.
    with jax.enable_x64(True):
        try:
            return compiled(_with_sizes(module, arguments))(arguments)
        except (RuntimeError, ValueError) as error:
            raise OriginalModelError(f"jax does not run the program: {str(error).splitlines()[0]}") from None


def compiled(code: bytes) -> Callable[[Sequence[Any]], list[np.ndarray[Any, Any]]]:
    """Returns a function that runs a program, which XLA compiles for the CPU; arguments are arrays of numpy, or of jax on the device."""
    client = backend.get_backend("cpu")
    (device,) = client.local_devices()[:1]
    program = client.compile_and_load(code, DeviceList((device,)), CompileOptions())

    def run(arguments: Sequence[Any]) -> list[np.ndarray[Any, Any]]:
        given = [jax.device_put(argument, device) for argument in arguments]
        results = program.execute_sharded(given).disassemble_into_single_device_arrays()
        return [np.asarray(parts[0]) for parts in results]

    return run


def _with_sizes(module: Any, arguments: Sequence[np.ndarray[Any, Any]]) -> bytes:
    """Returns a module as bytecode, in which `@main` takes the sizes of its arguments: XLA has no others."""
    types = [ir.RankedTensorType(argument.type) for argument in main_arguments(module)]
    is_static = all(argument_type.has_static_shape for argument_type in types)
    if not is_static:
        with module.context, ir.Location.unknown():
            given = (
                ir.RankedTensorType.get(np.shape(argument), argument_type.element_type)
                for argument, argument_type in zip(arguments, types, strict=True)
            )
            stablehlo.register_stablehlo_passes()
            refine = f"stablehlo-refine-arguments{{types={','.join(map(str, given))}}}"
            passmanager.PassManager.parse(f"builtin.module({refine})").run(module.operation)
    buffer = BytesIO()
    module.operation.write_bytecode(buffer)
    code = buffer.getvalue()
    # The rest follows from the sizes of arguments; sizes that the program asserts are checked, and the checks removed.
    return code if is_static else refine_polymorphic_shapes(code, True, True)
