"""What convolutions and poolings share: padding, strides and the sizes that they leave."""

from __future__ import annotations

from collections.abc import Sequence

from ....dialects.symbolic.nodes import Known
from ...model.problems import Unsupported
from ...model.sizes import number_hint
from ..node import Node


def spatial(node: Node, name: str, rank: int, default: int = 1) -> list[int]:
    """Returns an attribute with one integer for each spatial dim."""
    given = [int(item) for item in node.attr(name, [default] * rank)]
    if len(given) != rank:
        raise Unsupported(f"{name} must have {rank} entries, got {len(given)}")
    return given


def padding_mode(node: Node) -> str:
    """Returns `auto_pad`; raises `Unsupported` where there is padding beside it."""
    mode = node.attr("auto_pad", "NOTSET")
    pads = [int(item) for item in node.attr("pads", [])]
    if mode not in ("NOTSET", "") and any(pads):
        raise Unsupported(f"takes pads or auto_pad, got both: {pads} and {mode}")
    return mode


def padding(
    node: Node, sizes: Sequence[Known], kernel: Sequence[int], strides: Sequence[int], dilations: Sequence[int]
) -> list[int]:
    """Returns the padding before all spatial dims, then that after them."""
    rank = len(kernel)
    mode = padding_mode(node)
    if mode == "VALID":
        return [0] * (2 * rank)
    if mode in ("NOTSET", ""):
        pads = [int(item) for item in node.attr("pads", [0] * (2 * rank))]
        if len(pads) != 2 * rank or min(pads, default=0) < 0:
            raise Unsupported(f"pads must be {2 * rank} numbers that are not negative, got {pads}")
        return pads
    if mode not in ("SAME_UPPER", "SAME_LOWER"):
        raise Unsupported(f"auto_pad {mode!r} is not known")
    before: list[int] = []
    after: list[int] = []
    for size, extent, stride, dilation in zip(sizes, kernel, strides, dilations, strict=True):
        total = _same(size, (extent - 1) * dilation + 1, stride)
        sides = halves(total, upper=mode == "SAME_UPPER")
        before.append(sides[0])
        after.append(sides[1])
    return [*before, *after]


def halves(total: int, upper: bool) -> tuple[int, int]:
    """Returns the padding before and after a dim, of which the greater half is after it where `upper` says so."""
    less, more = total // 2, total - total // 2
    return (less, more) if upper else (more, less)


def _same(size: Known, extent: int, stride: int) -> int:
    """Returns the padding by which a dim keeps its size, divided by the stride.

    The formula of ONNX gives less than 0 for a stride greater than the window, whose last windows end inside of the data: none then.
    """
    if stride == 1 or extent == 1:
        return extent - 1
    if not isinstance(size, int):
        raise Unsupported(f"the padding of a dim of size {size} depends on that size; {number_hint([size])}")
    return max((-(-size // stride) - 1) * stride + extent - size, 0)
