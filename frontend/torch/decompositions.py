"""What torch takes apart before the import: every op that has no converter here, but a decomposition there."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import torch
from torch._decomp import decomposition_table
from torch.export import ExportedProgram, default_decompositions

from ..model.problems import ModelImportError
from .graph import CHECKS
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


def is_decomposed(program: ExportedProgram) -> bool:
    """Returns whether a program is of ops that have converters, none of which writes in place; to ask torch takes a tenth of a second."""
    return all(
        node.op in ("placeholder", "output") or (node.op == "call_function" and _is_known(node.target))
        for node in program.graph.nodes
    )


def _is_known(target: Any) -> bool:
    if isinstance(target, torch._ops.OpOverload):  # pyright: ignore[reportPrivateUsage]
        name = str(target)
        return name in CHECKS or name.startswith("aten.sym_") or (name in CONVERTERS and _is_functional(target))
    # Arithmetic on sizes.
    return target is operator.getitem or getattr(target, "__module__", "") in ("_operator", "math")


def decomposed(program: ExportedProgram, table: Table | None = None) -> ExportedProgram:
    """Returns a program that writes no tensor in place, of ops that have converters, as far as torch can take the others apart.

    `table` has other decompositions than `decompositions`.
    """
    if table is None and is_decomposed(program):
        return program
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return program.run_decompositions(decompositions() if table is None else table)
        except Exception as error:
            # Decompositions of torch raise what they meet; it is no matter of the program's file.
            text = " ".join(str(error).split())[:200]
            raise ModelImportError(f"torch cannot take the program apart: {type(error).__name__}: {text}") from None
