"""Op cases, family by family: compiled natively and by upstream MLIR, against the interpreter, which refuses the same dynamic sizes."""

from __future__ import annotations

import dataclasses
import zlib
from collections.abc import Iterator, Sequence
from functools import cached_property, partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xdsl_relax
from harness.guard_pages import call_guarded, faults
from harness.native import check_hostile, runner
from harness.op_cases import Case, assert_close, check_compiled, check_run, module_of
from harness.sampling import sampled, sampled_at_target
from harness.symbolic_cases import sized_inputs, symbolic_cases
from harness.upstream import compile_upstream, requires_upstream
from xdsl.ir import Attribute
from xdsl.utils.exceptions import PassFailedException, VerifyException
from xdsl_relax.dialects.relax.attrs import element_type_of
from xdsl_relax.dialects.relax.function_signature import functions
from xdsl_relax.interpreter.engine import Interpreter
from xdsl_relax.interpreter.host.errors import ArgumentError
from xdsl_relax.interpreter.rule import InterpreterError
from xdsl_relax.runtime.executable.executable import Executable
from xdsl_relax.runtime.executable.native_function import ExecutionError

pytestmark = pytest.mark.sampled_inside

CASES = Path(__file__).parents[1] / "cases"
FAMILIES = sorted(path.stem for path in CASES.glob("[!_]*.py") if path.stem != "qnn")


def outcome(function, inputs):
    """Returns the results, or `None` where the call is refused."""
    try:
        return function(*inputs)
    except (ArgumentError, ExecutionError, InterpreterError):
        return None


def agrees(case, results, expected, types, where):
    """Checks that both are refused, or that the results are the same; returns whether they were accepted."""
    assert (results is None) == (expected is None), (where, results, expected)
    if results is None or expected is None:
        return False
    for result, reference, result_type in zip(results, expected, types, strict=True):
        if isinstance(reference, tuple):
            assert result == reference, where
            continue
        wide = np.asarray(reference, np.int64 if np.asarray(reference).dtype.kind in "iub" else np.float64)
        assert_close(result, wide, element_type_of(result_type), case.tolerance, max(case.native_error, 1e-5))
    return True


class Family:
    """The cases of a file as one module, compiled once for all its tests; where a sample runs at a target, a share of them."""

    def __init__(self, name: str):
        self.name = name
        every: list[Case] = list(import_module(f"cases.{name}").CASES)
        self.cases = sampled_at_target(every, lambda case: case.name)
        self.is_whole = len(self.cases) == len(every)
        self.module = module_of(self.cases)

    @cached_property
    def executable(self) -> Executable:
        return xdsl_relax.compile(self.module)


@pytest.fixture(scope="module", params=FAMILIES)
def family(request: pytest.FixtureRequest) -> Family:
    return Family(request.param)


def test_native(family: Family):
    check_run(family.cases, family.module, runner(family.executable))


def test_operands_that_do_not_fit_between_inaccessible_pages(family: Family):
    check_hostile(family.executable, family.cases)


def test_sizes_of_0_1_and_2(family: Family):
    executable, interpreter = family.executable, Interpreter(family.module)
    types = [function.function_type.outputs.data for function in functions(family.module)]
    accepted = 0
    for case in symbolic_cases(family.cases):
        index = family.cases.index(case)
        for sizes, inputs in sized_inputs(case):
            name = f"case_{index}"
            expected = outcome(lambda *args, name=name: interpreter.call(name, *args), inputs)
            result = outcome(executable[name].call, inputs)
            accepted += agrees(case, result, expected, types[index], (case.name, sizes))
    assert accepted > 0 or not family.is_whole


def without_elements(case: Case) -> Iterator[Case]:
    """Yields a case with sizes that are numbers, some of which are 0: those of every other name or number, and all of them."""
    names = sorted({str(dim) for arg in case.args for dim in arg.dims})
    for emptied in [*([name] for name in names[zlib.crc32(case.name.encode()) % 2 :: 2]), names]:
        args = [
            dataclasses.replace(
                arg, dims=[0 if str(dim) in emptied else case.sizes.get(str(dim), dim) for dim in arg.dims]
            )
            for arg in case.args
        ]
        empty = dataclasses.replace(case, args=args, name=f"{case.name}, {', '.join(emptied)} = 0")
        try:
            empty.inputs()
        except (ValueError, IndexError):
            empty = dataclasses.replace(empty, args=[dataclasses.replace(arg, values=None) for arg in args])
        yield empty


def is_valid(case: Case) -> bool:
    try:
        module_of([case])
    except VerifyException:
        return False
    return True


@pytest.mark.any_target
def test_empty_dims_between_inaccessible_pages(family: Family):
    first = {case.op: case for case in reversed(family.cases)}
    chosen = sampled(first.values(), lambda case: case.name)
    cases = [empty for case in chosen for empty in without_elements(case) if is_valid(empty)]
    module = module_of(cases)
    executable, interpreter = xdsl_relax.compile(module), Interpreter(module)

    def check(index: int, case: Case, types: Sequence[Attribute]) -> str | None:
        name, inputs = f"case_{index}", case.inputs()
        expected = outcome(lambda *args: interpreter.call(name, *args), inputs)
        result = outcome(lambda *args: call_guarded(executable[name], args), inputs)
        try:
            agrees(case, result, expected, types, case.name)
        except AssertionError as error:
            return str(error)
        return None

    types = [function.function_type.outputs.data for function in functions(module)]
    calls = [(case.name, partial(check, index, case, types[index])) for index, case in enumerate(cases)]
    failures = faults(calls)
    assert not failures, "\n".join(failures)


CRASHES_UPSTREAM = {"reshape-swap", "arange-bf16"}
"""Upstream's expand-strided-metadata crashes on an expand_shape that cuts one dim into two dynamic ones. Code that rounds f64 to bf16 calls
`__truncdfbf2` where the processor has no instruction for it, a function that the process may not have."""


@requires_upstream
@pytest.mark.any_target
def test_upstream(family: Family):
    cases = [case for case in family.cases if case.name not in CRASHES_UPSTREAM]
    check_compiled(sampled(cases, lambda case: case.name), compile_upstream)


def with_a_symbol_each(case):
    """Returns a case of which every dim, but those of size 1, has a symbol of its own."""
    sizes, args = {}, []
    for index, arg in enumerate(case.args):
        dims = []
        for axis, dim in enumerate(arg.dims):
            size = case.sizes[dim] if isinstance(dim, str) else dim
            if size > 1 or size == 0:
                sizes[f"s{index}_{axis}"] = size
            dims.append(f"s{index}_{axis}" if size > 1 or size == 0 else size)
        args.append(dataclasses.replace(arg, dims=tuple(dims)))
    return dataclasses.replace(case, args=args, sizes=sizes)


def open_cases(cases: list[Case]) -> list[Case]:
    """Returns one case in three of those with different ops, attributes and ranks."""
    kinds: dict[Any, Case] = {}
    for case in cases:
        ranks = tuple(len(arg.dims) for arg in case.args)
        kinds.setdefault((case.op, ranks, str(sorted(case.attrs.items(), key=str))), case)
    return [with_a_symbol_each(case) for case in list(kinds.values())[::3]]


KNOWN = ("nn_attention", "nn_winograd")
"""The families that need to know sizes before: of heads, of tiles."""


@pytest.mark.any_target
@pytest.mark.parametrize("family", [name for name in FAMILIES if name not in KNOWN], indirect=True)
def test_sizes_that_no_rule_relates(family: Family):
    """With the sizes of the case, and with each of them larger and smaller by 1."""
    accepted = 0
    for case in sampled(open_cases(family.cases), lambda case: case.name):
        try:
            module = module_of([case])
            function = xdsl_relax.compile(module)["case_0"]
        except (VerifyException, PassFailedException):
            continue  # Without knowing more, the op has no shape, or no code.
        types = functions(module)[0].function_type.outputs.data
        interpreter = Interpreter(module)
        for changed in ({}, *({name: size + step} for name, size in case.sizes.items() for step in (-1, 1))):
            sizes = {**case.sizes, **changed}
            if min(sizes.values(), default=0) < 0:
                continue
            try:
                inputs = dataclasses.replace(case, sizes=sizes).inputs()
            except (ValueError, IndexError):
                continue
            expected = outcome(lambda *args, run=interpreter: run.call("case_0", *args), inputs)
            result = outcome(function.call, inputs)
            assert changed or result is not None, (case.name, "with its own sizes")
            accepted += agrees(case, result, expected, types, (case.name, sizes))
    assert accepted > 0 or not family.is_whole
