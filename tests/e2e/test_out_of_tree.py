"""A package that adds an op, its rules and a pass from outside; and packages that cannot be used."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from harness.fork_server import ForkServer

Run = Callable[..., subprocess.CompletedProcess[str]]
"""`run(folder, *command, stdin="")`."""

PACKAGE = Path(__file__).parents[1] / "out_of_tree"

PROGRAM = (PACKAGE / "swish.mlir").read_text()

STATIC = """
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %s = relax.nn.silu %x : (tensor<4xf32>) -> tensor<4xf32>
  %r = relax.add %s, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
"""


def install(project: dict, modules: Path, target: Path) -> None:
    """Installs a package as `pip install --no-deps --target` does: its modules, and what its pyproject.toml says of it."""
    shutil.copytree(modules, target / modules.name)
    metadata = target / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    groups = project["entry-points"].items()
    (metadata / "entry_points.txt").write_text(
        "\n".join(
            f"[{group}]\n" + "\n".join(f"{name} = {value}" for name, value in entries.items())
            for group, entries in groups
        )
    )


@pytest.fixture(scope="module")
def acme(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the package is installed."""
    target = tmp_path_factory.mktemp("site")
    install(tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"], PACKAGE / "acme_relax", target)
    return target


@pytest.fixture(scope="module")
def server() -> Iterator[ForkServer]:
    with ForkServer() as started:
        yield started


@pytest.fixture
def run(server: ForkServer) -> Run:
    """Runs a command with the packages of a folder installed beside those that are."""
    return lambda site, *command, stdin="": server.run(site, command, stdin)


def python(run: Run, site: Path, code: str) -> str:
    completed = run(site, "python", "-c", code)
    assert completed.returncode == 0, completed.stderr
    return completed.stdout


def test_a_process_of_its_own_finds_the_package(acme: Path):
    env = {**os.environ, "PYTHONPATH": str(acme)}
    script = Path(sys.executable).parent / "relax-opt"
    completed = subprocess.run([script], input=PROGRAM, env=env, capture_output=True, text=True, check=False)
    assert completed.returncode == 0, completed.stderr
    assert "acme.swish_plus %x, %y {beta = 2.000000e+00 : f64} : (tensor<?x4xf32, #relax.sym<n>>, " in completed.stdout


def test_relax_opt_prints_the_op(run: Run, acme: Path):
    completed = run(acme, "relax-opt", stdin=PROGRAM)
    assert completed.returncode == 0, completed.stderr
    assert "acme.swish_plus %x, %y {beta = 2.000000e+00 : f64} : (tensor<?x4xf32, #relax.sym<n>>, " in completed.stdout


def test_without_the_package_the_op_is_unknown(run: Run, tmp_path: Path):
    completed = run(tmp_path, "relax-opt", stdin=PROGRAM)
    assert completed.returncode == 1 and "operation acme.swish_plus is not registered" in completed.stderr


def test_the_verifier_refuses_a_bad_shape(run: Run, acme: Path):
    completed = run(acme, "relax-opt", stdin=PROGRAM.replace("tensor<4xf32>", "tensor<3xf32>"))
    assert completed.returncode == 1
    assert completed.stderr.startswith("stdin:4:5: error: swish_plus_c2: shapes do not broadcast: [n, 4] and [3]\n")


@pytest.mark.parametrize("element", ["f32", "f16"])
def test_relax_run_checks_native_code(run: Run, acme: Path, tmp_path: Path, element: str):
    (tmp_path / "main.mlir").write_text(PROGRAM.replace("f32", element))
    completed = run(acme, "relax-run", str(tmp_path / "main.mlir"), "--dim", "n=7", "--check")
    assert completed.returncode == 0, completed.stderr
    assert "check: result 0 agrees with the interpreter" in completed.stdout


def test_the_op_joins_kernels(run: Run, acme: Path):
    program = PROGRAM.replace(
        "relax.output %s",
        "%t = relax.nn.relu %s : (tensor<?x4xf32, #relax.sym<n>>) -> tensor<?x4xf32, #relax.sym<n>>\n    relax.output %t",
    )
    completed = run(acme, "relax-opt", "-p", "relax-fuse-ops", stdin=program)
    assert "@fused_acme.swish_plus_relu" in completed.stdout, completed.stderr


def test_the_pass_is_listed_with_its_options(run: Run, acme: Path):
    text = run(acme, "relax-opt", "--list-passes").stdout
    assert "  acme-fuse-swish{min_rank=0}\n    Replaces a sum with a silu by one op" in text
    assert text.index("acme-fuse-swish{min_rank=2} relax-") < text.index("Passes:")


def test_the_pass_runs_with_options(run: Run, acme: Path):
    assert "acme.swish_plus %x, %y :" in run(acme, "relax-opt", "-p", "acme-fuse-swish", stdin=STATIC).stdout
    assert "acme" not in run(acme, "relax-opt", "-p", "acme-fuse-swish{min_rank=2}", stdin=STATIC).stdout


def test_a_stage_runs_the_pass_of_the_package(run: Run, acme: Path):
    wide = STATIC.replace("tensor<4xf32>", "tensor<2x4xf32>")
    assert "acme.swish_plus" in run(acme, "relax-opt", "-p", "optimize", stdin=wide).stdout
    assert "acme" not in run(acme, "relax-opt", "-p", "optimize", stdin=STATIC).stdout


def test_stock_xdsl_opt_sees_dialect_and_pass(run: Run, acme: Path):
    completed = run(acme, "xdsl-opt", "-p", "acme-fuse-swish", stdin=STATIC)
    assert "acme.swish_plus %x, %y :" in completed.stdout, completed.stderr


def test_stock_xdsl_opt_lowers_the_op(run: Run, acme: Path):
    completed = run(acme, "xdsl-opt", "-p", "relax-to-linalg", stdin=PROGRAM)
    assert "linalg.generic" in completed.stdout and "acme" not in completed.stdout, completed.stderr


def test_compile_uses_the_pass(run: Run, acme: Path):
    code = f"""
import numpy as np
import xdsl_relax
from acme_relax.fuse_swish import FuseSwishPass

x, y = np.array([0, 1, 2, 3], np.float32), np.ones(4, np.float32)
expected = x / (1 + np.exp(-x)) + y
for passes in (
    "acme-fuse-swish",
    "acme-fuse-swish{{min_rank=1}},relax-fuse-ops",
    ["acme-fuse-swish", "cse"],
    [FuseSwishPass(min_rank=1)],
    {{"graph": "acme-fuse-swish"}},
    {{"optimize": [FuseSwishPass()], "graph": "relax-infer-shapes"}},
):
    seen = []
    exe = xdsl_relax.compile(
        {STATIC!r}, passes=passes, observer=lambda name, module, seconds: seen.append((name, "acme.swish_plus" in str(module)))
    )
    assert np.allclose(exe["main"](x, y), expected)
    names = [name for name, _ in seen]
    at = next(index for index, (_, fused) in enumerate(seen) if fused)
    print(names[at], names[at + 1].partition("{{")[0])
"""
    optimize = "acme-fuse-swish{min_rank=2}"
    assert python(run, acme, code).splitlines() == [
        f"acme-fuse-swish {optimize.partition('{')[0]}",
        "acme-fuse-swish{min_rank=1} relax-fuse-ops",
        "acme-fuse-swish cse",
        f"acme-fuse-swish{{min_rank=1}} {optimize.partition('{')[0]}",
        "acme-fuse-swish relax-plan-devices",
        f"acme-fuse-swish {optimize.partition('{')[0]}",
    ]


def test_the_builder_has_the_op(run: Run, acme: Path):
    code = """
import numpy as np
import xdsl_relax
from xdsl_relax.builder import BuilderError, ModuleBuilder, tensor

m = ModuleBuilder()
with m.function("main") as f:
    x, y = (f.input(name, tensor(["n"], "f32")) for name in "xy")
    f.returns(f.acme.swish_plus(x, y, beta=2.0))
    try:
        f.acme.swish_plus(x)
    except BuilderError as error:
        print(str(error).partition("error: ")[2])
    print(dir(f.acme), hasattr(f.acme, "swish"))
module = m.build()
"""
    assert python(run, acme, code).splitlines() == [
        "acme.swish_plus needs the operand 'y', a tensor; it is called acme.swish_plus(x, y, *, beta: float = ...)",
        "['swish_plus'] False",
    ]


def test_the_interpreter_computes_the_op(run: Run, acme: Path):
    code = f"""
import numpy as np
import xdsl_relax
from xdsl_relax.interpreter.engine import Interpreter
(result,) = Interpreter(xdsl_relax.load({PROGRAM!r})).call("main", np.zeros((1, 4), np.float32), np.ones(4, np.float32))
print(result.tolist())
"""
    assert python(run, acme, code) == "[[1.0, 1.0, 1.0, 1.0]]\n"


# Packages that cannot be used


BROKEN = {
    "missing": (
        {"xdsl.universe": {"broken": "broken.nowhere:UNIVERSE"}},
        "",
        "broken 0.1 cannot be loaded, broken.nowhere:UNIVERSE fails with ModuleNotFoundError: No module named 'broken.nowhere'",
    ),
    "fails": (
        {"xdsl_relax.extensions": {"broken": "broken:EXTENSION"}},
        "raise ValueError('no license')",
        "broken 0.1 cannot be loaded, broken:EXTENSION fails with ValueError: no license",
    ),
    "leaves the process": (
        {"xdsl_relax.extensions": {"broken": "broken:EXTENSION"}},
        "raise SystemExit(3)",
        "broken 0.1 cannot be loaded, broken:EXTENSION fails with SystemExit: 3",
    ),
    "raises what is no exception": (
        {"xdsl_relax.extensions": {"broken": "broken:EXTENSION"}},
        "raise BaseException('boo')",
        "broken 0.1 cannot be loaded, broken:EXTENSION fails with BaseException: boo",
    ),
    "has a pass without a name": (
        {"xdsl.universe": {"broken": "broken:UNIVERSE"}},
        "from xdsl.universe import Universe\nUNIVERSE = Universe(all_passes={None: int})",
        "broken 0.1: the pass table of the universe: expected functions by name, got None: <class 'int'>",
    ),
    "has a dialect that is no function": (
        {"xdsl.universe": {"broken": "broken:UNIVERSE"}},
        "from xdsl.universe import Universe\nUNIVERSE = Universe(all_dialects={'broken': 3})",
        "broken 0.1: the dialect table of the universe: expected functions by name, got 'broken': 3",
    ),
    "adds an unknown pass": (
        {"xdsl_relax.extensions": {"broken": "broken:EXTENSION"}},
        "from xdsl_relax.extensions import Extension\nEXTENSION = Extension(stages={'optimize': ('cse,no-such-pass',)})",
        "broken 0.1 adds 'cse,no-such-pass' to a stage: unknown pass 'no-such-pass', expected one that relax-opt --list-passes lists",
    ),
    "adds an option that a pass does not have": (
        {"xdsl_relax.extensions": {"broken": "broken:EXTENSION"}},
        "from xdsl_relax.extensions import Extension\nEXTENSION = Extension(stages={'optimize': ('cse{most=3}',)})",
        "broken 0.1 adds 'cse{most=3}' to a stage: pass 'cse' has no option 'most'; its options: none",
    ),
    "adds what is no pipeline": (
        {"xdsl_relax.extensions": {"broken": "broken:EXTENSION"}},
        "from xdsl_relax.extensions import Extension\nEXTENSION = Extension(stages={'optimize': ('cse{',)})",
        "broken 0.1 adds 'cse{' to a stage: cannot read the pass pipeline 'cse{': ",
    ),
    "has passes as one text": (
        {"xdsl_relax.extensions": {"broken": "broken:EXTENSION"}},
        "from xdsl_relax.extensions import Extension\nEXTENSION = Extension(stages={'graph': 'cse'})",
        "broken 0.1: stages['graph']: expected a tuple of pipelines as text, got 'cse'",
    ),
    "has a text as stages": (
        {"xdsl_relax.extensions": {"broken": "broken:EXTENSION"}},
        "from xdsl_relax.extensions import Extension\nEXTENSION = Extension(stages='graph')",
        "broken 0.1: stages: expected a mapping, got str",
    ),
    "has rules that are none": (
        {"xdsl_relax.extensions": {"broken": "broken:EXTENSION"}},
        "from xdsl_relax.extensions import Extension\nEXTENSION = Extension(lowerings={'acme.op': 3})",
        "broken 0.1: lowerings: expected functions by op class, got 'acme.op': 3",
    ),
    "has a pass that is none, and does not load": (
        {"xdsl.universe": {"broken": "broken:UNIVERSE"}},
        "from xdsl.universe import Universe\nUNIVERSE = Universe(all_passes={'broken-pass': lambda: int})",
        "the pass 'broken-pass' of broken 0.1: expected a function that returns a class derived from ModulePass, it returns <class 'int'>",
    ),
    "has a pass that leaves, and does not load": (
        {"xdsl.universe": {"broken": "broken:UNIVERSE"}},
        "from xdsl.universe import Universe\nUNIVERSE = Universe(all_passes={'broken-pass': lambda: exit(3)})",
        "the pass 'broken-pass' of broken 0.1 cannot be loaded: SystemExit: 3",
    ),
    "is something else": (
        {"xdsl_relax.extensions": {"broken": "broken:EXTENSION"}},
        "EXTENSION = 3",
        "broken 0.1 offers broken:EXTENSION in xdsl_relax.extensions: expected Extension, got int",
    ),
    "has our pass": (
        {"xdsl.universe": {"broken": "broken:UNIVERSE"}},
        "from xdsl.universe import Universe\nUNIVERSE = Universe(all_passes={'relax-fuse-ops': int})",
        "broken 0.1 and xdsl-relax both have the pass 'relax-fuse-ops': remove one of the packages",
    ),
    "has our op's rule": (
        {"xdsl_relax.extensions": {"broken": "broken:EXTENSION"}},
        "from xdsl_relax.extensions import Extension\nfrom xdsl_relax.dialects.relax.ops.binary import AddOp\n"
        "EXTENSION = Extension(lowerings={AddOp: print})",
        "xdsl-relax and broken 0.1 both have the lowering of 'relax.add': remove one of the packages",
    ),
    "names no stage": (
        {"xdsl_relax.extensions": {"broken": "broken:EXTENSION"}},
        "from xdsl_relax.extensions import Extension\nEXTENSION = Extension(stages={'tune': ('cse',)})",
        "broken 0.1 has passes for the stage 'tune', expected one of optimize, graph, linalg, fuse, buffers, loops, llvm",
    ),
    "has a pass that does not load": (
        {"xdsl.universe": {"broken": "broken:UNIVERSE"}},
        "from xdsl.universe import Universe\nUNIVERSE = Universe(all_passes={'broken-pass': lambda: 1 / 0})",
        "the pass 'broken-pass' of broken 0.1 cannot be loaded: ZeroDivisionError: division by zero",
    ),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_package_that_cannot_be_used_is_named(run: Run, kind: str, tmp_path: Path):
    groups, code, message = BROKEN[kind]
    (tmp_path / "source" / "broken").mkdir(parents=True)
    (tmp_path / "source" / "broken" / "__init__.py").write_text(code)
    install({"name": "broken", "version": "0.1", "entry-points": groups}, tmp_path / "source" / "broken", tmp_path)
    pipeline = "broken-pass" if "does not load" in kind else "linalg"
    completed = run(tmp_path, "relax-opt", "-p", pipeline, stdin=STATIC)
    assert completed.returncode == 1
    said = completed.stderr.splitlines()[0].partition("error: ")[2]
    assert said == message or (message.endswith(": ") and said.startswith(message))
    assert "Traceback" not in completed.stderr


def test_two_packages_with_one_dialect_are_both_named(run: Run, acme: Path, tmp_path: Path):
    shutil.copytree(acme, tmp_path, dirs_exist_ok=True)
    (tmp_path / "source" / "other").mkdir(parents=True)
    (tmp_path / "source" / "other" / "__init__.py").write_text("from acme_relax.universe import ACME_UNIVERSE")
    groups = {"xdsl.universe": {"other": "other:ACME_UNIVERSE"}}
    install({"name": "other", "version": "2", "entry-points": groups}, tmp_path / "source" / "other", tmp_path)
    (tmp_path / "main.mlir").write_text(STATIC)
    message = "acme-relax 1.2 and other 2 both have the dialect 'acme': remove one of the packages"
    for command in ("relax-opt", "relax-run"):
        completed = run(tmp_path, command, str(tmp_path / "main.mlir"))
        assert completed.returncode == 1 and completed.stderr.splitlines()[0].endswith(f"error: {message}")
    code = f"import xdsl_relax\ntry: xdsl_relax.compile({STATIC!r})\nexcept ImportError as error: print(error)"
    assert python(run, tmp_path, code) == f"{message}\n"


@pytest.mark.parametrize(
    ("file", "kind", "command"),
    [
        ("lowerings.py", "lowering", ("relax-opt", "-p", "linalg")),
        ("interpreter_rules.py", "interpreter rule", ("relax-run", "--backend", "interpret", "-")),
    ],
)
def test_a_rule_that_fails_is_named_with_its_package(
    run: Run, acme: Path, tmp_path: Path, file: str, kind: str, command: tuple[str, ...]
):
    shutil.copytree(acme, tmp_path, dirs_exist_ok=True)
    path = tmp_path / "acme_relax" / file
    path.write_text(re.sub(r"(def _swish_plus\(.*\n)", r"\1    [][1]\n", path.read_text()))
    completed = run(tmp_path, *command, stdin=PROGRAM)
    assert completed.returncode == 1
    reason = "fails with IndexError: list index out of range"
    assert f":4:5: error: the {kind} of acme.swish_plus from acme-relax 1.2 {reason}" in completed.stderr


@pytest.mark.parametrize(
    ("file", "method", "part"),
    [
        ("dialect.py", "def infer(", "the shape rule of acme.swish_plus"),
        ("dialect.py", "def verify_(self) -> None:", "the verifier of acme.swish_plus"),
        ("fuse_swish.py", "def match_and_rewrite(", "the pass 'acme-fuse-swish'"),
        ("fuse_swish.py", "def apply(", "the pass 'acme-fuse-swish'"),
        ("fuse_swish.py", "def __post_init__(self) -> None:", "the pass 'acme-fuse-swish'"),
    ],
)
def test_an_op_or_a_pass_that_fails_is_named_with_its_package(
    run: Run, acme: Path, tmp_path: Path, file: str, method: str, part: str
):
    shutil.copytree(acme, tmp_path, dirs_exist_ok=True)
    path = tmp_path / "acme_relax" / file
    text = path.read_text()
    if method not in text:
        text = re.sub(r"(    def (?:infer|apply)\()", rf"    {method}\n        pass\n\n\1", text)
    path.write_text(re.sub(rf"( *{re.escape(method)}.*\n)", r"\1        elemen\n", text))
    (tmp_path / "main.mlir").write_text(PROGRAM if file == "dialect.py" else STATIC)
    message = f"{part}{{}} acme-relax 1.2 fails with NameError: name 'elemen' is not defined".format(
        " of" if "pass" in part else " from"
    )
    for command in (("relax-opt", "-p", "acme-fuse-swish"), ("relax-run", "-p", "acme-fuse-swish", "--dim", "n=2")):
        completed = run(tmp_path, command[0], str(tmp_path / "main.mlir"), *command[1:])
        assert completed.returncode == 1
        assert f"error: {message}" in completed.stderr.splitlines()[0]
        assert file != "dialect.py" or "main.mlir:4:5: error: " in completed.stderr.splitlines()[0]
    code = f"""
import xdsl_relax
try:
    xdsl_relax.compile({(PROGRAM if file == "dialect.py" else STATIC)!r}, passes="acme-fuse-swish")
except Exception as error:
    print(error, "|", type(error.__cause__).__name__)
"""
    assert f"{message} | NameError\n" in python(run, tmp_path, code)


def test_the_builder_names_the_package_of_an_op_that_fails(run: Run, acme: Path, tmp_path: Path):
    shutil.copytree(acme, tmp_path, dirs_exist_ok=True)
    path = tmp_path / "acme_relax" / "dialect.py"
    path.write_text(re.sub(r"(    def infer\(.*\n)", r"\1        elemen\n", path.read_text()))
    code = """
from xdsl_relax.builder import BuilderError, ModuleBuilder, tensor

m = ModuleBuilder()
with m.function("main") as f:
    x = f.input("x", tensor([4], "f32"))
    try:
        f.acme.swish_plus(x, x)
    except BuilderError as error:
        print(error)
    f.returns(x)
"""
    text = python(run, tmp_path, code)
    assert "the shape rule of acme.swish_plus from acme-relax 1.2 fails with NameError: name 'elemen'" in text


def test_an_op_without_fusion_pattern_is_an_error_of_the_package(run: Run, acme: Path, tmp_path: Path):
    shutil.copytree(acme, tmp_path, dirs_exist_ok=True)
    path = tmp_path / "acme_relax" / "dialect.py"
    path.write_text(re.sub(r"    FUSION_PATTERN.*\n", "", path.read_text()))
    (entries,) = tmp_path.glob("*.dist-info/entry_points.txt")
    entries.write_text(entries.read_text().partition("[xdsl_relax.extensions]")[0])
    completed = run(tmp_path, "relax-opt", stdin=PROGRAM)
    assert completed.returncode == 1
    reason = "TypeError: SwishPlusOp (acme.swish_plus) declares no fusion pattern"
    assert completed.stderr.startswith(f"stdin: error: the dialect 'acme' of acme-relax 1.2 cannot be loaded: {reason}")


def test_packages_are_switched_off_and_a_broken_one_shows_its_traceback(tmp_path: Path):
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "__init__.py").write_text("raise ValueError('no license')")
    groups = {"xdsl_relax.extensions": {"broken": "broken:EXTENSION"}, "xdsl.universe": {"broken": "broken:UNIVERSE"}}
    (tmp_path / "site").mkdir()
    install({"name": "broken", "version": "0.1", "entry-points": groups}, tmp_path / "broken", tmp_path / "site")

    def relax_opt(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        env = {**os.environ, "PYTHONPATH": str(tmp_path / "site"), **variables}
        command = [Path(sys.executable).parent / "relax-opt", *arguments]
        return subprocess.run(command, input=STATIC, env=env, capture_output=True, text=True, check=False)

    assert relax_opt("-p", "linalg", RELAX_EXTENSIONS="0").returncode == 0
    completed = relax_opt("--debug")
    assert completed.returncode == 1
    assert "Traceback" in completed.stderr and "ValueError: no license" in completed.stderr
    assert "RELAX_EXTENSIONS=0" in completed.stderr
