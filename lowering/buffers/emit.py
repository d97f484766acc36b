"""Turns the tensors of one function into memrefs, following a `BufferPlan`.

    func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
      %e = tensor.empty()
      %a = linalg.generic ins(%x) outs(%e) {..} -> tensor<4xf32>
      func.return %a
    }

becomes

    func.func @f(%x: memref<4xf32>, %r: memref<4xf32> {relax.result}) {
      linalg.generic ins(%x) outs(%r) {..}
      func.return
    }

`RULES` has the rule of each op, the files of the rules have them by subject.
"""

from __future__ import annotations

from . import emit_calls, emit_control_flow, emit_tensor_ops
from .emitter import Rule

# By name: a subclass of an op is handled as the op.
RULES: dict[str, Rule] = {
    op.name: rule
    for rules in (emit_tensor_ops.RULES, emit_control_flow.RULES, emit_calls.RULES)
    for op, rule in rules.items()
}
