"""Creation of tensors, compiled natively and by upstream MLIR, against the interpreter."""

from cases.create import CASES
from harness.native import compile_native
from harness.op_cases import check_compiled
from harness.upstream import compile_upstream, requires_upstream


def test_native():
    check_compiled(CASES, compile_native)


@requires_upstream
def test_upstream():
    # A sample: this is a second opinion on the lowering, which the native test covers.
    check_compiled(CASES[::3], compile_upstream)
