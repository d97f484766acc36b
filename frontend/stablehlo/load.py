"""StableHLO as text, bytecode or portable artifacts: read by the bindings that jax has, and brought into the form that is imported.

CHLO is decomposed, deprecated ops are replaced by what they mean, dynamic ops with constant sizes by static ones, and arithmetic on
quantized types by arithmetic on integers, all by passes of the StableHLO project.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
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
    read = _parsed if isinstance(model, ir.Module) else _read
    given = _without_stored_data(file)
    program = None if given is None else _marked(read, *given, file)
    return program or Program(read(_bytes(file)), {}, file)


def _marked(
    read: Callable[[bytes], Any], data: bytes, constants: Sequence[StoredConstant], file: Path | bytes
) -> Program | None:
    try:
        module = read(data)
    except ModelImportError:
        # What the bindings say of the file as it is counts.
        return None
    stored = marked(module, constants)
    return None if stored is None else Program(module, stored, file)


def read_module(model: str | bytes | Path | Any) -> Any:
    """Returns a program as a module of MLIR with all its data, in a context of its own; see `read_program`."""
    data = _bytes(_file(model))
    # The bindings have written what is a module of theirs.
    return _parsed(data) if isinstance(model, ir.Module) else _read(data)


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
    if not data.strip():
        raise ModelImportError("not a program of StableHLO: the file is empty")
    if data.startswith(MAGIC):
        _verify_bytecode(data)
    return _parsed(data)


def _is_portable(data: bytes) -> bool:
    return data.startswith(MAGIC) and PORTABLE in data[:64]


READ = """
import sys
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import chlo, mhlo, mpmd, sdy, stablehlo
from jaxlib.mlir._mlir_libs import _jax_mlir_ext
try:
    import resource
    resource.setrlimit(resource.RLIMIT_CPU, (int(sys.argv[2]), int(sys.argv[2])))
except (ImportError, ValueError):
    pass
data = sys.stdin.buffer.read()

def read_names(op):
    getattr(op.location, "name_str", "")
    for name in ("sym_name", "callee", "call_target_name"):
        if name in op.attributes:
            op.attributes[name].value
    for region in op.regions:
        for block in region.blocks:
            for argument in block.arguments:
                getattr(argument.location, "name_str", "")
    return ir.WalkResult.ADVANCE

class Context(ir.Context):
    # The one of the bindings loads all dialects that it knows.
    def __init__(self):
        super(ir.Context, self).__init__()

with Context() as context:
    upstream = ir.DialectRegistry()
    _jax_mlir_ext.register_dialects(upstream)
    context.append_dialect_registry(upstream)
    context.load_all_available_dialects()
    mhlo.register_mhlo_dialect(context)
    for dialect in (sdy, mpmd, chlo, stablehlo):
        dialect.register_dialect(context)
    context.emit_error_diagnostics = True
    try:
        is_portable = sys.argv[1] == "portable"
        module = stablehlo.deserialize_portable_artifact(context, data) if is_portable else ir.Module.parse(data)
    except Exception:
        sys.exit()
    try:
        module.operation.walk(read_names)
    except RuntimeError:
        sys.exit(2)
"""
"""Reads bytecode as the import does, and the names in it, which the bindings may take for UTF-8 without asking.

The context is that of `make_ir_context`, without the import of jax, which takes three times as long.
"""

CPU_SECONDS = 30
"""The time of a processor that the bindings may take, and another second for each MiB: of some damaged files they never return."""


def _verify_bytecode(data: bytes) -> None:
    """Raises `ModelImportError` for damaged bytecode that ends or holds the process that reads it, which here is one of its own."""
    limit = CPU_SECONDS + (len(data) >> 20)
    command = [sys.executable, "-c", READ, "portable" if _is_portable(data) else "module", str(limit)]
    status = subprocess.run(command, input=data, capture_output=True, check=False).returncode
    if status == 2:
        raise ModelImportError("not a program of StableHLO: the file is damaged (names in it are no UTF-8)")
    if status < 0:
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
