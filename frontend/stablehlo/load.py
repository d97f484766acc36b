"""StableHLO as text, bytecode or portable artifacts: read by the bindings that jax has, and brought into the form that is imported.

CHLO is decomposed, deprecated ops are replaced by what they mean, dynamic ops with constant sizes by static ones, and arithmetic on
quantized types by arithmetic on integers, all by passes of the StableHLO project.
"""

from __future__ import annotations

import subprocess
import sys
from io import BytesIO
from pathlib import Path
from typing import Any

from ..model.problems import ModelImportError
from .bindings import ir, make_ir_context, passmanager, stablehlo
from .diagnostics import diagnostics, first

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

BYTECODE = b"ML\xefR"
PORTABLE = b"StableHLO_v"


def read_module(model: str | bytes | Path | Any) -> Any:
    """Returns a program as a module of MLIR, in a context of its own.

    A model is the path of a file, text, bytecode, or a module of jax's bindings. Raises `ModelImportError` for what is no program.
    """
    data: Any = model
    if isinstance(model, Path) or (isinstance(model, str) and "\n" not in model and "{" not in model):
        try:
            data = Path(model).read_bytes()
        except OSError as error:
            raise ModelImportError(f"cannot read {model}: {error.strerror}") from None
    if isinstance(data, ir.Module):
        buffer = BytesIO()
        data.operation.write_bytecode(buffer)
        return _parsed(buffer.getvalue())
    data = data.encode() if isinstance(data, str) else data
    if data.startswith(BYTECODE):
        _verify_bytecode(data)
    return _parsed(data)


def _is_portable(data: bytes) -> bool:
    return data.startswith(BYTECODE) and PORTABLE in data[:64]


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
