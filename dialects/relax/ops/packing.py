"""Packed weights: the layout that contractions read fastest, and the product that reads it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import bf16, i8
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def

from ...symbolic.conditions import SizeContext
from ...symbolic.expressions import Dim, ceildiv
from ..attrs import tensor_type
from ..base import DTYPE, I64, TENSOR, TensorOp, dims, dtype_attr, element, fail
from ..dtypes import NUMERIC, is_narrower_float, ui8
from ..element_rules import require_element, require_factors
from ..fusion_pattern import FusionPattern
from ..rules.shape_rules import shape_text

PANEL = 64
"""Columns of a panel where nothing else is said: a multiple of the width of every target's register tiles (4 x 16, 2 x 8, ... columns), so
that packed parameters that were saved can be read on every machine.
"""

PANELS = (16, 32, PANEL)
"""What a panel may have: multiples of every target's vectors."""

_PANELS_TEXT = "16, 32 or 64"


def group_of(element_type: Attribute | None) -> int:
    """Returns the rows that lie together in the packed layout: as many as instructions multiply and add at once, 1 for others."""
    if element_type in (i8, ui8):
        return 4
    return 2 if element_type == bf16 else 1


def packed_dims(rows: Dim, columns: Dim, element_type: Attribute | None, panel: int = PANEL) -> tuple[Dim, ...]:
    """Returns the dims of a packed matrix."""
    panels, group = ceildiv(columns, panel), group_of(element_type)
    return (panels, ceildiv(rows, group), panel, group) if group > 1 else (panels, rows, panel)


def panel_option(columns: int) -> int | None:
    """Returns the attribute of `pack_weight` for panels of so many columns: none where nothing need be said."""
    return None if columns == PANEL else columns


def panel_of(packed: Sequence[Dim] | None) -> int:
    """Returns the columns of a panel of a packed matrix; those of most where its dims are not known, or no packed matrix has them."""
    panel = packed[2] if packed is not None and len(packed) > 2 else None
    return panel if isinstance(panel, int) and panel in PANELS else PANEL


@irdl_op_definition
class PackWeightOp(TensorOp):
    """Cuts a matrix [K, N] into panels of columns, 64 or `panel` ones: element [p, k, j] of the result is [k, 64 p + j], and 0 beyond N.

    Of 8-bit elements four rows lie together: element [p, g, j, s] is [4 g + s, 64 p + j], and 0 beyond K and N; of bf16 two.

    Not in Relax. It depends on the weight alone, so that `relax-lift-transform-params` moves it out of the inference functions.

    pack_weight_c1: the operand has two dims.
    pack_weight_c2: the element type is numeric.
    pack_weight_c3: `panel` is 16, 32 or 64.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.INJECTIVE
    name = "relax.pack_weight"
    weight = operand_def(TENSOR)
    panel = opt_prop_def(I64)

    @property
    def panel_columns(self) -> int:
        """The columns of a panel."""
        return PANEL if self.panel is None else self.panel.value.data

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        element_type = require_element(element(self.weight), NUMERIC, "pack_weight_c2")
        shape = dims(self.weight)
        if shape is None:
            shape = (None, None)
        if len(shape) != 2:
            fail("pack_weight_c1", f"the weight must have two dims, got {shape_text(shape)}")
        if self.panel_columns not in PANELS:
            fail("pack_weight_c3", f"panel must be {_PANELS_TEXT}, got {self.panel_columns}")
        return [tensor_type(packed_dims(*shape, element_type, self.panel_columns), element_type)]


@irdl_op_definition
class PackedMatmulOp(TensorOp):
    """`matmul(lhs, rhs)` where `packed` is `pack_weight(rhs)` of a matrix with `columns` columns. Not in Relax.

    Accumulates as `relax.matmul` does, and gives the same numbers up to the order of sums.

    packed_matmul_c1: the element types are equal and numeric, or i8 and ui8 with `out_dtype` i32; a packed weight of floats may
    have a narrower type than the lhs, which its elements are converted to.
    packed_matmul_c2: the contraction dims are equal.
    packed_matmul_c3: the packed weight has the dims [ceil(columns / 64), K, 64]; [ceil(columns / 64), ceil(K / 4), 64, 4] with 8 bits,
    and likewise by twos with bf16; panels may have 16 or 32 columns instead.
    packed_matmul_c4: the lhs has at least one dim.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.OUT_ELEM_WISE_FUSABLE
    name = "relax.packed_matmul"
    lhs = operand_def(TENSOR)
    packed = operand_def(TENSOR)
    columns = prop_def(I64)
    out_dtype = opt_prop_def(DTYPE)

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        # Element types first, then what is known of either shape: the dims that both have are compared last.
        element_type = element(self.lhs)
        if not is_narrower_float(element(self.packed), element_type):
            element_type = require_factors("packed_matmul_c1", self.lhs, self.packed, self.out_dtype)
        if self.out_dtype is not None:
            element_type = require_element(dtype_attr(self.out_dtype), NUMERIC, "packed_matmul_c1")
        columns, lhs, packed = self.columns.value.data, dims(self.lhs), dims(self.packed)
        panel = panel_of(packed)
        wanted = packed_dims(None, columns, element(self.packed), panel)
        if packed is not None and (
            len(packed) != len(wanted) or any(context.differ(a, b) for a, b in zip(packed, wanted, strict=True))
        ):
            rows = ["K"] if len(wanted) == 3 else [f"ceil(K / {wanted[3]})"]
            form = ", ".join(map(str, (wanted[0], *rows, panel, *wanted[3:])))
            others = "" if panel in packed[2:3] else f", or have panels of {_PANELS_TEXT} columns"
            fail("packed_matmul_c3", f"the packed weight must be [{form}]{others}, got {shape_text(packed)}")
        if lhs is None:
            return [tensor_type(None, element_type)]
        if not lhs:
            fail("packed_matmul_c4", "the lhs must have rank 1 or more, got 0")
        if packed is not None and context.differ(packed_dims(lhs[-1], columns, element(self.packed))[1], packed[1]):
            rows = packed[1] if len(packed) == 3 else f"{packed[3]} * {packed[1]}"
            fail("packed_matmul_c2", f"contraction dimensions differ: lhs has {lhs[-1]}, packed has {rows}")
        return [tensor_type((*lhs[:-1], columns), element_type)]
