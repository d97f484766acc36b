"""Packed weights, compiled natively and by upstream MLIR, against the interpreter."""

from cases.packing import CASES
from harness.native import compile_native
from harness.op_cases import check_compiled
from harness.upstream import compile_upstream, requires_upstream


def test_native():
    check_compiled(CASES, compile_native)


@requires_upstream
def test_upstream():
    check_compiled(CASES, compile_upstream)
