"""All rules."""

from __future__ import annotations

from ..rule import Rules
from . import (
    activation,
    attention,
    elementwise,
    image,
    indexing,
    norms,
    pools,
    products,
    quantize,
    reductions,
    scalars,
    shapes,
    sorting,
    structure,
    winograd,
)

RULES: Rules = {
    **activation.RULES,
    **attention.RULES,
    **elementwise.RULES,
    **image.RULES,
    **indexing.RULES,
    **norms.RULES,
    **pools.RULES,
    **products.RULES,
    **quantize.RULES,
    **reductions.RULES,
    **scalars.RULES,
    **shapes.RULES,
    **sorting.RULES,
    **structure.RULES,
    **winograd.RULES,
}

_MEMORY = "programs have no memory of their own"
_PYTHON = "programs call no Python"
_RANKS = "programs run on one replica"
_VALUES = "the size of its result depends on values"

REFUSED: dict[str, str] = {
    "relax.builtin.alloc_tensor": _MEMORY,
    "relax.call_dps": _MEMORY,
    "relax.call_dps_packed": _PYTHON,
    "relax.call_packed": _PYTHON,
    "relax.ccl.allgather": _RANKS,
    "relax.ccl.allreduce": _RANKS,
    "relax.ccl.broadcast_from_worker0": _RANKS,
    "relax.dynamic_strided_slice": _VALUES,
    "relax.invoke_closure": _PYTHON,
    "relax.invoke_pure_closure": _PYTHON,
    "relax.memory.alloc_storage": _MEMORY,
    "relax.memory.alloc_tensor": _MEMORY,
    "relax.memory.kill_storage": _MEMORY,
    "relax.memory.kill_tensor": _MEMORY,
    "relax.nonzero": _VALUES,
    "relax.null_value": _PYTHON,
    "relax.tensor_to_shape": _VALUES,
    "relax.unique": _VALUES,
}
"""The ops of the dialect that are not written, and why."""
