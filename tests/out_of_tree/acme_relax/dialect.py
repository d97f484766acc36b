"""The dialect `acme`: one op."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.ir import Attribute, Dialect
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, result_def, traits_def
from xdsl.traits import Pure
from xdsl_relax.dialects.relax.attrs import tensor_type
from xdsl_relax.dialects.relax.base import F64, TENSOR, RelaxOp, dims, require_same_element
from xdsl_relax.dialects.relax.dtypes import FLOATS
from xdsl_relax.dialects.relax.element_rules import require_element
from xdsl_relax.dialects.relax.fusion_pattern import FusionPattern
from xdsl_relax.dialects.relax.rules.shape_rules import broadcast
from xdsl_relax.dialects.symbolic.conditions import SizeContext


@irdl_op_definition
class SwishPlusOp(RelaxOp):
    """`x * sigmoid(beta * x) + y` with broadcasting; f16 and bf16 are computed in f32. `beta` is 1 by default.

    swish_plus_c1: the element types are equal, and floats.
    swish_plus_c2: the shapes broadcast.
    """

    name = "acme.swish_plus"
    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.ELEM_WISE
    x = operand_def(TENSOR)
    y = operand_def(TENSOR)
    beta = opt_prop_def(F64)
    result = result_def(TENSOR)
    traits = traits_def(Pure())

    @property
    def factor(self) -> float:
        """The factor of x in the sigmoid."""
        return self.prop("beta", 1.0)

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        element = require_element(require_same_element("swish_plus_c1", self.x, self.y), FLOATS, "swish_plus_c1")
        return [tensor_type(broadcast(context, dims(self.x), dims(self.y), "swish_plus_c2"), element)]


Acme = Dialect("acme", [SwishPlusOp], [])
