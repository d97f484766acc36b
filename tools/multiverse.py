"""The context in which the tools parse and run passes."""

from __future__ import annotations

from importlib import import_module

from ..interpreter.evaluating_context import EvaluatingContext, Evaluator
from ..universe import multiverse


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
