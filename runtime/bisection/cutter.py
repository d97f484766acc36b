"""Cuts a program to few ops of which something still holds, such as that its results are wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from xdsl.dialects import func, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ...dialects.relax.function_signature import (
    argument_attributes,
    functions,
    insert_argument,
    is_private,
    return_op,
    update_signature,
)
from ...dialects.relax.ops.core import DataflowOp, MatchCastOp
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
    cleaned = case.clone()
    # What is wrong may be an op that nothing uses: then such ops go one after the other, as all others do.
    cleans = _is_valid(cleaned, cleans=True) and holds(cleaned)
    tried, before = 1, None
    case = cleaned if cleans else case
    while before is not case:
        before = case
        for strategy in STRATEGIES if cleans else _KEEPING:
            smaller: Case | None = case
            while smaller is not None:
                case, smaller = smaller, None
                for candidate in strategy(case):
                    if not _is_valid(candidate, cleans):
                        continue
                    if tried >= tries:
                        return case
                    tried += 1
                    progress(f"{number_of_ops(case.module)} ops, try {tried}")
                    if holds(candidate):
                        smaller = candidate
                        break
    return case


def _is_valid(case: Case, cleans: bool) -> bool:
    """Removes what nothing uses from a candidate, ops only if it `cleans`, and returns whether it is a program."""
    try:
        if cleans:
            _clean(case)
        _drop_functions(case)
        update_signature(case.function)
        drop_stale_attributes(case.module)
        verify_program(case.module)
    except Exception:
        # Whatever a cut has broken: there are other candidates.
        return False
    return True


def _unused(function: func.FuncOp) -> list[Operation]:
    """Returns the ops of which no result is used, those inside of others and those without results as well."""
    return [op for op in computations(function) if not any(result.uses for result in op.results)]


def _clean(case: Case) -> None:
    """Removes the ops that nothing uses, but for those that check or write something."""
    for function in functions(case.module):
        while removable := [op for op in _unused(function) if op.results and not isinstance(op, MatchCastOp)]:
            for op in reversed(removable):
                if not any(result.uses for result in op.results):
                    Rewriter.erase_op(op)


def _drop_functions(case: Case) -> None:
    roots = [case.entry, *filter(None, [PARAMS_FROM.of(case.function)])]
    kept = reachable(call_graph(case.module), roots)
    for name, function in named_functions(case.module).items():
        if name not in kept:
            Rewriter.erase_op(function, safe_erase=False)


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


def _inlined(block: Block, op: Operation, arguments: Sequence[SSAValue] = ()) -> list[SSAValue]:
    """Moves the ops of a block in front of the op that it is in, and returns what its terminator yields."""
    end = block.last_op
    assert end is not None
    Rewriter.inline_block(block, InsertPoint.before(op), arguments)
    values = list(end.operands)
    Rewriter.erase_op(end)
    return values


def _of_kind(case: Case, *kinds: type[Operation]) -> list[Operation]:
    return [op for op in case.function.walk() if isinstance(op, kinds)]


def _without_dataflow(case: Case) -> Iterator[Case]:
    clone = case.clone()
    blocks = _of_kind(clone, DataflowOp)
    for op in blocks:
        Rewriter.replace_op(op, [], _inlined(op.regions[0].block, op))
    if blocks:
        yield clone


def _without_branches(case: Case) -> Iterator[Case]:
    """Yields cases with one of its regions in place of each branch."""
    for index, op in enumerate(_of_kind(case, scf.IfOp, scf.IndexSwitchOp)):
        for taken in range(len(op.regions)):
            clone = case.clone()
            branch = _of_kind(clone, scf.IfOp, scf.IndexSwitchOp)[index]
            if branch.regions[taken].blocks:
                Rewriter.replace_op(branch, [], _inlined(branch.regions[taken].block, branch))
                yield clone


def _without_loops(case: Case) -> Iterator[Case]:
    """Yields cases with no iteration, or one, in place of each loop."""
    for index in range(len(_of_kind(case, scf.ForOp, scf.WhileOp))):
        for iterations in range(2):
            clone = case.clone()
            loop = _of_kind(clone, scf.ForOp, scf.WhileOp)[index]
            if isinstance(loop, scf.ForOp):
                values: list[SSAValue] = list(loop.iter_args)
                if iterations:
                    values = _inlined(loop.body.block, loop, (loop.lb, *values))
            else:
                assert isinstance(loop, scf.WhileOp)
                # The first region computes what is passed on; its condition is taken to fail, after an iteration that runs it again.
                again = loop.before_region.clone()
                _, *values = _inlined(loop.before_region.block, loop, loop.arguments)
                if iterations:
                    values = _inlined(loop.after_region.block, loop, values)
                    _, *values = _inlined(again.block, loop, values)
            Rewriter.replace_op(loop, [], values)
            yield clone


def _carrying_less(case: Case) -> Iterator[Case]:
    """Yields cases in which a loop does not carry one of its values: inside and behind it, that is what it starts with."""
    loops = [op for op in _of_kind(case, scf.ForOp) if isinstance(op, scf.ForOp)]
    for index, given in enumerate(loops):
        for carried in range(len(given.iter_args)):
            clone = case.clone()
            loop = _of_kind(clone, scf.ForOp)[index]
            assert isinstance(loop, scf.ForOp)
            initial, argument = loop.iter_args[carried], loop.body.block.args[1 + carried]
            argument.replace_all_uses_with(initial)
            loop.body.block.erase_arg(argument)
            end = loop.body.block.last_op
            assert end is not None
            end.operands = [value for place, value in enumerate(end.operands) if place != carried]
            others = [value for place, value in enumerate(loop.iter_args) if place != carried]
            smaller = scf.ForOp(loop.lb, loop.ub, loop.step, others, loop.detach_region(loop.body))
            results = [*smaller.results[:carried], initial, *smaller.results[carried:]]
            Rewriter.replace_op(loop, smaller, results)
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
            Rewriter.erase_op(op)
    if position is not None:
        NUM_INPUT.set(clone.function, position + len(results))
    update_signature(clone.function, [*entries[:place], *({} for _ in results), *entries[place:]])
    return replace(clone, runs=tuple(runs))


def _ancestor(op: Operation, function: func.FuncOp) -> Operation:
    """Returns the op itself, or the one around it, that stands in the body of a function."""
    while (parent := op.parent_op()) is not None and parent is not function:
        op = parent
    return op


def _without_unused_ops(case: Case) -> Iterator[Case]:
    """Yields cases without many ops of which nothing is used, then without fewer, then without one."""
    names = list(named_functions(case.module, declarations=False))
    count = sum(len(_unused(named_functions(case.module)[name])) for name in names)
    length = count
    while length:
        for start in range(0, count, length):
            clone = case.clone()
            known = named_functions(clone.module)
            ops = [op for name in names for op in _unused(known[name])]
            for op in reversed(ops[start : start + length]):
                Rewriter.erase_op(op)
            yield clone
        length //= 2


def _with_operands_for_results(case: Case) -> Iterator[Case]:
    """Yields cases in which an op's result is an operand of the same type."""
    for index in range(len(computations(case.function))):
        clone = case.clone()
        op = computations(clone.function)[index]
        is_used = len(op.results) == 1 and bool(op.results[0].uses)
        same = [operand for operand in op.operands if is_used and operand.type == op.results[0].type]
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
    _without_loops,
    _carrying_less,
    _with_operands_for_results,
    _without_unused_ops,
    _without_unused_arguments,
)
"""What leaves out much comes first."""
_KEEPING = tuple(strategy for strategy in STRATEGIES if strategy is not _ending_early)
"""Those that leave out something also where ops that nothing uses stay."""
