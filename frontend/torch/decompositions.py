"""What torch takes apart before the import: every op that has no converter here, but a decomposition there."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import torch
from torch._decomp import decomposition_table
from torch.export import ExportedProgram, default_decompositions

from ..model.problems import ModelImportError
from .ops.rules import CONVERTERS

UNUSABLE = frozenset(("aten.complex.default", "aten.polar.default"))
"""Decompositions that write in place, which an export does not take."""

Table = dict[Any, Callable[..., Any]]


@cache
def decompositions() -> Table:
    """Returns torch's decompositions of all ops without a converter."""
    merged = {**decomposition_table, **default_decompositions()}
    return {op: rule for op, rule in merged.items() if str(op) not in {*CONVERTERS, *UNUSABLE} and _is_functional(op)}


def _is_functional(op: Any) -> bool:
    return isinstance(op, torch._ops.OpOverload) and not op._schema.is_mutable  # pyright: ignore[reportPrivateUsage]


def decomposed(program: ExportedProgram, table: Table | None = None) -> ExportedProgram:
    """Returns a program that writes no tensor in place, of ops that have converters, as far as torch can take the others apart.

    `table` has other decompositions than `decompositions`.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return program.run_decompositions(decompositions() if table is None else table)
        except Exception as error:
            # Decompositions of torch raise what they meet; it is no matter of the program's file.
            text = " ".join(str(error).split())[:200]
            raise ModelImportError(f"torch cannot take the program apart: {type(error).__name__}: {text}") from None
