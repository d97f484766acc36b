"""Convolutions of padded images, read in place, against sums in float64: every side, strides, dilations, 1-D to 3-D."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import product

import numpy as np
import pytest
import xdsl_relax
from harness.guard_pages import call_guarded, faults
from xdsl_relax.runtime.executable.executable import Executable


@dataclass(frozen=True)
class Case:
    """A convolution; `padding` is what is before each axis, then what is behind each."""

    name: str
    size: tuple[int, ...]
    window: tuple[int, ...]
    padding: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    channels: tuple[int, int] = (5, 32)
    batch: int = 1
    groups: int = 1

    @property
    def results(self) -> tuple[int, ...]:
        """The pixels of each axis of the result."""
        count = len(self.size)
        sizes = [s + a + b for s, a, b in zip(self.size, self.padding[:count], self.padding[count:], strict=True)]
        reach = [d * (w - 1) + 1 for d, w in zip(self.dilations, self.window, strict=True)]
        return tuple((s - r) // t + 1 for s, r, t in zip(sizes, reach, self.strides, strict=True))

    @property
    def most_error(self) -> float:
        """Tiles of 4x4 results have up to five times the error."""
        return 2e-5 if self.name.startswith("Winograd") else 4e-6


CASES = [
    Case("all sides", (9, 37), (3, 3), (1, 1, 1, 1), (1, 1), (1, 1)),
    Case("strides, one tile", (28, 28), (3, 3), (1, 1, 1, 1), (2, 2), (1, 1)),
    Case("strides, first and last tile", (9, 61), (3, 3), (1, 1, 1, 1), (2, 2), (1, 1)),
    Case("top and left", (11, 40), (3, 3), (2, 2, 0, 0), (1, 1), (1, 1)),
    Case("bottom and right", (11, 40), (3, 3), (0, 0, 2, 2), (1, 1), (1, 1)),
    Case("rows alone", (7, 33), (3, 3), (1, 0, 1, 0), (1, 1), (1, 1)),
    Case("columns alone", (7, 33), (3, 3), (0, 1, 0, 1), (1, 1), (1, 1)),
    Case("dilations", (9, 40), (3, 3), (2, 3, 2, 3), (1, 1), (2, 3)),
    Case("windows outside", (2, 20), (2, 2), (3, 3, 3, 3), (1, 1), (1, 1)),
    Case("tall window", (4, 35), (9, 1), (4, 0, 4, 0), (1, 1), (1, 1)),
    Case("wide window", (4, 35), (1, 7), (0, 3, 0, 3), (1, 1), (1, 1)),
    Case("one row", (1, 32), (3, 3), (1, 1, 1, 1), (1, 1), (1, 1)),
    Case("images and groups", (6, 30), (3, 3), (1, 1, 1, 1), (2, 1), (1, 1), (6, 64), 3, 2),
    Case("short rows, in chunks", (7, 7), (3, 3), (1, 1, 1, 1), (1, 1), (1, 1), (128, 64), 2),
    Case("short rows, in chunks of a part", (5, 11), (3, 3), (1, 2, 1, 0), (1, 1), (1, 1), (90, 32), 1, 2),
    Case("short rows, in chunks, windows outside", (3, 13), (3, 5), (3, 4, 3, 4), (2, 2), (1, 1), (64, 48)),
    Case("long rows, in chunks", (17, 31), (3, 3), (1, 1, 1, 1), (1, 1), (2, 2), (40, 80), 2),
    Case("long rows, in chunks, strides", (29, 47), (3, 3), (1, 2, 0, 1), (2, 2), (1, 1), (48, 48)),
    Case("long rows, in one chunk", (13, 67), (3, 3), (1, 1, 1, 1), (2, 2), (1, 1), (3, 48), 2),
    Case("wide windows, in one chunk", (23, 45), (7, 7), (3, 3, 3, 3), (2, 2), (1, 1), (3, 32)),
    Case("one tap, strides", (13, 27), (1, 1), (0, 0, 0, 0), (2, 2), (1, 1), (128, 48)),
    Case("one channel", (14, 23), (5, 5), (2, 2, 2, 2), (1, 1), (1, 1), (1, 32)),
    Case("one tap, three channels", (13, 27), (1, 1), (1, 0, 0, 1), (2, 2), (1, 1), (3, 48)),
    Case("Winograd", (14, 30), (3, 3), (1, 1, 1, 1), (1, 1), (1, 1), (32, 32)),
    Case("Winograd, sides that differ", (13, 25), (3, 3), (2, 0, 0, 3), (1, 1), (1, 1), (33, 32), 2),
    Case("no pixels", (0, 13), (1, 2), (1, 0, 0, 3), (1, 1), (1, 1), (1, 16), 2),
    Case("1-D", (50,), (3,), (1, 1), (1,), (1,)),
    Case("3-D", (4, 5, 29), (3, 3, 3), (1, 1, 1, 1, 1, 1), (1, 2, 1), (1, 1, 1), (3, 16)),
]


def convolved(case: Case, x: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Returns the convolution in float64, tap by tap."""
    count, groups = len(case.size), case.groups
    pads = [(0, 0), (0, 0), *zip(case.padding[:count], case.padding[count:], strict=True)]
    image = np.pad(x.astype(np.float64), pads).reshape(
        case.batch, groups, -1, *(s + sum(p) for s, p in zip(case.size, pads[2:], strict=True))
    )
    kernel = w.astype(np.float64).reshape(groups, -1, *w.shape[1:])
    total = np.zeros((case.batch, groups, kernel.shape[1], *case.results))
    for tap in product(*map(range, case.window)):
        part = tuple(
            slice(t * d, t * d + (n - 1) * s + 1, s)
            for t, d, n, s in zip(tap, case.dilations, case.results, case.strides, strict=True)
        )
        total += np.einsum("bgc...,goc->bgo...", image[(..., *part)], kernel[(..., *tap)])
    return total.reshape(case.batch, -1, *case.results)


def tensor(shape: Sequence[int]) -> str:
    return f"tensor<{'x'.join(map(str, shape))}xf32>"


def numbers(values: Sequence[int]) -> str:
    return f"array<i64: {', '.join(map(str, values))}>"


def program(case: Case) -> str:
    """The text of a convolution with a residual and a relu behind it."""
    image, weight = (case.batch, case.channels[0], *case.size), weight_shape(case)
    result = (case.batch, case.channels[1], *case.results)
    x, w, y = map(tensor, (image, weight, result))
    options = (
        f"strides = {numbers(case.strides)}, padding = {numbers(case.padding)}, dilation = {numbers(case.dilations)}"
    )
    return (
        f"func.func @main(%x: {x}, %z: {y}, %w: {w}) -> {y} attributes {{relax.num_input = 2 : i64}} {{\n"
        f"  %y = relax.nn.conv{len(case.size)}d %x, %w {{{options}, groups = {case.groups} : i64}} : ({x}, {w}) -> {y}\n"
        f"  %s = relax.add %y, %z : ({y}, {y}) -> {y}\n  %r = relax.nn.relu %s : ({y}) -> {y}\n  return %r : {y}\n}}"
    )


def weight_shape(case: Case) -> tuple[int, ...]:
    return (case.channels[1], case.channels[0] // case.groups, *case.window)


def arrays(case: Case) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Returns an image, a residual and a weight."""
    rng = np.random.default_rng(len(case.name))
    shapes = (
        (case.batch, case.channels[0], *case.size),
        (case.batch, case.channels[1], *case.results),
        weight_shape(case),
    )
    x, z, w = (rng.standard_normal(shape).astype(np.float32) for shape in shapes)
    return x, z, w / np.float32(np.sqrt(w[0].size))


Compiler = Callable[[Case, int], Executable]


@pytest.fixture(scope="module")
def compiled() -> Compiler:
    """Compiles a case for a number of threads once for all tests."""
    return cache(lambda case, threads: xdsl_relax.compile(program(case), lift=True, threads=threads))


@pytest.mark.sweep(8)
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_sums(case: Case, threads: int, compiled: Compiler):
    x, z, w = arrays(case)
    executable = compiled(case, threads)
    result = executable["main"](x, z, executable["main_transform_params"](w))
    np.testing.assert_allclose(result, np.maximum(convolved(case, x, w) + z, 0), rtol=0, atol=case.most_error)


def guarded(case: Case, executable: Executable) -> str | None:
    """Says what is wrong with the result of a call whose arrays lie between inaccessible pages."""
    x, z, w = arrays(case)
    (result,) = call_guarded(executable["main"], [x, z, executable["main_transform_params"](w)])
    error = np.abs(result - np.maximum(convolved(case, x, w) + z, 0)).max()
    return None if error < case.most_error else f"{case.name}: error {error}"


def test_nothing_outside_of_the_image_is_read(compiled: Compiler):
    assert faults([(case.name, partial(guarded, case, compiled(case, 1))) for case in CASES]) == []


def test_nan_in_a_corner_reaches_the_windows_that_have_it():
    case = CASES[0]
    x, z, w = arrays(case)
    x[0, 2, 0, 0] = np.nan
    executable = xdsl_relax.compile(program(case), lift=True)
    result = executable["main"](x, z, executable["main_transform_params"](w))
    assert np.isnan(result[0, :, :2, :2]).all() and np.isnan(result).sum() == 4 * case.channels[1]


@pytest.mark.parametrize("batch", [1, 2])
@pytest.mark.parametrize("begin", [0, 3])
def test_padded_slices_of_images(batch: int, begin: int):
    """Channels of several images lie apart, so that the loops over both are one only for what is made of the slice."""
    image, part = f"tensor<{batch}x8x7x9xf32>", f"tensor<{batch}x4x7x9xf32>"
    program = f"""
func.func @main(%x: {image}) -> {part} {{
  %s = relax.strided_slice %x {{axes = array<i64: 1>, begin = array<i64: {begin}>, end = array<i64: {begin + 4}>}} : ({image}) -> {part}
  %y = relax.nn.avg_pool2d %s {{pool_size = array<i64: 3, 3>, strides = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, count_include_pad = true}} : ({part}) -> {part}
  return %y : {part}
}}
"""
    x = np.random.default_rng(batch).standard_normal((batch, 8, 7, 9)).astype(np.float32)
    padded = np.pad(x[:, begin : begin + 4].astype(np.float64), [(0, 0), (0, 0), (1, 1), (1, 1)])
    wanted = np.stack([padded[:, :, i : i + 7, j : j + 9] for i, j in product(range(3), range(3))]).mean(0)
    for threads in (1, 2):
        (result,) = call_guarded(xdsl_relax.compile(program, threads=threads)["main"], [x])
        np.testing.assert_allclose(np.asarray(result).reshape(wanted.shape), wanted, rtol=0, atol=1e-6)
