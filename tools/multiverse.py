"""What the tools know: every installed universe and ours, and the context in which they parse and run passes."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from xdsl.universe import Universe

from ..dialects import EXTENDED_DIALECTS
from ..interpreter.evaluating_context import EvaluatingContext, Evaluator
from ..universe import RELAX_UNIVERSE


@cache
def multiverse() -> Universe:
    """Returns every installed universe and ours, which is there once whether the package is installed or not."""
    installed = Universe.get_multiverse()
    return Universe(
        all_dialects={**installed.all_dialects, **RELAX_UNIVERSE.all_dialects, **EXTENDED_DIALECTS},
        all_passes={**installed.all_passes, **RELAX_UNIVERSE.all_passes},
        all_targets={**installed.all_targets, **RELAX_UNIVERSE.all_targets},
    )


def tool_context() -> EvaluatingContext:
    """Returns a context with all dialects of the multiverse; large constants are computed by native code."""
    ctx = EvaluatingContext(make_evaluator=_native_evaluator)
    for name, factory in multiverse().all_dialects.items():
        ctx.register_dialect(name, factory)
    return ctx


def _native_evaluator() -> Evaluator:
    """Returns the evaluator of `compile`; a tool that folds no large constant does not import the compiler for it."""
    evaluator = import_module("..runtime.constant_evaluator", __package__).ConstantEvaluator
    return evaluator(lambda module: import_module("..runtime.compiler", __package__).compile(module))
