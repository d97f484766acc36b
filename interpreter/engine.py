"""Runs a module with numpy, at the relax stage or the linalg stage: functions, calls, control flow, ops by their rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from xdsl.dialects import func, scf, tensor
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Block, Operation, SSAValue

from ..dialects.relax.base import RelaxOp
from ..dialects.relax.function_signature import argument_attributes, argument_names, is_private, return_op
from ..dialects.relax.ops.core import DataflowOp, OutputOp
from ..dialects.relax.ops.memory import CallDPSOp
from ..dialects.relax.placement import mentions_devices
from ..dialects.relax.size_limits import op_limits
from ..dialects.relax.symbol_ranges import declared_ranges
from ..dialects.relax.vocabulary.attributes import NAME
from ..dialects.symbolic.conditions import Condition
from ..dialects.symbolic.limits import SizeLimit
from ..dialects.upstream.generic_form import is_named, to_generic_form
from ..dialects.upstream.known_elements import verify_known_elements
from ..records import record
from .host.argument_values import argument_value
from .host.declared_types import value_type_of
from .host.keywords import bind_names
from .host.memory import UNCHECKED, OutOfMemoryError
from .placement import placeless_values, require_host, require_placed, run_placed, stripped
from .relax.memory import KILLS, Killed, require_alive, write_results
from .relax.rules import all_rules
from .rule import Bindings, InterpreterError
from .upstream.regions import REGION_RULES
from .upstream.scalar import as_type, evaluate_scalar
from .upstream.tensor import TENSOR_RULES

Env: TypeAlias = dict[SSAValue, Any]
_TERMINATORS = (func.ReturnOp, scf.YieldOp, scf.ConditionOp, linalg.YieldOp, tensor.YieldOp, OutputOp)


class Interpreter:
    """Evaluates the functions of a module on numpy arrays; the reference that native code is held against.

    Shape values are tuples of ints, tuples are tuples, scalars are numpy scalars.
    """

    def __init__(self, module: ModuleOp):
        verify_known_elements(module)
        if any(is_named(op) for op in module.walk()):
            module = module.clone()
            to_generic_form(module)
        self._rules = all_rules()
        self._grids: list[Sequence[Any]] = []
        self._conditions: dict[Operation, Sequence[Condition]] = {}
        self._labels: dict[str, Sequence[str]] = {}
        self._limits: dict[Operation, Sequence[SizeLimit]] = {}
        self._has_devices = mentions_devices(module)
        self._placeless = placeless_values(module) if self._has_devices else frozenset[SSAValue]()
        self.functions = {op.sym_name.data: op for op in module.body.block.ops if isinstance(op, func.FuncOp)}

    def call(self, name: str, /, *args: Any, **named: Any) -> tuple[Any, ...]:
        """Calls a function with what callers have: arrays of any library, numbers, lists; returns its results as a tuple.

        Raises `ArgumentError` for an unknown name, and what is no value of an argument's type, `InterpreterError` if the function
        does not exist, an argument does not fit its type, or an op has no rule.
        """
        if name in self.functions:
            args = self._given(self.functions[name], args, named)
        with np.errstate(all="ignore"):
            return self._run_calls(self._enter(name, args))

    def _run_calls(self, call: _Call) -> tuple[Any, ...]:
        # Invariant: `calls` are those that run, each inside of the one before, and `blocks` of a call the function body and dataflow
        # blocks that it is in: a chain of calls may be longer than Python's stack.
        calls = [call]
        try:
            while (results := self._step(calls)) is None:
                pass
        except InterpreterError as error:
            for call in reversed(calls):
                for op in (call.running, *(around for around, _ in reversed(call.blocks))):
                    if op is not None:
                        error.raised_in(op)
            raise
        return results

    def _step(self, calls: list[_Call]) -> tuple[Any, ...] | None:
        """Runs the next op of the innermost call; returns the results of the outermost one when that is done."""
        call = calls[-1]
        around, ops = call.blocks[-1]
        op = call.running = next(ops, None)
        if op is None:
            raise InterpreterError("a block without a terminator")
        operands = _operands(op, call.env)
        if isinstance(op, _TERMINATORS):
            if around is not None:
                call.blocks.pop()
                _define(around, operands, call.env)
                return None
            call.running = None
            results = self._leave(call, operands)
            if len(calls) == 1:
                return results
            calls.pop()
            self._return(calls[-1], results)
        elif isinstance(op, DataflowOp):
            call.blocks.append((op, iter(op.body.block.ops)))
        elif isinstance(op, func.CallOp):
            calls.append(self._enter(op.callee.string_value(), operands))
        elif isinstance(op, CallDPSOp):
            calls.append(self._enter(op.callee.string_value(), operands[: len(op.inputs)]))
        else:
            _define(op, self._run_op(op, operands, call.env, call.bindings), call.env)
        return None

    def _given(self, function: func.FuncOp, args: tuple[Any, ...], named: Mapping[str, Any]) -> tuple[Any, ...]:
        """Returns the arguments of a caller in order, as ops take them."""
        name, labels = function.sym_name.data, self._labels_of(function)
        if named:
            names = argument_names(function)
            args = tuple(bind_names(name, names, args, named, dict(zip(labels, names, strict=True))))
        types = function.function_type.inputs.data
        if len(args) != len(types):
            return args
        given = zip(labels, args, map(value_type_of, types), strict=True)
        return tuple(argument_value(f"{name}: argument '{label}'", arg, kind) for label, arg, kind in given)

    def _enter(self, name: str, args: Sequence[Any]) -> _Call:
        function = self.functions.get(name)
        if function is None:
            raise InterpreterError(f"no function @{name}; the module has {', '.join(sorted(self.functions))}")
        if function.is_declaration:
            raise InterpreterError(f"@{name} has no body")
        inputs = function.function_type.inputs.data
        if len(args) != len(inputs):
            raise InterpreterError(f"@{name}: expected {len(inputs)} arguments, got {len(args)}")
        bindings = Bindings(ranges=declared_ranges(function), ops=function.body.block.ops)
        for label, arg, arg_type in zip(self._labels_of(function), args, inputs, strict=True):
            require_placed(f"{name}: argument '{label}'", arg, arg_type, strict=not is_private(function))
            bindings.match(f"{name}: argument '{label}'", stripped(arg), arg_type)
        body = function.body.block
        return _Call(function, bindings, dict(zip(body.args, args, strict=True)), [(None, iter(body.ops))])

    def _leave(self, call: _Call, values: Sequence[Any]) -> tuple[Any, ...]:
        function = call.function
        name, returned = function.sym_name.data, return_op(function).operands
        for index, (value, result_type) in enumerate(zip(values, function.function_type.outputs.data, strict=True)):
            if returned[index] not in self._placeless:
                require_placed(f"@{name} result {index}", value, result_type, strict=not is_private(function))
            call.bindings.match(f"@{name} result {index}", stripped(value), result_type)
        return tuple(values)

    @staticmethod
    def _return(caller: _Call, results: Sequence[Any]) -> None:
        """Sets the results of the op that called; one in destination-passing style has none."""
        op = caller.running
        assert op is not None
        if isinstance(op, CallDPSOp):
            write_results(f"@{op.callee.string_value()}", _operands(op, caller.env)[len(op.inputs) :], results)
            results = ()
        _define(op, results, caller.env)

    def _labels_of(self, function: func.FuncOp) -> Sequence[str]:
        """Returns how errors call the arguments: by their external names, else by those in the text."""
        name = function.sym_name.data
        if name not in self._labels:
            entries = argument_attributes(function)
            named = zip(entries, argument_names(function), strict=True)
            self._labels[name] = [NAME.of(entry) or text for entry, text in named]
        return self._labels[name]

    def _conditions_of(self, op: Operation) -> Sequence[Condition]:
        if op not in self._conditions:
            self._conditions[op] = op.conditions() if isinstance(op, RelaxOp) else ()
        return self._conditions[op]

    def _limits_of(self, op: Operation) -> Sequence[SizeLimit]:
        if op not in self._limits:
            self._limits[op] = op_limits(op, UNCHECKED)
        return self._limits[op]

    def _run_block(self, block: Block, args: Sequence[Any], env: Env, bindings: Bindings) -> Sequence[Any]:
        env.update(zip(block.args, args, strict=True))
        for op in block.ops:
            try:
                operands = _operands(op, env)
                if isinstance(op, _TERMINATORS):
                    return operands
                _define(op, self._run_op(op, operands, env, bindings), env)
            except InterpreterError as error:
                error.raised_in(op)
                raise
        raise InterpreterError("a block without a terminator")

    def _run_op(self, op: Operation, operands: Sequence[Any], env: Env, bindings: Bindings) -> Sequence[Any]:
        # Structure, relax ops, scalars, then the ops of linalg and tensor: the conditions of an op are checked before its rule runs, and
        # its results against their types after.
        if isinstance(op, DataflowOp):
            return self._run_block(op.body.block, (), env, bindings)
        if isinstance(op, func.CallOp):
            return self.call(op.callee.string_value(), *operands)
        if isinstance(op, CallDPSOp):
            callee, count = op.callee.string_value(), len(op.inputs)
            write_results(f"@{callee}", operands[count:], self.call(callee, *operands[:count]))
            return ()
        rule = self._rules.get(type(op))
        if rule is not None:
            if limits := self._limits_of(op):
                bindings.require_in_range(limits)
            if conditions := self._conditions_of(op):
                bindings.require(op.name, conditions, list(map(stripped, operands)))
            try:
                if self._has_devices:
                    results = run_placed(op, rule, operands, bindings, self._placeless)
                else:
                    results = rule(op, operands, bindings)
            # Sizes that only data gives have no limits to check before.
            except (MemoryError, OutOfMemoryError) as error:
                raise InterpreterError(f"{op.name}: {f'{error}' or 'more memory is needed than there is'}") from None
            for result, value in zip(op.results, results, strict=True):
                bindings.match(op.name, stripped(value), result.type)
            return results
        if self._has_devices and not isinstance(op, scf.IfOp):
            require_host(op, operands)
        scalars = evaluate_scalar(op, operands)
        if scalars is not None:
            return scalars
        tensor_rule = TENSOR_RULES.get(op.name)
        if tensor_rule is not None:
            return [as_type(tensor_rule(op, operands), op.results[0].type)]
        region_rule = REGION_RULES.get(op.name)
        if region_rule is None:
            raise InterpreterError(f"{op.name} has no interpreter rule")
        return region_rule(op, operands, _Frame(self._run_block, self._grids, env, bindings))


@record(frozen=False)
class _Call:
    """A call of a function that runs."""

    function: func.FuncOp
    bindings: Bindings
    env: Env
    blocks: list[tuple[Operation | None, Iterator[Operation]]]
    """The blocks that it is in, each inside of the one before: the op around, `None` for the body, and what is left of its ops."""
    running: Operation | None = None
    """The op that runs, which may be a call."""


def _operands(op: Operation, env: Env) -> list[Any]:
    """Returns the operands of an op; those of killed memory are refused."""
    operands = [env[operand] for operand in op.operands]
    require_alive(op.name, operands)
    return operands


def _define(op: Operation, results: Sequence[Any], env: Env) -> None:
    """Sets the results of an op."""
    env.update(zip(op.results, results, strict=True))
    if isinstance(op, KILLS):
        env[op.operands[0]] = Killed(op.name)


@record
class _Frame:
    """Runs the regions of one op."""

    run_block: Callable[[Block, Sequence[Any], Env, Bindings], Sequence[Any]]
    grids: list[Sequence[Any]]
    env: Env
    bindings: Bindings

    def run(self, block: Block, args: Sequence[Any]) -> Sequence[Any]:
        # What a region defines is not visible behind it, nor in its next iteration.
        outside = dict(self.bindings.sizes)
        try:
            return self.run_block(block, args, self.env, self.bindings)
        finally:
            self.bindings.sizes = outside

    def run_over(self, grid: Sequence[Any], block: Block, args: Sequence[Any]) -> Sequence[Any]:
        self.grids.append(grid)
        try:
            return self.run(block, args)
        finally:
            self.grids.pop()

    def index(self, dim: int) -> Any:
        return self.grids[-1][dim]
