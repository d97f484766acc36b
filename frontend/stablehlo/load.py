"""StableHLO as text, bytecode or portable artifacts: read by the bindings that jax has, and brought into the form that is imported.

CHLO is decomposed, deprecated ops are replaced by what they mean, dynamic ops with constant sizes by static ones, and arithmetic on
quantized types by arithmetic on integers, all by passes of the StableHLO project.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from io import BytesIO
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any, NamedTuple

from ..model.problems import ModelImportError
from .bindings import ir, make_ir_context, passmanager, stablehlo
from .bytecode import MAGIC
from .diagnostics import diagnostics, first
from .markers import marked
from .stored_data import StoredConstant, without_stored_data

DEPRECATED = "func.func(stablehlo-legalize-deprecated-ops)"

PASSES = (
    "func.func(stablehlo-legalize-composite-to-call)",
    "func.func(chlo-legalize-to-stablehlo)",
    "func.func(shape-legalize-to-stablehlo)",
    DEPRECATED,
    "func.func(stablehlo-legalize-quant-to-math)",
    "func.func(stablehlo-canonicalize-dynamism)",
)
"""The passes, in order."""

PORTABLE = b"StableHLO_v"


class Program(NamedTuple):
    """A program as it is imported."""

    module: Any
    """A module of MLIR, in a context of its own."""
    stored: Mapping[Any, StoredConstant]
    """The constants whose data are left in the file, by the attributes that stand in their place."""
    file: Path | bytes
    """Where the data are."""


def read_program(model: str | bytes | Path | Any) -> Program:
    """Returns a program without the data of its large constants, where they can be left in its file.

    A model is the path of a file, text, bytecode, or a module of jax's bindings. Raises `ModelImportError` for what is no program.
    """
    file = _file(model)
    given = _without_stored_data(file)
    program = None if given is None else _marked(*given, file)
    return program or Program(_read(_bytes(file)), {}, file)


def _marked(data: bytes, constants: Sequence[StoredConstant], file: Path | bytes) -> Program | None:
    try:
        module = _read(data)
    except ModelImportError:
        # What the bindings say of the file as it is counts.
        return None
    stored = marked(module, constants)
    return None if stored is None else Program(module, stored, file)


def read_module(model: str | bytes | Path | Any) -> Any:
    """Returns a program as a module of MLIR with all its data, in a context of its own; see `read_program`."""
    return _read(_bytes(_file(model)))


def _file(model: str | bytes | Path | Any) -> Path | bytes:
    """Returns the file of a program, or what would be in it."""
    if isinstance(model, ir.Module):
        buffer = BytesIO()
        model.operation.write_bytecode(buffer)
        return buffer.getvalue()
    if isinstance(model, Path) or (isinstance(model, str) and "\n" not in model and "{" not in model):
        path = Path(model)
        # What is no regular file is read once.
        return path if path.is_file() else _bytes(path)
    return model.encode() if isinstance(model, str) else model


def _bytes(file: Path | bytes) -> bytes:
    try:
        return file if isinstance(file, bytes) else file.read_bytes()
    except OSError as error:
        raise ModelImportError(f"cannot read {file}: {error.strerror}") from None


def _without_stored_data(file: Path | bytes) -> tuple[bytes, Sequence[StoredConstant]] | None:
    if isinstance(file, bytes):
        return without_stored_data(memoryview(file))
    try:
        with file.open("rb") as stream:
            if stream.read(len(MAGIC)) != MAGIC:
                return None
            with mmap(stream.fileno(), 0, access=ACCESS_READ) as pages, memoryview(pages) as view:
                return without_stored_data(view)
    except OSError as error:
        raise ModelImportError(f"cannot read {file}: {error.strerror}") from None


def _read(data: bytes) -> Any:
    if data.startswith(MAGIC):
        _verify_bytecode(data)
    return _parsed(data)


def _is_portable(data: bytes) -> bool:
    return data.startswith(MAGIC) and PORTABLE in data[:64]


READ = """
import sys
from jax._src.interpreters.mlir import make_ir_context
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo
data = sys.stdin.buffer.read()
with make_ir_context() as context:
    context.emit_error_diagnostics = True
    try:
        stablehlo.deserialize_portable_artifact(context, data) if sys.argv[1:] else ir.Module.parse(data)
    except Exception:
        pass
"""


def _verify_bytecode(data: bytes) -> None:
    """Raises `ModelImportError` for damaged bytecode that ends the process that reads it, which here is one of its own."""
    command = [sys.executable, "-c", READ, *(["portable"] if _is_portable(data) else [])]
    if subprocess.run(command, input=data, capture_output=True, check=False).returncode < 0:
        raise ModelImportError("not a program of StableHLO: the bytecode is damaged")


def _parsed(data: bytes) -> Any:
    context = make_ir_context()
    with context, ir.Location.unknown(), diagnostics(context) as messages:
        try:
            if _is_portable(data):
                return stablehlo.deserialize_portable_artifact(context, data)
            return ir.Module.parse(data)
        except (ir.MLIRError, UnicodeDecodeError, ValueError) as error:
            raise ModelImportError(f"not a program of StableHLO: {first(messages, error)}") from None


def normalize(module: Any) -> None:
    """Rewrites a module to the ops that are imported. Raises `ModelImportError` for what the passes refuse."""
    stablehlo.register_stablehlo_passes()
    with module.context:
        _turn_scans(module)
        for name in PASSES:
            with diagnostics(module.context) as messages:
                try:
                    passmanager.PassManager.parse(f"builtin.module({name})").run(module.operation)
                except ir.MLIRError as error:
                    if name == DEPRECATED:
                        # It refuses what it does not know; the importer has more of these ops, and names the others.
                        continue
                    raise ModelImportError(
                        f"{name.removeprefix('func.func(').rstrip(')')}: {first(messages, error)}"
                    ) from None


def _turn_scans(module: Any) -> None:
    """Writes scans that run backwards as scans of what is reversed: the pass that decomposes scans forgets the direction."""
    scans: list[Any] = []

    def collect(op: Any) -> Any:
        if op.name == "chlo.scan" and "is_reverse" in op.attributes and op.attributes["is_reverse"].value:
            scans.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(collect)
    for scan in scans:
        count = int(scan.attributes["operandSegmentSizes"][0])
        axis = int(scan.attributes["dimension"].value)
        with ir.Location.unknown(), ir.InsertionPoint(scan):
            for index in range(count):
                scan.operands[index] = stablehlo.reverse(scan.operands[index], [axis])
        del scan.attributes["is_reverse"]
        following = ir.InsertionPoint.after(scan)
        for index in range(int(scan.attributes["resultSegmentSizes"][0])):
            with ir.Location.unknown(), following:
                turned = stablehlo.reverse(scan.results[index], [axis])
                scan.results[index].replace_all_uses_except(turned, turned.owner.operation)
