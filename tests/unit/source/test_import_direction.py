"""Rooms import downward only, without circles; what is imported inside functions is listed here with its reason."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]

ORDER = (
    "dialects.nearest_name",
    "dialects.new_op",
    "dialects.walks",
    "dialects.symbolic",
    "dialects.relax",
    "dialects.upstream",
    "dialects",
    "extensions",
    "targets.cpu",
    "interpreter",
    "builder",
    "passes.analysis",
    "passes.rewriting",
    "passes",
    "lowering.emit",
    "lowering.sizes",
    "lowering.relax_to_linalg",
    "lowering.linalg",
    "lowering.buffers",
    "lowering.cpu.schedule",
    "lowering.cpu.loops",
    "lowering.cpu.math",
    "lowering.llvm",
    "lowering",
    "targets.llvm_ir",
    "targets.graph_json",
    "targets",
    "universe",
    "runtime",
    "frontend",
    "tools",
)
"""The rooms from the bottom up. A module belongs to the longest name that it starts with; it imports from its own room and those before."""

INSIDE_FUNCTIONS = {
    ("dialects.relax.numpy_dtypes", "ml_dtypes"): "slow; programs with bf16 or i4 alone need it",
    ("passes.cleanup.bind_params", "ml_dtypes"): "slow; bf16 weights alone need it",
    ("passes.cleanup.bind_params", "safetensors"): "slow; the pass needs it where a file of weights is given",
    ("targets.llvm_ir.text", "ml_dtypes"): "slow; bf16 constants alone need it",
    ("runtime.params.progress", "rich"): "slow; a terminal alone shows progress",
    ("tools.report", "rich"): "slow; tables for people alone need it",
    ("frontend.tvm", "tvm"): "optional",
    ("frontend.tvm", "frontend.tvm.importer.module"): "optional; it imports TVM",
    ("frontend.tvm", "frontend.tvm.exporter.module"): "optional; it imports TVM",
    ("frontend.model.files", "frontend.stablehlo"): "optional; it imports jax",
    ("frontend.model.files", "frontend.stablehlo.original"): "optional; it imports jax",
    ("frontend.model.files", "frontend.onnx"): "optional; it imports onnx",
    ("frontend.model.files", "frontend.onnx.original"): "optional; it imports onnxruntime",
    ("frontend.model.files", "frontend.torch"): "optional; it imports torch",
    ("frontend.model.exports", "frontend.onnx.exporter.module"): "optional; it imports onnx",
    ("frontend.model.exports", "frontend.stablehlo.exporter.module"): "optional; it imports jax",
    ("frontend.model.files", "frontend.torch.original"): "optional; it imports torch",
    ("frontend.model.files", "frontend.tvm"): "slow; other models do not need it",
    ("frontend.model.files", "frontend.tvm.importer.load"): "optional; it imports TVM",
    ("interpreter.evaluating_context", "interpreter.evaluate"): "slow; programs that fold no constant need no rules",
    (
        "runtime.compiler",
        "runtime.constant_evaluator",
    ): "slow; programs that fold no constant do not load the interpreter",
    ("entry_points", "importlib"): "slow; without extensions nothing reads the metadata of packages",
    ("runtime.executable.profiling", "runtime.profile.profile"): "slow; profiles alone need it",
    ("runtime.link", "runtime.executable.callbacks"): "slow; programs that call Python alone need it",
    ("runtime.link", "runtime.profile.recorder"): "slow; code that measures itself alone needs it",
    ("tools.function_run", "tools.profile_report"): "slow; profiles alone need it",
    (
        "runtime.cache.key",
        "runtime.cache.module_digest",
    ): "slow; it imports xDSL, and a program that is text has no ops yet",
    ("runtime.cache.compile", "runtime.compiler"): "slow; a program in the cache is not compiled",
    ("tools.parsed_program", "frontend.graph_json"): "slow; graphs in JSON alone need it",
    ("tools.parsed_program", "runtime.activation_memory"): "slow; --memory alone needs it",
    ("tools.parsed_program", "runtime.interpreted"): "slow; checks alone need the interpreter",
    ("tools.parsed_program", "tools.bisection_report"): "slow; --bisect alone needs it",
    ("tools.run_program", "tools.parsed_program"): "slow; a program in the cache is not read",
    ("tools.commands", "tools.run_errors"): "slow; errors alone need it",
    ("version", "importlib"): "slow; the name of a folder tells the version where the package is installed",
    ("version", "tomllib"): "slow; see above",
    ("tools.relax_opt", "frontend.model.files"): "slow; errors alone need it",
    ("tools.relax_opt", "dialects.relax.program"): "slow; programs without relax ops do not load the dialect",
    ("tools.relax_opt", "passes.analysis.remarks"): "slow; explanations alone need it",
    ("tools.relax_opt", "tools.explanation"): "slow; explanations alone need it",
    ("tools.relax_opt", "lowering.check_legality"): "slow; without passes of ours nothing of them is loaded",
}
"""The modules that import a package, or a module of ours, inside of a function, with the reason: it is optional, or slow and often not needed.
What is found by name (the registries of dialects, passes and targets) is imported by `importlib`, when it is first asked for."""

FOLDERS = ("dialects", "builder", "targets", "interpreter", "passes", "lowering", "runtime", "frontend", "tools")
FILES = sorted({path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")} | {*ROOT.glob("[!s]*.py")})


def module_of(path: Path) -> str:
    """Returns the dotted name of a file inside the package, without the package; empty for the package itself."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_of(path) for path in FILES}


def room_of(module: str) -> str | None:
    """Returns the room of a module."""
    rooms = [room for room in ORDER if module == room or module.startswith(f"{room}.")]
    return max(rooms, key=len, default=None)


@cache
def import_statements(source: str) -> tuple[tuple[ast.Import | ast.ImportFrom, bool], ...]:
    """Returns the imports in a source, each with whether it stands inside a function."""
    return tuple(_import_statements(ast.parse(source), False))


def _import_statements(node: ast.AST, is_nested: bool) -> Iterator[tuple[ast.Import | ast.ImportFrom, bool]]:
    # Statements alone: no expression holds an import, and most of a tree is expressions.
    if isinstance(node, ast.Import | ast.ImportFrom):
        yield node, is_nested
    is_nested = is_nested or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    for field in ("body", "handlers", "cases", "orelse", "finalbody"):
        for inner in getattr(node, field, ()):
            yield from _import_statements(inner, is_nested)


def imports(source: str, path: Path) -> Iterator[tuple[int, str, bool]]:
    """Yields the line and the module of each import from this package, and whether it stands inside a function."""
    package = path.relative_to(ROOT).parts[:-1]
    for node, is_nested in import_statements(source):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "xdsl_relax":
                    yield node.lineno, alias.name.partition(".")[2], is_nested
        elif node.level or (node.module or "").split(".")[0] == "xdsl_relax":
            base = package[: len(package) - node.level + 1] if node.level else ()
            names = (node.module or "").split(".") if node.module else []
            module = ".".join((*base, *(names if node.level else names[1:])))
            for alias in node.names:
                inner = f"{module}.{alias.name}".lstrip(".")
                yield node.lineno, inner if inner in MODULES else module, is_nested


def violations(source: str, path: Path) -> list[str]:
    """Returns each import that goes upward."""
    module = module_of(path)
    room = room_of(module)
    upward: list[str] = []
    for line, target, _ in imports(source, path):
        imported = room_of(target)
        if room is not None and imported is not None and ORDER.index(imported) > ORDER.index(room):
            upward.append(f"{path.relative_to(ROOT)}:{line}: {room} imports {target}")
    return upward


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Returns the strongly connected sets of more than one module (Tarjan)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    strong: list[list[str]] = []

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for target in sorted(graph[node]):
            if target not in index:
                visit(target)
                low[node] = min(low[node], low[target])
            elif target in stack:
                low[node] = min(low[node], index[target])
        if low[node] == index[node]:
            members = stack[stack.index(node) :]
            del stack[stack.index(node) :]
            if len(members) > 1:
                strong.append(sorted(members))

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return strong


def test_imports_point_downward():
    assert len(FILES) > 20
    assert [violation for path in FILES for violation in violations(path.read_text(), path)] == []


def test_no_imports_go_in_circles():
    """Imports inside functions and for types alone count."""
    graph = {
        module_of(path): {target for _, target, _ in imports(path.read_text(), path) if target in MODULES}
        - {module_of(path)}
        for path in FILES
    }
    assert circles(graph) == []


def nested_imports(source: str, path: Path) -> set[tuple[str, str]]:
    """Returns the imports inside of functions as pairs of the module and what it imports: a package, or a module of ours."""
    own = {target for _, target, is_nested in imports(source, path) if is_nested}
    foreign: set[str] = set()
    for node, is_nested in import_statements(source):
        if is_nested and isinstance(node, ast.Import):
            foreign |= {alias.name.split(".")[0] for alias in node.names}
        elif is_nested and isinstance(node, ast.ImportFrom) and not node.level:
            foreign.add((node.module or "").split(".")[0])
    return {(module_of(path), target) for target in own | foreign - {"xdsl_relax"}}


def test_imports_inside_functions_are_listed():
    assert {pair for path in FILES for pair in nested_imports(path.read_text(), path)} == {*INSIDE_FUNCTIONS}


def test_an_import_inside_a_function_is_found():
    source = "def f():\n    import numpy.linalg\n    from ..runtime.machine import jit\n"
    assert nested_imports(source, ROOT / "passes" / "planted.py") == {
        ("passes.planted", "numpy"),
        ("passes.planted", "runtime.machine.jit"),
    }


@pytest.mark.parametrize(
    "around",
    [
        "if a:",
        "if a:\n  b\nelse:",
        "for a in b:",
        "for a in b:\n  c\nelse:",
        "while a:",
        "with a:",
        "try:\n  a\nfinally:",
        "try:\n  a\nexcept b:",
        "match a:\n case b:",
        "class A:",
        "async def a():",
    ],
)
def test_an_import_inside_any_statement_is_found(around: str):
    statements = import_statements(f"{around}\n  import numpy")
    assert [node.names[0].name for node, _ in statements] == ["numpy"]


def test_a_circle_is_found():
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == [["a", "b", "c"]]


@pytest.mark.parametrize(
    "source",
    [
        "from ..runtime import jit",
        "from .. import runtime",
        "from ..runtime.machine.jit import Jit",
        "import xdsl_relax.tools.relax_opt",
        "from xdsl_relax import frontend",
        "def f():\n    from xdsl_relax.lowering.pipeline import PIPELINES",
    ],
)
def test_an_upward_import_is_found(source: str):
    assert violations(source, ROOT / "passes" / "planted.py")


@pytest.mark.parametrize("source", ["from ..dialects import relax", "from .fusion import fuse_ops", "import xdsl.ir"])
def test_a_downward_import_is_accepted(source: str):
    assert not violations(source, ROOT / "passes" / "planted.py")


def test_imports_are_relative_inside_the_package():
    absolute = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in FILES
        for node, _ in import_statements(path.read_text())
        if (isinstance(node, ast.ImportFrom) and not node.level and (node.module or "").startswith("xdsl_relax"))
        or (isinstance(node, ast.Import) and any(alias.name.startswith("xdsl_relax") for alias in node.names))
    ]
    assert absolute == []
