"""Ops on dynamic sizes: native code and the interpreter agree, and refuse the same sizes."""

from __future__ import annotations

import dataclasses
import itertools
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
import xdsl_relax
from harness.op_cases import Case, assert_close, module_of
from xdsl.utils.exceptions import PassFailedException, VerifyException
from xdsl_relax.dialects.relax.attrs import element_type_of
from xdsl_relax.dialects.relax.function_signature import functions
from xdsl_relax.interpreter.engine import Interpreter
from xdsl_relax.interpreter.host.errors import ArgumentError
from xdsl_relax.interpreter.rule import InterpreterError
from xdsl_relax.runtime.executable.executable import ExecutionError

CASES = Path(__file__).parents[1] / "cases"
FAMILIES = sorted(path.stem for path in CASES.glob("[!_]*.py"))
SIZES = (0, 1, 2)


def symbols_of(case):
    return sorted({dim for arg in case.args for dim in arg.dims if isinstance(dim, str)})


def symbolic_cases(family):
    """One case of each op, arrangement of sizes, and attributes: the element type does not matter here."""
    found = {}
    for case in import_module(f"cases.{family}").CASES:
        if isinstance(case, Case) and symbols_of(case):
            dims = tuple(tuple(arg.dims) for arg in case.args)
            found.setdefault((case.op, dims, str(sorted(case.attrs.items(), key=str))), case)
    return list(found.values())


def sizes_of(symbols):
    """All sizes of up to three symbols; of more, the same size for all."""
    if len(symbols) > 3:
        return [dict.fromkeys(symbols, size) for size in SIZES]
    return [dict(zip(symbols, sizes, strict=True)) for sizes in itertools.product(SIZES, repeat=len(symbols))]


def outcome(function, inputs):
    """Returns the results, or `None` where the call is refused."""
    try:
        return function(*inputs)
    except (ArgumentError, ExecutionError, InterpreterError):
        return None


def agrees(case, found, expected, types, where):
    """Checks that both are refused, or that the results are the same; returns whether they were accepted."""
    assert (found is None) == (expected is None), (where, found, expected)
    if found is None or expected is None:
        return False
    for one, wanted, result_type in zip(found, expected, types, strict=True):
        if isinstance(wanted, tuple):
            assert one == wanted, where
            continue
        wide = np.asarray(wanted, np.int64 if np.asarray(wanted).dtype.kind in "iub" else np.float64)
        assert_close(one, wide, element_type_of(result_type), case.tolerance, max(case.native_error, 1e-5))
    return True


FAMILIES_WITH_SYMBOLS = [family for family in FAMILIES if symbolic_cases(family)]


@pytest.mark.parametrize("family", FAMILIES_WITH_SYMBOLS)
def test_sizes_of_0_1_and_2(family):
    cases = symbolic_cases(family)
    module = module_of(cases)
    executable, interpreter = xdsl_relax.compile(module), Interpreter(module)
    types = [function.function_type.outputs.data for function in functions(module)]
    accepted = 0
    for index, case in enumerate(cases):
        for sizes in sizes_of(symbols_of(case)):
            try:
                inputs = dataclasses.replace(case, sizes={**case.sizes, **sizes}).inputs()
            except (ValueError, IndexError):
                continue  # There are no such values, like an index into nothing.
            name = f"case_{index}"
            expected = outcome(lambda *args, name=name: interpreter.call(name, *args), inputs)
            found = outcome(executable[name].call, inputs)
            accepted += agrees(case, found, expected, types[index], (case.name, sizes))
    assert accepted > 0


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


def open_cases(family):
    """One case in three of those with different ops, attributes and ranks."""
    found = {}
    for case in import_module(f"cases.{family}").CASES:
        if isinstance(case, Case):
            ranks = tuple(len(arg.dims) for arg in case.args)
            found.setdefault((case.op, ranks, str(sorted(case.attrs.items(), key=str))), case)
    return [with_a_symbol_each(case) for case in list(found.values())[::3]]


@pytest.mark.parametrize("family", [family for family in FAMILIES_WITH_SYMBOLS if family != "nn_attention"])
def test_sizes_that_no_rule_relates(family):
    """With the sizes of the case, and with each of them larger and smaller by 1. Attention needs to know of its heads before."""
    accepted = 0
    for case in open_cases(family):
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
            found = outcome(function.call, inputs)
            assert changed or found is not None, (case.name, "with its own sizes")
            accepted += agrees(case, found, expected, types, (case.name, sizes))
    assert accepted > 0
