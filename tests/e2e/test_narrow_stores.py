"""Results narrower than what they are computed in, whose last vector has a single lane, between inaccessible pages."""

from __future__ import annotations

import numpy as np
import pytest
import xdsl_relax
from harness.guard_pages import call_guarded

PAIRS = [("i16", "i8"), ("i32", "i8"), ("i64", "i8"), ("i32", "i16"), ("i64", "i16"), ("i64", "i32")]
SIZES = (1, 2, 3, 5, 9, 17, 33, 65, 129)


def program(source, target):
    """Conversions of tensors of each size, one function each, and products with such results."""
    functions: list[str] = []
    for n in SIZES:
        x, y, z = f"tensor<{n}x{source}>", f"tensor<{n}x{target}>", f"tensor<{n}x1x{source}>"
        functions.append(f"""
func.func @cast_{n}(%x: {x}) -> {y} {{
  %a = relax.add %x, %x : ({x}, {x}) -> {x}
  %y = relax.astype %a {{dtype = {target}}} : ({x}) -> {y}
  return %y : {y}
}}
func.func @matmul_{n}(%x: {z}, %w: tensor<1x{source}>) -> {y} {{
  %y = relax.matmul %x, %w {{out_dtype = {target}}} : ({z}, tensor<1x{source}>) -> {y}
  return %y : {y}
}}""")
    return "\n".join(functions)


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_nothing_is_stored_behind_the_end(source, target):
    executable = xdsl_relax.compile(program(source, target))
    wide, narrow = np.dtype(source.replace("i", "int")), np.dtype(target.replace("i", "int"))
    for n in SIZES:
        x = np.arange(1, n + 1).astype(wide)
        (result,) = call_guarded(executable[f"cast_{n}"], (x,))
        np.testing.assert_array_equal(result, (x + x).astype(narrow))
        (result,) = call_guarded(executable[f"matmul_{n}"], (x.reshape(n, 1), np.array([3], wide)))
        np.testing.assert_array_equal(result, (x * 3).astype(narrow))
