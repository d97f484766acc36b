"""Cuts a program to few ops of which something still holds, such as that its results are wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from xdsl.dialects import func, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ...dialects.relax.function_signature import (
    argument_attributes,
    functions,
    insert_argument,
    is_private,
    return_op,
    update_signature,
)
from ...dialects.relax.ops.core import DataflowOp, MatchCastOp, OutputOp
from ...dialects.relax.program import drop_stale_attributes, verify_program
from ...dialects.relax.vocabulary.attributes import DONATE, NUM_INPUT, PARAMS_FROM
from ...interpreter.engine import Interpreter
from ...passes.analysis.call_graph import call_graph, named_functions, reachable
from ...passes.rewriting.inline_call import Caller, inline_call
from .case import Case, computations, copied, number_of_ops

Holds = Callable[[Case], bool]
"""Whether a smaller case shows what the case at the start showed."""

TRIES = 400


def cut(case: Case, holds: Holds, tries: int = TRIES, progress: Callable[[str], None] = lambda _: None) -> Case:
    """Returns a smaller case that still holds, and of which no part can be left out, unless that takes more tries."""
    tried, before = 0, None
    while before is not case:
        before = case
        for strategy in STRATEGIES:
            smaller: Case | None = case
            while smaller is not None:
                case, smaller = smaller, None
                for candidate in filter(_is_valid, strategy(case)):
                    if tried >= tries:
                        return case
                    tried += 1
                    progress(f"{number_of_ops(case.module)} ops, try {tried}")
                    if holds(candidate):
                        smaller = candidate
                        break
    return case


def _is_valid(case: Case) -> bool:
    """Removes what nothing uses from a candidate, and returns whether it is a program."""
    try:
        _clean(case)
        update_signature(case.function)
        drop_stale_attributes(case.module)
        verify_program(case.module)
    except Exception:
        # Whatever a cut has broken: there are other candidates.
        return False
    return True


def _clean(case: Case) -> None:
    for function in functions(case.module):
        changed = True
        while changed:
            changed = False
            for op in reversed(computations(function)):
                if not any(result.uses for result in op.results) and not isinstance(op, MatchCastOp):
                    op.detach()
                    op.erase()
                    changed = True
    roots = [case.entry, *filter(None, [PARAMS_FROM.of(case.function)])]
    kept = reachable(call_graph(case.module), roots)
    for name, function in named_functions(case.module).items():
        if name not in kept:
            function.detach()
            function.erase()


def _with_one_run(case: Case) -> Iterator[Case]:
    for run in case.runs if len(case.runs) > 1 else ():
        yield replace(case.clone(), runs=(run,))


def _without_donations(case: Case) -> Iterator[Case]:
    """Yields a case whose results are free to go: no argument is overwritten by one."""
    clone = case.clone()
    entries = argument_attributes(clone.function)
    if any(entry.pop(DONATE.name, None) is not None for entry in entries):
        update_signature(clone.function, entries)
        yield clone


def _with_one_result(case: Case) -> Iterator[Case]:
    count = len(return_op(case.function).operands)
    for index in range(count) if count > 1 else ():
        clone = case.clone()
        _return(clone, [return_op(clone.function).operands[index]])
        yield clone


def _return(case: Case, values: Sequence[SSAValue]) -> None:
    case.function.res_attrs = None
    return_op(case.function).operands = list(values)


def _without_calls(case: Case) -> Iterator[Case]:
    """Yields cases with calls inlined: all of them, then each."""
    count = sum(isinstance(op, func.CallOp) for op in case.function.walk())
    for chosen in ([*range(count)], *([index] for index in range(count) if count > 1)):
        clone = case.clone()
        calls = [op for op in clone.function.walk() if isinstance(op, func.CallOp)]
        known = named_functions(clone.module)
        for index in chosen:
            callee = known[calls[index].callee.string_value()]
            if is_private(callee) or callee.body.blocks:
                inline_call(calls[index], callee, Caller(clone.function))
        if chosen:
            yield clone


def _without_dataflow(case: Case) -> Iterator[Case]:
    clone = case.clone()
    blocks = [op for op in clone.function.walk() if isinstance(op, DataflowOp)]
    for op in blocks:
        values = list(op.output.values)
        for inner in list(op.body.block.ops):
            if isinstance(inner, OutputOp):
                inner.drop_all_references()
                continue
            inner.detach()
            Rewriter.insert_op(inner, InsertPoint.before(op))
        for result, value in zip(op.outputs, values, strict=True):
            result.replace_all_uses_with(value)
        op.detach()
        op.erase()
    if blocks:
        yield clone


def _without_branches(case: Case) -> Iterator[Case]:
    """Yields cases with a branch in place of each `scf.if`."""
    count = sum(isinstance(op, scf.IfOp) for op in case.function.walk())
    for index in range(count):
        for taken in range(2):
            clone = case.clone()
            op = [op for op in clone.function.walk() if isinstance(op, scf.IfOp)][index]
            if not op.regions[taken].blocks:
                continue
            block = op.regions[taken].block
            last = block.last_op
            assert last is not None
            values = list(last.operands)
            last.detach()
            last.erase()
            for inner in list(block.ops):
                inner.detach()
                Rewriter.insert_op(inner, InsertPoint.before(op))
            for result, value in zip(op.results, values, strict=True):
                result.replace_all_uses_with(value)
            op.detach()
            op.erase()
            yield clone


def _outer(case: Case) -> list[Operation]:
    return [op for op in computations(case.function) if op.parent is case.function.body.block]


def _ending_early(case: Case) -> Iterator[Case]:
    """Yields cases that return the results of an op on the way, used or not."""
    for index in range(len(_outer(case))):
        clone = case.clone()
        op = _outer(clone)[index]
        if op.results and list(op.results) != list(return_op(clone.function).operands):
            _return(clone, op.results)
            yield clone


class _Recorder(Interpreter):
    """Remembers what ops yield."""

    def __init__(self, module: ModuleOp):
        super().__init__(module)
        self.data: dict[SSAValue, Any] = {}

    def _run_op(self, op: Operation, operands: Sequence[Any], env: Any, bindings: Any) -> Sequence[Any]:
        results = super()._run_op(op, operands, env, bindings)
        self.data.update(zip(op.results, results, strict=True))
        return results


def _with_arguments_for_ops(case: Case) -> Iterator[Case]:
    """Yields cases in which arguments stand for the results of many ops, then of fewer, then of one."""
    count = len(_outer(case))
    length = count // 2
    while length:
        for start in range(0, count, length):
            candidate = _with_arguments(case, slice(start, start + length))
            if candidate is not None:
                yield candidate
        length //= 2


def _with_arguments(case: Case, chosen: slice) -> Case | None:
    """Returns a case with arguments in place of ops, with the values that these have; `None` if there is nothing to replace."""
    clone = case.clone()
    ops = _outer(clone)[chosen]
    inside = set(ops)
    results = [
        result
        for op in ops
        for result in op.results
        if any(_ancestor(use.operation, clone.function) not in inside for use in result.uses)
    ]
    if not results:
        return None
    runs: list[tuple[Any, ...]] = []
    position = NUM_INPUT.of(clone.function)
    place = len(clone.function.body.block.args) if position is None else position
    try:
        for run in clone.runs:
            recorder = _Recorder(clone.module)
            recorder.call(clone.entry, *copied(run))
            runs.append((*run[:place], *(recorder.data[result] for result in results), *run[place:]))
    except Exception:
        # A program that the interpreter refuses, on purpose perhaps, has no values to give.
        return None
    entries = argument_attributes(clone.function)
    block = clone.function.body.block
    for offset, result in enumerate(results):
        hint = result.name_hint
        result.replace_all_uses_with(insert_argument(block, place + offset, result.type, hint))
    for op in reversed(ops):
        if not any(result.uses for result in op.results):
            op.detach()
            op.erase()
    if position is not None:
        NUM_INPUT.set(clone.function, position + len(results))
    update_signature(clone.function, [*entries[:place], *({} for _ in results), *entries[place:]])
    return replace(clone, runs=tuple(runs))


def _ancestor(op: Operation, function: func.FuncOp) -> Operation:
    """Returns the op itself, or the one around it, that stands in the body of a function."""
    while (parent := op.parent_op()) is not None and parent is not function:
        op = parent
    return op


def _without_casts(case: Case) -> Iterator[Case]:
    """Yields cases without the casts of which only the symbols were of use."""
    count = sum(isinstance(op, MatchCastOp) for op in case.function.walk())
    for index in range(count):
        clone = case.clone()
        op = [op for op in clone.function.walk() if isinstance(op, MatchCastOp)][index]
        if not op.results[0].uses:
            op.detach()
            op.erase()
            yield clone


def _with_operands_for_results(case: Case) -> Iterator[Case]:
    """Yields cases in which an op's result is an operand of the same type."""
    for index in range(len(computations(case.function))):
        clone = case.clone()
        op = computations(clone.function)[index]
        same = [operand for operand in op.operands if len(op.results) == 1 and operand.type == op.results[0].type]
        if same:
            op.results[0].replace_all_uses_with(same[0])
            yield clone


def _without_unused_arguments(case: Case) -> Iterator[Case]:
    """Yields cases without the arguments that nothing uses: all of them, then each."""
    unused = [index for index, arg in enumerate(case.function.body.block.args) if not arg.uses]
    for chosen in (unused, *([index] for index in unused if len(unused) > 1)):
        if not chosen:
            return
        clone = case.clone()
        function = clone.function
        kept = [index for index in range(len(function.body.block.args)) if index not in chosen]
        entries = argument_attributes(function)
        position = NUM_INPUT.of(function)
        for index in reversed(chosen):
            function.body.block.erase_arg(function.body.block.args[index])
        if position is not None:
            NUM_INPUT.set(function, sum(index < position for index in kept))
        update_signature(function, [entries[index] for index in kept])
        yield replace(clone, runs=tuple(tuple(run[index] for index in kept) for run in clone.runs))


STRATEGIES: tuple[Callable[[Case], Iterator[Case]], ...] = (
    _with_one_run,
    _without_donations,
    _with_one_result,
    _without_calls,
    _without_dataflow,
    _ending_early,
    _with_arguments_for_ops,
    _without_branches,
    _with_operands_for_results,
    _without_casts,
    _without_unused_arguments,
)
"""What leaves out much comes first."""
