"""`linalg.generic` with long and short dims in any order, by the interpreter: its blocks have the long dims last."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
import xdsl_relax
from xdsl_relax.interpreter.engine import Interpreter
from xdsl_relax.interpreter.upstream import linalg

PROGRAM = """
#all = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#some = affine_map<(d0, d1, d2) -> (d2, d0)>
#kept = affine_map<(d0, d1, d2) -> (KEPT)>
func.func @main(%x: tensor<SIZESxi64>, %y: tensor<PAIRxi64>, %r: tensor<RESULTxi64>) -> tensor<RESULTxi64> {
  %z = linalg.generic {indexing_maps = [#all, #some, #kept], iterator_types = [ITERATORS]}
      ins(%x, %y : tensor<SIZESxi64>, tensor<PAIRxi64>) outs(%r : tensor<RESULTxi64>) {
  ^bb0(%a: i64, %b: i64, %c: i64):
    %i = linalg.index 1 : index
    %k = arith.index_cast %i : index to i64
    %p = arith.muli %a, %b : i64
    %q = arith.muli %p, %k : i64
    %s = arith.addi %c, %q : i64
    linalg.yield %s : i64
  } -> tensor<RESULTxi64>
  return %z : tensor<RESULTxi64>
}
"""


@pytest.mark.parametrize("points", [1 << 20, 64])
@pytest.mark.parametrize("kept", [(0, 1), (1, 2), (2, 0), (1,), (0,), (2,)])
@pytest.mark.parametrize("sizes", [*permutations((17, 3, 20)), (1, 16, 15), (2, 3, 5)])
def test_a_sum_over_any_dims(
    sizes: tuple[int, ...], kept: tuple[int, ...], points: int, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(linalg, "BLOCK_POINTS", points)
    words = {
        "KEPT": ", ".join(f"d{d}" for d in kept),
        "SIZES": "x".join(map(str, sizes)),
        "PAIR": f"{sizes[2]}x{sizes[0]}",
        "RESULT": "x".join(str(sizes[d]) for d in kept),
        "ITERATORS": ", ".join('"parallel"' if d in kept else '"reduction"' for d in range(3)),
    }
    text = PROGRAM
    for word, given in words.items():
        text = text.replace(word, given)
    rng = np.random.default_rng(0)
    x, y = rng.integers(-9, 9, sizes), rng.integers(-9, 9, (sizes[2], sizes[0]))
    before = rng.integers(-9, 9, [sizes[d] for d in kept])
    (result,) = Interpreter(xdsl_relax.load(text)).call("main", x, y, before)
    letters = "ijk"
    expected = before + np.einsum(f"ijk,ki,j->{''.join(letters[d] for d in kept)}", x, y, np.arange(sizes[1]))
    np.testing.assert_array_equal(result, expected)
