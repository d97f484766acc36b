"""StableHLO as text, bytecode or portable artifacts: read by the bindings that jax has, and brought into the form that is imported.

CHLO is decomposed, deprecated ops are replaced by what they mean, dynamic ops with constant sizes by static ones, and arithmetic on
quantized types by arithmetic on integers, all by passes of the StableHLO project.
"""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

from ..model.problems import ModelImportError
from .bindings import ir, make_ir_context, passmanager, stablehlo

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
        data = buffer.getvalue()
    return _parsed(data.encode() if isinstance(data, str) else data)


def _parsed(data: bytes) -> Any:
    context = make_ir_context()
    with context, ir.Location.unknown():
        try:
            if data.startswith(BYTECODE) and PORTABLE in data[:64]:
                return stablehlo.deserialize_portable_artifact(context, data)
            return ir.Module.parse(data)
        except (ir.MLIRError, UnicodeDecodeError, ValueError) as error:
            raise ModelImportError(f"not a program of StableHLO: {first_diagnostic(error)}") from None


def normalize(module: Any) -> None:
    """Rewrites a module to the ops that are imported. Raises `ModelImportError` for what the passes refuse."""
    stablehlo.register_stablehlo_passes()
    with module.context:
        _turn_scans(module)
        for name in PASSES:
            try:
                passmanager.PassManager.parse(f"builtin.module({name})").run(module.operation)
            except ir.MLIRError as error:
                if name == DEPRECATED:
                    # It refuses what it does not know; the importer has more of these ops, and names the others.
                    continue
                raise ModelImportError(
                    f"{name.removeprefix('func.func(').rstrip(')')}: {first_diagnostic(error)}"
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


def first_diagnostic(error: Exception) -> str:
    """Returns the first message of an error of MLIR, in one line."""
    for diagnostic in getattr(error, "error_diagnostics", ()):
        # The rest tells how to call mlir-opt.
        return f"{_place(diagnostic.location)}{diagnostic.message.partition('. If this is intended')[0]}"
    return str(error).splitlines()[0] if str(error) else "it cannot be read"


def _place(location: Any) -> str:
    line = getattr(location, "start_line", None)
    return f"line {line}: " if line else ""
