"""Operands that do not fit: sizes of 0, 1 and off by one, shape values that are negative or huge, integers at the ends of their type."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from harness.op_cases import Arg


class OpCase(Protocol):
    """What is asked of a case."""

    @property
    def name(self) -> str: ...
    @property
    def sizes(self) -> Mapping[str, int]: ...
    @property
    def args(self) -> Sequence[Arg]: ...
    def inputs(self) -> list[Any]: ...


HUGE = (-1, -3, -(2**63), 2**31, 2**32, 2**62, 2**63 - 1)


def hostile_calls(case: OpCase) -> Iterator[tuple[str, list[Any]]]:
    """Yields labeled operands of a case that break what it takes for granted."""
    rng = np.random.default_rng(zlib.crc32(case.name.encode()))
    yield "as it is", case.inputs()
    for name, size in case.sizes.items():
        for other in sorted({0, 1, size - 1, size + 1} - {size, -1}):
            yield f"{name} = {other}", _made(case, rng, {**case.sizes, name: other})
    if len(case.sizes) > 1:
        yield "all 0", _made(case, rng, dict.fromkeys(case.sizes, 0))
    yield from _shape_values(case)
    yield from _integers(case, rng)


def _made(case: OpCase, rng: np.random.Generator, sizes: Mapping[str, int]) -> list[Any]:
    operands: list[Any] = []
    for arg in case.args:
        try:
            operands.append(arg.make(rng, sizes))
        except (ValueError, IndexError):
            # Values that the case computes from its own sizes do not fit these.
            operands.append(Arg(arg.dims, arg.element).make(rng, sizes))
    return operands


def _shape_values(case: OpCase) -> Iterator[tuple[str, list[Any]]]:
    """Changes each entry of a shape value that a symbol stands for."""
    for position, arg in enumerate(case.args):
        if not arg.shape_value:
            continue
        inputs = case.inputs()
        for axis, dim in enumerate(arg.dims):
            if isinstance(dim, str):
                for size in HUGE:
                    shape = (*inputs[position][:axis], size, *inputs[position][axis + 1 :])
                    yield f"operand {position}[{axis}] = {size}", [*inputs[:position], shape, *inputs[position + 1 :]]


def _integers(case: OpCase, rng: np.random.Generator) -> Iterator[tuple[str, list[Any]]]:
    """Replaces the integers of all operands by values at the ends of their type, and by such as lie just outside of any dim."""
    inputs = case.inputs()
    integer = [isinstance(x, np.ndarray) and x.dtype.kind in "iu" and x.size > 0 for x in inputs]
    if not any(integer):
        return
    for label in ("least", "most", "-1", "off by one"):
        values = [_extreme(x, label, rng) if is_int else x for x, is_int in zip(inputs, integer, strict=True)]
        yield f"integers {label}", values


def _extreme(array: np.ndarray, label: str, rng: np.random.Generator) -> np.ndarray:
    info = np.iinfo(array.dtype)
    if label == "off by one":
        return np.asarray(np.clip(rng.integers(-9, 10, array.shape), info.min, info.max)).astype(array.dtype)
    value = {"least": info.min, "most": info.max, "-1": max(-1, info.min)}[label]
    return np.full(array.shape, value, array.dtype)
