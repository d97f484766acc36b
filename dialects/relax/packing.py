"""Packed weights: the layout that contractions read fastest, and the product that reads it."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Attribute, Operation
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from .attrs import tensor_type
from .base import DTYPE, I64, TENSOR, RelaxOp, dims, dtype_attr, element, fail
from .dtypes import NUMERIC, require_element, require_factors
from .shape_rules import shape_text
from .symbolic import ceildiv, equal

PANEL = 64
"""Columns of a panel. One layout serves products with many rows and with one."""


@irdl_op_definition
class PackWeightOp(RelaxOp):
    """Cuts a matrix [K, N] into panels of 64 columns: element [p, k, j] of the result is [k, 64 p + j], and 0 beyond N.

    Not in Relax. It depends on the weight alone, so that `relax-lift-transform-params` moves it out of the inference functions.

    pack_weight_c1: the operand has two dims.
    pack_weight_c2: the element type is numeric.
    """

    name = "relax.pack_weight"
    weight = operand_def(TENSOR)
    result = result_def(TENSOR)
    traits = traits_def(Pure())

    def infer(self) -> Sequence[Attribute]:
        element_type = require_element(element(self.weight), NUMERIC, "pack_weight_c2")
        shape = dims(self.weight)
        if shape is None:
            return [tensor_type((None, None, PANEL), element_type)]
        if len(shape) != 2:
            fail("pack_weight_c1", f"the weight must have two dims, got {shape_text(shape)}")
        return [tensor_type((ceildiv(shape[1], PANEL), shape[0], PANEL), element_type)]


@irdl_op_definition
class PackedMatmulOp(RelaxOp):
    """`matmul(lhs, rhs)` where `packed` is `pack_weight(rhs)` of a matrix with `columns` columns. Not in Relax.

    Accumulates as `relax.matmul` does, and gives the same numbers up to the order of sums.

    packed_matmul_c1: the element types are equal and numeric, or i8 and ui8 with `out_dtype` i32.
    packed_matmul_c2: the contraction dims are equal.
    packed_matmul_c3: the packed weight has the dims [ceil(columns / 64), K, 64].
    packed_matmul_c4: the lhs has at least one dim.
    """

    name = "relax.packed_matmul"
    lhs = operand_def(TENSOR)
    packed = operand_def(TENSOR)
    columns = prop_def(I64)
    out_dtype = opt_prop_def(DTYPE)
    result = result_def(TENSOR)
    traits = traits_def(Pure())

    def infer(self) -> Sequence[Attribute]:
        element_type = require_factors("packed_matmul_c1", self.lhs, self.packed, self.out_dtype)
        if self.out_dtype is not None:
            element_type = require_element(dtype_attr(self.out_dtype), NUMERIC, "packed_matmul_c1")
        columns, lhs, packed = self.columns.value.data, dims(self.lhs), dims(self.packed)
        panels = -(-columns // PANEL)
        if packed is not None and (
            len(packed) != 3 or equal(packed[0], panels) is False or equal(packed[2], PANEL) is False
        ):
            fail("packed_matmul_c3", f"the packed weight must be [{panels}, K, {PANEL}], got {shape_text(packed)}")
        if lhs is None:
            return [tensor_type(None, element_type)]
        if not lhs:
            fail("packed_matmul_c4", "the lhs must have rank 1 or more, got 0")
        if packed is not None and equal(lhs[-1], packed[1]) is False:
            fail("packed_matmul_c2", f"contraction dimensions differ: lhs has {lhs[-1]}, packed has {packed[1]}")
        return [tensor_type((*lhs[:-1], columns), element_type)]


OPS: tuple[type[Operation], ...] = (
    PackWeightOp,
    PackedMatmulOp,
)
