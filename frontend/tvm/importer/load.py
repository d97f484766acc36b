"""Reads a TVM module, and parameters that come with it, from a file."""

from __future__ import annotations

import runpy
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import tvm

from ....runtime.bisection.isolated import Ended, isolated
from .module import import_module

SECONDS = 600
"""How long the trial may compute."""


def load_module(path: str | Path) -> tuple[Any, dict[str, np.ndarray[Any, Any]]]:
    """Returns the IRModule in a file, and the parameters that the file defines.

    A `.json` file is what `tvm.ir.save_json` wrote; as TVM crashes on some that are damaged, it is read and imported in a process of its
    own first. A `.py` file is run: its one global that is an IRModule counts, or the one named
    `mod`; a global `params` maps names to arrays (or is a list of names and arrays). Raises `ValueError` for any other content.
    """
    path = Path(path)
    if path.suffix == ".json":
        text = path.read_text()
        trial = isolated(lambda: _try(text), SECONDS)
        if isinstance(trial, Ended):
            raise ValueError(f"not a module that TVM saved: it ends the process that reads it ({trial.reason})")
        try:
            module = tvm.ir.load_json(text)
        except Exception as error:
            # TVM raises errors of many classes for a file that is not its own.
            reason = (str(error).strip() or type(error).__name__).splitlines()[0]
            raise ValueError(f"not a module that TVM saved: {reason}") from None
        if not isinstance(module, tvm.ir.IRModule):
            raise ValueError(f"expected an IRModule, got {type(module).__name__}")
        return module, {}
    if path.suffix != ".py":
        raise ValueError(f"expected a .json or .py file, got {path.name}")
    try:
        names = runpy.run_path(str(path))
    except OSError:
        raise
    except Exception as error:
        # The file is a program of its own.
        reason = " ".join(str(error).split())
        raise ValueError(f"the file raises {type(error).__name__}: {reason}") from error
    modules = {name: value for name, value in names.items() if isinstance(value, tvm.ir.IRModule)}
    if "mod" not in modules and len(modules) != 1:
        listed = ", ".join(sorted(modules)) or "none"
        raise ValueError(f"expected one global that is an IRModule, or one named mod, got {listed}")
    module = modules["mod"] if "mod" in modules else next(iter(modules.values()))
    return module, _parameters(names.get("params", {}))


def _try(text: str) -> None:
    """Reads and imports a module; an exception is one that the import itself raises again."""
    try:
        import_module(tvm.ir.load_json(text))
    except Exception:
        return


def _parameters(given: Any) -> dict[str, np.ndarray[Any, Any]]:
    pairs = given.items() if isinstance(given, Mapping) else given
    return {str(name): _array(name, value) for name, value in pairs}


def _array(name: str, value: Any) -> np.ndarray[Any, Any]:
    value = getattr(value, "data", value) if not isinstance(value, np.ndarray | tvm.runtime.Tensor) else value
    if value is None:
        raise ValueError(f"parameter {name} has no data")
    return np.ascontiguousarray(value.numpy() if hasattr(value, "numpy") else np.asarray(value))
