"""Programs as callers give them: a module, its text, or the file that has it."""

from __future__ import annotations

from pathlib import Path

from ..records import record


@record
class Source:
    """The text of a program, and the name of the file that positions in it carry."""

    text: str | bytes
    file: str


IMPORTERS = {
    "torch": "xdsl_relax.frontend.torch.import_exported_program",
    "onnx": "xdsl_relax.frontend.onnx.import_onnx",
    "tvm": "xdsl_relax.frontend.tvm.from_relax",
}
"""What imports the models of other libraries."""


def wrong_source(program: object) -> TypeError:
    """Returns the error for what is no program; a model of another library is told its importer."""
    libraries = [parent.__module__.partition(".")[0] for parent in type(program).__mro__]
    importer = next((IMPORTERS[library] for library in libraries if library in IMPORTERS), None)
    hint = f"; import it with {importer}" if importer else ""
    shown = " ".join(f"{program!r}"[:200].split())
    return TypeError(f"expected the text of a module, or the Path of its file, got {shown:.60}{hint}")


def read_source(program: str | Path) -> Source:
    """Returns the text of a program, which a `Path`, or a string of one line that ends in `.mlir`, names the file of."""
    if not isinstance(program, str | Path):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise wrong_source(program)
    if isinstance(program, Path) or (program.endswith(".mlir") and "\n" not in program):
        return Source(Path(program).read_bytes(), str(program))
    return Source(program, "<text>")
