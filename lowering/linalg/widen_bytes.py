"""The pass `widen-bytes`: products of bytes have a left factor of i16, for targets whose instructions multiply that."""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import ModuleOp, TensorType, i8, i16, i32
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import BlockArgument, SSAValue
from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineDimExpr, AffineMap
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from ...dialects.walks import ops_inside
from ..emit.tensor_builder import TensorBuilder


class WidenBytesPass(ModulePass):
    """Converts the left factor of a product of 8 bits in i32 to i16 before the product, once for all that read it.

    ```mlir
    %y = linalg.generic {...} ins(%a, %b : tensor<128x768xi8>, tensor<768x3072xi8>) outs(%c : tensor<128x3072xi32>) {
      %p = arith.extui %a0 : i8 to i32
    ```
    becomes
    ```mlir
    %w = linalg.generic {...} ins(%a : tensor<128x768xi8>) outs(%e : tensor<128x768xi16>) { ... arith.extui ... }
    %y = linalg.generic {...} ins(%w, %b : tensor<128x768xi16>, tensor<768x3072xi8>) outs(%c : tensor<128x3072xi32>) {
      %t = arith.trunci %a0 : i16 to i8
      %p = arith.extui %t : i8 to i32
    ```
    whose payload still tells that the factor holds bytes, of which sign: some kernels need to know it.

    The left factor is the one that does not go along the last dim of the result, nor lies in blocks where the other one does not. The other
    one, mostly a weight, is converted where kernels read it. Before: `linalg.generic`, fused. After: the same.
    """

    name = "widen-bytes"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.body.block.ops:
            if isinstance(function, func.FuncOp) and function.body.blocks:
                for generic in [each for each in ops_inside(function) if isinstance(each, linalg.GenericOp)]:
                    extension = _left_extension(generic)
                    if extension is not None:
                        _widen(generic, extension)


def _left_extension(op: linalg.GenericOp) -> arith.ExtSIOp | arith.ExtUIOp | None:
    """Returns what extends the left factor of a product of bytes; None if an op is none."""
    extensions = _extensions(op)
    if extensions is None:
        return None
    maps = [attr.data for attr in op.indexing_maps.data]
    column = maps[-1].results[-1] if maps[-1].results else None
    if not isinstance(column, AffineDimExpr):
        return None
    plain = [each for each in extensions if not _lies_in_blocks(maps[_argument(each).index])]
    if len(plain) == 1:
        return plain[0] if maps[-1].used_dims() - maps[_argument(plain[0]).index].used_dims() else None
    left = [each for each in extensions if column.position not in maps[_argument(each).index].used_dims()]
    return left[0] if len(left) == 1 else None


def _lies_in_blocks(access: AffineMap) -> bool:
    """Returns whether an operand has blocks of some of its dims, as packed weights have."""
    return any(isinstance(e, AffineBinaryOpExpr) and e.kind == AffineBinaryOpKind.FloorDiv for e in access.results)


def _extensions(op: linalg.GenericOp) -> list[arith.ExtSIOp | arith.ExtUIOp] | None:
    """Returns what extends both factors of `acc + a * b` from i8 to i32."""
    product = _product(op)
    owners = [] if product is None else [value.owner for value in product.operands]
    known = [each for each in owners if isinstance(each, arith.ExtSIOp | arith.ExtUIOp) and _is_byte(each.input)]
    return known if {_argument(each).index for each in known} == {0, 1} else None


def _product(op: linalg.GenericOp) -> arith.MuliOp | None:
    """Returns the product in i32 that an op adds to its output."""
    if len(op.inputs) != 2 or len(op.outputs) != 1 or not all(isinstance(x.type, TensorType) for x in op.operands):
        return None
    body = op.body.block
    assert body.last_op is not None
    (total,) = body.last_op.operands
    if not isinstance(total.owner, arith.AddiOp) or total.type != i32 or body.args[2] not in total.owner.operands:
        return None
    owner = next((value.owner for value in total.owner.operands if value is not body.args[2]), None)
    return owner if isinstance(owner, arith.MuliOp) else None


def _is_byte(value: SSAValue) -> bool:
    return value.type == i8 and isinstance(value, BlockArgument) and value.has_one_use()


def _argument(extension: arith.ExtSIOp | arith.ExtUIOp) -> BlockArgument:
    assert isinstance(extension.input, BlockArgument)
    return extension.input


def _widen(op: linalg.GenericOp, extension: arith.ExtSIOp | arith.ExtUIOp) -> None:
    """Converts a factor before an op, which extends what is left."""
    argument = _argument(extension)
    b = TensorBuilder(InsertPoint.before(op))
    source = op.inputs[argument.index]
    wide = b.elementwise([source], b.shape(source), i16, lambda s, xs: s.insert(type(extension)(xs[0], i16)))
    op.operands[argument.index] = wide
    Rewriter.replace_value_with_new_type(argument, i16)
    narrow = arith.TruncIOp(op.body.block.args[argument.index], i8)
    Rewriter.replace_op(extension, [narrow, type(extension)(narrow.result, i32)])
