"""A call looks for signals before each kernel, or before each n-th of many."""

from __future__ import annotations

import pytest
from xdsl.context import Context
from xdsl.dialects import llvm
from xdsl_relax.lowering.llvm.convert_to_llvm import ConvertToLLVMPass
from xdsl_relax.runtime.compiler import load

CALL = "func.call @kernel(%x) : (memref<4xf32>) -> ()"
LOOP = f"scf.for %i = %zero to %four step %one {{ {CALL} }}"


def looks(body: list[str]) -> int:
    """Returns how often the code of a function with this body looks."""
    lines = "\n".join(body)
    module = load(f"""
    func.func private @kernel(%x: memref<4xf32>) attributes {{relax.primitive}} {{ func.return }}
    func.func @main(%x: memref<4xf32>) {{
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %four = arith.constant 4 : index
      {lines}
      func.return
    }}
    """)
    ConvertToLLVMPass(counter="cycles").apply(Context(), module)
    calls = [op for op in module.walk() if isinstance(op, llvm.CallOp) and op.callee is not None]
    return sum(op.callee.string_value() == "relax.look_for_signals" for op in calls if op.callee is not None)


@pytest.mark.parametrize(("calls", "expected"), [(1, 1), (64, 64), (65, 33), (450, 57)])
def test_of_many_kernels_each_nth(calls: int, expected: int):
    assert looks([CALL] * calls) == expected


def test_in_a_loop_always():
    assert looks([CALL] * 65 + [LOOP] * 3) == 33 + 3
