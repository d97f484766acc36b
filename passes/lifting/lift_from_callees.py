"""Moves what a private function computes from its parameters alone into the functions that call it."""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp

from ...dialects.relax.calls import call_result_types
from ...dialects.relax.function_signature import argument_attributes, update_signature
from ...dialects.relax.vocabulary.attributes import NAME, NUM_INPUT, PARAMS_FROM
from ...dialects.relax.vocabulary.symbols import TRANSFORM as TRANSFORM_NAME
from ...dialects.upstream.func_ops import CallOp
from ...dialects.walks import enclosing_function
from ..analysis.subroutines import Subroutine, subroutines
from ..rewriting.inline_call import Caller, inline_call
from .lift_analysis import Analysis, own_view
from .lift_plan import Sharing, make_plan
from .lift_remarks import Report
from .lift_rewrite import extend_transform, labels, new_transform, rewrite_function


def lift_from_callees(module: ModuleOp, report: Report | None) -> None:
    """Lifts out of the private functions with parameters that are called.

    The function takes transformed parameters afterwards, which are arguments like others, and each of its callers computes them in front
    of the call. That a function is called many times does not make the module larger than what has to be computed for each call.
    """
    # Callees come first: what leaves them is part of their callers, and leaves these in turn.
    lifted = [entry for entry in subroutines(module) if NUM_INPUT.of(entry.function) is not None]
    callers: dict[func.FuncOp, Caller] = {}
    for subroutine in lifted:
        _lift(subroutine, callers, report)
        NUM_INPUT.clear(subroutine.function)


def _lift(subroutine: Subroutine, callers: dict[func.FuncOp, Caller], report: Report | None) -> None:
    """Makes a transform of a function, and inlines it in front of each call."""
    function = subroutine.function
    weights, view = own_view(function)
    analysis = Analysis(weights, unify=False, define_symbols=False)
    analysis.scan(view)
    plan = make_plan(analysis, [view], Sharing(shared=False))
    labeled = labels(plan)
    if report is not None:
        report.add(plan, f"the callers of @{view.name}", labeled)
    # It never stands in the module: nothing else can have its name.
    name = f"{view.name}_{TRANSFORM_NAME}"
    transform = new_transform(plan, name)
    extend_transform(plan, transform, labeled)
    rewrite_function(plan, view, name, labeled)
    PARAMS_FROM.clear(function)
    attributes = argument_attributes(function)
    for entry in attributes:
        entry.pop(NAME.name, None)
    update_signature(function, attributes)
    start = NUM_INPUT.of(function) or 0
    for call in subroutine.calls:
        block = call.parent
        assert block is not None
        parameters = call.operands[start:]
        types = call_result_types(transform.function_type, [operand.type for operand in parameters])
        transformed = CallOp(name, parameters, types)
        transformed.location = call.location
        block.insert_op_before(transformed, call)
        call.operands = [*call.operands[:start], *transformed.results]
        caller = enclosing_function(call)
        if caller not in callers:
            callers[caller] = Caller(caller)
        inline_call(transformed, transform, callers[caller])
    transform.erase()
