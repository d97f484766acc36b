"""Chains of quantized convolutions, whose images are padded where they are computed, against sums of integers in numpy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np
import pytest
import xdsl_relax
from harness.guard_pages import call_guarded
from xdsl_relax.builder import ModuleBuilder, tensor


@dataclass(frozen=True)
class Layer:
    """A convolution with channels last, and what is made of its result: 8 bits, after a residual is added if there is one."""

    outputs: int
    window: tuple[int, ...] = (3, 3)
    stride: int = 1
    padding: tuple[int, ...] | None = None
    """What is before each axis, then what is behind each; half of the window on all sides if it is not given."""
    residual: int | None = None
    """The layer whose image is added; -1 for the input."""
    value: int = 0
    """What is around the image: a pad of its own has other numbers than 0."""
    pools: bool = False
    """Whether it is the maximum of windows, of as many channels as there are, in place of a convolution."""

    @property
    def sides(self) -> tuple[int, ...]:
        return self.padding if self.padding is not None else tuple(size // 2 for size in self.window) * 2


@dataclass(frozen=True)
class Case:
    name: str
    input: tuple[int, ...]
    layers: list[Layer]
    dtype: str = "ui8"
    returned: list[int] = field(default_factory=list)
    """Layers whose images are results as well."""


BLOCK = [Layer(64), Layer(64), Layer(64, residual=0), Layer(64)]
CASES = [
    Case("rows of two tiles", (1, 28, 28, 32), [Layer(32), Layer(32), Layer(32)]),
    Case("rows together", (1, 7, 7, 64), BLOCK),
    Case("rows together, images", (3, 7, 7, 32), [Layer(48), Layer(32), Layer(16)]),
    Case("rows together, wide windows", (1, 5, 5, 16), [Layer(16, (5, 5)), Layer(32, (5, 5)), Layer(16, (1, 1))]),
    Case("rows together, uneven", (2, 6, 7, 20), [Layer(16), Layer(64, (3, 1)), Layer(32, (1, 3)), Layer(80)]),
    Case("rows of one tile", (1, 14, 14, 64), [*BLOCK, Layer(128, stride=2), Layer(128), Layer(128, residual=5)]),
    Case("strides", (1, 29, 13, 16), [Layer(32), Layer(32, stride=2), Layer(48, stride=2), Layer(32)]),
    Case(
        "a slice for a short way", (1, 14, 14, 16), [Layer(16), Layer(16), Layer(16, residual=0), Layer(16, (1, 1), 2)]
    ),
    Case("one side", (1, 14, 13, 16), [Layer(16, padding=(1, 0, 1, 2)), Layer(16, padding=(2, 0, 0, 3)), Layer(16)]),
    Case("other numbers around", (1, 14, 14, 16), [Layer(16), Layer(16, value=77), Layer(16, value=255), Layer(16)]),
    Case("two paddings", (1, 14, 14, 16), [Layer(16), Layer(16, (5, 5)), Layer(16, residual=0), Layer(16, value=3)]),
    Case("signed", (1, 7, 14, 16), [Layer(16), Layer(32), Layer(16, value=-5), Layer(16, residual=0)], "i8"),
    Case("results", (1, 14, 14, 16), [Layer(16), Layer(16), Layer(16, residual=0)], returned=[0, 1]),
    Case("channels of no whole block", (1, 14, 14, 10), [Layer(12), Layer(17), Layer(16), Layer(3)]),
    Case("one dim", (2, 30, 16), [Layer(16, (3,)), Layer(32, (5,)), Layer(16, (3,), 2), Layer(16, (3,))]),
    Case("three dims", (1, 4, 5, 14, 16), [Layer(16, (3, 3, 3)), Layer(16, (1, 3, 3)), Layer(16, (3, 3, 3))]),
    Case("pools", (1, 28, 28, 16), [Layer(16), Layer(16, stride=2, pools=True), Layer(16), Layer(16, residual=1)]),
    Case(
        "pools, signed",
        (2, 9, 14, 16),
        [Layer(16), Layer(16, pools=True), Layer(16, (2, 2), pools=True), Layer(16)],
        "i8",
    ),
    Case("pools of one side", (1, 14, 14, 16), [Layer(16), Layer(16, padding=(0, 2, 1, 1), pools=True), Layer(16)]),
    Case("single pixels", (1, 1, 1, 16), [Layer(16), Layer(16), Layer(16, residual=0)]),
    Case("rows of one pixel", (1, 16, 1, 16), [Layer(16), Layer(16), Layer(16)]),
]
SCALE, STEP = 0.003, 0.7
NAMES = {1: "conv1d", 2: "conv2d", 3: "conv3d"}
LETTERS = {1: "W", 2: "HW", 3: "DHW"}


def program(case: Case) -> Any:
    m = ModuleBuilder()
    rank = len(case.input) - 2
    letters = LETTERS[rank]
    with m.function("main") as f:
        images = [f.input("x", tensor(case.input, case.dtype))]
        channels = [case.input[-1], *(layer.outputs for layer in case.layers)]
        weights = [
            f.param(f"w{k}", tensor((layer.outputs, *layer.window, channels[k]), "i8"))
            for k, layer in enumerate(case.layers)
        ]
        with f.dataflow() as g:
            step, zero = (
                g.constant(np.float32(STEP)),
                g.constant(np.array(0, np.uint8 if case.dtype == "ui8" else np.int8)),
            )
            scale = g.constant(np.float32(SCALE))
            for layer, weight in zip(case.layers, weights, strict=True):
                x, padding = images[-1], list(layer.sides)
                if layer.pools:
                    pool = getattr(g.nn, f"max_pool{rank}d")
                    window = {"pool_size": list(layer.window), "strides": [layer.stride], "padding": padding}
                    images.append(pool(x, **window, layout=f"N{letters}C"))
                    continue
                if layer.value:
                    sides = [w for pair in zip(padding[:rank], padding[rank:], strict=True) for w in pair]
                    x, padding = g.nn.pad(x, pad_width=[0, 0, *sides, 0, 0], pad_value=float(layer.value)), [0]
                y = getattr(g.nn, NAMES[rank])(
                    x,
                    weight,
                    strides=[layer.stride],
                    padding=padding,
                    data_layout=f"N{letters}C",
                    kernel_layout=f"O{letters}I",
                    out_dtype="i32",
                )
                y = g.multiply(g.astype(y, dtype="f32"), scale)
                if layer.residual is not None:
                    y = g.add(y, g.astype(images[layer.residual + 1], dtype="f32"))
                images.append(g.quantize(y, step, zero, out_dtype=case.dtype))
            results = g.output(*(images[k + 1] for k in (*case.returned, len(case.layers) - 1)))
        f.returns(*(results if case.returned else [results]))
    return m.build()


def parts(x: np.ndarray, layer: Layer, value: int) -> Iterator[tuple[tuple[int, ...], np.ndarray]]:
    """Yields the items of the windows: for each its place in them, and what all windows have there."""
    rank = x.ndim - 2
    sides = list(zip(layer.sides[:rank], layer.sides[rank:], strict=True))
    padded = np.pad(x.astype(np.int64), [(0, 0), *sides, (0, 0)], constant_values=value)
    sizes = [(size - window) // layer.stride + 1 for size, window in zip(padded.shape[1:-1], layer.window, strict=True)]
    for tap in product(*map(range, layer.window)):
        part = tuple(
            slice(at, at + (size - 1) * layer.stride + 1, layer.stride) for at, size in zip(tap, sizes, strict=True)
        )
        yield tap, padded[(slice(None), *part)]


def convolved(x: np.ndarray, weight: np.ndarray, layer: Layer) -> np.ndarray:
    products = [part @ weight[(slice(None), *tap)].astype(np.int64).T for tap, part in parts(x, layer, layer.value)]
    return np.sum(products, axis=0)


def pooled(x: np.ndarray, layer: Layer) -> np.ndarray:
    return np.max([part for _, part in parts(x, layer, np.iinfo(x.dtype).min)], axis=0).astype(x.dtype)


def expected(case: Case, x: np.ndarray, weights: Sequence[np.ndarray]) -> list[np.ndarray]:
    images = [x]
    limits = np.iinfo(x.dtype)
    for layer, weight in zip(case.layers, weights, strict=True):
        if layer.pools:
            images.append(pooled(images[-1], layer))
            continue
        y = convolved(images[-1], weight, layer).astype(np.float32) * np.float32(SCALE)
        if layer.residual is not None:
            y = y + images[layer.residual + 1].astype(np.float32)
        images.append(np.clip(np.rint(y / np.float32(STEP)), limits.min, limits.max).astype(x.dtype))
    return [images[k + 1] for k in (*case.returned, len(case.layers) - 1)]


@pytest.mark.sweep(4)
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_images_are_those_of_numpy(case: Case, threads: int):
    rng = np.random.default_rng(len(case.name))
    dtype = np.uint8 if case.dtype == "ui8" else np.int8
    limits = np.iinfo(dtype)
    x = rng.integers(limits.min, limits.max, case.input, dtype, endpoint=True)
    channels = [case.input[-1], *(layer.outputs for layer in case.layers)]
    weights = [
        rng.integers(-128, 127, (layer.outputs, *layer.window, channels[k]), np.int8, endpoint=True)
        for k, layer in enumerate(case.layers)
    ]
    compiled = xdsl_relax.compile(program(case), lift=True, target="native", threads=threads)
    params = compiled.transform_params({f"w{k}": weight for k, weight in enumerate(weights)})
    results = compiled["main"](x, params)
    results = results if isinstance(results, tuple) else (results,)
    for result, reference in zip(results, expected(case, x, weights), strict=True):
        np.testing.assert_array_equal(np.asarray(result), reference)


@pytest.mark.parametrize(("outputs", "side"), [(48, 9), (176, 9), (48, 14), (16, 9)])
def test_nothing_behind_a_kernel_is_read(outputs: int, side: int):
    rng = np.random.default_rng(0)
    case = Case("no whole pairs of blocks", (1, side, side, 64), [Layer(outputs, padding=(0, 0, 0, 0))])
    compiled = xdsl_relax.compile(program(case), lift=True, target="native")
    x = rng.integers(0, 255, case.input, np.uint8, endpoint=True)
    weight = rng.integers(-128, 127, (outputs, 3, 3, 64), np.int8, endpoint=True)
    packed = compiled.transform_params({"w0": weight})
    (result,) = call_guarded(compiled["main"], [x, *map(np.asarray, packed)])
    np.testing.assert_array_equal(result, expected(case, x, [weight])[0])
