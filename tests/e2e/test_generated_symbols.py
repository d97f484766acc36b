"""Names that the compiler uses for what it makes are ordinary names of a program: in every role, compiled, checked, lifted, exported."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xdsl_relax
from harness.sampling import runs_all
from xdsl_relax.interpreter.engine import Interpreter
from xdsl_relax.runtime.compiler import load
from xdsl_relax.runtime.executable.executable import Executable
from xdsl_relax.tools.relax_run import main as relax_run

SUFFIXES = (
    *(
        "dims",
        "workspace",
        "shape",
        "call",
        "impl",
        "parallel",
        "parallel_1",
        "parallel.thread",
        "shape.places",
        "shape.sizes",
    ),
    *("part", "part_1", "shape.shape", "call.call", "workspace.workspace"),
)
NAMES = (
    *(f"f.{suffix}" for suffix in SUFFIXES),
    *("transform_params", "f_transform_params", "my_transform_params", "f_transform_params.part"),
    *(
        "constant",
        "constant_1",
        "constant.copy",
        "packed.test.double",
        "runtime.release",
        "relax.release",
        "relax.contract",
    ),
    *("malloc", "exp", "expf", "GOMP_parallel", "omp_get_thread_num", "memcpy", "impl.main", "main", "llvm.exp.f32"),
    # Names of sections, of the assembler's labels, and such as LLVM takes as they stand.
    *(".text", ".rodata.cst4", ".rodata.cst16", ".eh_frame", ".symtab", ".strtab", ".note.GNU-stack", ".rela.text"),
    *(".L1", ".Ltmp0", ".LBB0_1", ".LCPI1_0", "\1f", "\1f.call", "L1", "$d.1"),
    # Names that linkers give a meaning to.
    *("_GLOBAL_OFFSET_TABLE_", "_DYNAMIC", "_end", "_init", "end"),
)

X = np.linspace(-1, 1, 24, dtype=np.float32).reshape(3, 8)
W = np.linspace(-2, 2, 64, dtype=np.float32).reshape(8, 8)

HEADER = "tensor<?x8xf32, #relax.sym<n>>"


def _function(name: str, sign: str, visibility: str = "") -> str:
    """Returns a function with a workspace, dynamic sizes, a constant, a parallel loop and parameters to lift."""
    return f"""
func.func {visibility}@"{name}"(%x: {HEADER}, %w: tensor<8x8xf32> {{relax.name = "{name}"}}) -> tensor<?x8xf32, #relax.sym<2 * n>>
    attributes {{relax.num_input = 1 : i64}} {{
  %r = relax.dataflow {{
    %t = relax.permute_dims %w : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %u = relax.{sign} %t : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %c = relax.constant {{value = dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]> : tensor<8xf32>}} : () -> tensor<8xf32>
    %y = relax.matmul %x, %u : ({HEADER}, tensor<8x8xf32>) -> {HEADER}
    %z = relax.add %y, %c : ({HEADER}, tensor<8xf32>) -> {HEADER}
    %s = relax.nn.softmax %z : ({HEADER}) -> {HEADER}
    %q = relax.concat %s, %x {{axis = 0 : i64}} : ({HEADER}, {HEADER}) -> tensor<?x8xf32, #relax.sym<2 * n>>
    relax.output %q : tensor<?x8xf32, #relax.sym<2 * n>>
  }} : tensor<?x8xf32, #relax.sym<2 * n>>
  return %r : tensor<?x8xf32, #relax.sym<2 * n>>
}}
"""


HALVES = NAMES[::2], NAMES[1::2]
"""Neighbors are apart: a name that is taken, and the next that the compiler would choose, which is free."""

PUBLIC, LIFTED = (NAMES, NAMES) if runs_all() else HALVES
LEVELS = [(0, 2), (0, 2)] if runs_all() else [(2,), (0,)]
"""Names in each role, and levels for each half: all of them where all cases of sweeps run."""


def _program(names: Sequence[str]) -> str:
    return _function("f", "abs") + "".join(_function(name, "negative") for name in names)


@cache
def _half(name: str) -> Sequence[str]:
    return next(names for names in HALVES if name in names)


@cache
def _compiled(names: Sequence[str], **options: Any) -> Executable:
    """Returns `@f` and functions of these names, compiled together."""
    return xdsl_relax.compile(_program(names), **options)


@pytest.fixture(scope="module")
def expected() -> dict[str, np.ndarray]:
    interpreter = Interpreter(load(_program("g")))
    return {name: interpreter.call(name, X, W)[0] for name in "fg"}


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_function_may_have_any_name(name: str, expected: dict[str, np.ndarray]) -> None:
    executable = _compiled(_half(name), threads=2)
    assert sorted(executable) == sorted(["f", *_half(name)])
    for function, result in (("f", expected["f"]), (name, expected["g"])):
        np.testing.assert_allclose(executable[function](X, W), result, rtol=1e-5, atol=1e-6)
    with pytest.raises(ValueError, match="expected 8, got 7"):
        executable[name](X[:, :7], W)


@pytest.mark.parametrize("name", LIFTED)
def test_a_function_of_any_name_is_lifted(name: str, expected: dict[str, np.ndarray]) -> None:
    executable = _compiled(_half(name), lift=True)
    transforms = [transform for transform in executable if transform not in ("f", *_half(name))]
    assert len(transforms) == 1 + len(_half(name))
    for function, result in (("f", expected["f"]), (name, expected["g"])):
        for transform in transforms:
            try:
                params = executable.transform_params({function: W}, transform=transform, progress=False)
            except ValueError:
                continue
            assert len(params.values) == 1 and not np.array_equal(np.asarray(params.values[0]).ravel(), W.ravel())
            np.testing.assert_allclose(executable[function](X, params), result, rtol=1e-5, atol=1e-6)
            break
        else:
            pytest.fail(f"no transform takes the parameters of {function}")


ROWS = "tensor<?x8xf32, #relax.sym<n>>"


def test_names_of_conversions_are_free() -> None:
    narrowed = """
func.func @"{}"(%x: tensor<4xf64>) -> tensor<4xf16> {{
  %y = relax.astype %x {{dtype = f16}} : (tensor<4xf64>) -> tensor<4xf16>
  return %y : tensor<4xf16>
}}"""
    names = "relax.round_to_odd", "__relax_round_to_odd", "__truncdfhf2"
    executable = xdsl_relax.compile("".join(map(narrowed.format, names)))
    x = np.array([0.0, 1.5, -2.25, 70000.0])
    for name in names:
        with np.errstate(over="ignore"):
            np.testing.assert_array_equal(executable[name](x), x.astype(np.float16))


def _private(name: str) -> str:
    return f"""
func.func private @"{name}"(%x: {ROWS}) -> {ROWS} {{
  %e = relax.exp %x : ({ROWS}) -> {ROWS}
  %s = relax.nn.softmax %e : ({ROWS}) -> {ROWS}
  %d = relax.call_packed %s {{callee = "test.double"}} : ({ROWS}) -> {ROWS}
  return %d : {ROWS}
}}"""


def _calls(names: Sequence[str]) -> str:
    """Returns a function that calls the private and the packed function of each name."""
    calls = "".join(
        f"""
  %a{index} = func.call @"{name}"(%x{index}) : ({ROWS}) -> {ROWS}
  %b{index} = relax.call_packed %a{index} {{callee = "{name}"}} : ({ROWS}) -> {ROWS}
  %x{index + 1} = relax.add %a{index}, %b{index} : ({ROWS}, {ROWS}) -> {ROWS}"""
        for index, name in enumerate(names)
    )
    return f"func.func @f(%x0: {ROWS}) -> {ROWS} {{{calls}\n  return %x{len(names)} : {ROWS}\n}}"


@pytest.mark.parametrize(("names", "levels"), list(zip(HALVES, LEVELS, strict=True)), ids=["even", "odd"])
def test_private_and_packed_functions_may_have_any_name(names: Sequence[str], levels: Sequence[int]) -> None:
    xdsl_relax.register_packed("test.double", lambda x: x + x)
    for index, name in enumerate(names):
        xdsl_relax.register_packed(name, lambda x, factor=np.float32(3 + index): x * factor)
    text = "".join(map(_private, names)) + _calls(names)
    (expected,) = Interpreter(load(text)).call("f", X)
    for level in levels:
        executable = xdsl_relax.compile(text, opt_level=level)
        assert list(executable) == ["f"]
        np.testing.assert_allclose(executable["f"](X), expected, rtol=1e-5, atol=1e-6)


ENTRIES = "f.workspace", "f.dims", "f.shape", "f.call", "my_transform_params", "exp"


@pytest.mark.usefixtures("compiled_once")
@pytest.mark.parametrize("level", ["0", "2"])
@pytest.mark.parametrize("name", ["f", *ENTRIES])
def test_relax_run_checks_it(name: str, level: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "m.mlir"
    path.write_text(_program(ENTRIES))
    assert relax_run([str(path), "--entry", name, "--check", "-O", level]) == 0
    assert "agrees with the interpreter" in capsys.readouterr().out
