"""Operations that the ranks of a machine do together. A program runs on one rank, where each is the identity."""

from __future__ import annotations

from ..annotations import checked
from ..tensor import Tensor, apply


@checked
def ccl_allreduce(x: Tensor, op_type: str = "sum", in_group: bool = True, name: str = "ccl_allreduce") -> Tensor:
    """Returns the reduction of the tensors of all ranks: `x`, as there is one rank."""
    return apply("ccl.allreduce", x, op_type=op_type, in_group=in_group, name=name)


@checked
def ccl_allgather(x: Tensor, num_workers: int, name: str = "ccl_allgather") -> Tensor:
    """Returns the tensors of all ranks joined along the first dim: `x`, as there is one rank."""
    return apply("ccl.allgather", x, num_workers=num_workers, name=name)


@checked
def ccl_broadcast_from_worker0(x: Tensor, name: str = "broadcast_from_worker") -> Tensor:
    """Returns the tensor of the first rank: `x`, as there is one rank."""
    return apply("ccl.broadcast_from_worker0", x, name=name)
