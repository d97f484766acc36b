"""TVM Relax modules: import into the dialect, and export. Needs the optional extra `tvm` (`pip install xdsl-relax[tvm]`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .diagnostics import UnsupportedError

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

__all__ = ["UnsupportedError", "from_relax", "to_relax"]


def from_relax(ir_module: Any) -> ModuleOp:
    """Imports a `tvm.IRModule` with Relax functions; see `importer.ModuleImporter` for the form of the result.

    Raises `UnsupportedError`, which lists everything that has no counterpart in the dialect.
    """
    from .importer.importer import ModuleImporter

    return ModuleImporter(ir_module).run()


def to_relax(module: ModuleOp) -> Any:
    """Exports a module as a `tvm.IRModule`; what `from_relax` made comes back structurally equal, up to variable names.

    Raises `UnsupportedError`, which lists everything that has no counterpart in Relax.
    """
    from .exporter.exporter import ModuleExporter

    return ModuleExporter(module).run()
