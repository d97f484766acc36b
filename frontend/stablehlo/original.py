"""What jax computes for a program of StableHLO: the original that a compiled program is compared with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import jax  # pyright: ignore[reportMissingImports]
import numpy as np
from jax.extend import backend  # pyright: ignore[reportMissingImports]

from ..model.problems import OriginalModelError
from .bindings import CompileOptions, DeviceList
from .importer import input_names
from .load import read_module


def run_original(path: Path, inputs: Mapping[str, np.ndarray[Any, Any]]) -> list[np.ndarray[Any, Any]]:
    """Returns the results of `@main` of a program for inputs by their names. Raises `OriginalModelError` for what XLA does not run."""
    module = read_module(path)
    return run_module(module, [inputs[name] for name in input_names(module)])


def run_module(module: Any, arguments: Sequence[np.ndarray[Any, Any]]) -> list[np.ndarray[Any, Any]]:
    """Returns the results of `@main` of a module of MLIR, compiled by XLA for the CPU."""
    client = backend.get_backend("cpu")
    (device,) = client.local_devices()[:1]
    buffer = BytesIO()
    module.operation.write_bytecode(buffer)
    # The types of arguments are those of the program, 64 bits too.
    with jax.enable_x64(True):
        try:
            program = client.compile_and_load(buffer.getvalue(), DeviceList((device,)), CompileOptions())
            given = [jax.device_put(np.asarray(argument), device) for argument in arguments]
            results = program.execute_sharded(given).disassemble_into_single_device_arrays()
        except (RuntimeError, ValueError) as error:
            raise OriginalModelError(f"jax does not run the program: {str(error).splitlines()[0]}") from None
        return [np.asarray(parts[0]) for parts in results]
