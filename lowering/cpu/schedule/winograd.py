"""Winograd's convolutions: which contractions they are, and the blocks in which loops compute them.

yield (acc + x * k * a * a' * b * b')    with the maps of `rules.winograd`, of which a and a' are A^T, b and b' are B^T
"""

from __future__ import annotations

from math import prod

from xdsl.dialects import memref
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, ModuleOp, f32
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Operation, SSAValue
from xdsl.traits import SymbolTable

from ....dialects.relax import schedule as schedules
from ....dialects.relax.rules.winograd import TILES, Transform, WinogradTile
from ....records import record
from ....targets.cpu import CpuTarget
from .access import Access, strides_of
from .grain import ACCESS, grain_of
from .nest import Nest, Size
from .register_tiles import register_tiles, registers_needed

MOST_TILES = 128
"""Tiles of a block at most: the products of a channel with these are a few vectors, and further ones only take memory."""

KERNEL_COST = 1.0
"""What it costs to read the transformed kernel for one more block, in tiles that are multiplied by it."""

FAR_KERNEL_COST = 3.5
"""The same of a kernel that the second-level cache does not hold."""

TRANSFORM_COST = 11.0
"""What the transforms of a vector of tiles cost, in products of a vector by a channel of the other side."""

CACHE = 0.6
"""The part of the second-level cache that the kernel and the memory of a block may take without misses: image and result are there too."""

MISS_COST = 1.5
"""What it costs to write and read a vector of the data or of the products that the second-level cache does not hold, in products."""

OTHERS_COST = 1.5
"""What it costs to read the data of a tile and an input that another thread has transformed, from its cache."""

FAR_COST = 4.0
"""What either costs where the caches behind the second level are far."""

WAIT_COST = 10000.0
"""What it costs threads to wait for one another twice, about 2 us, in products of two vectors."""

CHANNELS = 256
"""The output channels whose products lie on the stack at most: rows of the kernel are read in pieces of so many."""

LEAST_LANES = 8
"""The lanes of the transform of a short row of tiles, if the processor has as many: one of fewer takes as long, and more code."""

MOST_ROWS = 13
"""The most tiles of a tile of registers: their data lie side by side, so that it needs no more addresses than one."""

MOST_SPLITS = 4
"""The blocks of output channels at most: each transforms the data again."""


def plane(tile: WinogradTile) -> int:
    """Returns how far products lie apart on the stack, the same for all convolutions with a tile, which share their transforms.

    It is no power of two, of which few lines of a cache would hold many, and has room for a vector behind the last tile.
    """
    return plane_room(tile) + plane_room(tile) // 8 + 16


def plane_room(tile: WinogradTile) -> int:
    """Returns the numbers that the stack has room for of each product: a power of two, as channels mostly are."""
    return 1 << (schedules.MOST_PANEL // tile.products - 1).bit_length()


def most_inputs(tile: WinogradTile) -> int:
    """Returns the most input channels: the stack has room for their transformed data of two tiles, the fewest of a vector."""
    return plane_room(tile) // 2


@record
class WinogradConvolution:
    """A convolution by F(2x2, 3x3) or F(4x4, 3x3): `result += A^T [kernel * (B^T image B)] A`.

    Loops are positions in the nest, None for one of a single step.
    """

    nest: Nest
    tile: WinogradTile
    image: Access
    kernel: Access
    result: Access
    batch: int | None
    channel: int | None
    row: int | None
    column: int
    channels: int
    inputs: int
    rows: int
    columns: int

    @property
    def batches(self) -> Size:
        """The images; None if their number is not known."""
        return 1 if self.batch is None else self.nest.sizes[self.batch]

    @property
    def operations(self) -> int:
        """The arithmetic for one image: products and their sums, and that of the transforms by their matrices."""
        tile = self.tile
        data = _arithmetic(tile.data) * (tile.window + tile.window)
        results = _arithmetic(tile.result) * (tile.window + tile.size)
        each = 2 * tile.products * self.inputs * self.channels + data * self.inputs + results * self.channels
        return prod(self.tiles) * each

    @property
    def tiles(self) -> tuple[int, int]:
        """The rows and columns of tiles."""
        return -(-self.rows // self.tile.size), -(-self.columns // self.tile.size)


def _arithmetic(matrix: Transform) -> int:
    """Returns the additions that a transform of one vector takes, and the products by what is not 1 or -1."""
    return sum(sum(map(bool, row)) - 1 + sum(abs(factor) not in (0, 1) for factor in row) for row in matrix)


def recognize_winograd(nest: Nest) -> WinogradConvolution | None:
    """Returns the convolution that a merged nest computes; None for others.

    Sizes other than the batch are known, columns are several, and input channels no more than the stack has room for.
    """
    # The op first, then the sizes and strides of what it reads and writes.
    op = nest.op
    if not isinstance(op, linalg.GenericOp) or len(op.inputs) != 6 or not has_loops_of_one_dim(nest):
        return None
    maps = op.indexing_maps.data
    tile = next((each for each in TILES.values() if [attr.data for attr in maps] == each.maps()), None)
    if tile is None or any(arg.type != f32 for arg in op.body.block.args) or not is_by_matrices(op, tile):
        return None
    operands = ((op.inputs[0], maps[0]), (op.inputs[1], maps[1]), (op.outputs[0], maps[-1]))
    image, kernel, result = (Access(value, tuple(attr.data.results)) for value, attr in operands)
    _, outputs, rows, columns = result.type.get_shape()
    inputs = kernel.type.get_shape()[-2]
    if min(outputs, rows, columns - 1, inputs) < 1 or inputs > most_inputs(tile):
        return None
    if any(strides_of(each.type)[-1] != 1 for each in (image, kernel, result)) or not _is_even(kernel, tile):
        return None
    batch, channel, row, column = (
        next((k for k, loop in enumerate(nest.loops) if loop == (d,)), None) for d in range(4)
    )
    if column is None:
        return None
    loops = batch, channel, row, column
    return WinogradConvolution(nest, tile, image, kernel, result, *loops, outputs, inputs, rows, columns)


def _is_even(kernel: Access, tile: WinogradTile) -> bool:
    """Returns whether the products of a transformed kernel lie equally far apart."""
    outer, inner, *_ = strides_of(kernel.type)
    return outer is not None and inner is not None and outer == tile.window * inner


def has_loops_of_one_dim(nest: Nest) -> bool:
    """Returns whether no dims of a nest are merged, as those of a tile are told apart by them."""
    return all(len(loop) == 1 for loop in nest.loops)


def is_by_matrices(op: linalg.GenericOp, tile: WinogradTile) -> bool:
    """Returns whether an op adds products of data, kernel and the matrices of a tile, twice each, to its output."""
    transforms = [tile.result] * 2 + [tile.data] * 2
    matrices = zip(op.inputs[2:], transforms, strict=True)
    return _multiplies_all(op) and all(_is_constant(value, matrix) for value, matrix in matrices)


def _multiplies_all(op: linalg.GenericOp) -> bool:
    """Returns whether the payload adds the product of all inputs, those of fewer bits extended, to the output.

    Each is extended once, and only the first one, the data, may be unsigned.
    """
    *arguments, total = op.body.block.args
    names = ("arith.extsi", "arith.extui")
    extended = [each for each in op.body.block.ops if each.name in names]
    extensions = {each.operands[0]: each for each in extended}
    unsigned = [each.operands[0] for each in extended if each.name == "arith.extui"]
    if len(extensions) < len(extended) or any(argument in unsigned for argument in arguments[1:]):
        return False
    factors = [extensions[argument].results[0] if argument in extensions else argument for argument in arguments]
    *products, added, last = (each for each in op.body.block.ops if each.name not in names)
    multiply, plus = ("arith.mulf", "arith.addf") if total.type == f32 else ("arith.muli", "arith.addi")
    if [each.name for each in products] != [multiply] * 5 or (added.name, last.name) != (plus, "linalg.yield"):
        return False
    product: SSAValue = factors[0]
    for each, factor in zip(products, factors[1:], strict=True):
        if set(each.operands) != {product, factor}:
            return False
        product = each.results[0]
    return set(added.operands) == {total, product} and last.operands[0] is added.results[0]


def _is_constant(value: SSAValue, matrix: Transform) -> bool:
    """Returns whether a memref is the constant of a module that holds a matrix."""
    owner = value.owner
    if not isinstance(owner, memref.GetGlobalOp):
        return False
    module: Operation | None = owner
    while module is not None and not isinstance(module, ModuleOp):
        module = module.parent_op()
    definition = None if module is None else SymbolTable.lookup_symbol(module, owner.name_)
    if not isinstance(definition, memref.GlobalOp) or definition.constant is None:
        return False
    data = definition.initial_value
    return isinstance(data, DenseIntOrFPElementsAttr) and list(data.iter_values()) == [x for row in matrix for x in row]


def pick_winograd(k: WinogradConvolution, target: CpuTarget, in_parallel: bool, threads: int) -> schedules.Winograd:
    """Returns the schedule of a convolution: the blocks of tiles with which its products take the fewest vectors, even for threads."""
    lanes = min(max(2, target.vector_bits // f32.bitwidth), 1 << k.channels.bit_length() - 1)
    shares = 1 if in_parallel else max(1, threads)
    block, splits, staged = min(_choices(k, lanes, shares), key=lambda choice: _cost(k, choice, lanes, shares, target))
    channels = _channels_of_block(k, splits, lanes)
    shape = _shape(prod(block), channels, lanes, target)
    counts = [-(-size // step) for size, step in zip(k.tiles, block, strict=True)]
    work = k.tile.products * channels * (k.inputs + ACCESS) * block[0] * block[1]
    parts = -(-k.channels // channels)
    grain = 0 if in_parallel else grain_of([parts] if staged else [k.batches, *counts, parts], work)
    if shares > 1 and not grain:
        return pick_winograd(k, target, in_parallel, threads=1)
    return schedules.Winograd(
        loops=tuple(k.nest.loops),
        lanes=lanes,
        shape=shape,
        block=block,
        channels=channels,
        fetched=_fetched(prod(block), shape) if _kernel_size(k, k.channels) > target.l2.size else 0,
        # As many threads for both: to gather another number of them takes long.
        staged=max(1, grain * k.inputs // parts) if staged else 0,
        grain=grain,
    )


def _channels_of_block(k: WinogradConvolution, splits: int, lanes: int) -> int:
    """Returns the output channels of each of so many blocks: whole vectors, where there are several."""
    return k.channels if splits == 1 else in_vectors(-(-k.channels // splits), lanes)


def _shape(tiles: int, channels: int, lanes: int, target: CpuTarget) -> tuple[int, int]:
    """Returns the tiles and channels of a tile of registers: as many vectors of channels as fit, or as there are."""
    vectors = min(register_tiles(target).vectors, -(-min(channels, CHANNELS) // lanes))
    most = max(n for n in range(1, MOST_ROWS + 1) if registers_needed(n, vectors) <= target.vector_registers)
    return -(-tiles // -(-tiles // most)), vectors * lanes


def _kernel_size(k: WinogradConvolution, channels: int) -> int:
    """Returns the bytes of the kernel of so many channels."""
    return k.tile.products * k.inputs * channels * f32.bitwidth // 8


def _fetched(tiles: int, shape: tuple[int, int]) -> int:
    """Returns the lines that two steps fetch, so that all tiles of registers together fetch what they read of the kernel themselves."""
    lines = 2 * max(1, shape[1] * f32.bitwidth // 8 // schedules.FETCHED_BYTES)
    return min(lines, 1 << (-(-lines * shape[0] // tiles) - 1).bit_length())


def _blocks(k: WinogradConvolution, lanes: int) -> list[tuple[int, int]]:
    """Returns the blocks of rows and columns of tiles that the stack has room for: whole rows, or a part of one."""
    rows, columns = k.tiles
    most = min(MOST_TILES, most_tiles(k.tile, k.inputs, k.channels, lanes))
    whole = [(n, columns) for n in range(1, rows + 1) if n * columns <= most]
    return whole or [(1, most)]


def _choices(k: WinogradConvolution, lanes: int, shares: int) -> list[tuple[tuple[int, int], int, bool]]:
    """Returns blocks of tiles, each with numbers of blocks of output channels, and whether so many threads transform data together."""
    choices = [(block, splits, False) for block in _blocks(k, lanes) for splits in range(1, MOST_SPLITS + 1)]
    together = min(shares, k.channels // lanes)
    if together > 1:
        most = most_tiles(k.tile, k.inputs, k.channels, lanes)
        blocks = [block for block in _blocks(k, lanes) if prod(block) + written_behind(block[1], lanes) <= most]
        choices += [(block, together, True) for block in blocks]
    return choices


def lanes_of_data(width: int, lanes: int) -> int:
    """Returns the lanes of the transform of the data of a row of so many tiles."""
    return min(lanes, max(LEAST_LANES, 1 << (width - 1).bit_length()))


def written_behind(width: int, lanes: int) -> int:
    """Returns how many numbers are written behind those of a row of so many tiles."""
    return max(0, lanes_of_data(width, lanes) - width)


def in_vectors(count: int, lanes: int) -> int:
    """Returns a number with what fills the last vector."""
    return -(-count // lanes) * lanes


def most_tiles(tile: WinogradTile, inputs: int, channels: int, lanes: int) -> int:
    """Returns the most tiles of a block: the stack has room for the data of all inputs, and for the products of some output channels."""
    return plane_room(tile) // max(inputs, in_vectors(min(CHANNELS, channels), lanes))


def _cost(
    k: WinogradConvolution, choice: tuple[tuple[int, int], int, bool], lanes: int, shares: int, target: CpuTarget
) -> tuple[float, int]:
    """Returns what the thread with the most to do has to do, in products of a tile by a vector of channels, for one of the inputs."""
    block, splits, staged = choice
    channels = _channels_of_block(k, splits, lanes)
    vectors, of_inputs = -(-channels // lanes), k.inputs / lanes
    stack = k.tile.products * prod(block) * (k.inputs + min(CHANNELS, channels)) * f32.bitwidth // 8
    misses = stack + _kernel_size(k, channels) > CACHE * target.l2.size
    kernel = FAR_KERNEL_COST if _kernel_size(k, channels) > target.l2.size else KERNEL_COST
    missed, read = (FAR_COST, FAR_COST) if target.has_far_caches else (MISS_COST, OTHERS_COST)
    transform = TRANSFORM_COST + (missed if misses else 0)
    batches = 1 if k.batches is None else k.batches
    (heights, last_height), (widths, last_width) = (
        divmod(size - 1, step) for size, step in zip(k.tiles, block, strict=True)
    )

    def data(height: int, width: int) -> float:
        return transform * height * in_vectors(width, lanes) * of_inputs

    def results(height: int, width: int) -> float:
        return ((height * width + kernel) * k.inputs + transform * height * width) * vectors

    def cost(height: int, width: int) -> float:
        return data(height, width) + results(height, width)

    def staged_cost(height: int, width: int) -> float:
        others = read * height * width * k.inputs
        together = (data(height, width) + (shares - 1) * others) / shares + WAIT_COST / k.tile.products
        return together + -(-splits // shares) * results(height, width)

    if shares > 1 and not staged:
        iterations = batches * (heights + 1) * (widths + 1) * splits
        return -(-iterations // shares) * cost(*block), splits
    parts = [(heights, block[0]), (1, last_height + 1)], [(widths, block[1]), (1, last_width + 1)]
    each = staged_cost if staged else cost
    total = sum(n * m * each(height, width) for n, height in parts[0] for m, width in parts[1])
    return batches * (1 if staged else splits) * total, splits


def winograd_problem(k: WinogradConvolution | None, schedule: schedules.Winograd) -> str | None:
    """Returns the reason why a nest cannot be a Winograd convolution with these blocks."""
    # From the op to its blocks, then what they take.
    if k is None:
        names = " or ".join(f"{tile.name} of at most {most_inputs(tile)} channels" for tile in TILES.values())
        return (
            f"payload, maps and constants are not those of {names}, with known sizes and several columns, nor of bytes"
        )
    if schedule.instruction is not None:
        return f"instruction = {schedule.instruction}, which multiplies integers, for a convolution of f32"
    rows, columns = schedule.block
    if rows > 1 and columns < k.tiles[1]:
        return f"block = [{rows}, {columns}] of several rows, want all {k.tiles[1]} columns of tiles"
    height, width = (min(pair) for pair in zip(schedule.block, k.tiles, strict=True))
    channels = min(schedule.channels, k.channels)
    if schedule.lanes > channels:
        return f"lanes = {schedule.lanes}, want at most the {channels} channels of a block"
    most = most_tiles(k.tile, k.inputs, channels, schedule.lanes)
    if schedule.staged:
        most -= written_behind(width, schedule.lanes)
    if height * width > most:
        return f"block = [{rows}, {columns}] of {k.inputs} inputs, want at most {most} tiles on the stack"
    return None
