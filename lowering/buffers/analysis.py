"""Decides for each tensor value which buffer holds it, and which ops may overwrite a buffer in place.

    %a = linalg.generic ins(%x) outs(%e)     // %a: a new buffer, made here
    %b = linalg.generic ins(%a) outs(%e)     // %b: in the buffer of %a, which nobody reads any more
    func.return %b                           // that buffer is the result argument

One walk in program order; `RULES` has the rule of each op, the files of the rules have them by subject.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from xdsl.dialects import func

from ..sizes.sizes import SizeAnalysis
from . import analysis_calls, analysis_control_flow, analysis_tensor_ops
from .analysis_state import Analysis, Rule
from .buffer_plan import BufferPlan
from .donations import Donations

# By name: a subclass of an op is handled as the op.
RULES: dict[str, Rule] = {
    op.name: rule
    for rules in (analysis_tensor_ops.RULES, analysis_control_flow.RULES, analysis_calls.RULES)
    for op, rule in rules.items()
}


def plan_buffers(
    function: func.FuncOp, sizes: SizeAnalysis, donations: Donations, callees: Mapping[str, Donations]
) -> BufferPlan:
    """Returns where the tensors of a function lie; see docs/stages.md, "buffers"."""
    analysis = Analysis(function, sizes, RULES, donations, callees)
    analysis.visit_block(function.body.block)
    return BufferPlan(
        analysis.order,
        MappingProxyType(analysis.placed),
        MappingProxyType(analysis.decisions),
        frozenset(analysis.copied),
        frozenset(analysis.elided),
        frozenset(analysis.bound),
        donations,
        callees,
        MappingProxyType(analysis.refused),
    )
