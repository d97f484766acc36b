"""The public builder: functions, calls, control flow."""

from __future__ import annotations

from collections.abc import Callable
from threading import Barrier, Thread
from typing import Any

import numpy as np
import pytest
import xdsl_relax
from xdsl.dialects import arith
from xdsl.ir import SSAValue
from xdsl_relax.builder import (
    BlockBuilder,
    ModuleBuilder,
    calls,
    tensor,
)
from xdsl_relax.interpreter.engine import Interpreter


def test_a_call_names_sizes_as_the_caller_does():
    m = ModuleBuilder()
    with m.function("double", private=True) as double:
        y = double.input("y", tensor(["k", 4], "f32"))
        double.returns(double.concat(y, y, axis=0))
    with m.function("main") as f:
        x = f.input("x", tensor(["n", 4], "f32"))
        f.returns(f.call(double, x))
    module = m.build()
    assert m.functions["main"].function.function_type.outputs.data == (tensor(["2 * n", 4], "f32"),)
    (result,) = Interpreter(module).call("main", np.ones((3, 4), np.float32))
    assert result.shape == (6, 4)


def test_scf_if_and_while_around_ops():
    m = ModuleBuilder()
    with m.function("main") as f:
        x = f.input("x", tensor(["n"], "f32"))
        limit = f.input("limit", tensor([], "f32"))
        (y,) = [
            f.while_(
                [x],
                lambda g, y: g.less(g.sum(y), limit),
                lambda g, y: g.add(y, y),
            )
        ]
        z = f.if_(f.greater(f.max(y), limit), lambda g: g.negative(y), lambda g: y)
        f.returns(z)
    module = m.build()
    interpreter = Interpreter(module)
    (doubled,) = interpreter.call("main", np.array([1, 2], np.float32), np.float32(20))
    assert doubled.tolist() == [8, 16]
    (negated,) = interpreter.call("main", np.array([1.0], np.float32), np.float32(0.5))
    assert negated.tolist() == [-1]
    exe = xdsl_relax.compile(module)
    assert exe["main"](np.array([1, 2], np.float32), np.array(20, np.float32)).tolist() == [8, 16]


def test_a_branch_without_results(g: BlockBuilder, x: SSAValue):
    flag = g.insert(arith.ConstantOp.from_int_and_width(1, 1))
    assert g.if_(flag, lambda g: g.vm.kill_object(x), lambda g: None) is None


def test_threads_may_be_the_first_to_call_at_once(monkeypatch: pytest.MonkeyPatch):
    together = Barrier(2)
    made = calls._Parameters  # pyright: ignore[reportPrivateUsage]

    def slow(function: Callable[..., Any]) -> Any:
        together.wait()
        return made(function)

    monkeypatch.setattr(calls, "_Parameters", slow)

    @calls.checked
    def doubled(number: int) -> int:
        return 2 * number

    results: list[int] = []
    threads = [Thread(target=lambda: results.append(doubled(3))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [*results, doubled(4)] == [6, 6, 8]
