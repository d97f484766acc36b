"""What tests of the builder begin with: a builder, and two values."""

from __future__ import annotations

import pytest
from xdsl.ir import Block, SSAValue
from xdsl_relax.builder import (
    BlockBuilder,
    tensor,
)


@pytest.fixture
def g() -> BlockBuilder:
    return BlockBuilder(Block())


@pytest.fixture
def x() -> SSAValue:
    return Block(arg_types=[tensor(["n", 8], "f32")]).args[0]


@pytest.fixture
def w() -> SSAValue:
    return Block(arg_types=[tensor([4, 8], "f32")]).args[0]
