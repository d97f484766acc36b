"""Arguments of a block change many at a time, and keep their uses."""

from __future__ import annotations

import pytest
from xdsl.dialects import test
from xdsl.dialects.builtin import i1, i32, i64
from xdsl.ir import Block
from xdsl_relax.dialects.upstream.block_arguments import append_arguments, arrange_arguments, erase_arguments


def test_appended_arguments_come_last() -> None:
    block = Block(arg_types=[i1])
    first, second = append_arguments(block, [i32, i64])
    assert block.args[1:] == (first, second)
    assert [(arg.type, arg.index, arg.block) for arg in block.args] == [
        (i1, 0, block),
        (i32, 1, block),
        (i64, 2, block),
    ]


def test_arranged_arguments_keep_their_uses() -> None:
    block = Block(arg_types=[i1, i32, i64])
    first, _, last = block.args
    user = test.TestOp([last, first])
    arrange_arguments(block, [last, first])
    assert [(arg, arg.index) for arg in block.args] == [(last, 0), (first, 1)]
    assert tuple(user.operands) == (last, first)


def test_an_argument_in_use_is_not_erased() -> None:
    block = Block(arg_types=[i1, i32])
    block.add_op(test.TestOp([block.args[0]]))
    erase_arguments(block, [block.args[1]])
    with pytest.raises(Exception, match="uses"):
        erase_arguments(block, [block.args[0]])
