"""Cuts a failing program to few ops."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from xdsl.dialects import func
from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl_relax.dialects.relax.ops import core
from xdsl_relax.dialects.relax.program import verify_program
from xdsl_relax.interpreter.engine import Interpreter

Fails = Callable[[ModuleOp, list[list[Any]]], bool]


def main_of(module: ModuleOp) -> func.FuncOp:
    """Returns the function that is called."""
    return next(op for op in module.body.block.ops if isinstance(op, func.FuncOp) and op.sym_name.data == "main")


def ops_of(function: func.FuncOp) -> list[Operation]:
    """Returns all ops but terminators, dataflow blocks and branches as well as what is in them."""
    return [
        op
        for op in function.walk()
        if op is not function and not isinstance(op, func.ReturnOp | core.OutputOp) and op.name != "scf.yield"
    ]


class _Recorder(Interpreter):
    """Remembers what ops of the entry function yield."""

    def __init__(self, module: ModuleOp):
        super().__init__(module)
        self.data: dict[SSAValue, Any] = {}

    def _run_op(self, op: Operation, operands: Sequence[Any], env: Any, bindings: Any) -> Sequence[Any]:
        results = super()._run_op(op, operands, env, bindings)
        self.data.update(zip(op.results, results, strict=True))
        return results


def _set_type(function: func.FuncOp) -> None:
    last = function.body.block.last_op
    assert last is not None
    function.function_type = FunctionType.from_lists(
        [arg.type for arg in function.body.block.args], [value.type for value in last.operands]
    )


def _clean(module: ModuleOp, arguments: list[list[Any]]) -> list[list[Any]]:
    """Removes what nothing uses: ops, functions, arguments."""
    changed = True
    function = main_of(module)
    while changed:
        changed = False
        for op in reversed(ops_of(function)):
            if not any(result.uses for result in op.results) and not isinstance(op, core.MatchCastOp):
                op.detach()
                op.erase()
                changed = True
    called = {op.callee.string_value() for op in module.walk() if isinstance(op, func.CallOp)}
    for op in list(module.body.block.ops):
        if isinstance(op, func.FuncOp) and op is not function and op.sym_name.data not in called:
            op.detach()
            op.erase()
    return arguments


def _candidates(module: ModuleOp, arguments: list[list[Any]]) -> Iterator[tuple[ModuleOp, list[list[Any]]]]:
    count = len(ops_of(main_of(module)))

    def fresh() -> tuple[ModuleOp, func.FuncOp]:
        clone = module.clone()
        return clone, main_of(clone)

    # One run of arguments.
    for run in arguments if len(arguments) > 1 else ():
        yield module.clone(), [run]
    # Only some results.
    returned = len(main_of(module).body.block.last_op.operands)  # pyright: ignore[reportOptionalMemberAccess]
    for index in range(returned) if returned > 1 else ():
        clone, function = fresh()
        last = function.body.block.last_op
        assert last is not None
        last.operands = [last.operands[index]]
        yield clone, arguments
    # Without dataflow blocks.
    clone, function = fresh()
    blocks = [op for op in function.walk() if isinstance(op, core.DataflowOp)]
    for op in blocks:
        values = list(op.output.values)
        for inner in list(op.body.block.ops):
            inner.detach()
            if not isinstance(inner, core.OutputOp):
                Rewriter.insert_op(inner, InsertPoint.before(op))
            else:
                inner.drop_all_references()
        for result, value in zip(op.outputs, values, strict=True):
            result.replace_all_uses_with(value)
        op.detach()
        op.erase()
    if blocks:
        yield clone, arguments
    # An early op's results are what is returned.
    for index in range(count - 1):
        clone, function = fresh()
        op = ops_of(function)[index]
        if op.results and op.parent is function.body.block:
            last = function.body.block.last_op
            assert last is not None
            last.operands = list(op.results)
            yield clone, arguments
    # An op's result is an argument instead.
    for index in range(count):
        clone, function = fresh()
        op = ops_of(function)[index]
        if not op.results or op.parent is not function.body.block:
            continue
        try:
            recorders = [_Recorder(clone) for _ in arguments]
            for recorder, args in zip(recorders, arguments, strict=True):
                recorder.call("main", *args)
        except Exception:
            continue
        block = function.body.block
        added: list[SSAValue] = []
        for result in list(op.results):
            arg = block.insert_arg(result.type, len(block.args))
            result.replace_all_uses_with(arg)
            added.append(arg)
        given = [
            [*args, *(recorder.data[result] for result in op.results)]
            for recorder, args in zip(recorders, arguments, strict=True)
        ]
        op.detach()
        op.erase()
        yield clone, given
    # An operand is used in place of a result of the same type.
    for index in range(count):
        clone, function = fresh()
        op = ops_of(function)[index]
        for operand in op.operands:
            if len(op.results) == 1 and operand.type == op.results[0].type:
                op.results[0].replace_all_uses_with(operand)
                yield clone, arguments
                break
    # Without an argument.
    for index in range(len(main_of(module).body.block.args)):
        clone, function = fresh()
        arg = function.body.block.args[index]
        if not arg.uses:
            function.body.block.erase_arg(arg)
            yield clone, [[*args[:index], *args[index + 1 :]] for args in arguments]


def reduce(
    module: ModuleOp, arguments: list[list[Any]], fails: Fails, limit: int = 400
) -> tuple[ModuleOp, list[list[Any]]]:
    """Returns a smaller program that still fails."""
    tried = 0
    progress = True
    while progress and tried < limit:
        progress = False
        for clone, given in _candidates(module, arguments):
            try:
                given = _clean(clone, given)
                _set_type(main_of(clone))
                verify_program(clone)
            except Exception:
                continue
            tried += 1
            if fails(clone, given):
                module, arguments, progress = clone, given, True
                break
            if tried >= limit:
                break
    return module, arguments
