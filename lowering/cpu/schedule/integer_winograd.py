"""Winograd's convolutions of bytes: which contractions they are, and the blocks in which loops compute them.

yield (acc + x * k * a * a' * b * b')    with the maps of `integer_maps`, in i32, of which x and k are extended
"""

from __future__ import annotations

from math import prod

from xdsl.dialects.builtin import i8, i16, i32
from xdsl.dialects.linalg import ops as linalg

from ....dialects.relax import schedule as schedules
from ....dialects.relax.rules.winograd import PAIR, TWO
from ....records import record
from ....targets.cpu import DOT_PRODUCTS, CpuTarget
from .access import Access, strides_of
from .grain import ACCESS, grain_of
from .nest import Nest
from .register_tiles import register_tiles, registers_needed
from .winograd import has_loops_of_one_dim, is_by_matrices, plane_room
from .winograd_blocks import MOST_ROWS

LANES_OF_DATA = 2
"""How many times as many channels a vector of transformed data has as one of products."""

PLANE = plane_room(TWO) + 32
"""How far products lie apart on the stack, of data and of sums, the same for all convolutions: whole lines of both, and no power of two."""

L1_PART = 0.8
"""The most of the first-level cache that the data of one product may take, which all output channels are multiplied by."""

KERNEL_COST = 1.0
"""What it costs to read the kernel for one more block, in tiles that are multiplied by it."""

TRANSFORM_COST = 3.0
"""What the transform of a tile of data costs, in output channels that it is multiplied by."""

MISS_COST = 1.03
"""The factor of the cost of blocks whose data and products the second-level cache does not hold."""


@record
class IntegerWinogradConvolution:
    """A convolution of bytes by F(2x2, 3x3): `result += A^T [kernel * (B^T image B)] A`.

    Loops are positions in the nest, None for one of a single step.
    """

    nest: Nest
    image: Access
    kernel: Access
    result: Access
    batch: int | None
    row: int | None
    column: int | None
    channel: int
    channels: int
    inputs: int
    rows: int
    columns: int
    panel: int
    """The output channels that lie together in the kernel."""

    @property
    def tiles(self) -> tuple[int, int]:
        """The rows and columns of tiles."""
        return -(-self.rows // TWO.size), -(-self.columns // TWO.size)

    @property
    def operations(self) -> int:
        """The arithmetic for one image: products and their sums, and the additions of the transforms."""
        data, results = 2 * TWO.window * TWO.window, 2 * TWO.window * (TWO.window - 1)
        each = 2 * TWO.products * self.inputs * self.channels + data * self.inputs + results * self.channels
        return prod(self.tiles) * each


def recognize_integer_winograd(nest: Nest) -> IntegerWinogradConvolution | None:
    """Returns the convolution of bytes that a merged nest computes; None for others.

    Sizes other than the batch are known, and output channels are whole panels of the kernel.
    """
    # The op first, then the sizes and strides of what it reads and writes.
    op = nest.op
    if not isinstance(op, linalg.GenericOp) or len(op.inputs) != 6 or not has_loops_of_one_dim(nest):
        return None
    maps = [attr.data for attr in op.indexing_maps.data]
    operands = (op.inputs[0], op.inputs[1], op.outputs[0])
    image, kernel, result = (
        Access(value, tuple(maps[k].results)) for value, k in zip(operands, (0, 1, -1), strict=True)
    )
    if kernel.type.get_num_dims() != 6 or [each.type.element_type for each in (image, kernel, result)] != [
        i8,
        i16,
        i32,
    ]:
        return None
    *_, pairs, panel, _ = kernel.type.get_shape()
    if panel < 1 or maps != TWO.integer_maps(panel) or not is_by_matrices(op, TWO):
        return None
    _, rows, columns, channels = result.type.get_shape()
    if min(rows, columns, channels, pairs) < 1 or channels % panel or not _is_plain(image, kernel, result):
        return None
    batch, row, column, channel = (
        next((k for k, loop in enumerate(nest.loops) if loop == (d,)), None) for d in range(4)
    )
    if channel is None:
        return None
    loops = batch, row, column, channel
    return IntegerWinogradConvolution(nest, image, kernel, result, *loops, channels, pairs * PAIR, rows, columns, panel)


def _is_plain(image: Access, kernel: Access, result: Access) -> bool:
    """Returns whether channels are neighbors, and the kernel lies without gaps."""
    sizes = kernel.type.get_shape()
    dense = [prod(sizes[axis + 1 :]) for axis in range(len(sizes))]
    return list(strides_of(kernel.type)) == dense and all(strides_of(each.type)[-1] == 1 for each in (image, result))


def fits_integer_winograd(k: IntegerWinogradConvolution, target: CpuTarget) -> bool:
    """Returns whether a target has the instruction for the products, and channels are whole vectors of it."""
    row = target.dot_product("i16", "i16")
    return row is not None and target.lanes in row.lanes and _vectors_problem(k, target.lanes) is None


def pick_integer_winograd(
    k: IntegerWinogradConvolution, target: CpuTarget, in_parallel: bool, threads: int
) -> schedules.Winograd:
    """Returns the schedule: blocks of which the caches hold the data, and the products of some output channels."""
    lanes = target.lanes
    shares = 1 if in_parallel or k.batch is not None else max(1, threads)
    block, channels = min(_choices(k, target), key=lambda choice: _cost(k, *choice, shares, target))
    counts = [-(-size // step) for size, step in zip(k.tiles, block, strict=True)]
    vectors = range(1, register_tiles(target).vectors + 1)
    width = lanes * max(n for n in vectors if k.panel % (n * lanes) == 0)
    # Two registers more take products before they are added.
    most = max(n for n in range(1, MOST_ROWS + 1) if registers_needed(n, width // lanes) + 2 <= target.vector_registers)
    tiles = prod(block)
    work = TWO.products * channels * (k.inputs // PAIR + ACCESS) * tiles
    sizes = [1 if k.batch is None else k.nest.sizes[k.batch], *counts, -(-k.channels // channels)]
    return schedules.Winograd(
        loops=tuple(k.nest.loops[d] for d in range(k.nest.rank())),
        lanes=lanes,
        shape=(-(-tiles // -(-tiles // most)), width),
        block=block,
        channels=channels,
        instruction="vpmaddwd",
        fetched=int(TWO.products * k.inputs * k.channels * 2 > target.l2.size),
        grain=0 if in_parallel else grain_of(sizes, work),
    )


def _choices(k: IntegerWinogradConvolution, target: CpuTarget) -> list[tuple[tuple[int, int], int]]:
    """Returns blocks of rows and columns of tiles, whole rows or a part of one, each with numbers of output channels, whole panels.

    The stack has room for them, and the first-level cache for the data of one product.
    """
    rows, columns = k.tiles
    most = min(most_integer_tiles(k.inputs), max(1, int(L1_PART * target.l1d.size) // (2 * k.inputs)))
    blocks = [(n, columns) for n in range(1, rows + 1) if n * columns <= most]
    if not blocks:
        blocks = [(1, -(-columns // -(-columns // most)))]
    panels = k.channels // k.panel
    parts = [n * k.panel for n in range(1, panels + 1) if panels % n == 0]
    return [(block, part) for block in blocks for part in parts if prod(block) <= most_integer_tiles(part)]


def _cost(
    k: IntegerWinogradConvolution, block: tuple[int, int], channels: int, shares: int, target: CpuTarget
) -> tuple[float, int]:
    """Returns what the thread with the most to do has to do, in products of a tile by an output channel, for one of the inputs."""
    tiles, parts = prod(block), k.channels // channels
    count = prod(-(-size // step) for size, step in zip(k.tiles, block, strict=True))
    memory = TWO.products * tiles * (2 * k.inputs + 4 * channels)
    factor = MISS_COST if memory > target.l2.size else 1.0
    if shares > 1:
        return factor * -(-count * parts // shares) * _cost_of_block(tiles, channels), -tiles
    return factor * parts * _cost_of_block(prod(k.tiles), channels, count), -tiles


def _cost_of_block(tiles: int, channels: int, blocks: int = 1) -> float:
    return tiles * (channels + TRANSFORM_COST) + blocks * KERNEL_COST * channels


def most_integer_tiles(numbers: int) -> int:
    """Returns the most tiles of a block with so many numbers of each: the stack has room for these, for each product."""
    return plane_room(TWO) // max(1, numbers)


def integer_winograd_problem(k: IntegerWinogradConvolution, schedule: schedules.Winograd) -> str | None:
    """Returns the reason why a convolution of bytes cannot have these blocks."""
    # From the instruction to the vectors, then the blocks, then what they take.
    if schedule.instruction is None:
        return "no instruction, which the products of a convolution of bytes need"
    if schedule.staged:
        return f"staged = {schedule.staged}, want 0: threads share the data of f32 alone"
    if schedule.shares:
        return f"shares = {schedule.shares}, want 0: blocks of f32 alone are taken in shares"
    row = DOT_PRODUCTS[schedule.instruction]
    if row.factors != ("i16", "i16") or schedule.lanes not in row.lanes:
        return f"instruction = {row.name} with lanes = {schedule.lanes}, want one for i16 that has as many lanes"
    problem = _vectors_problem(k, schedule.lanes)
    if problem is not None:
        return problem
    if k.panel % schedule.shape[1]:
        return f"shape = {list(schedule.shape)}, want channels that divide the {k.panel} of a panel of the kernel"
    if schedule.channels % k.panel:
        return f"channels = {schedule.channels}, want whole panels of {k.panel} channels"
    rows, columns = schedule.block
    if rows > 1 and columns < k.tiles[1]:
        return f"block = [{rows}, {columns}] of several rows, want all {k.tiles[1]} columns of tiles"
    height, width = (min(pair) for pair in zip(schedule.block, k.tiles, strict=True))
    most = most_integer_tiles(max(k.inputs, min(schedule.channels, k.channels)))
    if height * width > most:
        return f"block = [{rows}, {columns}] of {k.inputs} inputs, want at most {most} tiles on the stack"
    return None


def _vectors_problem(k: IntegerWinogradConvolution, lanes: int) -> str | None:
    """Returns the reason why channels are not whole vectors."""
    if k.inputs % (LANES_OF_DATA * lanes):
        return f"lanes = {lanes} with {k.inputs} input channels, want a multiple of {LANES_OF_DATA * lanes}"
    if k.panel % lanes:
        return f"lanes = {lanes} with panels of {k.panel} channels, want a divisor"
    return None
