"""The pass `relax-use-winograd`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, i16, i32
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from ...dialects.relax.base import element
from ...dialects.relax.ops.linear_algebra import MatmulOp
from ...dialects.relax.ops.manipulate import PermuteDimsOp, ReshapeOp
from ...dialects.relax.ops.nn.conv import Conv2DOp
from ...dialects.relax.ops.nn.winograd import IntegerWinogradConv2DOp, WinogradConv2DOp, WinogradOp
from ...dialects.relax.ops.unary import AsTypeOp
from ...dialects.relax.rules.winograd import FOUR, INTEGER_KERNEL, PAIR, TAPS, TWO, WinogradTile, on_both_dims
from ..analysis.remarks import Topic, function_of, remark
from ..options import PassWithOptions
from ..rewriting.emitter import Emitter
from ..rewriting.rooted_walker import RootedWalker, of_types
from .kernels_of_bytes import BYTES
from .weights import Weights, name_as_packed, weights_of_functions
from .winograd_candidates import Candidate, candidate, candidate_of_bytes

LANES = 16
"""The lanes of a vector that the choice of a tile reckons with: of tiles where data are transformed, of output channels elsewhere."""

TRANSFORM_COST = 11
"""What the transforms of a vector cost, in its products by a channel of the other side."""

GAIN = 0.88
"""The most that tiles of 4x4 results may cost, of what those of 2x2 cost: fewer tiles divide among threads less evenly."""


class UseWinograd(RewritePattern):
    """Replaces a convolution by a 3x3 kernel that moves by one by `winograd_conv2d`, one of bytes by `integer_winograd_conv2d`.

    Declines unless the kernel is a weight of known size and one group, and the data is none. Of f32 channels come first in data, kernel
    and result, and channels and pixels of the result are many enough. Of bytes the kernel is i8, channels come last, and are whole panels
    and lines; without a panel these stay.
    """

    def __init__(self, weights: Weights, tile: WinogradTile | None, panel: int):
        self.weights = weights
        self.tile = tile
        self.panel = panel

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: Conv2DOp, rewriter: PatternRewriter) -> None:
        of_bytes = bool(self.panel) and element(op.data) in BYTES
        suited = candidate_of_bytes(op, self.weights, self.panel) if of_bytes else candidate(op, self.weights)
        if isinstance(suited, str):
            remark(Topic.REWRITE, function_of(op), op.location, f"{op.name} is not computed by Winograd: {suited}")
            return
        emit = Emitter(op, rewriter)
        if of_bytes:
            self._replace(op, TWO, IntegerWinogradConv2DOp, self._integer_kernel(op, suited, emit), suited, emit)
            return
        tile = self.tile or _cheaper(suited.result, suited.outputs, suited.inputs)
        self._replace(op, tile, WinogradConv2DOp, self._kernel(op, tile, suited, emit), suited, emit)

    def _kernel(self, op: Conv2DOp, tile: WinogradTile, suited: Candidate, emit: Emitter) -> SSAValue:
        """Emits the transform of a kernel of f32."""
        outputs, inputs = suited.outputs, suited.inputs
        rows = emit.op(PermuteDimsOp, op.weight, axes=[2, 3, 1, 0])
        matrix = emit.op(ReshapeOp, rows, emit.shape(TAPS * TAPS, inputs * outputs))
        transform = emit.constant(np.array(on_both_dims(tile.kernel), np.float32))
        products = emit.op(MatmulOp, transform, matrix)
        return emit.op(ReshapeOp, products, emit.shape(tile.window, tile.window, inputs, outputs))

    def _integer_kernel(self, op: Conv2DOp, suited: Candidate, emit: Emitter) -> SSAValue:
        """Emits that of a kernel of i8, with pairs of input channels and panels of output channels together."""
        outputs, inputs, panel = suited.outputs, suited.inputs, self.panel
        blocks, pairs = outputs // panel, inputs // PAIR
        rows = emit.op(PermuteDimsOp, op.weight, axes=[op.kernel_positions()[axis] for axis in (2, 3, 0, 1)])
        parts = emit.op(ReshapeOp, rows, emit.shape(TAPS, TAPS, blocks, panel, pairs, PAIR))
        packed = emit.op(PermuteDimsOp, parts, axes=[0, 1, 2, 4, 3, 5])
        matrix = emit.op(AsTypeOp, emit.op(ReshapeOp, packed, emit.shape(TAPS * TAPS, inputs * outputs)), dtype=i32)
        transform = emit.constant(np.array(on_both_dims(INTEGER_KERNEL), np.int32))
        products = emit.op(AsTypeOp, emit.op(MatmulOp, transform, matrix), dtype=i16)
        return emit.op(ReshapeOp, products, emit.shape(TWO.window, TWO.window, blocks, pairs, panel, PAIR))

    def _replace(
        self,
        op: Conv2DOp,
        tile: WinogradTile,
        new: type[WinogradOp],
        kernel: SSAValue,
        suited: Candidate,
        emit: Emitter,
    ) -> None:
        text = f"{op.name} is computed by Winograd's {tile.name}: {new.name}"
        remark(Topic.REWRITE, function_of(op), op.location, text)
        name_as_packed(kernel, op.weight)
        emit.replace(op, [emit.op(new, op.data, kernel, padding=suited.padding)])


def _cheaper(result: tuple[int, int], outputs: int, inputs: int) -> WinogradTile:
    """Returns the tile for a result of so many rows and columns: of larger tiles products are fewer, and more lie outside of the result."""
    two, four = (_cost(tile, result, outputs, inputs) for tile in (TWO, FOUR))
    return FOUR if four <= GAIN * two else TWO


def _cost(tile: WinogradTile, result: tuple[int, int], outputs: int, inputs: int) -> float:
    """Returns the products of vectors that a convolution takes, with its transforms: those of data are by rows of tiles."""
    rows, columns = (-(-size // tile.size) for size in result)
    results, data = rows * columns * outputs / LANES, rows * -(-columns // LANES) * inputs
    return tile.products * (results * inputs + TRANSFORM_COST * (results + data))


@dataclass(frozen=True)
class UseWinogradPass(PassWithOptions):
    """Computes convolutions by 3x3 kernels by Winograd's F(2x2, 3x3) or F(4x4, 3x3): 4 or 2.25 products for a result, not 9.

    ```mlir
    %y = relax.nn.conv2d %x, %w {padding = array<i64: 1>} : (tensor<?x64x28x28xf32, #relax.sym<n>>, tensor<64x64x3x3xf32>) -> ...
    ```
    becomes
    ```mlir
    %rows = relax.permute_dims %w {axes = array<i64: 2, 3, 1, 0>} : (tensor<64x64x3x3xf32>) -> tensor<3x3x64x64xf32>
    %matrix = relax.reshape %rows, %s : (tensor<3x3x64x64xf32>, !relax.shape<[9, 4096]>) -> tensor<9x4096xf32>
    %products = relax.matmul %g, %matrix : (tensor<36x9xf32>, tensor<9x4096xf32>) -> tensor<36x4096xf32>
    %w_packed = relax.reshape %products, %t : (tensor<36x4096xf32>, !relax.shape<[6, 6, 64, 64]>) -> tensor<6x6x64x64xf32>
    %y = relax.nn.winograd_conv2d %x, %w_packed {padding = array<i64: 1, 1, 1, 1>}
        : (tensor<?x64x28x28xf32, #relax.sym<n>>, tensor<6x6x64x64xf32>) -> ...
    ```

    `%g` is a constant, the transform of kernels applied to both of their dims. Data, kernel and result are f32 with channels first, the
    kernel is a weight in one group with 32 and more output and input channels, and results have 12 and more rows and columns.

    A tile is 4x4 results where these take less, with the transforms: not for few channels whose results fill such tiles badly.

    It costs memory, as a kernel is 16 or 36 numbers where it was 9; precision, as the error is up to three times that of the direct
    convolution, or five times for 4x4 results; and a NaN or an infinity in the data, or elements of which a weighted sum exceeds f32, may
    make NaN of all results of a tile whose window has it; one in the kernel makes NaN of a whole channel.

    With `panel`, convolutions of bytes by 3x3 kernels of i8, with channels last, become `relax.nn.integer_winograd_conv2d`, which is exact,
    for targets that multiply i16 and no bytes: kernels are `[4, 4, O / panel, C / 2, panel, 2]` of i16, twice the transform on both dims,
    of 3.6 times the memory of the weight. Output channels are whole panels, input channels multiples of 32.

    *Requires* `relax.num_input`. *Leaves* arithmetic on weights alone, for `relax-lift-transform-params` to move into the transform;
    without lifting kernels are transformed at every call.
    """

    name = "relax-use-winograd"

    tile: Literal[0, 2, 4] = field(default=0)
    """The rows and columns of results that a tile has, for all convolutions; 0: what takes each the least time."""
    panel: Literal[0, 16, 32, 64] = field(default=0)
    """The output channels that lie together in kernels of bytes; 0 leaves convolutions of bytes as they are."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        tile = next((each for each in (TWO, FOUR) if each.size == self.tile), None)
        roots = of_types(Conv2DOp)
        for function, weights in weights_of_functions(op, self.name, roots):
            pattern = UseWinograd(weights, tile, self.panel)
            RootedWalker([pattern], roots, apply_recursively=False).rewrite_region(function.body)
