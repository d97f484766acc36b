"""Shapes as values: shape_of, shape_to_tensor, tensor_to_shape, symbols as scalars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import i64
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, operand_def, opt_operand_def, opt_prop_def, result_def, traits_def
from xdsl.traits import Pure

from ...symbolic.conditions import SizeContext
from ..attrs import ShapeType, tensor_type
from ..base import DTYPE, I64, SHAPE, TENSOR, RelaxOp, TensorOp, dims, dtype_attr, element, fail, shape_value
from ..dtypes import NUMERIC
from ..element_rules import require_element
from ..fusion_pattern import FusionPattern
from ..rules.shape_rules import shape_text


@irdl_op_definition
class ShapeOfOp(RelaxOp):
    """The shape of a tensor as a shape value.

    shape_of_c1: the rank is known.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.OPAQUE
    name = "relax.shape_of"
    x = operand_def(TENSOR)
    result = result_def(SHAPE)
    traits = traits_def(Pure())

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        shape = dims(self.x)
        if shape is None:
            fail("shape_of_c1", f"the rank must be known, got {self.x.type}")
        return [ShapeType(shape)]


@irdl_op_definition
class ShapeToTensorOp(TensorOp):
    """The entries of a shape value as a vector of i64."""

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.OPAQUE
    name = "relax.shape_to_tensor"
    shape = operand_def(SHAPE)

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        return [tensor_type([len(shape_value(self.shape))], i64)]


@irdl_op_definition
class TensorToShapeOp(RelaxOp):
    """The shape value whose sizes are the elements of an i64 vector; `relax.match_cast` names them.

    ```mlir
    %s = relax.tensor_to_shape %t, %bounds : (tensor<2xi64>, !relax.shape<[n, 8]>) -> !relax.shape<[?, ?]>
    %c = relax.match_cast %s : (!relax.shape<[?, ?]>) -> !relax.shape<[rows, 8]>
    ```
    The second operand, which Relax does not have, holds an upper bound of each size. Compiled code plans memory for the bound; without one
    a function whose memory depends on the size is called in steps (docs/stages.md).
    That a size is not negative, and not above its bound, is checked when the program runs.

    tensor_to_shape_c1: the operand is a vector of i64 with a number of elements that is known.
    tensor_to_shape_c2: there are as many bounds as elements.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.OPAQUE
    name = "relax.tensor_to_shape"
    t = operand_def(TENSOR)
    bounds = opt_operand_def(SHAPE)
    result = result_def(SHAPE)
    traits = traits_def(Pure())

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        shape = dims(self.t)
        require_element(element(self.t), (i64,), "tensor_to_shape_c1")
        if shape is None or len(shape) != 1 or not isinstance(shape[0], int):
            fail("tensor_to_shape_c1", f"the operand must be a vector of known length, got shape {shape_text(shape)}")
        if self.bounds is not None and len(shape_value(self.bounds)) != shape[0]:
            count = len(shape_value(self.bounds))
            fail("tensor_to_shape_c2", f"there must be {shape[0]} bounds, got {count}")
        return [ShapeType((None,) * shape[0])]


@irdl_op_definition
class SymbolValueOp(TensorOp):
    """Entry `index` (0 by default) of a shape value as a scalar tensor of type `dtype` (i64 by default).

    It makes a size part of a computation: `%s = relax.shape : () -> !relax.shape<[2 * n]>` and `%v = relax.symbol_value %s {dtype = f32} :
    (!relax.shape<[2 * n]>) -> tensor<f32>`. Relax has scalar values in its place.

    symbol_value_c1: the index is that of an entry.
    symbol_value_c2: `dtype` is numeric.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.ELEM_WISE
    name = "relax.symbol_value"
    shape = operand_def(SHAPE)
    index = opt_prop_def(I64)
    dtype = opt_prop_def(DTYPE)

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        index, count = self.prop("index", 0), len(shape_value(self.shape))
        if not 0 <= index < count:
            fail("symbol_value_c1", f"index must be in [0, {count}), got {index}")
        element_type = i64 if self.dtype is None else dtype_attr(self.dtype)
        return [tensor_type([], require_element(element_type, NUMERIC, "symbol_value_c2"))]
