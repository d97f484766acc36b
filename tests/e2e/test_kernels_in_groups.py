"""Convolutions whose kernels lie in blocks of output channels and groups of input channels (`OHWI16o4i`), against numpy.

Parameters may have been packed for another machine, so that such kernels have code at every target.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import xdsl_relax
from harness.loops_kernel import target_of

TARGETS = ["x86-64", "x86-64-v3", "alderlake", "x86-64-v4", "znver4", "sapphirerapids"]
DTYPES = {"i8": np.int8, "ui8": np.uint8, "bf16": ml_dtypes.bfloat16, "f32": np.float32}
TEXT = """
func.func @main(%x: {x}, %w: {w}, %b: {b}) -> {z} attributes {{relax.num_input = 1 : i64}} {{
  %r = relax.dataflow {{
    %y = relax.nn.conv{rank}d %x, %w {{{attributes}}} : ({x}, {w}) -> {y}
    %s = relax.add %y, %b : ({y}, {b}) -> {y}
    %c = relax.clip %s {{min = -128 : i64, max = 127 : i64}} : ({y}) -> {y}
    %z = relax.astype %c {{dtype = {narrow}}} : ({y}) -> {z}
    relax.output %z : {z}
  }} : {z}
  return %r : {z}
}}
"""


@dataclass(frozen=True)
class Convolution:
    """A convolution of `groups` groups with a bias and a clip, of images whose channels come last unless `first`."""

    data: str
    kernel: str
    sides: tuple[int, ...]
    layout: str
    channels: tuple[int, int]
    """Input channels of a group, and all output channels."""
    taps: tuple[int, ...]
    stride: int = 1
    dilation: int = 1
    padding: int = 0
    groups: int = 1
    first: bool = False
    images: int | str = 1

    @property
    def sums(self) -> str:
        return "i32" if self.data in ("i8", "ui8") else "f32"

    @property
    def narrow(self) -> str:
        return "i8" if self.sums == "i32" else self.data

    @property
    def spatial(self) -> str:
        return "DHW"[-len(self.sides) :]

    @property
    def packed(self) -> tuple[int, int]:
        """The sizes of a block and of a group, 0 for none."""
        match = re.fullmatch(r"[A-Z]+(?:(\d+)o)?(?:(\d+)i)?", self.layout)
        assert match is not None
        return int(match[1] or 0), int(match[2] or 0)

    @property
    def kernel_shape(self) -> tuple[int, ...]:
        block, group = self.packed
        sizes = dict(zip(self.spatial, self.taps, strict=True))
        sizes |= {"O": self.channels[1] // (block or 1), "I": self.channels[0] // (group or 1)}
        letters = self.layout[: len(self.sides) + 2]
        return (*(sizes[letter] for letter in letters), *(size for size in (block, group) if size))

    @property
    def out_sides(self) -> list[int]:
        pairs = zip(self.sides, self.taps, strict=True)
        return [(side + 2 * self.padding - self.dilation * (taps - 1) - 1) // self.stride + 1 for side, taps in pairs]

    def text(self) -> str:
        rank = len(self.sides)
        images, symbol = ("?", ", #relax.sym<n>") if isinstance(self.images, str) else (self.images, "")
        channels = self.channels[0] * self.groups

        def type_of(sides, count: int, element: str) -> str:
            dims = [images, count, *sides] if self.first else [images, *sides, count]
            return f"tensor<{'x'.join(map(str, dims))}x{element}{symbol}>"

        layout = f"NC{self.spatial}" if self.first else f"N{self.spatial}C"
        attributes = f'data_layout = "{layout}", kernel_layout = "{self.layout}", out_dtype = {self.sums}, '
        attributes += ", ".join(
            f"{name} = array<i64: {value}>"
            for name, value in (("strides", self.stride), ("dilation", self.dilation), ("padding", self.padding))
        )
        bias = "x".join(map(str, [self.channels[1], *[1] * (rank * self.first)]))
        text = TEXT.format(
            x=type_of(self.sides, channels, self.data),
            w=f"tensor<{'x'.join(map(str, self.kernel_shape))}x{self.kernel}>",
            b=f"tensor<{bias}x{self.sums}>",
            y=type_of(self.out_sides, self.channels[1], self.sums),
            z=type_of(self.out_sides, self.channels[1], self.narrow),
            rank=rank,
            narrow=self.narrow,
            attributes=f"{attributes}, groups = {self.groups} : i64",
        )
        if self.sums == "f32":
            text = text.replace("min = -128 : i64, max = 127 : i64", "min = -128.0 : f64, max = 127.0 : f64")
        return text

    def plain(self, kernel: np.ndarray) -> np.ndarray:
        """Returns a kernel with output channels first and input channels last."""
        rank = len(self.sides)
        axes = [self.layout.index(letter) for letter in f"O{self.spatial}I"]
        block, group = self.packed
        if block:
            axes.insert(1, rank + 2)
        if group:
            axes.append(rank + 3)
        return kernel.transpose(axes).reshape(self.channels[1], *self.taps, self.channels[0])

    def expected(self, x: np.ndarray, w: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Returns the results for images with channels last, and how far those in f32 may be off."""
        pad = [(0, 0), *[(self.padding, self.padding)] * len(self.sides), (0, 0)]
        data, kernel = np.pad(x.astype(np.float64), pad), self.plain(w).astype(np.float64)
        total = np.zeros((x.shape[0], *self.out_sides, self.channels[1]))
        bound = np.zeros_like(total)
        inputs, outputs = self.channels[0], self.channels[1] // self.groups
        for g in range(self.groups):
            here = slice(g * outputs, (g + 1) * outputs)
            for tap in itertools.product(*map(range, self.taps)):
                starts = [place * self.dilation for place in tap]
                parts = [
                    slice(start, start + (side - 1) * self.stride + 1, self.stride)
                    for start, side in zip(starts, self.out_sides, strict=True)
                ]
                factor, other = data[(slice(None), *parts, slice(g * inputs, (g + 1) * inputs))], kernel[(here, *tap)].T
                total[..., here] += factor @ other
                bound[..., here] += abs(factor) @ abs(other)
        total, bound = total + b, bound + abs(b)
        steps = np.prod(self.taps) * inputs + 4
        return np.clip(total, -128, 127), bound * steps * 2.0**-23 + (2.0**-8 if self.narrow == "bf16" else 0) * abs(
            total
        )

    def arrays(self, images: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        rng = np.random.default_rng(seed)

        def values(shape, element: str) -> np.ndarray:
            dtype: Any = DTYPES[element]
            if element in ("i8", "ui8"):
                return rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, shape, dtype, endpoint=True)
            return rng.standard_normal(shape).astype(dtype)

        bias = rng.integers(-99, 99, self.channels[1]).astype(np.int32 if self.sums == "i32" else np.float32)
        data = values((images, *self.sides, self.channels[0] * self.groups), self.data)
        return data, values(self.kernel_shape, self.kernel), bias

    def check(self, target: str, lift: bool = False, **options: Any) -> None:
        """Compiles and calls it, several times where the number of images is known then."""
        target_of(target)
        exe = xdsl_relax.compile(self.text(), target=target, lift=lift, cache=False, **options)
        for images in (0, 1, 2, 7) if isinstance(self.images, str) else (self.images,):
            data, kernel, bias = self.arrays(images, images)
            shaped = bias.reshape(-1, *[1] * (len(self.sides) * self.first))
            params = [exe.transform_params({"w": kernel, "b": shaped})] if lift else [kernel, shaped]
            given = np.ascontiguousarray(np.moveaxis(data, -1, 1)) if self.first else data
            result = np.asarray(exe["main"](given, *params))
            want, bound = self.expected(data, kernel, bias)
            result = np.moveaxis(result, 1, -1) if self.first else result
            if self.sums == "i32":
                np.testing.assert_array_equal(result, want)
            else:
                assert result.shape == want.shape
                assert (abs(result.astype(np.float64) - want) <= bound).all()


PACKED = {
    "windows": Convolution("ui8", "i8", (14, 14), "OHWI16o4i", (32, 64), (3, 3), padding=1, images="n"),
    "pixels": Convolution("i8", "i8", (28, 28), "OHWI16o4i", (64, 48), (1, 1), stride=2, images="n"),
    "one group of channels": Convolution("ui8", "i8", (20, 31), "OHWI16o4i", (4, 32), (7, 7), stride=2, padding=3),
    "one pixel": Convolution("i8", "ui8", (1, 1), "OHWI16o4i", (256, 128), (1, 1), images="n"),
    "one dim": Convolution("i8", "ui8", (56,), "OWI16o4i", (64, 32), (3,), dilation=2, padding=2, images="n"),
    "three dims": Convolution("ui8", "ui8", (5, 6, 9), "ODHWI16o4i", (16, 32), (3, 1, 2), padding=1),
    "channels first": Convolution("i8", "i8", (1, 2), "OHWI16o4i", (8, 32), (1, 2), first=True, images="n"),
    "channels first, windows": Convolution("ui8", "i8", (9, 17), "OHWI16o4i", (8, 32), (3, 3), first=True),
    "blocks of 48": Convolution("i8", "i8", (4, 32), "OHWI48o4i", (64, 192), (3, 3), padding=1),
    "blocks of 32": Convolution("ui8", "i8", (3, 16), "OHWI32o4i", (64, 96), (3, 3), padding=1),
    "blocks of 64": Convolution("ui8", "i8", (11, 13), "OHWI64o4i", (32, 192), (3, 3), padding=1, images="n"),
    "blocks of 64, steps": Convolution("i8", "i8", (19, 31), "OHWI64o4i", (64, 64), (3, 2), stride=2, dilation=2),
    "blocks of 64, three dims": Convolution("i8", "ui8", (5, 6, 9), "ODHWI64o4i", (12, 128), (3, 2, 2), padding=1),
    "narrow blocks": Convolution("ui8", "i8", (9, 9), "OHWI3o5i", (20, 12), (3, 3)),
    "groups": Convolution("ui8", "i8", (9, 16), "OHWI16o4i", (16, 64), (3, 3), groups=2),
    "taps behind channels": Convolution("ui8", "i8", (9, 16), "OIHW16o4i", (32, 32), (3, 3)),
    "taps in another order": Convolution("ui8", "i8", (9, 16), "OWHI16o4i", (32, 32), (3, 2)),
    "bf16": Convolution("bf16", "bf16", (9, 28), "OHWI16o2i", (64, 32), (3, 3), padding=1, images="n"),
    "bf16, groups of four": Convolution("bf16", "bf16", (9, 28), "OHWI16o4i", (32, 32), (3, 3)),
    "bf16, groups of three": Convolution("bf16", "bf16", (28,), "OWI80o3i", (6, 160), (5,)),
    "f32": Convolution("f32", "f32", (9, 14), "OHWI16o4i", (16, 32), (3, 3), padding=1, images="n"),
}  # fmt: skip


@pytest.mark.sweep
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", PACKED)
def test_packed(name, target):
    PACKED[name].check(target)


@pytest.mark.parametrize("name", ["windows", "channels first, windows"])
def test_packed_where_i16_is_multiplied(name):
    """Blocks of bytes have code wherever they were packed, in all runs of the tests."""
    PACKED[name].check("x86-64-v3")


PLAIN = {
    "windows": Convolution("ui8", "i8", (28, 28), "OHWI", (64, 64), (3, 3), padding=1, images="n"),
    "strides": Convolution("i8", "i8", (57, 56), "HWIO", (32, 48), (3, 3), stride=2, images=2),
    "few channels": Convolution("ui8", "i8", (56, 56), "OHWI", (4, 64), (7, 7), stride=2, padding=3, images="n"),
    "long rows": Convolution("ui8", "i8", (5, 300), "OHWI", (64, 192), (3, 3), padding=1),
    "many channels": Convolution("ui8", "i8", (30, 30), "OHWI", (128, 128), (3, 3), padding=1),
    "three channels": Convolution("ui8", "i8", (56, 56), "OHWI", (3, 64), (7, 7), stride=2, padding=3),
    "three channels, all read": Convolution("i8", "i8", (31, 31), "OHWI", (3, 64), (5, 5), stride=2, images=2),
    "three channels, columns left": Convolution("ui8", "i8", (31, 32), "OHWI", (3, 72), (3, 3), images="n"),
    "bf16, order of taps": Convolution("bf16", "bf16", (22, 9), "OWHI16o", (3, 64), (2, 2), padding=1),
    "f32, order of taps": Convolution("f32", "f32", (7, 28), "IOWH", (13, 103), (2, 1)),
}


@pytest.mark.sweep
@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("name", PLAIN)
def test_packed_by_lifting(name, threads):
    """Threads share the rows of images, of which run time may know the number."""
    PLAIN[name].check("sapphirerapids", lift=True, threads=threads)


@pytest.mark.sweep
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", PLAIN)
def test_lifted_at_targets(name, target):
    PLAIN[name].check(target, lift=True)


@pytest.mark.parametrize("options", [{"profile": True, "threads": 2}, {"opt_level": 0}, {"opt_level": 3}], ids=str)
def test_options(options):
    """A profile asks for the sizes of sums that nothing else but the epilogue needs."""
    PLAIN["windows"].check("sapphirerapids", lift=True, **options)


def seen_after(name: str, pattern: str, **options: Any) -> list[Any]:
    """Returns what a pattern finds in the program behind a pass."""
    seen: list[Any] = []

    def observer(step: str, module: object, _: float) -> None:
        if step.startswith(name):
            seen.extend(re.findall(pattern, str(module)))

    xdsl_relax.compile(PLAIN["windows"].text(), observer=observer, cache=False, **options)
    return seen


@pytest.mark.parametrize(
    ("target", "layout"),
    [("x86-64-v2", "OHWI"), ("x86-64-v4", "winograd"), ("znver4", "OHWI64o4i"), ("sapphirerapids", "OHWI16o4i")],
)
def test_lifting_packs_for_products_of_bytes_alone(target, layout):
    """Where these are by i16, a kernel is transformed instead."""
    pattern = r'(?:kernel_layout = "|integer_)(\w+?)(?:"|_conv2d)'
    assert seen_after("relax-pack-weights", pattern, target=target, lift=True) == [layout]


@pytest.mark.parametrize(("target", "rows"), [("x86-64-v4", "4"), ("sapphirerapids", "28")])
def test_images_of_unknown_number_have_tiles_of_pixels(target, rows):
    """A batch that may be one image does not make tiles of one row."""
    assert seen_after(
        "schedule-linalg", r"row = (\d+), (?:instruction = \w+, )?tiles = <shape = \[(\d+),", target=target
    ) == [("2", rows)]
