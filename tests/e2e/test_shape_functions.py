"""Shape functions tell the first violated check, by loops over tables where there are many sizes."""

from __future__ import annotations

import numpy as np
import pytest
from harness.upstream import UpstreamBuffers, requires_upstream
from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl_relax.dialects.relax.vocabulary.attributes import CHECKS
from xdsl_relax.dialects.symbolic.limits import Check
from xdsl_relax.lowering.buffers.bufferize import BufferizePass
from xdsl_relax.lowering.buffers.plan_arena import PlanArenaPass
from xdsl_relax.lowering.buffers.shape_functions import ShapeFunctionsPass
from xdsl_relax.lowering.buffers.shape_tables import TABLE
from xdsl_relax.runtime.compiler import load

pytestmark = requires_upstream


def _module(count: int) -> ModuleOp:
    """`count` arguments `[?, 2 + i]` whose first dim is n, 2 * n, n, ..."""
    dims = [('"n"', '["*", 2, "n"]')[i % 2] for i in range(count)]
    arguments = ", ".join(
        f"%a{i}: tensor<?x{i + 2}xf32> {{relax.dims = [{dim}, {i + 2}]}}" for i, dim in enumerate(dims)
    )
    results = [f"%a{i}" for i in range(0, count, 2)]
    types = ", ".join(f"tensor<?x{i + 2}xf32>" for i in range(0, count, 2))
    module = load(f"func.func @f({arguments}) -> ({types}) {{\n  return {', '.join(results)} : {types}\n}}")
    for item in (BufferizePass(), PlanArenaPass(), ShapeFunctionsPass()):
        item.apply(Context(), module)
    module.verify()
    return module


def _checks(module: ModuleOp) -> tuple[Check, ...]:
    for op in module.ops:
        if isinstance(op, func.FuncOp) and op.sym_name.data == "f.shape":
            checks = CHECKS.of(op)
            assert checks is not None
            return checks
    raise AssertionError("no @f.shape")


@pytest.mark.parametrize("count", [3, TABLE - 1, TABLE, TABLE + 5, 2 * TABLE + 1])
def test_each_violated_check_is_told(count: int) -> None:
    module = _module(count)
    loops = [op for op in module.walk() if op.name == "scf.for"]
    results = (count + 1) // 2
    # Static sizes of arguments, sizes that equal the first, and static sizes of results.
    assert len(loops) == (count >= TABLE) + (results > TABLE) + (results >= TABLE)
    checks = _checks(module)
    # One check per static dim, and one per dynamic dim but the one that defines n.
    assert len(checks) == 2 * count - 1
    native = UpstreamBuffers(module)
    good = np.array([size for i in range(count) for size in (7 if i % 2 == 0 else 14, i + 2)], np.int64)
    out = np.zeros(2 * results + 1, np.int64)
    assert native("f.shape", good, out, index_result=True) == 0
    assert list(out[:-1]) == [size for i in range(0, count, 2) for size in (7, i + 2)]
    for number, (argument, dim, _) in enumerate(checks):
        bad = good.copy()
        bad[2 * argument + dim] += 1
        assert native("f.shape", bad, out, index_result=True) == number + 1
    # Of two violations the first is told.
    first, last = checks[0], checks[-1]
    bad = good.copy()
    bad[2 * first[0] + first[1]] += 1
    bad[2 * last[0] + last[1]] += 1
    assert native("f.shape", bad, out, index_result=True) == 1
