"""Deep programs: nothing recurs along a program, and the time of a stage does not grow faster than its length."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import numpy as np
import pytest
import xdsl_relax
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import DiagnosticException
from xdsl_relax.builder import BlockBuilder, BuilderError, ModuleBuilder, tensor
from xdsl_relax.dialects.upstream.nesting import TOO_DEEP
from xdsl_relax.frontend import nn
from xdsl_relax.interpreter.engine import Interpreter

DEPTH = 300
"""Steps of the programs; far more than the frames that are left to Python."""
LONG = 2000
"""Steps of a program that is interpreted alone."""
FRAMES = 220


@pytest.fixture
def few_frames() -> Iterator[None]:
    """Leaves room for the frames of the compiler, but not for one a step."""
    limit = sys.getrecursionlimit()
    frames, frame = 0, sys._getframe()
    while frame is not None:
        frames, frame = frames + 1, frame.f_back
    sys.setrecursionlimit(frames + FRAMES)
    yield
    sys.setrecursionlimit(limit)


def _chain(steps: int) -> str:
    """Returns a product a step, each a kernel of its own on a size that only run time knows."""
    value = "tensor<?x4xf32, #relax.sym<n>>"
    body = "\n".join(
        f"%v{k + 1} = relax.matmul %v{k}, %w : ({value}, tensor<4x4xf32>) -> {value}" for k in range(steps)
    )
    return (
        f"func.func @main(%v0: {value}, %w: tensor<4x4xf32>) -> {value} {{\n"
        f"%r = relax.dataflow {{\n{body}\nrelax.output %v{steps} : {value}\n}} : {value}\nreturn %r : {value}\n}}"
    )


def _products(steps: int) -> str:
    """Returns products of linalg, all in one function."""
    value, weight = "tensor<2x4xf32>", "tensor<4x4xf32>"
    body = "\n".join(
        f"%v{k + 1} = linalg.matmul ins(%v{k}, %w : {value}, {weight}) outs(%zeros : {value}) -> {value}"
        for k in range(steps)
    )
    return (
        f"func.func @main(%v0: {value}, %w: {weight}) -> {value} {{\n%zero = arith.constant 0.0 : f32\n"
        f"%empty = tensor.empty() : {value}\n%zeros = linalg.fill ins(%zero : f32) outs(%empty : {value}) -> {value}\n"
        f"{body}\nreturn %v{steps} : {value}\n}}"
    )


@pytest.mark.usefixtures("few_frames")
def test_a_deep_chain_of_kernels_compiles_and_runs() -> None:
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    rotation = np.roll(np.eye(4, dtype=np.float32), 1, axis=1)
    result = xdsl_relax.compile(_chain(DEPTH))["main"](x, rotation)
    np.testing.assert_array_equal(result, np.roll(x, DEPTH, axis=1))


@pytest.mark.usefixtures("few_frames")
def test_a_deep_chain_that_becomes_kernels_of_many_ops_compiles_and_runs() -> None:
    value = "tensor<?x4xf32, #relax.sym<n>>"
    ops = ("negative", "abs", "nn.relu")
    body = "\n".join(f"%v{k + 1} = relax.{ops[k % 3]} %v{k} : ({value}) -> {value}" for k in range(DEPTH))
    exe = xdsl_relax.compile(f"func.func @main(%v0: {value}) -> {value} {{\n{body}\nreturn %v{DEPTH} : {value}\n}}")
    x = np.linspace(-2, 2, 8, dtype=np.float32).reshape(2, 4)
    np.testing.assert_array_equal(exe["main"](x), np.abs(x))


@pytest.mark.usefixtures("few_frames")
def test_a_deep_chain_of_constants_beside_devices_is_interpreted() -> None:
    """Where devices are named, the interpreter asks of each operand what it is made from."""
    value = "tensor<4xf32>"
    steps = "\n".join(f"%v{k + 1} = relax.add %v{k}, %v0 : ({value}, {value}) -> {value}" for k in range(LONG))
    module = xdsl_relax.load(
        f"func.func @main(%x: {value}) -> {value} {{\n"
        f"%v0 = relax.constant {{value = dense<1.0> : {value}}} : () -> {value}\n{steps}\n"
        f'%last = relax.hint_on_device %v{LONG} {{dst_vdevice = #relax.vdevice<"cpu", 0>}} : ({value}) -> {value}\n'
        f"%r = relax.add %x, %last : ({value}, {value}) -> {value}\nreturn %r : {value}\n}}"
    )
    (result,) = Interpreter(module).call("main", np.ones(4, np.float32))
    np.testing.assert_array_equal(result, np.full(4, LONG + 2, np.float32))


def _sums(steps: int) -> str:
    """Returns ops that become kernels of many ops."""
    value, ops = "tensor<?x4xf32, #relax.sym<n>>", ("add", "multiply", "subtract")
    body = "\n".join(f"%v{k + 1} = relax.{ops[k % 3]} %v{k}, %v0 : ({value}, {value}) -> {value}" for k in range(steps))
    return f"func.func @main(%v0: {value}, %w: tensor<4x4xf32>) -> {value} {{\n{body}\nreturn %v{steps} : {value}\n}}"


def _calls(work: Callable[[], Any]) -> int:
    """Returns how many functions are called, of Python and C."""
    count = 0

    def note(_frame: FrameType, event: str, _argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.sweep
@pytest.mark.parametrize(("program", "steps"), [(_chain, 50), (_sums, 100), (_products, 25)])
def test_the_work_of_each_stage_grows_as_the_program_does(program: Callable[[int], str], steps: int) -> None:
    x, w = np.zeros((2, 4), np.float32), np.eye(4, dtype=np.float32)
    xdsl_relax.compile(program(3), cache=False)

    def work(count: int) -> dict[str, int]:
        text = program(count)
        module = xdsl_relax.load(text)
        return {
            "parse": _calls(lambda: xdsl_relax.load(text)),
            "verify": _calls(module.verify),
            "interpret": _calls(lambda: Interpreter(module).call("main", x, w)),
            "compile": _calls(lambda: xdsl_relax.compile(module, cache=False)),
        }

    first, second, third = work(steps), work(2 * steps), work(4 * steps)
    for stage, count in first.items():
        # Of work that grows with the square of the length, the second difference is four times the first.
        assert third[stage] - second[stage] < 2.8 * (second[stage] - count), stage


def _branches(depth: int) -> ModuleBuilder:
    module = ModuleBuilder()
    with module.function("main") as f:
        x = f.input("x", tensor([4], "f32"))

        def nested(g: BlockBuilder, value: SSAValue, left: int) -> SSAValue:
            if left == 0:
                return value
            condition = g.greater(g.max(value), g.max(x))
            return g.if_(condition, lambda h: nested(h, h.negative(value), left - 1), lambda _: value)

        f.returns(nested(f, x, depth))
    return module


def test_branches_nested_too_deeply_are_one_error_of_compile() -> None:
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(3 * limit)
    try:
        module = _branches(200).build()
    finally:
        sys.setrecursionlimit(limit)
    with pytest.raises(DiagnosticException, match=f"^{TOO_DEEP}$"):
        xdsl_relax.compile(module)


def test_branches_nested_too_deeply_are_one_error_of_the_builder() -> None:
    with pytest.raises(BuilderError, match=rf"test_depth\.py:\d+:\d+: error: {TOO_DEEP}$"):
        _branches(2000)


def test_modules_of_a_model_may_be_nested_deeply() -> None:
    class Layer(nn.Module):
        inner: nn.Module
        weight: nn.Parameter

    root = inner = Layer()
    for _ in range(LONG):
        inner.inner = inner = Layer()
    inner.weight = nn.Parameter((4,), "float32")
    assert [name for name, _ in root.named_parameters()] == ["inner." * LONG + "weight"]
    inner.inner = root
    with pytest.raises(nn.ModelError, match="contains itself"):
        list(root.named_parameters())


def test_a_dim_of_many_remainders_compiles() -> None:
    dim = "n"
    for _ in range(32):
        dim = f"(({dim}) mod a + b) floordiv 2"
    module = ModuleBuilder()
    with module.function("main") as f:
        f.input("x", tensor(["n", "a", "b"], "f32"))
        f.returns(f.ones(f.shape(dim), dtype="f32"))
    built = module.build()
    x = np.zeros((9, 5, 4), np.float32)
    [expected] = Interpreter(built).call("main", x)
    np.testing.assert_array_equal(xdsl_relax.compile(built)["main"](x), expected)


@pytest.mark.usefixtures("few_frames")
def test_a_chain_of_calls_may_be_long() -> None:
    count, size = DEPTH, "tensor<?xf32, #relax.sym<n>>"
    functions = [f"func.func private @f0(%x: {size}) -> {size} {{\n  return %x : {size}\n}}"]
    for index in range(1, count):
        add = f"%y = relax.add %x, %x : ({size}, {size}) -> {size}" if index % 30 == 0 else ""
        call = f"%r = call @f{index - 1}(%{'y' if add else 'x'}) : ({size}) -> {size}"
        visibility = "private " if index < count - 1 else ""
        functions.append(
            f"func.func {visibility}@f{index}(%x: {size}) -> {size} {{\n  {add}\n  {call}\n  return %r : {size}\n}}"
        )
    module = xdsl_relax.load("\n".join(functions))
    x = np.arange(3, dtype=np.float32)
    [interpreted] = Interpreter(module).call(f"f{count - 1}", x)
    np.testing.assert_array_equal(interpreted, x * 2**9)
    np.testing.assert_array_equal(xdsl_relax.compile(module)[f"f{count - 1}"](x), x * 2**9)


def test_verification_of_calls_takes_linear_time() -> None:
    size = "tensor<?xf32, #relax.sym<n>>"

    def seconds(count: int) -> float:
        functions = [
            f"func.func private @f{i}(%x: {size}) -> {size} {{\n  return %x : {size}\n}}" for i in range(count)
        ]
        calls = [f"%v{i + 1} = call @f{i}(%v{i}) : ({size}) -> {size}" for i in range(count)]
        body = "\n".join([*calls, f"return %v{count} : {size}"])
        module = xdsl_relax.load("\n".join([*functions, f"func.func @main(%v0: {size}) -> {size} {{\n{body}\n}}"]))
        start = time.process_time()
        module.verify()
        return time.process_time() - start

    assert seconds(1600) < 10 * max(seconds(400), 0.05)


def test_a_size_that_is_a_product_of_many_sums_is_not_multiplied_out():
    names = [(f"a{index}", f"b{index}") for index in range(16)]
    sizes = ", ".join(f"{a} + {b}" for a, b in names)
    product = " * ".join(f"({a} + {b})" for a, b in names)
    whole = f"tensor<{'x'.join('?' * 16)}xf32, #relax.sym<{sizes}>>"
    flat = f"tensor<?xf32, #relax.sym<{product}>>"
    executable = xdsl_relax.compile(f"""
func.func @main(%s: !relax.shape<[{", ".join(f"{a}, {b}" for a, b in names)}]>, %x: {whole}) -> {flat} {{
  %f = relax.flatten %x : ({whole}) -> {flat}
  %n = relax.negative %f : ({flat}) -> {flat}
  %t = relax.shape : () -> !relax.shape<[{sizes}]>
  %r = relax.reshape %n, %t : ({flat}, !relax.shape<[{sizes}]>) -> {whole}
  %y = relax.flatten %r : ({whole}) -> {flat}
  return %y : {flat}
}}""")
    x = np.arange(6, dtype=np.float32).reshape(2, 3, *[1] * 14)
    shape = (1, 1, 2, 1, *[0, 1] * 14)
    np.testing.assert_array_equal(executable["main"](shape, x), -x.reshape(-1))
    with pytest.raises(ValueError, match="expected a0"):
        executable["main"]((2, 1, *shape[2:]), x)
