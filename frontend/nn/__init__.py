"""Models in Python, exported to the dialect, in the terms of `tvm.relax.frontend.nn`."""

from __future__ import annotations

from . import core, modules, op, spec, te
from .containers import ModuleDict, ModuleList, ParameterDict, ParameterList
from .effects import Effect, IOEffect, KVCache
from .errors import ModelError, UnusedParameterWarning
from .extern import ExternModule, ObjectModule, SourceModule, add_extern
from .jit import CompiledModule
from .module import Module
from .modules import *  # noqa: F403
from .op import *  # noqa: F403
from .subroutine import SubroutineMixin
from .symbols import IntExpr, SymbolicVar
from .tensor import Object, Parameter, Tensor, get_default_dtype, set_default_dtype
from .visitor import Mutator

__all__ = [
    "CompiledModule",
    "Effect",
    "ExternModule",
    "IOEffect",
    "IntExpr",
    "KVCache",
    "ModelError",
    "Module",
    "ModuleDict",
    "ModuleList",
    "Mutator",
    "Object",
    "ObjectModule",
    "Parameter",
    "ParameterDict",
    "ParameterList",
    "SourceModule",
    "SubroutineMixin",
    "SymbolicVar",
    "Tensor",
    "UnusedParameterWarning",
    "add_extern",
    "core",
    "get_default_dtype",
    "modules",
    "op",
    "set_default_dtype",
    "spec",
    "te",
]
