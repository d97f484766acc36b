"""Weights that an export stores in the place of arguments: each is that of an argument, and fits it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Attribute

from ...dialects.relax.attrs import dims_of, element_type_of
from ...dialects.relax.dtypes import numpy_dtype
from ...dialects.relax.function_signature import functions
from .problems import ProgramExportError

Params: TypeAlias = "Mapping[str, np.ndarray[Any, Any]]"


def exported_function(module: ModuleOp, name: str) -> func.FuncOp:
    """Returns the function of a name; raises `ProgramExportError` if there is none."""
    by_name = {function.sym_name.data: function for function in functions(module)}
    if name not in by_name:
        names = ", ".join(f"@{name}" for name in by_name) or "none"
        raise ProgramExportError(f"the module has no function @{name}, it has {names}")
    return by_name[name]


def stored_weights(labels: Sequence[Sequence[str]], first: int | None, params: Params | None) -> Params:
    """Returns the weights that are given; each must be that of an argument, and none may be missing.

    `labels` are the names that each argument has, one for each of its tensors; the arguments from `first` on are weights.
    """
    if params is None:
        return {}
    known = [label for names in labels for label in names]
    unknown = sorted({*params} - {*known})
    if unknown:
        raise ProgramExportError(f"no argument is named '{unknown[0]}', there are {', '.join(known) or 'none'}")
    weights = [label for names in labels[first:] for label in names] if first is not None else []
    missing = [label for label in weights if label not in params]
    if missing:
        raise ProgramExportError(f"no weight is given for {', '.join(map(repr, missing))}")
    return params


def require_fit(label: str, array: np.ndarray[Any, Any], value_type: Attribute) -> None:
    """Raises `ProgramExportError` for an array that is no value of a type."""
    if not isinstance(value_type, TensorType):
        raise ProgramExportError(f"'{label}' is no tensor, it cannot be stored")
    dtype = numpy_dtype(element_type_of(value_type))
    if array.dtype != dtype:
        raise ProgramExportError(f"'{label}': expected element type {dtype}, got {array.dtype}")
    dims = dims_of(value_type) or ()
    if len(dims) != array.ndim or any(
        isinstance(d, int) and d != size for d, size in zip(dims, array.shape, strict=True)
    ):
        raise ProgramExportError(f"'{label}': expected {value_type}, got the shape {array.shape}")
