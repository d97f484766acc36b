"""The function that a model is exported into: where ops go, which module computes, and what values outside of functions become.

An op outside of an export makes an *expression*: an op that is in no function. A function that uses the expression gets ops of its own
for it, in front of the first use, with the parameters of the model in place of their placeholders.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import LocationAttr, NameLoc, StringAttr, UnrealizedConversionCastOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from ...builder import BlockBuilder, BuilderError, ModuleBuilder
from ...builder.inserter import Names
from ...dialects.relax.attrs import ObjectType
from ...dialects.relax.base import RelaxOp
from .errors import CURRENT_PATH, ModelError
from .tree import Node


class ExpressionBlock(Block):
    """The block of ops that are in no function."""


def expression(op: Operation) -> SSAValue:
    """Returns the result of an op that is in no function."""
    ExpressionBlock().add_op(op)
    return op.results[0]


def is_expression(value: SSAValue) -> bool:
    """Returns whether a value is in no function, and never was."""
    return isinstance(_block_of(value), ExpressionBlock)


def placeholder_value(value_type: Attribute, name: str) -> SSAValue:
    """Returns an expression that stands for what a function is given; an export puts an argument in its place."""
    value = expression(UnrealizedConversionCastOp.create(operands=[], result_types=[value_type]))
    value.name_hint = name
    return value


@dataclass
class Program:
    """What a model is exported to."""

    builder: ModuleBuilder
    paths: Mapping[int, str]
    """The dotted path of each module of the model, by its identity."""
    io: Any = None
    """The effect that orders what is printed, an `IOEffect`; `None` without `debug`."""
    methods: frozenset[str] = frozenset()
    """The names of the methods, which no other function gets."""
    externs: list[Any] = field(default_factory=list[Any])
    """The modules of functions from outside that it calls, each an `ExternModule`."""
    states: dict[int, Any] = field(default_factory=dict[int, Any])
    """The states of effects where the method stands, by the identity of the effect."""
    private_functions: dict[str, func.FuncOp] = field(default_factory=dict[str, func.FuncOp])
    """Subroutines and kernels, by their text without names."""

    @property
    def taken_names(self) -> set[str]:
        """The names that a further function may not have."""
        private = {function.sym_name.data for function in self.private_functions.values()}
        return {*self.builder.functions, *self.methods, *private}

    def path_of(self, node: Node) -> str | None:
        """Returns the dotted path of a module; `None` for one that is no part of the model."""
        return self.paths.get(id(node))


@dataclass
class Scope:
    """A function that is being exported."""

    program: Program
    builder: BlockBuilder
    """Inserts ops into the dataflow block of the function."""
    blocks: frozenset[Block]
    """The block of the function, and its dataflow block."""
    passes_effects: bool = True
    """Whether the function takes and returns the state of effects."""
    values: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    """The values here of placeholders and expressions."""

    def value_of(self, value: SSAValue) -> SSAValue:
        """Returns the value in this function of a value, or of an expression that this function did not use yet."""
        if _block_of(value) in self.blocks:
            return value
        for expression in operands_first(value, self.values):
            self._compute(expression)
        return self.values[value]

    def _compute(self, expression: SSAValue) -> None:
        op = expression.owner
        if isinstance(op, Block):
            raise ModelError("a tensor of another method is used, pass it as an argument or a result")
        if isinstance(op, arith.ConstantOp):
            self.values[expression] = self.builder.insert(op.clone(), location=op.location)
            return
        if not isinstance(op, RelaxOp):
            name = expression.name_hint or "tensor"
            if isinstance(expression.type, ObjectType):
                raise ModelError(f"effect {name} is used, but not passed to the method (effect_mode)")
            raise ModelError(
                f"{name} of type {expression.type} is no parameter of the exported module: hold it in an attribute, an "
                "nn.ParameterList or an nn.ParameterDict of a module (modules in an nn.ModuleList or an nn.ModuleDict, not in "
                "a list or dict of Python), or pass it as an argument"
            )
        operands = [self.values.get(operand, operand) for operand in op.operands]
        # The types of what no shape rule decides, such as the results of a packed function, are those of the expression.
        is_same = [operand.type for operand in operands] == [operand.type for operand in op.operands]
        types = [result.type for result in op.results] if is_same else None
        try:
            copy = type(op).build_from(*operands, result_types=types, **op.properties)
            # Operands of which one has changed its dtype may not fit each other any more.
            copy.inferred_types()
        except VerifyException as error:
            raise ModelError(f"{op.name}: {error}", location=op.location) from None
        self.builder.insert(copy, location=op.location)
        for old, new in zip(op.results, copy.results, strict=True):
            new.name_hint = old.name_hint
            self.values[old] = new


_CURRENT: ContextVar[Scope | None] = ContextVar("scope", default=None)


def current_scope() -> Scope | None:
    """Returns the function that is being exported; `None` outside of an export."""
    return _CURRENT.get()


@contextmanager
def entered(scope: Scope) -> Generator[Scope, None, None]:
    """Makes a function the one that ops go into."""
    token = _CURRENT.set(scope)
    try:
        yield scope
    finally:
        _CURRENT.reset(token)


@contextmanager
def inside_module(path: str | None) -> Generator[None, None, None]:
    """Names the module that computes, in locations and errors of an export; `None` for one that is no part of the model."""
    if current_scope() is None or path is None:
        yield
        return
    token = CURRENT_PATH.set(path)
    try:
        yield
    finally:
        CURRENT_PATH.reset(token)


def op_location() -> str | None:
    """Returns the path of the module that computes, which locates an op together with the line of the caller; `None` at the root."""
    return CURRENT_PATH.get() or None


def named_location(line: LocationAttr) -> LocationAttr:
    """Returns a line, behind the path of the module that computes."""
    path = op_location()
    return line if path is None else NameLoc(StringAttr(path), line)


def emit(op: str | type[RelaxOp], *operands: Any, name: Names = None, **arguments: Any) -> Any:
    """Inserts an op into the function that is being exported, or makes an expression; returns its value, or a tuple of several.

    Operands are values, arrays for constants, or lists of sizes. Raises `ModelError` with the path of the module and the types of the
    operands for what does not fit.
    """
    scope = current_scope()
    builder = BlockBuilder(ExpressionBlock()) if scope is None else scope.builder
    if scope is not None:
        operands = tuple(scope.value_of(operand) if isinstance(operand, SSAValue) else operand for operand in operands)
        arguments = {
            key: scope.value_of(given) if isinstance(given, SSAValue) else given for key, given in arguments.items()
        }
    try:
        return builder.op(op, *operands, name=name, location=op_location(), **arguments)
    except BuilderError as error:
        message = error.message
        types = ", ".join(str(operand.type) for operand in operands if isinstance(operand, SSAValue))
        raise ModelError(f"{message} (operands: {types})" if types else message, location=error.location) from None


def _block_of(value: SSAValue) -> Block | None:
    owner = value.owner
    return owner if isinstance(owner, Block) else owner.parent


def operands_first(value: SSAValue, known: dict[SSAValue, SSAValue]) -> Iterator[SSAValue]:
    """Yields the expressions that a value is computed from and that are not known yet, operands first, and the value."""
    waiting = [value]
    while waiting:
        last = waiting[-1]
        owner = last.owner
        operands = owner.operands if isinstance(owner, Operation) else ()
        missing = [operand for operand in operands if operand not in known]
        if last in known:
            waiting.pop()
        elif missing:
            waiting += missing
        else:
            waiting.pop()
            yield last
