"""What the maps of a `linalg.generic` may divide by, which xDSL does not verify."""

from __future__ import annotations

from xdsl.dialects.linalg import ops as linalg
from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineConstantExpr
from xdsl.utils.exceptions import VerifyException

_DIVISIONS = (AffineBinaryOpKind.Mod, AffineBinaryOpKind.FloorDiv, AffineBinaryOpKind.CeilDiv)


def verify_divisors(op: linalg.GenericOp) -> None:
    """Raises `VerifyException` unless each division and remainder in the indexing maps is by a positive number, as in MLIR."""
    for attribute in op.indexing_maps:
        for result in attribute.data.results:
            for part in result.dfs():
                if not isinstance(part, AffineBinaryOpExpr) or part.kind not in _DIVISIONS:
                    continue
                if not isinstance(part.rhs, AffineConstantExpr) or part.rhs.value <= 0:
                    raise VerifyException(
                        f"expected a division by a positive number in {attribute.data}, got one by {part.rhs}"
                    )
