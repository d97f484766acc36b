"""The sums of the lanes of several vectors: what they are worth, and how few operations they take."""

from __future__ import annotations

import numpy as np
import pytest
import xdsl_relax
from xdsl.dialects import vector
from xdsl.dialects.builtin import f32
from xdsl.ir import Block
from xdsl_relax.lowering.cpu.loops.builder import LoopBuilder
from xdsl_relax.lowering.cpu.loops.sums_of_lanes import picked_lanes, sums_of_lanes
from xdsl_relax.lowering.emit.constructors import vector_type


@pytest.mark.parametrize("lanes", [1, 4, 16])
@pytest.mark.parametrize("count", [1, 2, 3, 12, 16, 24, 25])
def test_each_vector_has_one_sum(count: int, lanes: int):
    block = Block(arg_types=[vector_type(f32, lanes)] * count)
    sums = sums_of_lanes(LoopBuilder(block), block.args)
    assert len(sums) == len(set(sums)) == count


def test_sixteen_vectors_take_fifteen_additions():
    block = Block(arg_types=[vector_type(f32, 16)] * 16)
    b = LoopBuilder(block)
    sums = sums_of_lanes(b, block.args)
    assert len(list(block.ops)) == 3 * 15
    assert picked_lanes(b, sums) is sums[0][0]


def test_lanes_of_several_vectors_are_gathered():
    block = Block(arg_types=[vector_type(f32, 4)] * 2)
    picked = picked_lanes(LoopBuilder(block), [(block.args[0], 3), (block.args[1], 0)])
    assert picked.type == vector_type(f32, 2)
    assert [op.static_position.get_values() for op in block.ops if isinstance(op, vector.ExtractOp)] == [(3,), (0,)]


@pytest.mark.sweep
@pytest.mark.parametrize("steps", [0, 1, 15, 16, 33])
@pytest.mark.parametrize("columns", [1, 3, 4, 7, 8, 9])
@pytest.mark.parametrize("rows", [1, 2, 3, 4])
def test_few_rows_times_a_transposed_matrix_are_summed_in_halves(rows: int, columns: int, steps: int):
    x, w = f"tensor<2x{rows}x{steps}xf32>", f"tensor<2x{columns}x{steps}xf32>"
    turned, result = f"tensor<2x{steps}x{columns}xf32>", f"tensor<2x{rows}x{columns}xf32>"
    program = f"""
    func.func @main(%x: {x}, %w: {w}) -> {result} {{
      %t = relax.permute_dims %w {{axes = array<i64: 0, 2, 1>}} : ({w}) -> {turned}
      %y = relax.matmul %x, %t : ({x}, {turned}) -> {result}
      return %y : {result}
    }}"""
    rng = np.random.default_rng(steps)
    left, right = (rng.integers(-9, 9, (2, n, steps)).astype(np.float32) for n in (rows, columns))
    product = xdsl_relax.compile(program)["main"](left, right)
    np.testing.assert_array_equal(product, left @ right.transpose(0, 2, 1))
