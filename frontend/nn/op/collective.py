"""Operations that the ranks of a machine do together. A program runs on one rank, where each is the identity."""

from __future__ import annotations

from ..errors import ModelError
from ..tensor import Tensor

REDUCTIONS = ("sum", "prod", "min", "max", "avg")


def ccl_allreduce(x: Tensor, op_type: str = "sum", in_group: bool = True, name: str = "ccl_allreduce") -> Tensor:
    """Returns the reduction of the tensors of all ranks: `x`, as there is one rank."""
    if op_type not in REDUCTIONS:
        raise ModelError(f"expected op_type to be one of {', '.join(REDUCTIONS)}, got {op_type!r}")
    return x


def ccl_allgather(x: Tensor, num_workers: int, name: str = "ccl_allgather") -> Tensor:
    """Returns the tensors of all ranks joined along the first dim: `x`, as there is one rank."""
    if num_workers != 1:
        raise ModelError(f"expected num_workers to be 1, as a program runs on one rank, got {num_workers}")
    return x


def ccl_broadcast_from_worker0(x: Tensor, name: str = "broadcast_from_worker") -> Tensor:
    """Returns the tensor of the first rank: `x`, as there is one rank."""
    return x
