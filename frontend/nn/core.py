"""What models are made of, in the module in which TVM has it."""

from __future__ import annotations

from .containers import ModuleDict, ModuleList, ParameterDict, ParameterList
from .effects import Effect
from .module import Module
from .tensor import Object, Parameter, Tensor, get_default_dtype, set_default_dtype

__all__ = [
    "Effect",
    "Module",
    "ModuleDict",
    "ModuleList",
    "Object",
    "Parameter",
    "ParameterDict",
    "ParameterList",
    "Tensor",
    "get_default_dtype",
    "set_default_dtype",
]
