"""Recipes of ops: each takes a scope, picks operands and attributes, and adds one op or a few."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..scope import Scope
from . import create, elementwise, indexing, linear_algebra, manipulate, reduction

Recipe = Callable[[Scope], Any]

RECIPES: list[tuple[float, Recipe]] = [
    (8, elementwise.unary_op),
    (2, elementwise.clip),
    (4, elementwise.astype),
    (8, elementwise.binary_op),
    (12, elementwise.arithmetic),
    (3, elementwise.of_domain),
    (3, elementwise.where),
    (4, manipulate.permute),
    (4, manipulate.reshape),
    (2, manipulate.reshape_like),
    (2, manipulate.expand_dims),
    (1, manipulate.squeeze),
    (3, manipulate.concat),
    (2, manipulate.stack),
    (3, manipulate.split),
    (3, manipulate.broadcast_to),
    (4, manipulate.repeat),
    (2, manipulate.pad),
    (1, manipulate.meshgrid),
    (3, indexing.take),
    (3, indexing.strided_slice),
    (1, indexing.dynamic_slice),
    (2, indexing.gather),
    (3, indexing.scatter),
    (1, indexing.one_hot),
    (6, reduction.reduce),
    (2, reduction.arg_reduce),
    (3, reduction.scan_op),
    (2, reduction.sort),
    (3, reduction.softmax),
    (3, reduction.norm),
    (2, reduction.batch_norm),
    (1, reduction.dropout),
    (6, linear_algebra.matmul),
    (4, linear_algebra.linear),
    (3, linear_algebra.einsum),
    (1, linear_algebra.outer),
    (1, create.fill_like),
    (2, create.creation),
    (2, create.triangle),
    (2, create.shape_ops),
    (0.7, create.nonzero),
    (0.7, create.unique),
    (0.5, elementwise.stop_lift),
]
"""Each with how often it is taken."""
