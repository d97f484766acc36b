"""Schedules: how loops are written for a `linalg` op on memrefs, one record for each class of kernels.

`schedule_attribute` has their text, `docs/schedules.md` explains each class with an example.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from ...records import record

Loops: TypeAlias = tuple[tuple[int, ...], ...]
"""The loops of a nest, outermost first. Each is one dim of the op, or several that lie one after the other in every operand and
are merged: `[0, [1, 2]]`. Dims that are not listed have one iteration."""

Instruction: TypeAlias = Literal["vpdpbusd", "usdot", "vdpbf16ps", "vpmaddwd", "paired_vpmaddwd"]
TileInstruction: TypeAlias = Literal["tdpbf16ps", "tdpbssd", "tdpbsud", "tdpbusd", "tdpbuud"]
LookupInstruction: TypeAlias = Literal["vpermi2b"]
Packing: TypeAlias = Literal["rhs", "none", "both", "lhs"]
Filled: TypeAlias = Literal["before", "beside"]
Sums: TypeAlias = Literal["output", "stack", "pipelined"]
Scratch: TypeAlias = Literal["workspace", "stack"]
Stored: TypeAlias = Literal["cached", "past_caches"]


@record
class Scalars:
    """Scalar loops: the parallel ones, then the reductions."""

    loops: Loops
    joins: int = 0
    """The number of leading loops that are shared with the op before; 0 where the op has its loops to itself."""
    parallel: int = 0
    """The number of outermost loops that become one `scf.parallel`."""
    grain: int = 0
    """The iterations of the parallel loop that a thread takes at least; 0 where no loop is parallel."""


@record
class Vectors:
    """Vectors along one loop, which may be a reduction."""

    loops: Loops
    along: int
    """The position in `loops` of the loop whose iterations are lanes."""
    lanes: int
    unroll: int = 1
    """The vectors of partial results that are kept in registers at the same time; without reductions, the vectors that go together, each
    operation for all of them before the next one."""
    joins: int = 0
    """As in `Scalars`."""
    rows: int = 0
    """The iterations of the loop before `along` that are computed together, with all reductions written out, so that they share
    what they read; 0 where reductions are loops."""
    chunk: int = 0
    """The iterations of the loop `along` that one iteration of a parallel loop takes; 0 where that loop is not divided."""
    parallel: int = 0
    """The number of outermost loops, `along` not counted, that become one `scf.parallel`."""
    grain: int = 0
    """As in `Scalars`."""
    written_out: int = 0
    """The most vectors of a row, inside of shared loops, that are straight-line code, so that what an op of the group writes stays in
    registers until another one reads it; 0 where rows are loops."""
    ahead: int = 0
    """How many rows ahead a group whose rows are written out fetches; 0 where it fetches nothing."""
    stored: Stored = "cached"
    """Whether a group whose rows are written out writes results past the caches (x86-64), where they begin at vectors."""
    fetched: int = 0
    """The lines, of `FETCHED_BYTES`, between what is read from beginning to end and what is fetched meanwhile; 0 where nothing is.

    Of windows that read an image in place: the lines that each vector fetches of what the next rows read.
    """
    streams: int = 1
    """The parts of the innermost reduction that are taken side by side, a step of each in turn, with `unroll` vectors of results for each:
    memory gives more to several streams. What is left of the reduction follows."""
    lookup: LookupInstruction | None = None
    """The instruction that takes bytes from tables of 256, which lie in registers; absent where each lane is read from memory."""
    searched: int = 0
    """Of the greatest (or least) float and its place along a reduction: the vectors of a block of which the greatest one alone is found, as
    places are looked for in the block that has it; 0 where places go along with values."""
    scratch: Scratch = "workspace"
    """Of the first op of a group: where buffers of the workspace lie that only the group touches, each iteration of the common loops a
    part of its own: there, all parts, or one part on the `stack` of each thread."""


@record
class Transposed:
    """Vectors along the last loop; square blocks of it and the loop before are transposed in registers."""

    loops: Loops
    lanes: int
    parallel: int = 0
    """As in `Scalars`; the blocks of the loop before the last count as a loop."""
    grain: int = 0
    """As in `Scalars`."""
    blocks: int = 1
    """The blocks along the loop before the last that the same operations transpose, on vectors as long as all of them; more than 1 where
    elements are only moved, in whole blocks of the last loop."""


@record
class Interleaved:
    """Vectors along the loop before the last, of all iterations of the last, which is short and side by side in some operands."""

    loops: Loops
    lanes: int
    chunk: int
    """The iterations of the loop before the last that one iteration of a parallel loop takes."""
    parallel: int = 0
    """As in `Scalars`; the chunks count as a loop, the last loop does not."""
    grain: int = 0
    """As in `Scalars`."""


@record
class Tiles:
    """Register tiles of a contraction, and the panels of its right operand."""

    shape: tuple[int, int]
    """The rows and columns of a register tile."""
    pack: Packing
    """`rhs`: the right operand is copied to panels on the stack; `none`: it lies in blocks of columns already. `both`, `lhs`: the same,
    and the rows of the left operand that a tile reads are copied too, converted; rows for tile registers only where they do not begin at
    lines of the cache."""
    steps: int
    """The iterations of the first loop of a panel that one panel takes."""
    panel: int = 1
    """The number of innermost loops, all reductions, that lie in a panel; the reductions before them are loops around panels. Those of a
    panel follow one another in the left operand, but where all reductions are in it and its rows are copied for tile registers."""
    panels: int = 1
    """The iterations of the loops around panels where they are filled before the first tile, which then takes all of them; 1 where each
    is filled and used up before the next."""
    filled: Filled = "before"
    """When a panel is filled: before the first tile of a block, or `beside` its products, by the kernel of that tile, which reads rows of
    the right operand in place and copies them."""
    joined: int = 1
    """The iterations of the loop before the columns whose (short) rows lie side by side in a panel; 1 for plain columns."""
    pitch: int = 0
    """The rows of the tile's loop from an iteration of the loop over other rows that lies next outside in the left operand to the next: all
    rows of both, and what is between them, are multiplied together, and the ops of the epilogue take what are rows; 0 for rows of one
    loop."""
    row_block: int = 0
    """The rows that one iteration of the parallel loop takes; 0 for all."""
    outer_rows: int = 0
    """The iterations of the other loops over rows, counted through all of them, that one of the parallel loop takes; 0 for all."""
    column_block: int = 0
    """The columns that an iteration of the parallel loop takes, tile by tile for each chunk of the reduction, so that the cache need only
    hold a chunk of its rows, and those are copied once, if they are; 0 for those of one tile, with all chunks."""
    grain: int = 0
    """As in `Scalars`, of the loop over batches, blocks of outer rows, of rows and of columns."""
    instruction: TileInstruction | None = None
    """The instruction that multiplies tiles in tile registers, 16 rows by 16 columns each: `shape` is then the rows that are multiplied
    together and the columns that they take in turn. Absent where a tile lies in vector registers."""
    sums: Sums = "output"
    """Where the sums of a tile go: to the output, or to the stack, where only ops of the epilogue need them; `pipelined`: these read
    the sums of some rows and columns in tile registers there while the next are multiplied. Those in vector registers go to the stack with
    all steps: of one panel, or of all `panels`."""
    unroll: int = 1
    """The steps, or groups of steps that lie together, that an iteration of a kernel in vector registers takes; they divide all steps."""
    fetched: int = 0
    """The lines, of `FETCHED_BYTES`, that each of these iterations fetches into the second-level cache: of the panel behind the one in use
    where the right operand lies in blocks, of the rows that it is copied from elsewhere. Where panels are widened from blocks, the lines
    that each tile fetches of what the panel behind the one in use is widened from."""
    ahead: int = 0
    """How many rows ahead of a tile in vector registers lines of the result are fetched to be written: stores wait for lines that are in no
    cache of their own; 0 where none are."""

    @property
    def packs_lhs(self) -> bool:
        """Whether rows of the left operand are copied."""
        return self.pack in ("both", "lhs")

    @property
    def packs_rhs(self) -> bool:
        """Whether the right operand is copied to panels."""
        return self.pack in ("both", "rhs")


@record
class Skinny:
    """A skinny GEMM, a contraction with few rows: the right operand is read in place, once."""

    rows: tuple[int, ...]
    """The numbers of rows that there is a kernel for."""
    unroll: tuple[int, ...]
    """For each of them, the steps of the reduction that one pass over the columns takes; where the right operand is contiguous along
    the reduction, the columns that one pass over the reduction takes."""
    columns: int
    """The columns of a block; blocks are the iterations of the parallel loop."""
    width: int
    """The columns that ops of the epilogue take at a time."""
    fetched: int = 0
    """Where the right operand is contiguous along the reduction, its lines so many columns ahead of those that are read are fetched into
    the second-level cache."""
    grain: int = 0
    """As in `Scalars`."""


@record
class Contraction:
    """`c += a * b`: register tiles, a skinny GEMM, or a choice between them at run time by the number of rows."""

    loops: Loops
    lanes: int
    row: int | None = None
    """The position in `loops` of the rows of a tile; absent where no loop belongs to the left operand and the result alone."""
    instruction: Instruction | None = None
    """The instruction that multiplies four 8-bit steps, or two bf16 steps, at once; absent where steps are multiplied one by one."""
    tiles: Tiles | None = None
    skinny: Skinny | None = None


@record
class Convolution:
    """`c += a * b` where `b` lies in blocks of channels that are not contiguous in `c`: lanes are channels, `a` is read in place.

    The channels of a tile are transposed in registers when it is stored.
    """

    loops: Loops
    lanes: int
    shape: tuple[int, int]
    """The pixels and the channels of a register tile."""
    pixel: int
    """The position in `loops` of the loop along which the pixels of a tile lie, contiguous in `c`."""
    joined: int = 1
    """The iterations of the loop before `pixel` whose (short) rows make one tile; 1 for tiles of a single row."""
    staged: int = 0
    """The pixels of a row, some tiles, that are collected on the stack before they are stored; 0 where tiles are stored as they are."""
    fetched: int = 0
    """The lines, of `FETCHED_BYTES`, of the kernel for the next channels that are fetched into the second-level cache for each pixel."""
    chunk: int = 0
    """The iterations of the first reduction that all tiles of a plane, of a row or of joined ones, take before the next, so that the
    first-level cache holds the part of the kernel that they share; 0 for all."""
    rows: int = 0
    """The rows of a plane that take chunks together, so that the cache holds their sums as well; 0 for all."""
    span: int = 0
    """The pixels of a row, whole tiles, that an iteration of the parallel loop takes; 0 for all."""
    grain: int = 0
    """As in `Scalars`, of the loop over all parallel loops, channels by tiles, pixels by spans."""


@record
class Winograd:
    """A convolution by F(2x2, 3x3) or F(4x4, 3x3), some tiles of results after the other.

    The data of a block of tiles are transformed, multiplied by the kernel, and transformed to results. Lanes of products are output
    channels, so that blocks are of any number of tiles; the transformed data and the products of some channels lie on the stack.
    """

    loops: Loops
    lanes: int
    shape: tuple[int, int]
    """The tiles and the channels of a register tile of products."""
    block: tuple[int, int]
    """The rows and the columns of tiles of results that one iteration of the parallel loop takes: whole rows, or a part of one."""
    channels: int
    """The output channels that it takes."""
    instruction: Instruction | None = None
    """The instruction that multiplies integers."""
    fetched: int = 0
    """The lines, of `FETCHED_BYTES`, that each iteration of the products fetches of the kernel for the next product."""
    staged: int = 0
    """The input channels that a thread at least transforms of a block, where all threads transform its data before they multiply them.

    With 0 each thread transforms the data of its own blocks, again for each block of output channels.
    """
    shares: int = 0
    """The iterations of the parallel loop where each takes equally many blocks, with all output channels, and of each block that is
    left over a part of the channels. With 0 each block is an iteration.
    """
    grain: int = 0
    """As in `Scalars`, of the loop over batches, blocks and output channels; of the last ones alone where blocks are staged; of shares."""


@record
class Epilogue:
    """An element-wise op that runs on the finished tiles of the contraction or convolution before it, and has its parallel loops."""

    loops: Loops


@record
class Init:
    """A fill with zero that emits nothing: the contraction that follows starts at zero instead of reading its output."""


@record
class Padding:
    """A fill with zero, or a copy, that emits nothing: the convolution that reads the buffer reads what was copied, and no zeros."""


Schedule: TypeAlias = (
    Contraction | Convolution | Winograd | Vectors | Transposed | Interleaved | Scalars | Epilogue | Init | Padding
)

CLASSES: Mapping[str, type[Schedule]] = {
    "contraction": Contraction,
    "convolution": Convolution,
    "winograd": Winograd,
    "vectors": Vectors,
    "transposed": Transposed,
    "interleaved": Interleaved,
    "scalars": Scalars,
    "epilogue": Epilogue,
    "init": Init,
    "padding": Padding,
}
"""The classes of kernels by their words in the attribute."""

_WORDS = {schedule: word for word, schedule in CLASSES.items()}


def word_of(schedule: Schedule) -> str:
    """Returns the word that a schedule's class has in the attribute."""
    return _WORDS[type(schedule)]


# ---- limits, whatever op a schedule is for ----


MOST_LANES = 64
"""The bytes of the widest register."""
MOST_UNROLL = 64
"""More copies of a loop body than any processor has registers for."""
MOST_STREAMS = 16
"""Streams that a processor tells apart."""
MOST_ACCUMULATORS = 128
"""Vectors of a register tile, each of which is an op of its own in every step."""
MOST_TILE_ROWS = 32
"""Rows that tile registers hold sums of: two rows of tiles."""
MOST_JOINED_ROWS = 64
"""Rows of two loops that make tiles together, with what is between them: the sums of all are on the stack before an epilogue takes them."""
MOST_TILE_COLUMNS = 4096
"""Columns that rows in tile registers take in turn."""
MOST_SKINNY = 1024
"""Products of vectors that a skinny kernel writes out in the body of its loop."""
MOST_PANEL = 1 << 18
"""Elements of a panel on the stack."""
MOST_SCRATCH = 1 << 20
"""Bytes of the buffers of a group that lie on the stack."""

MOST_INTERLEAVED = 8
"""Vectors that are interleaved with one another."""

FETCHED_BYTES = 64
"""The bytes of a line that is fetched: no cache of the targets has shorter ones."""
