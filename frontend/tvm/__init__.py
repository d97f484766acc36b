"""TVM Relax modules: import into the dialect, and export. Needs the optional extra `tvm` (`pip install xdsl-relax[tvm]`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .diagnostics import UNREADABLE, UnsupportedError

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

__all__ = ["UnsupportedError", "from_relax", "to_relax"]


def from_relax(ir_module: Any) -> ModuleOp:
    """Imports a `tvm.IRModule` with Relax functions; see `importer/module.py` for the form of the result.

    Raises `UnsupportedError`, which lists everything that has no counterpart in the dialect, and `ValueError` for what TVM itself refuses,
    and for a module that is not well-formed.
    """
    from tvm.error import InternalError

    from .importer.module import flaw_of, import_module

    try:
        return import_module(ir_module)
    except UnsupportedError:
        raise
    except InternalError as error:
        raise ValueError(f"TVM cannot read the module: {str(error).splitlines()[0]}") from error
    except Exception as error:
        # Nodes may hold what TVM's own classes do not allow, for which TVM raises under many types where it is read.
        flaw, reason = flaw_of(ir_module), (str(error).strip() or "no reason").splitlines()[0]
        if flaw is not None:
            raise ValueError(f"the module is not well-formed: {flaw}") from error
        raise UnsupportedError("import", [f"{UNREADABLE}: {type(error).__name__}: {reason}"]) from error


def to_relax(module: ModuleOp) -> Any:
    """Exports a module as a `tvm.IRModule`; what `from_relax` made comes back structurally equal, up to variable names.

    Raises `UnsupportedError`, which lists everything that has no counterpart in Relax.
    """
    from .exporter.module import export_module

    return export_module(module)
