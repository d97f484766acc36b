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
from .access import Access, strides_of
from .nest import Nest, Size

CHANNELS = 256
"""The output channels whose products lie on the stack at most: rows of the kernel are read in pieces of so many."""

LEAST_LANES = 8
"""The lanes of the transform of a short row of tiles, if the processor has as many: one of fewer takes as long, and more code."""


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


def channels_of_share(channels: int, shares: int, lanes: int) -> int:
    """Returns the output channels of a block that each of so many shares takes: whole vectors."""
    return in_vectors(-(-channels // shares), lanes)


def shares_problem(k: WinogradConvolution, shares: int, lanes: int) -> str | None:
    """Returns the reason why blocks of a convolution cannot be taken in so many shares."""
    if k.batches is None:
        return f"shares = {shares}, but the number of images is known at run time only"
    if -(-k.channels // channels_of_share(k.channels, shares, lanes)) != shares:
        return f"shares = {shares} of {k.channels} output channels, want whole vectors of {lanes} for each"
    return None


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
    if schedule.shares and channels < k.channels:
        return f"shares = {schedule.shares} with channels = {channels}, want all {k.channels} output channels"
    problem = shares_problem(k, schedule.shares, schedule.lanes) if schedule.shares else None
    if problem is not None:
        return problem
    if height * width > most:
        return f"block = [{rows}, {columns}] of {k.inputs} inputs, want at most {most} tiles on the stack"
    return None
