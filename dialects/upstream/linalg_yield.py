"""What the body of a `linalg.generic` must yield, which xDSL does not verify."""

from __future__ import annotations

from xdsl.dialects.linalg import ops as linalg
from xdsl.utils.exceptions import VerifyException


def verify_yield(op: linalg.GenericOp) -> None:
    """Raises `VerifyException` unless the body yields a scalar of the element type of each output."""
    expected = [getattr(output.type, "element_type", output.type) for output in op.outputs]
    last = op.body.block.last_op
    if not isinstance(last, linalg.YieldOp):
        raise VerifyException("expected linalg.yield at the end of the body")
    yielded = [value.type for value in last.operands]
    if yielded != expected:
        expected_text, yielded_text = (", ".join(map(str, types)) or "nothing" for types in (expected, yielded))
        raise VerifyException(
            f"expected the body to yield {expected_text}, the element types of the outputs, got {yielded_text}"
        )
