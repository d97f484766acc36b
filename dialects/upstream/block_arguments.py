"""Inserts and erases many arguments of a block in one step.

`Block.insert_arg` and `Block.erase_arg` renumber every argument that follows, which makes changing all the arguments of a
function quadratic in their number; a model of 1,000 layers has 10,000 weights. The upstream request: "`Block` should insert
and erase several arguments in one call".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.ir import Attribute, Block, BlockArgument


def append_arguments(block: Block, types: Sequence[Attribute]) -> tuple[BlockArgument, ...]:
    """Adds arguments of these types behind all others; returns them."""
    appended = Block(arg_types=types).args
    _set_arguments(block, (*block.args, *appended))
    return appended


def arrange_arguments(block: Block, arguments: Sequence[BlockArgument]) -> None:
    """Keeps these arguments of a block, in this order; erases the others, which nothing uses any more."""
    kept = set(arguments)
    erased = [argument for argument in block.args if argument not in kept]
    _set_arguments(block, tuple(arguments))
    for argument in erased:
        argument.erase()


def erase_arguments(block: Block, arguments: Iterable[BlockArgument]) -> None:
    """Erases arguments of a block, which nothing uses any more."""
    erased = set(arguments)
    arrange_arguments(block, [argument for argument in block.args if argument not in erased])


def _set_arguments(block: Block, arguments: tuple[BlockArgument, ...]) -> None:
    for index, argument in enumerate(arguments):
        argument.index = index
        argument.block = block
    block._args = arguments  # pyright: ignore[reportPrivateUsage]
