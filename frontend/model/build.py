"""The end of an import: the module that was built, verified, with dataflow blocks."""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from ...builder import ModuleBuilder
from ...builder.errors import InvalidProgramError
from ...passes.cleanup.convert_to_dataflow import ConvertToDataflowPass
from .problems import Problem, UnsupportedModelError


def built_module(modules: ModuleBuilder, name: str) -> ModuleOp:
    """Returns the module of a model; raises `UnsupportedModelError`, for the function of that name, if it does not hold together."""
    try:
        module = modules.build()
    except InvalidProgramError as error:
        raise UnsupportedModelError([Problem("model", error.message, name)]) from None
    ConvertToDataflowPass().apply(Context(), module)
    return module
