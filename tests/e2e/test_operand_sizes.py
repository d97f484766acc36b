"""Programs of other front ends whose operands do not fit each other are refused, and nothing outside of their buffers is touched."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import xdsl_relax
from harness.guard_pages import call_guarded, faults, little_memory
from xdsl.utils.exceptions import PassFailedException
from xdsl_relax.interpreter.engine import Interpreter
from xdsl_relax.interpreter.host.errors import ArgumentError
from xdsl_relax.interpreter.rule import InterpreterError
from xdsl_relax.runtime.compiler import load
from xdsl_relax.runtime.executable.native_function import ExecutionError

LINE, PLANE = "tensor<?xf32>", "tensor<?x?xf32>"


def named(op: str, *types: str, attributes: str = "", suffix: str = "") -> str:
    """Returns a program of one named op, of which the last argument is the output."""
    names = [f"%a{i}" for i in range(len(types))]
    arguments = ", ".join(f"{name}: {type_}" for name, type_ in zip(names, types, strict=True))
    ins = f"ins({', '.join(names[:-1])} : {', '.join(types[:-1])})"
    result = "" if suffix else f" -> {types[-1]}"
    return f"""
func.func @main({arguments}) -> {types[-1]} {{
  %r = linalg.{op} {attributes} {ins} outs({names[-1]} : {types[-1]}){result} {suffix}
  return %r : {types[-1]}
}}"""


def single(arguments: str, line: str, result: str, before: str = "") -> str:
    """Returns a program of one op."""
    return f"func.func @main({arguments}) -> {result} {{\n  {before}\n  %r = {line}\n  return %r : {result}\n}}"


def floats(*shape: int) -> np.ndarray:
    return np.arange(np.prod(shape, dtype=int), dtype=np.float32).reshape(shape)


GENERIC = """
func.func @main(%x: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {{
  %r = linalg.generic {{indexing_maps = [affine_map<(d0) -> ({})>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}}
      ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) {{
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }} -> tensor<?xf32>
  return %r : tensor<?xf32>
}}"""
PAD = (
    "tensor.pad %x low[{}] high[{}] {{\n^bb0(%i: index):\n  tensor.yield %f : f32\n}} : tensor<?xf32> to tensor<{}xf32>"
)
ZERO = "%f = arith.constant 0.0 : f32"
EXPAND = single("%x: tensor<?xf32>, %n: index, %m: index",
                "tensor.expand_shape %x [[0, 1, 2]] output_shape [%n, 3, %m] : tensor<?xf32> into tensor<?x3x?xf32>", "tensor<?x3x?xf32>")  # fmt: skip
RESHAPE = single("%x: tensor<?xf32>, %s: tensor<2xindex>",
                 "tensor.reshape %x(%s) : (tensor<?xf32>, tensor<2xindex>) -> tensor<2x3xf32>", "tensor<2x3xf32>")  # fmt: skip
RESHAPED = """
func.func @main(%x: tensor<?xf32>, %n: index, %m: index) -> tensor<?x?xf32> {
  %s = tensor.from_elements %n, %m : tensor<2xindex>
  %r = tensor.reshape %x(%s) : (tensor<?xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}"""
CONCAT = single(f"%x: {PLANE}, %y: {PLANE}", f"tensor.concat dim(0) %x, %y : ({PLANE}, {PLANE}) -> {PLANE}", PLANE)
CONCAT_STATIC = single("%x: tensor<?x2xf32>, %y: tensor<?x2xf32>",
                       "tensor.concat dim(0) %x, %y : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<4x2xf32>", "tensor<4x2xf32>")  # fmt: skip
INSERT = single(
    f"%y: {LINE}, %x: {LINE}, %n: index", f"tensor.insert_slice %y into %x[0] [%n] [1] : {LINE} into {LINE}", LINE
)
ARITH = single(f"%x: {LINE}, %y: {LINE}", f"arith.addf %x, %y : {LINE}", LINE)
EMPTY = single(
    "%n: index",
    f"linalg.fill ins(%f : f32) outs(%e : {LINE}) -> {LINE}",
    LINE,
    f"{ZERO}\n  %e = tensor.empty(%n) : {LINE}",
)
HUGE = -(2**63), -1, 2**31, 2**62, 2**63 - 1

CASES: dict[str, tuple[str, tuple[Any, ...], list[tuple[Any, ...]], str]] = {
    # Program, operands that fit, operands that do not, the op that the error names.
    "add": (named("add", LINE, LINE, LINE), (floats(5),) * 3,
            [(floats(5), floats(2), floats(5)), (floats(2), floats(5), floats(2)), (floats(5), floats(5), floats(2)),
             (floats(1), floats(5), floats(5)), (floats(0), floats(5), floats(0))], "linalg.add"),
    "matmul": (named("matmul", PLANE, PLANE, PLANE), (floats(3, 5), floats(5, 4), floats(3, 4)),
               [(floats(3, 5), floats(2, 4), floats(3, 4)), (floats(3, 2), floats(5, 4), floats(3, 4)),
                (floats(3, 5), floats(5, 4), floats(4, 4)), (floats(3, 5), floats(5, 4), floats(3, 1))], "linalg.matmul"),
    "conv": (named("conv_1d", LINE, LINE, LINE), (floats(5), floats(2), floats(4)),
             [(floats(5), floats(2), floats(5)), (floats(5), floats(3), floats(4)), (floats(0), floats(2), floats(1))], "linalg.conv_1d"),
    "transpose": (named("transpose", PLANE, PLANE, suffix="permutation = [1, 0]"), (floats(2, 3), floats(3, 2)),
                  [(floats(2, 3), floats(2, 3)), (floats(2, 3), floats(4, 2))], "linalg.transpose"),
    "broadcast": (named("broadcast", LINE, PLANE, suffix="dimensions = [0]"), (floats(2), floats(4, 2)),
                  [(floats(2), floats(4, 9)), (floats(1), floats(4, 2))], "linalg.broadcast"),
    "softmax": (named("softmax", PLANE, PLANE, attributes="dimension(1)"), (floats(2, 3), floats(2, 3)),
                [(floats(2, 3), floats(4, 3)), (floats(4, 3), floats(2, 3)), (floats(2, 3), floats(2, 1))], "linalg.softmax"),
    "generic": (GENERIC.format("d0 * 2 + 1"), (floats(8), floats(4)), [(floats(7), floats(4)), (floats(0), floats(1))], "linalg.generic"),
    "reversed": (GENERIC.format("4 - d0"), (floats(5), floats(5)), [(floats(5), floats(6)), (floats(4), floats(2))], "linalg.generic"),
    "divided": (GENERIC.format("d0 floordiv 2"), (floats(3), floats(6)), [(floats(2), floats(6))], "linalg.generic"),
    "arith": (ARITH, (floats(5), floats(5)), [(floats(5), floats(2)), (floats(5), floats(1)), (floats(2), floats(5))], "arith.addf"),
    "expand_shape": (EXPAND, (floats(12), 2, 2),
                     [(floats(12), 4, 2), (floats(7), 1, 2), (floats(12), -2, -2), (floats(0), 2**32, 2**32)], "tensor.expand_shape|main"),
    "reshape": (RESHAPE, (floats(6), np.array([2, 3])), [(floats(5), np.array([2, 3])), (floats(6), np.array([3, 2]))], "tensor.reshape"),
    "reshape to values": (RESHAPED, (floats(6), 3, 2), [(floats(6), 3, 3), (floats(6), -3, -2), (floats(0), 2**32, 2**32)],
                          "tensor.reshape|main"),
    "concat": (CONCAT, (floats(2, 5), floats(3, 5)), [(floats(2, 5), floats(3, 3)), (floats(2, 3), floats(3, 5))], "tensor.concat"),
    "concat to a static size": (CONCAT_STATIC, (floats(1, 2), floats(3, 2)),
                                [(floats(3, 2), floats(3, 2)), (floats(1, 2), floats(1, 2))], "tensor.concat"),
    "pad": (single(f"%x: {LINE}, %l: index, %h: index", PAD.format("%l", "%h", "?"), LINE, ZERO), (floats(5), 2, 1),
            [(floats(5), -2, 1), (floats(5), 1, -2), (floats(5), -9, 10)], "tensor.pad"),
    "pad to a static size": (single(f"%x: {LINE}", PAD.format("1", "1", "7"), "tensor<7xf32>", ZERO), (floats(5),),
                             [(floats(6),), (floats(4),), (floats(0),)], "tensor.pad"),
    "insert_slice": (INSERT, (floats(2), floats(9), 2), [(floats(2), floats(9), 6), (floats(6), floats(9), 2)], "tensor.insert_slice"),
    "empty": (EMPTY, (3,), [(size,) for size in HUGE], "tensor.empty|main"),
    "splat": (single("%n: index", f"tensor.splat %f[%n] : {LINE}", LINE, ZERO), (3,), [(size,) for size in HUGE], "tensor.splat|main"),
    "generate": (single("%n: index", f"tensor.generate %n {{\n^bb0(%i: index):\n  tensor.yield %f : f32\n}} : {LINE}", LINE, ZERO), (3,),
                 [(size,) for size in HUGE], "tensor.generate|main"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_operands_that_fit(name: str) -> None:
    program, args, _, _ = CASES[name]
    result = xdsl_relax.compile(program)["main"](*args)
    np.testing.assert_allclose(result, Interpreter(load(program)).call("main", *args)[0], rtol=1e-6)


@pytest.mark.parametrize("name", CASES)
def test_operands_that_do_not_fit(name: str) -> None:
    program, _, refused, op = CASES[name]
    function, interpreter = xdsl_relax.compile(program)["main"], Interpreter(load(program))
    for args in refused:
        with little_memory(), pytest.raises((ExecutionError, ArgumentError), match=op):
            function(*args)
        with little_memory(), pytest.raises(InterpreterError, match=op.replace("linalg.", "linalg.generic|linalg.")):
            interpreter.call("main", *args)


def test_nothing_outside_of_buffers_is_touched() -> None:
    calls: list[tuple[str, Callable[[], str | None]]] = []
    for name, (program, fitting, refused, _) in CASES.items():
        function = xdsl_relax.compile(program)["main"]
        for args in (fitting, *refused):

            def call(function: Any = function, args: Any = args) -> str | None:
                try:
                    with little_memory():
                        call_guarded(function, args)
                except (ArgumentError, ExecutionError):
                    return None
                return None

            calls.append((f"{name} {[np.shape(arg) or arg for arg in args]}", call))
    assert not (failures := faults(calls)), "\n".join(failures)


def test_an_error_tells_the_sizes_of_the_arguments() -> None:
    with pytest.raises(
        ExecutionError, match=r"dim 0 of operand 1 .* where 'a0' dim 0 = 5, 'a1' dim 0 = 2, 'a2' dim 0 = 5"
    ):
        xdsl_relax.compile(CASES["add"][0])["main"](floats(5), floats(2), floats(5))


def test_what_is_proved_is_not_asserted() -> None:
    program = """
func.func @main(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %a = linalg.exp ins(%x : tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %b = arith.mulf %a, %x : tensor<?x4xf32>
  %s = linalg.add ins(%b, %y : tensor<?x4xf32>, tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %t = linalg.sub ins(%s, %y : tensor<?x4xf32>, tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %t : tensor<?x4xf32>
}"""
    assert len(xdsl_relax.compile(program).interface.assertions) == 1
    assert not xdsl_relax.compile(program, bounds_checks=False).interface.assertions


def test_static_sizes_that_disagree_are_refused_when_compiled() -> None:
    program = single(f"%x: {LINE}", PAD.format("1", "-2", "?"), LINE, ZERO)
    with pytest.raises(PassFailedException, match=r"tensor\.pad: the padding of dim 0 is negative, got -2"):
        xdsl_relax.compile(program)
