"""Every op says how it may be fused; one that does not is refused when its class is made."""

from __future__ import annotations

import pytest
from xdsl.irdl import irdl_op_definition
from xdsl_relax.dialects.relax.base import RelaxOp
from xdsl_relax.dialects.relax.dialect import OPS
from xdsl_relax.dialects.relax.fusion_pattern import FusionPattern
from xdsl_relax.dialects.relax.ops.binary import AddOp
from xdsl_relax.dialects.relax.ops.unary import UnaryOp


@pytest.mark.parametrize("op", [op for op in OPS if issubclass(op, RelaxOp)], ids=lambda op: op.name)
def test_an_op_declares_a_pattern(op: type[RelaxOp]):
    assert isinstance(op.FUSION_PATTERN, FusionPattern)
    # Element-wise ops become broadcasts by their shapes; a tuple is no op that computes.
    assert op.FUSION_PATTERN not in (FusionPattern.BROADCAST, FusionPattern.TUPLE)


def test_an_op_without_a_pattern_is_refused():
    with pytest.raises(TypeError, match=r"UndeclaredOp \(relax\.undeclared\) declares no fusion pattern"):

        class UndeclaredOp(RelaxOp):  # pyright: ignore[reportUnusedClass]
            name = "relax.undeclared"


def test_an_op_has_the_pattern_of_its_family():
    @irdl_op_definition
    class CubeOp(UnaryOp):
        """`x * x * x`."""

        name = "relax.cube"

    assert CubeOp.FUSION_PATTERN is FusionPattern.ELEM_WISE
    assert AddOp.FUSION_PATTERN is FusionPattern.ELEM_WISE
