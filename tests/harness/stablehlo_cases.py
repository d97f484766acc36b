"""Cases of the StableHLO project's own suites: how one is read, imported, run and compared.

A case has the outcome `pass`, `refused`, `outside` (of what is imported at all), `wrong` or `crash`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import func
from xdsl.dialects import func as func_dialect
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl_relax.frontend.model.problems import ModelImportError, Unsupported, UnsupportedModelError
from xdsl_relax.frontend.model.weights import ImportedModel
from xdsl_relax.frontend.stablehlo import import_stablehlo
from xdsl_relax.frontend.stablehlo.load import read_module
from xdsl_relax.frontend.stablehlo.types import dense_array
from xdsl_relax.runtime.compiler import compile as compile_module
from xdsl_relax.runtime.interpreted import interpret
from xdsl_relax.runtime.signatures import signatures

from harness.main_runs import Array
from harness.outcomes import Outcome, crash_of

Call = Callable[..., Sequence[Array]]

MAX_ULPS = 3
"""What the project's runner allows for `expect_close`."""

TOLERANCE = {"expect_almost_eq": 1e-3, "expect_almost_eq_const": 1e-4}

OUTSIDE = ("complex<", "interpreter.", "!stablehlo.token")
"""Complex numbers, runs on several replicas (and the probes of the project's interpreter), tokens."""

_PAIR = re.compile(
    r"check\.(expect_(?:almost_eq|eq|close)) (%[\w#.]+), (%[\w#.]+)(?:, \w+ = ([\d.e-]+))? : (tensor<[^\n,]*>)(?:, tensor<[^\n]*>)?"
)

_CHECK = re.compile(
    r"check\.(expect_(?:almost_)?eq_const) (%[\w#.]+),\s+(dense<.*?>) :\s+(tensor<[^\n]*?>)(?:[ ,{]+tolerance = ([\d.e-]+)[^\n]*)?$",
    re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True)
class Case:
    """A program whose checks tell what it computes."""

    name: str
    text: str


_SOLVE = re.compile(r'"stablehlo\.triangular_solve"\([^\n]*: \(tensor<[\dx]*?(\d+)x[a-z]\w*>, ')


@dataclass(frozen=True)
class Check:
    """Two results of a function that are compared, the first one being computed."""

    kind: str
    tolerance: float | None = None
    steps: int = 1
    """How many sums follow each other, each of the results of those before: the rows of a triangular system."""


@dataclass
class Program:
    """A module whose functions return what they check; inputs of testdata are arguments."""

    module: Any
    checks: dict[str, list[Check]]
    arguments: dict[str, list[Array]]
    steps: int = 1
    """See `Check.steps`."""


def interpret_suite(checkout: Path) -> Iterator[Case]:
    """Yields the programs in `stablehlo/tests/interpret`."""
    root = checkout / "stablehlo" / "tests" / "interpret"
    for path in sorted(root.rglob("*.mlir")):
        parts = path.read_text().split("// -----")
        for index, part in enumerate(parts):
            if "func.func" in part:
                yield Case(f"interpret/{path.relative_to(root)}#{index}", part)


def data_suite(checkout: Path) -> Iterator[Case]:
    """Yields the programs in `stablehlo/testdata`, those with complex numbers excepted."""
    for path in sorted((checkout / "stablehlo" / "testdata").glob("*.mlir")):
        text = path.read_text()
        if "complex<" not in text:
            yield Case(f"testdata/{path.name}", text)


def prepared(case: Case) -> Program:
    """Returns a program whose checks are results of its functions."""

    def constant(match: re.Match[str]) -> str:
        kind, value, data, value_type, tolerance = match.groups()
        label = f"%check_{match.start()}"
        attributes = f'{{has_side_effect = true, backend_config = "{tolerance or ""}"}}'
        return (
            f"{label} = stablehlo.constant {data} : {value_type}\n"
            f"stablehlo.custom_call @check.{kind}({value}, {label}) {attributes} : ({value_type}, {value_type}) -> ()"
        )

    def pair(match: re.Match[str]) -> str:
        kind, first, second, tolerance, value_type = match.groups()
        attributes = f'{{has_side_effect = true, backend_config = "{tolerance or ""}"}}'
        return (
            f"stablehlo.custom_call @check.{kind}({first}, {second}) {attributes} : ({value_type}, {value_type}) -> ()"
        )

    module = read_module(_PAIR.sub(pair, _CHECK.sub(constant, case.text)) + "\n")
    program = Program(module, {}, {}, max([1, *map(int, _SOLVE.findall(case.text))]))
    with module.context, ir.Location.unknown():
        functions = {str(op.attributes["sym_name"].value): op.operation for op in _functions(module)}
        for name, function in functions.items():
            _return_checks(program, name, function, functions)
    return program


def _functions(module: Any) -> list[Any]:
    return [op for op in module.body.operations if op.operation.name == "func.func"]


def _return_checks(program: Program, name: str, function: Any, functions: Mapping[str, Any]) -> None:
    block = function.regions[0].blocks[0]
    results: list[Any] = []
    checks: list[Check] = []
    arguments: list[Array] = []
    for op in list(block.operations):
        operation = op.operation
        if operation.name == "func.call" and str(operation.attributes["callee"].value) == "inputs":
            for result in list(operation.results):
                result.replace_all_uses_with(block.add_argument(result.type, ir.Location.unknown()))
            arguments += _constants(functions["inputs"])
            operation.erase()
        elif operation.name == "stablehlo.custom_call":
            target = str(operation.attributes["call_target_name"].value)
            if target.startswith("check."):
                config = (
                    str(operation.attributes["backend_config"].value)
                    if "backend_config" in operation.attributes
                    else ""
                )
                tolerance = float(config) if config else None
                checks.append(Check(target.removeprefix("check."), tolerance, program.steps))
                results += list(operation.operands)
                operation.erase()
    if not checks:
        return
    last = list(block.operations)[-1]
    with ir.InsertionPoint(last):
        func.ReturnOp(results)
    last.operation.erase()
    declared = ir.FunctionType.get([item.type for item in block.arguments], [item.type for item in results])
    function.attributes["function_type"] = ir.TypeAttr.get(declared)
    for key in ("res_attrs", "arg_attrs"):
        if key in function.attributes:
            del function.attributes[key]
    program.checks[name] = checks
    program.arguments[name] = arguments


def _constants(function: Any) -> list[Array]:
    """Returns the results of a function that returns constants."""
    arrays: list[Array] = []
    *_, last = function.regions[0].blocks[0].operations
    for operand in last.operation.operands:
        attribute = operand.owner.attributes["value"]
        arrays.append(np.array(dense_array(attribute), order="C"))
    return arrays


@dataclass
class Imported:
    """A case that has been imported."""

    case: Case
    program: Program
    model: ImportedModel


def imported(case: Case) -> Imported | Outcome:
    """Imports a case; returns what became of it if there is nothing to run."""
    outside = next((word for word in OUTSIDE if word in case.text), None)
    if outside is not None:
        return Outcome("outside", outside)
    try:
        program = prepared(case)
        return Imported(case, program, import_stablehlo(program.module))
    except (UnsupportedModelError, Unsupported, ModelImportError) as error:
        return Outcome("refused", str(error))
    except Exception as error:
        return crash_of(error)


def interpreted(item: Imported) -> Outcome:
    """Runs the functions of a case by the interpreter and compares what they check."""
    return checked([item], "interpreter", lambda: interpret(item.model.module), lambda number, name: name)[0]


def native(items: Sequence[Imported]) -> list[Outcome]:
    """Runs the functions of cases as machine code, compiled together, and compares what they check."""

    def compiled() -> Call:
        joined = ModuleOp([])
        for number, item in enumerate(items):
            for op in list(item.model.module.ops):
                assert isinstance(op, func_dialect.FuncOp)
                op.detach()
                op.sym_name = StringAttr(f"{op.sym_name.data}_of_{number}")
                joined.body.block.add_op(op)
            item.model.module.erase()
        executable = compile_module(joined)
        return lambda name, *arguments: executable[name].call(*arguments)

    return checked(items, "native", compiled, lambda number, name: f"{name}_of_{number}")


def checked(
    items: Sequence[Imported], engine: str, start: Callable[[], Call], named: Callable[[int, str], str]
) -> list[Outcome]:
    """Runs cases by an engine and compares what they check."""
    # The names of weights are read before an engine takes the modules.
    declared = [signatures(item.model.module) for item in items]
    try:
        call = start()
    except Exception as error:
        return [crash_of(error, engine)] * len(items)
    outcomes: list[Outcome] = []
    for number, (item, functions) in enumerate(zip(items, declared, strict=True)):
        try:
            reason = ""
            for name, checks in item.program.checks.items():
                weights = [np.array(item.model.params[str(param.external_name)]) for param in functions[name].params]
                with np.errstate(all="ignore"):
                    results = call(named(number, name), *item.program.arguments[name], *weights)
                for index, check in enumerate(checks):
                    pair = np.asarray(results[2 * index]), np.asarray(results[2 * index + 1])
                    reason = reason or difference(*pair, check)
            outcomes.append(Outcome("wrong", f"{engine}: {reason}") if reason else Outcome("pass"))
        except Exception as error:
            outcomes.append(crash_of(error, engine))
    return outcomes


def ordered_bits(array: Array) -> Array:
    """Returns floats as integers that count them."""
    bits = array.view(f"i{array.dtype.itemsize}").astype(np.int64)
    return np.where(bits < 0, np.iinfo(f"i{array.dtype.itemsize}").min - bits, bits)


def difference(actual: Array, expected: Array, check: Check) -> str:
    """Returns what differs, an empty text for nothing."""
    if actual.dtype != expected.dtype or actual.shape != expected.shape:
        return f"{actual.dtype} {list(actual.shape)}, expected {expected.dtype} {list(expected.shape)}"
    is_float = actual.dtype.kind in "fV"
    a, b = (np.ascontiguousarray(x).astype(np.float64) if is_float else x for x in (actual, expected))
    with np.errstate(all="ignore"):
        if check.kind == "expect_close" and is_float:
            ulps = np.abs(ordered_bits(np.ascontiguousarray(actual)) - ordered_bits(np.ascontiguousarray(expected)))
            # Sums that cancel are as exact as their terms, those that are expected too; so is each of several steps.
            largest = np.max(np.abs(b), initial=0, where=np.isfinite(b))
            scale = 2 * check.steps * largest * float(ml_dtypes.finfo(actual.dtype).eps)
            near = (ulps <= MAX_ULPS) | (np.abs(a - b) <= scale)
            same = (a == b) | (np.isnan(a) & np.isnan(b)) | (np.isfinite(a) & np.isfinite(b) & near)
            detail = f"up to {ulps[~same].max(initial=0)} ulps"
        elif check.kind.startswith("expect_almost") and is_float:
            tolerance = check.tolerance if check.tolerance is not None else TOLERANCE[check.kind]
            same = (a == b) | (np.isnan(a) & np.isnan(b)) | (np.abs(a - b) <= tolerance)
            detail = f"up to {np.abs(a - b)[~same].max(initial=0):.3g}"
        else:
            same = (a == b) | ((a != a) & (b != b))
            detail = "equality is asked for"
        if same.all():
            return ""
        place = tuple(int(axis[0]) for axis in np.nonzero(~same))
        return f"{int((~same).sum())} of {same.size} elements differ, {detail}; at {list(place)} {a[place]}, expected {b[place]}"
