"""Operations of MLIR's `tensor` dialect that xDSL lacks or verifies too narrowly.

`EXTENDED_TENSOR` is xDSL's dialect with these definitions added or in place of xDSL's; a driver that reads such modules registers it under
the name `tensor`.

For upstream: "`tensor` has `generate` and `rank`; `tensor.pad` accepts a static size in the result type beside a dynamic amount,
`tensor.expand_shape` a tensor of rank 0, `tensor.reshape` unknown sizes."
"""

from __future__ import annotations

from math import prod

from xdsl.dialects import tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, TensorType
from xdsl.dialects.tensor import Tensor
from xdsl.ir import Dialect, Operation
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from .linalg_syntax import parse_generate


@irdl_op_definition
class GenerateOp(IRDLOperation):
    """A tensor whose elements are computed from their indices."""

    name = "tensor.generate"

    dynamic_extents = var_operand_def(IndexType)
    result = result_def()
    body = region_def("single_block")

    traits = traits_def(Pure())

    @classmethod
    def parse(cls, parser: Parser) -> GenerateOp:
        return parse_generate(cls, parser)


@irdl_op_definition
class RankOp(IRDLOperation):
    """The rank of a tensor."""

    name = "tensor.rank"

    tensor = operand_def()
    result = result_def(IndexType)

    assembly_format = "$tensor attr-dict `:` type($tensor)"

    traits = traits_def(Pure())


class PadOp(tensor.PadOp):
    """`tensor.pad`; a size that is known may be written in the result type although an amount is a value."""

    def verify_(self) -> None:
        self.get_irdl_definition().verify(self)
        _verify_pad(self)


def _verify_pad(op: tensor.PadOp) -> None:
    """Checks the counts of amounts, and each size of the result that all parts of are known."""
    source, result = op.source.type, op.result.type
    if not isinstance(source, TensorType):
        raise VerifyException(f"expected a ranked tensor, got {source}")
    rank = source.get_num_dims()
    counts = (len(op.static_low), len(op.static_high), result.get_num_dims(), len(op.region.block.args))
    if any(count != rank for count in counts):
        raise VerifyException(
            f"expected {rank} low and high amounts, result dims and region arguments, got {', '.join(map(str, counts))}"
        )
    amounts = zip(op.static_low.get_values(), op.static_high.get_values(), strict=True)
    for d, (size, (low, high), result_size) in enumerate(
        zip(source.get_shape(), amounts, result.get_shape(), strict=True)
    ):
        if DYNAMIC_INDEX not in (size, low, high, result_size) and low + size + high != result_size:
            raise VerifyException(f"dim {d} of the result: expected {low} + {size} + {high}, got {result_size}")


class ExpandShapeOp(tensor.ExpandShapeOp):
    """`tensor.expand_shape`; a tensor of rank 0 becomes one of dims that are 1, as no group of dims stands for them."""

    def verify_(self) -> None:
        shape = self.result.type.get_shape()
        if not isinstance(self.src.type, TensorType) or self.src.type.get_num_dims() > 0:
            super().verify_()
        elif len(self.reassociation) > 0 or any(dim != 1 for dim in shape):
            raise VerifyException(f"expected no groups and dims that are 1, got {len(self.reassociation)} for {shape}")
        elif tuple(self.static_output_shape.get_values()) != shape:
            raise VerifyException(f"expected the output shape {shape}, got {self.static_output_shape}")


class ReshapeOp(tensor.ReshapeOp):
    """`tensor.reshape`; the numbers of elements are compared where all sizes are known."""

    def verify_(self) -> None:
        self.get_irdl_definition().verify(self)
        source, result, shape = self.source.type, self.result.type, self.shape.type
        if not isinstance(source, TensorType) or not isinstance(shape, TensorType) or shape.get_num_dims() != 1:
            raise VerifyException(f"expected a ranked tensor and a vector of sizes, got {source} and {shape}")
        if source.element_type != result.element_type:
            raise VerifyException(f"expected elements of {source.element_type}, got {result.element_type}")
        if shape.get_shape()[0] not in (DYNAMIC_INDEX, result.get_num_dims()):
            raise VerifyException(f"expected {result.get_num_dims()} sizes, got {shape.get_shape()[0]}")
        known = DYNAMIC_INDEX not in (*source.get_shape(), *result.get_shape())
        if known and prod(source.get_shape()) != prod(result.get_shape()):
            raise VerifyException(f"expected {prod(source.get_shape())} elements, got {prod(result.get_shape())}")


_OWN: dict[type[Operation], type[Operation]] = {
    tensor.PadOp: PadOp,
    tensor.ExpandShapeOp: ExpandShapeOp,
    tensor.ReshapeOp: ReshapeOp,
}

EXTENDED_TENSOR = Dialect(
    "tensor",
    [*(_OWN.get(op, op) for op in Tensor.operations), GenerateOp, RankOp],
    [*Tensor.attributes],
)
