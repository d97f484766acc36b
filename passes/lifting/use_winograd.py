"""The pass `relax-use-winograd`."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, f32
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.utils.exceptions import PassFailedException

from ...dialects.relax.attrs import dims_of
from ...dialects.relax.base import element
from ...dialects.relax.function_signature import functions
from ...dialects.relax.ops.linear_algebra import MatmulOp
from ...dialects.relax.ops.manipulate import PermuteDimsOp, ReshapeOp
from ...dialects.relax.ops.nn.conv import Conv2DOp
from ...dialects.relax.ops.nn.winograd import WinogradConv2DOp
from ...dialects.relax.rules.window import Window
from ...dialects.relax.rules.winograd import FOUR, TAPS, TILES, TWO, WinogradTile, on_both_dims
from ...dialects.relax.vocabulary.attributes import NUM_INPUT
from ..analysis.remarks import Topic, function_of, remark
from ..rewriting.emitter import Emitter
from ..rewriting.rooted_walker import RootedWalker, of_types
from .weights import Weights, name_as_packed

CHANNELS = 32
"""The least number of input and of output channels: with fewer, the transforms of the data cost more than the products that they save."""

PIXELS = 12
"""The least number of rows and of columns of a result: the last tile of an odd number of them costs little beside the others then."""

_PLAIN = (0, 1, 2, 3)


class UseWinograd(RewritePattern):
    """Replaces a convolution by a 3x3 kernel that moves by one by `winograd_conv2d`.

    Declines unless data, kernel and result are f32 with channels first, the kernel is a weight of known size and one group, the data is
    none, and channels and pixels of the result are many enough.
    """

    def __init__(self, weights: Weights, tile: WinogradTile | None):
        self.weights = weights
        self.tile = tile

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: Conv2DOp, rewriter: PatternRewriter) -> None:
        # A weight first, then layouts, then sizes: each test relies on those before it.
        if op.kernel_block or not self.weights.has(op.weight) or self.weights.has(op.data):
            return
        if not element(op.data) == element(op.weight) == element(op.result) == f32 or op.group_count != 1:
            return
        if not op.data_positions() == op.kernel_positions() == op.out_positions() == _PLAIN:
            return
        shape, result = dims_of(op.weight.type), dims_of(op.result.type)
        if shape is None or result is None:
            return
        outputs, inputs, *taps = shape
        windows = op.windows(taps)
        if any(window != Window(TAPS, before=window.before, after=window.after) for window in windows):
            return
        if not isinstance(outputs, int) or not isinstance(inputs, int) or min(outputs, inputs) < CHANNELS:
            return
        if not all(isinstance(size, int) and size >= PIXELS for size in result[2:]):
            return
        tile = self.tile or FOUR
        text = f"{op.name} is computed by Winograd's {tile.name}: {WinogradConv2DOp.name}"
        remark(Topic.REWRITE, function_of(op), op.location, text)
        emit = Emitter(op, rewriter)
        rows = emit.op(PermuteDimsOp, op.weight, axes=[2, 3, 0, 1])
        matrix = emit.op(ReshapeOp, rows, emit.shape(TAPS * TAPS, outputs * inputs))
        transform = emit.constant(np.array(on_both_dims(tile.kernel), np.float32))
        products = emit.op(MatmulOp, transform, matrix)
        kernel = emit.op(ReshapeOp, products, emit.shape(tile.window, tile.window, outputs, inputs))
        name_as_packed(kernel, op.weight)
        padding = [*(window.before for window in windows), *(window.after for window in windows)]
        emit.replace(op, [emit.op(WinogradConv2DOp, op.data, kernel, padding=padding)])


@dataclass(frozen=True)
class UseWinogradPass(ModulePass):
    """Computes convolutions by 3x3 kernels by Winograd's F(2x2, 3x3), which multiplies 16 times for each 4 results, not 36 times.

    ```mlir
    %y = relax.nn.conv2d %x, %w {padding = array<i64: 1>} : (tensor<?x64x28x28xf32, #relax.sym<n>>, tensor<64x64x3x3xf32>) -> ...
    ```
    becomes
    ```mlir
    %rows = relax.permute_dims %w {axes = array<i64: 2, 3, 0, 1>} : (tensor<64x64x3x3xf32>) -> tensor<3x3x64x64xf32>
    %matrix = relax.reshape %rows, %s : (tensor<3x3x64x64xf32>, !relax.shape<[9, 4096]>) -> tensor<9x4096xf32>
    %products = relax.matmul %g, %matrix : (tensor<16x9xf32>, tensor<9x4096xf32>) -> tensor<16x4096xf32>
    %w_packed = relax.reshape %products, %t : (tensor<16x4096xf32>, !relax.shape<[4, 4, 64, 64]>) -> tensor<4x4x64x64xf32>
    %y = relax.nn.winograd_conv2d %x, %w_packed {padding = array<i64: 1, 1, 1, 1>}
        : (tensor<?x64x28x28xf32, #relax.sym<n>>, tensor<4x4x64x64xf32>) -> ...
    ```

    `%g` is a constant, the transform of kernels applied to both of their dims. Data, kernel and result are f32 with channels first, the
    kernel is a weight in one group with 32 and more output and input channels, and results have 12 and more rows and columns.

    It costs memory, as a kernel is 16 numbers where it was 9; precision, as the error is up to three times that of the direct convolution;
    and a NaN or an infinity in the data, or elements of which the sum of four exceeds f32, may make NaN of all 2x2 results whose 4x4 window
    has it; one in the kernel makes NaN of a whole channel.

    *Requires* `relax.num_input`. *Leaves* arithmetic on weights alone, for `relax-lift-transform-params` to move into the transform;
    without lifting kernels are transformed at every call.
    """

    name = "relax-use-winograd"

    tile: int = field(default=0)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        tiles = {0: None, **{tile.size: tile for tile in TILES.values()}}
        if self.tile not in tiles:
            raise PassFailedException(f"{self.name}: tile = {self.tile}, want {', '.join(map(str, tiles))}")
        for function in functions(op):
            count = NUM_INPUT.of(function)
            if count is None:
                continue
            pattern = UseWinograd(Weights(function, count), tiles[self.tile])
            RootedWalker([pattern], of_types(Conv2DOp), apply_recursively=False).rewrite_region(function.body)
