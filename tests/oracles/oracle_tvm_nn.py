"""Runs the tests of TVM's `nn` frontend, unchanged, on `xdsl_relax.frontend.nn`, and compares what both exporters make; prints a table.

python tests/oracles/oracle_tvm_nn.py --tvm CHECKOUT [FILE...]        # needs the extra tvm, and torch

Each test runs twice, first as it is. Then its file is imported with our frontend in the place of TVM's: what it exports goes to TVM, and the
test compares it with what it expects itself. What both runs exported is compared as well, through the importer, up to names.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import tvm
import tvm.testing
import tvm_ffi
from tvm import relax, tirx
from tvm.relax.frontend.nn.exporter import Exporter

sys.path.insert(0, str(Path(__file__).parents[1]))

import xdsl_relax
from xdsl.dialects import func
from xdsl.dialects.builtin import StringAttr, SymbolRefAttr
from xdsl_relax.dialects.relax.function_signature import is_private
from xdsl_relax.frontend import nn
from xdsl_relax.frontend.tvm import from_relax, to_relax
from xdsl_relax.passes.analysis.call_graph import named_functions

from oracles import tvm_shim

FOLDER = Path("tests/python/relax")

KERNEL = "refused: the kernel is written in TVMScript"
FLOAT8 = "refused: `float8` is no dtype"
EXTERN = "equal; the test goes on with classes of TVM's"
REASONS = {
    "test_image": "differs: `interpolate` takes the pixel below, as torch does",
    "test_empty": "differs: `empty` makes zeros here, and takes memory as it is there",
    "test_tensor_expr_op": "refused: a kernel is linalg here, and TIR there",
    "test_tensor_ir_op": KERNEL,
    "test_tensor_ir_inplace_op": KERNEL,
    "test_tensor_ir_op_no_tir_var": KERNEL,
    "test_extern_object": EXTERN,
    "test_extern_source": EXTERN,
    "test_mutator_naming_basic": FLOAT8,
    "test_mutator_naming_moduledict": FLOAT8,
    "test_mutator_naming_modulelist": FLOAT8,
    "test_mutator_naming_parameter_containers": FLOAT8,
    "test_nn_export_to_relax": "equal; the test asks for names of values, TVM's for a transposed weight",
    "test_load_state_dict": "nothing is exported; the data of a parameter is an array of numpy, which has no `numpy()`",
}
"""Why a test exports something else, or nothing, or fails all the same."""


class Proxy(ModuleType):
    """A module of TVM with some names of ours."""

    def __init__(self, module: ModuleType, **own: Any):
        super().__init__(module.__name__)
        self.__path__ = getattr(module, "__path__", [])
        self.__dict__.update(own)
        self._module = module

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)


def form(module: Any) -> Any:
    """Returns a module, or a function, without what has no meaning: names, trivial bindings, and notes of the importer."""
    imported = from_relax(tvm.IRModule({"main": module}) if isinstance(module, relax.Function) else module)
    known = named_functions(imported)
    names: dict[str, str] = {}
    # Private functions are numbered in the order in which they are called.
    order = [name for name in sorted(known) if not is_private(known[name])]
    for name in order:
        for op in known[name].walk():
            for attribute in [attribute for attribute in op.attributes if attribute.startswith("tvm.")]:
                del op.attributes[attribute]
            if isinstance(op, func.CallOp) and op.callee.string_value() in known:
                callee = op.callee.string_value()
                if is_private(known[callee]) and callee not in names:
                    order.append(callee)
                    names[callee] = f"private_{len(names)}"
                op.callee = SymbolRefAttr(names.get(callee, callee))
    for name, new in names.items():
        known[name].sym_name = StringAttr(new)
    return to_relax(imported)


def assert_equal(left: Any, right: Any, *options: Any, **named: Any) -> None:
    """Raises `ValueError` where two modules, or functions, differ in more than names."""
    if isinstance(left, relax.Function | tvm.IRModule) and isinstance(right, relax.Function | tvm.IRModule):
        left, right = form(left), form(right)
    tvm.ir.assert_structural_equal(left, right, *options, **named)


def register(name: str, function: Any = None, override: bool = False) -> Any:
    """Registers a function that programs call, here and in TVM, as the decorator of TVM does."""
    if function is None:
        return partial(register, name)
    xdsl_relax.register_packed(name, function)
    return tvm.register_global_func(name, function, override=True)


def own_modules() -> dict[str, ModuleType]:
    """Returns the modules that a test file imports, with our frontend in them."""
    modules = tvm_shim.frontend_modules()
    tir = Proxy(tirx, Var=lambda name, _="int64": nn.SymbolicVar(name), FloatImm=lambda dtype, value: float(value))
    frontend = Proxy(sys.modules["tvm.relax.frontend"], nn=modules["tvm.relax.frontend.nn"])
    graph = Proxy(relax, frontend=frontend)
    base = Proxy(tvm.ir, assert_structural_equal=assert_equal)
    ffi = Proxy(tvm_ffi, structural_equal=lambda left, right, **_: left == right)
    root = Proxy(tvm, tirx=tir, relax=graph, ir=base, register_global_func=register)
    return modules | {module.__name__: module for module in (tir, frontend, graph, base, ffi, root)}


@contextlib.contextmanager
def installed(modules: dict[str, ModuleType]) -> Iterator[None]:
    """Has modules imported in the place of those with their names."""
    before = {name: sys.modules.get(name) for name in modules}
    sys.modules.update(modules)
    try:
        yield
    finally:
        for name, module in before.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module


class Importing:
    """A plug-in of pytest: test files are imported with our frontend in the place of TVM's."""

    @pytest.hookimpl(hookwrapper=True)
    def pytest_collection(self) -> Iterator[None]:
        with installed(own_modules()):
            yield


@dataclass
class Recorder:
    """A plug-in of pytest that notes down outcomes, and what each test exported."""

    outcomes: dict[str, str] = field(default_factory=dict[str, str])
    errors: dict[str, str] = field(default_factory=dict[str, str])
    exports: dict[str, list[Any]] = field(default_factory=dict[str, list[Any]])
    test: str = ""

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Notes down which test runs."""
        self.test = nodeid

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Notes down what came of it."""
        if report.when == "call" or report.outcome != "passed":
            self.outcomes[report.nodeid] = "skipped" if hasattr(report, "wasxfail") else report.outcome
            crash = getattr(report.longrepr, "reprcrash", None)
            self.errors[report.nodeid] = "" if crash is None else crash.message.partition("\n")[0]

    def add(self, module: Any) -> None:
        """Notes down what the test exported."""
        self.exports.setdefault(self.test, []).append(module)


def run(files: Sequence[Path], *plugins: object) -> None:
    """Runs test files anew."""
    paths = {str(path) for path in files}
    for name in [name for name, module in sys.modules.items() if getattr(module, "__file__", None) in paths]:
        del sys.modules[name]
    options = ["-p", "no:cacheprovider", "--import-mode=importlib", "-c", "/dev/null", "--rootdir", "/"]
    with contextlib.redirect_stdout(io.StringIO()):
        pytest.main([*options, *sorted(paths)], plugins=list(plugins))


def run_reference(files: Sequence[Path]) -> Recorder:
    """Runs the tests as they are."""
    recorder, build = Recorder(), Exporter.build

    def recorded(self: Any, spec: Any) -> Any:
        result = build(self, spec)
        recorder.add(result[0])
        return result

    exporter: Any = Exporter
    exporter.build = recorded
    try:
        run(files, recorder)
    finally:
        exporter.build = build
    return recorder


def run_ours(files: Sequence[Path]) -> Recorder:
    """Runs the tests on our frontend."""
    recorder, export, jit = Recorder(), nn.Module.export, nn.Module.jit

    def exported(model: Any, *arguments: Any, **named: Any) -> Any:
        module, *rest = export(model, *arguments, **named)
        converted = to_relax(module)
        recorder.add(converted)
        return (converted, *rest)

    def compiled(model: Any, spec: Any, *arguments: Any, debug: bool = False, **named: Any) -> Any:
        recorder.add(to_relax(export(model, spec, debug=debug)[0]))
        return jit(model, spec, *arguments, debug=debug, **named)

    own: Any = nn.Module
    own.export_tvm, own.jit = exported, compiled
    try:
        run(files, recorder, Importing())
    finally:
        own.export_tvm, own.jit = export, jit
    return recorder


def difference(ours: Any, reference: Any) -> str:
    """Returns where two exports differ, nothing where they do not."""
    try:
        assert_equal(ours, reference)
    except ValueError as error:
        return str(error).splitlines()[0]
    return ""


def main() -> int:
    """Prints the table; returns how many tests export something else without a reason."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--tvm", type=Path, required=True, help="a checkout of apache/tvm")
    parser.add_argument("files", nargs="*", help="parts of the names of test files")
    options = parser.parse_args()
    paths = sorted((options.tvm.resolve() / FOLDER).glob("test_frontend_nn_*.py"))
    files = [path for path in paths if not options.files or any(part in path.name for part in options.files)]
    reference, ours = run_reference(files), run_ours(files)
    rows: dict[str, Counter[str]] = {path.name: Counter() for path in files}
    notes: list[str] = []
    unexplained = 0
    for test, outcome in reference.outcomes.items():
        path, _, name = test.partition("::")
        row = rows[Path(path).name]
        if outcome == "skipped":
            row["skipped"] += 1
            continue
        row["tests"] += 1
        row["passed"] += ours.outcomes.get(test) == "passed"
        reason = REASONS.get(name.partition("[")[0])
        expected, made = reference.exports.get(test, []), ours.exports.get(test, [])
        row["exports"] += len(expected)
        differences = [difference(left, right) for left, right in zip(made, expected, strict=False)]
        row["equal"] += differences.count("")
        row["differs"] += len(differences) - differences.count("")
        row["refused"] += max(len(expected) - len(made), 0)
        errors = [*filter(None, differences), *filter(None, [ours.errors.get(test)])]
        if errors or len(made) != len(expected):
            unexplained += reason is None
            notes.append(f"{name}: {reason or 'UNEXPLAINED'} ({'; '.join(errors)[:600]})")
    columns = ("tests", "passed", "exports", "equal", "differs", "refused", "skipped")
    print(f"| file | {' | '.join(columns)} |\n|{'---|' * (len(columns) + 1)}")
    for name, row in rows.items():
        label = name.removeprefix("test_frontend_nn_").removesuffix(".py")
        print(f"| {label} | {' | '.join(str(row[column]) for column in columns)} |")
    total = sum(rows.values(), Counter[str]())
    print(f"| all | {' | '.join(str(total[column]) for column in columns)} |", *notes, sep="\n")
    return min(unexplained, 1)


if __name__ == "__main__":
    sys.exit(main())
