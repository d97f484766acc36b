"""Each op with symbolic sizes of 0, 1 and 2: native code and the interpreter agree, and refuse the same."""

from __future__ import annotations

import dataclasses
import itertools
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
import xdsl_relax
from op_cases import Case, assert_close, module_of
from xdsl_relax.dialects.relax.attrs import element_type_of
from xdsl_relax.runtime.arguments import ArgumentError
from xdsl_relax.runtime.executable import ExecutionError
from xdsl_relax.runtime.interpreter.engine import Interpreter
from xdsl_relax.runtime.interpreter.rule import InterpreterError

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


FAMILIES_WITH_SYMBOLS = [family for family in FAMILIES if symbolic_cases(family)]


@pytest.mark.parametrize("family", FAMILIES_WITH_SYMBOLS)
def test_tiny_sizes(family):
    cases = symbolic_cases(family)
    module = module_of(cases)
    executable, interpreter = xdsl_relax.compile(module), Interpreter(module)
    types = [function.function_type.outputs.data for function in module.body.block.ops]
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
            assert (found is None) == (expected is None), (case.name, sizes, found, expected)
            if found is None or expected is None:
                continue
            accepted += 1
            for one, wanted, result_type in zip(found, expected, types[index], strict=True):
                if isinstance(wanted, tuple):
                    assert one == wanted
                    continue
                wide = np.asarray(wanted, np.int64 if np.asarray(wanted).dtype.kind in "iub" else np.float64)
                assert_close(one, wide, element_type_of(result_type), case.tolerance, max(case.native_error, 1e-5))
    assert accepted > 0
