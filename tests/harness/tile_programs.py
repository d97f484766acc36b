"""Programs of one contraction and what runs on its tiles, as text of the buffers stage, with their results in numpy.

Loops are those over rows (pixels), columns, taps of a window, steps: `left[rows * stride + taps * dilation, step]` times `right`.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from math import prod

import ml_dtypes
import numpy as np

from .loops_kernel import Kernel, generic

INSTRUCTIONS = {"b": "tdpbf16ps", "ss": "tdpbssd", "su": "tdpbsud", "us": "tdpbusd", "uu": "tdpbuud"}
"""The instruction for bf16, and for the signs of both factors of 8 bits."""
EXTREMES = {"s": (-128, 127), "u": (0, 255)}
BF16 = """%p = arith.extf %a0 : bf16 to f32
%q = arith.extf %a1 : bf16 to f32
%r = arith.mulf %p, %q : f32
%s = arith.addf %a2, %r : f32
linalg.yield %s : f32"""
BYTES = """%p = arith.ext{left}i %a0 : i8 to i32
%q = arith.ext{right}i %a1 : i8 to i32
%r = arith.muli %p, %q : i32
%s = arith.addi %a2, %r : i32
linalg.yield %s : i32"""
ROUNDED = """%0 = arith.addf %a0, %a1 : f32
%1 = arith.maximumf %0, %zero : f32
%2 = arith.truncf %1 : f32 to bf16
linalg.yield %2 : bf16"""
QUANTIZED = """%0 = arith.addi %a0, %a1 : i32
%1 = arith.sitofp %0 : i32 to f32
%2 = arith.mulf %1, %a2 : f32
%3 = math.roundeven %2 : f32
%4 = arith.maximumf %3, %low : f32
%5 = arith.minimumf %4, %high : f32
%6 = arith.fpto{sign}i %5 : f32 to i8
linalg.yield %6 : i8"""


def bytes_body(signs: str) -> str:
    """Returns the body of a product of factors of 8 bits."""
    return BYTES.format(left=signs[0], right=signs[1])


def matrix(rng: np.random.Generator, shape, sign: str, extreme: bool = False) -> np.ndarray:
    """Returns factors of a sign, `b` for bf16; extreme ones have the greatest products."""
    if sign == "b":
        return rng.standard_normal(shape).astype(ml_dtypes.bfloat16)
    low, high = EXTREMES[sign]
    dtype = np.int8 if sign == "s" else np.uint8
    if extreme:
        return rng.choice(np.array([low, high], dtype), shape)
    return rng.integers(low, high, shape, dtype, endpoint=True)


def memref(shape, element: str, dynamic=()) -> str:
    """Returns the type of a buffer, of which the dims at some positions are known at run time only."""
    return f"memref<{''.join('?x' if d in dynamic else f'{s}x' for d, s in enumerate(shape))}{element}>"


def scheduled(text: str, schedule: str) -> str:
    """Returns the text of a generic with a schedule; without one if that is empty."""
    attribute = f"attrs = {{relax.schedule = #relax.schedule<{schedule}>}} {{\n^bb0" if schedule else "{\n^bb0"
    assert "{\n^bb0" in text
    return text.replace("{\n^bb0", attribute)


@dataclass(frozen=True)
class Program:
    """A contraction of rows (the last of `rows`, and the loops before it) with columns, over the taps of a window and steps."""

    kind: str
    rows: tuple[int, ...]
    columns: int
    steps: int
    taps: tuple[int, ...] = ()
    stride: int = 1
    dilation: int = 1
    layout: str = "p"
    """`n`, `t`: the right operand has columns last or first; `p`: it lies in blocks of columns, and groups of steps."""
    block: int = 64
    epilogue: str = "narrow"
    """What reads the sums: `narrow` alone does, `kept` in place, or nothing."""
    dynamic: tuple[int, ...] = ()
    """The loops over rows whose size run time knows."""
    margin: int = 0
    """Steps behind those of a row of the left operand, which nothing reads."""
    unsigned: bool = False
    """Whether results of 8 bits are."""

    @property
    def group(self) -> int:
        return 2 if self.kind == "b" else 4

    @property
    def types(self) -> tuple[str, str, str]:
        """The types of factors, sums and results."""
        factor, total = ("bf16", "f32") if self.kind == "b" else ("i8", "i32")
        return factor, total, total if self.epilogue != "narrow" else factor

    @property
    def pixels(self) -> tuple[int, ...]:
        """The rows of the left operand."""
        windows = (1,) * (len(self.rows) - len(self.taps)) + self.taps
        strides = [1 if i < len(self.rows) - len(self.taps) else self.stride for i in range(len(self.rows))]
        return tuple(
            max((rows - 1) * stride + (taps - 1) * self.dilation + 1, 0) if rows else 0
            for rows, taps, stride in zip(self.rows, windows, strides, strict=True)
        )

    @property
    def right_shape(self) -> tuple[int, ...]:
        groups, blocks = -(-self.steps // self.group), -(-self.columns // self.block)
        return {
            "n": (*self.taps, self.steps, self.columns),
            "t": (self.columns, *self.taps, self.steps),
            "p": (blocks, *self.taps, groups, self.block, self.group),
        }[self.layout]

    def maps(self) -> list[str]:
        """Returns the maps of the factors and of the sums."""
        h = [f"h{i}" for i in range(len(self.rows))]
        t = [f"t{i}" for i in range(len(self.taps))]
        plain = len(h) - len(t)
        places = h[:plain] + [f"{x} * {self.stride} + {y} * {self.dilation}" for x, y in zip(h[plain:], t, strict=True)]
        right = {
            "n": [*t, "k", "n"],
            "t": ["n", *t, "k"],
            "p": [
                f"n floordiv {self.block}",
                *t,
                f"k floordiv {self.group}",
                f"n mod {self.block}",
                f"k mod {self.group}",
            ],
        }[self.layout]
        loops = ", ".join([*h, "n", *t, "k"])
        return [f"({loops}) -> ({', '.join(exprs)})" for exprs in ([*places, "k"], right, [*h, "n"])]

    def text(self, tiles: str = "", row: int | None = None) -> str:
        """Returns the function; its contraction has these tiles and the row loop of that number, or the passes decide."""
        factor, total, narrow = self.types
        dynamic = self.dynamic
        out_shape = (*self.rows, self.columns)
        left = memref((*self.pixels, self.steps + self.margin), factor, dynamic)
        names = {
            "%x": left,
            "%w": memref(self.right_shape, factor),
            "%bias": f"memref<{self.columns}x{total}>",
            "%scale": f"memref<{self.columns}xf32>",
            "%y": memref(out_shape, narrow, dynamic),
            "%space": f"memref<{'?' if dynamic else 4 * prod(out_shape)}xi8>",
        }
        sums_type = memref(out_shape, total, dynamic)
        sums = "%c" if self.epilogue == "narrow" else "%y"
        lines = [f"func.func @f({', '.join(f'{n}: {t}' for n, t in names.items())}) {{"]
        zero = "0.0" if total == "f32" else "0"
        low, high = (0, 255) if self.unsigned else (-128, 127)
        lines += [f"%zero = arith.constant {zero} : {total}", "%c0 = arith.constant 0 : index"]
        lines += [f"%{n} = arith.constant {v}.0 : f32" for n, v in (("low", low), ("high", high))]
        rank = len(out_shape)
        loops = [d for d, size in enumerate([*out_shape, *self.taps, self.steps]) if size != 1 or d in dynamic]
        sizes = [f"%d{d}" for d in dynamic]
        for d in dynamic:
            lines += [f"%i{d} = arith.constant {d} : index", f"%d{d} = memref.dim %y, %i{d} : {names['%y']}"]
        if sums == "%c":
            lines.append(f"%c = memref.view %space[%c0][{', '.join(sizes)}] : {names['%space']} to {sums_type}")
        init = "{relax.schedule = #relax.schedule<init>} " if tiles else ""
        lines.append(f"linalg.fill {init}ins(%zero : {total}) outs({sums} : {sums_type})")
        iterators = "p" * rank + "r" * (len(self.taps) + 1)
        body = BF16 if self.kind == "b" else bytes_body(self.kind)
        number = len(self.rows) - 1 if row is None else row
        place = f", row = {loops.index(number)}" if number in loops else ""
        schedule = f"contraction, loops = {loops}, lanes = 16{place}, tiles = <{tiles}>" if tiles else ""
        source = "%x"
        operand = left
        if self.margin:
            shape = (*self.pixels, self.steps)
            distances = [prod((*self.pixels, self.steps + self.margin)[d + 1 :]) for d in range(len(shape))]
            operand = f"{memref(shape, factor)[:-1]}, strided<{distances}>>"
            ones, zeros = [1] * len(shape), [0] * len(shape)
            lines.append(f"%part = memref.subview %x{zeros} {list(shape)} {ones} : {left} to {operand}")
            source = "%part"
        ins = [(source, operand), ("%w", names["%w"])]
        lines.append(scheduled(generic(self.maps(), iterators, ins, [(sums, sums_type)], body), schedule))
        if self.epilogue:
            h = [f"h{i}" for i in range(len(self.rows))]
            whole, vector = (f"({', '.join([*h, 'n'])}) -> ({', '.join(e)})" for e in ([*h, "n"], ["n"]))
            own = f"epilogue, loops = {[d for d in loops if d < rank]}" if tiles else ""
            ins, maps = [(sums, sums_type), ("%bias", names["%bias"])], [whole, vector]
            if self.epilogue == "kept":
                added = "addf" if total == "f32" else "addi"
                payload = f"%0 = arith.{added} %a0, %a1 : {total}\nlinalg.yield %0 : {total}"
            elif self.kind == "b":
                payload = ROUNDED
            else:
                ins.append(("%scale", names["%scale"]))
                maps.append(vector)
                payload = QUANTIZED.format(sign="u" if self.unsigned else "s")
            lines.append(scheduled(generic([*maps, whole], "p" * rank, ins, [("%y", names["%y"])], payload), own))
        return "\n".join([*lines, "func.return", "}"])

    def kernel(self, tiles: str = "", row: int | None = None, target: str = "sapphirerapids", **options) -> Kernel:
        """Returns the compiled function."""
        return Kernel(self.text(tiles, row), target=target, **options)

    def packed(self, plain: np.ndarray) -> np.ndarray:
        """Returns the right operand as it lies; the plain one has taps, steps and columns."""
        rank = len(self.taps)
        if self.layout == "n":
            return plain
        if self.layout == "t":
            return np.ascontiguousarray(np.moveaxis(plain, -1, 0))
        whole = np.pad(plain, [(0, 0)] * rank + [(0, -self.steps % self.group), (0, -self.columns % self.block)])
        blocks = whole.shape[-1] // self.block
        parts = whole.reshape(*self.taps, -1, self.group, blocks, self.block)
        return np.ascontiguousarray(parts.transpose(rank + 2, *range(rank), rank, rank + 3, rank + 1))

    def check(
        self, kernel: Kernel, seed: int = 0, shift: int = 0, extreme: bool = False, *, on_stack: bool | None = None
    ) -> np.ndarray:
        """Runs the function on random data, checks the results and what it may not write, and returns the results.

        With `on_stack` the memory for sums must be as it was, or not.
        """
        rng = np.random.default_rng(seed)
        left = matrix(rng, (*self.pixels, self.steps + self.margin), self.kind[0], extreme)
        right = matrix(rng, (*self.taps, self.steps, self.columns), self.kind[-1], extreme)
        b = self.kind == "b"
        bias = (
            rng.standard_normal(self.columns).astype(np.float32)
            if b
            else rng.integers(-9999, 9999, self.columns, np.int32)
        )
        spread = 3 * prod(self.taps) ** 0.5 * self.steps**0.5 * 100
        scale = rng.uniform(0.2, 1, self.columns).astype(np.float32) * np.float32(127 / spread)
        shape = (*self.rows, self.columns)
        narrow = {
            "bf16": ml_dtypes.bfloat16,
            "f32": np.float32,
            "i32": np.int32,
            "i8": np.uint8 if self.unsigned else np.int8,
        }
        out = np.full(shape, 7, narrow[self.types[2]])
        space = np.full(4 * prod(shape), 0x5A, np.uint8)
        arguments = [left, self.packed(right), bias, scale, out, space]
        kept = [each.copy() for each in arguments]
        kernel(*arguments, shift=shift)
        for before, after in zip(kept[:4], arguments[:4], strict=True):
            np.testing.assert_array_equal(before.view(np.uint8), after.view(np.uint8))
        if on_stack is not None:
            assert np.array_equal(kept[-1], space) == on_stack
        total, bound = self._sums(left, right)
        if b:
            total, bound = total + bias * bool(self.epilogue), bound + 2.0**-22 * abs(bias)
            if self.epilogue == "narrow":
                total = np.maximum(total, 0)
                bound = bound + 2.0**-8 * abs(total)
            assert (abs(out.astype(np.float64) - total) <= bound).all()
            return out
        want = total + bias * bool(self.epilogue)
        if self.epilogue == "narrow":
            low, high = (0, 255) if self.unsigned else (-128, 127)
            want = np.clip(np.rint(want.astype(np.int32).astype(np.float32) * scale), low, high)
        np.testing.assert_array_equal(out, want)
        return out

    def _sums(self, left: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Returns the exact sums, and how far those in f32 may be from them, in whatever order."""
        dtype = np.float64 if self.kind == "b" else np.int64
        shape = (*self.rows, self.columns)
        total, bound = np.zeros(shape, dtype), np.zeros(shape)
        plain = len(self.rows) - len(self.taps)
        for tap in itertools.product(*map(range, self.taps)):
            parts = [slice(None)] * plain
            for place, rows in zip(tap, self.rows[plain:], strict=True):
                first = place * self.dilation
                parts.append(slice(first, first + (rows - 1) * self.stride + 1, self.stride) if rows else slice(0, 0))
            a, w = left[(*parts, slice(0, self.steps))].astype(dtype), right[tap].astype(dtype)
            total += a @ w
            if self.kind == "b":
                bound += abs(a) @ abs(w)
        return total, bound * (prod(self.taps) * self.steps + 2) * 2.0**-24
