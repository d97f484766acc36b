"""Programs that several threads build, parse, export and compile at once: each is what one thread alone makes of it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from threading import Barrier, Thread
from typing import Any

import numpy as np
import pytest
import xdsl_relax
from xdsl.ir import Operation
from xdsl_relax.builder import ModuleBuilder, tensor
from xdsl_relax.frontend import nn

# Fills, reductions and padding: ops of linalg whose regions are built beside those of other threads.
LINALG = """
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %a = linalg.add ins(%x, %x : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %c = arith.constant NUMBER : f32
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  scf.for %i = %0 to %1 step %1 {
  }
  %m = linalg.mul ins(%a, %f : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %m : tensor<4xf32>
}
"""


class Model(nn.Module):
    def __init__(self, size: int):
        self.weight = nn.Parameter([size, 4])
        self.doubled = nn.op.concat([self.weight, self.weight * 2.0], dim=0)

    def forward(self, x: nn.Tensor) -> nn.Tensor:
        return nn.op.sum(nn.op.matmul(x, nn.op.permute_dims(self.doubled)), axis=0)


def _model(number: int) -> Any:
    model = Model(number)
    model.load_state_dict({"weight": np.arange(number * 4, dtype=np.float32).reshape(number, 4)})
    return model.jit({"forward": {"x": nn.spec.Tensor(["n", 4], "float32")}})(np.ones((3, 4), np.float32))


def _built(number: int) -> Any:
    module = ModuleBuilder()
    with module.function("main") as f:
        x = f.input("x", tensor(["n", 4], "f32"))
        y = f.nn.pad(x, pad_width=[0, number, 1, 0], pad_mode="constant", pad_value=float(number))
        f.returns(f.max(f.multiply(y, float(number)), axis=0))
    return xdsl_relax.compile(module.build())["main"](np.ones((2, 4), np.float32))


def _parsed(number: int) -> Any:
    program = xdsl_relax.compile(LINALG.replace("NUMBER", f"{number}.0"))
    return program["main"](np.ones(4, np.float32))


KINDS: list[Callable[[int], Any]] = [_model, _built, _parsed]


@pytest.fixture
def frequent_switches() -> Generator[None, None, None]:
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


def test_threads_compile_different_programs(frequent_switches: None):
    work = [(make, number) for number in range(1, 5) for make in KINDS]
    results: dict[int, Any] = {}
    start = Barrier(len(work))
    post_init = Operation.__post_init__

    def compute(index: int) -> None:
        start.wait()
        make, number = work[index]
        try:
            results[index] = make(number)
        except Exception as error:
            results[index] = repr(error)

    threads = [Thread(target=compute, args=(index,)) for index in range(len(work))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected = [make(number) for make, number in work]
    for index, result in enumerate(expected):
        np.testing.assert_array_equal(results[index], result, err_msg=f"{work[index]}")
    assert Operation.__post_init__ is post_init, "xDSL's implicit builder left its patch behind"


def test_no_thread_patches_operations_of_others(monkeypatch: pytest.MonkeyPatch):
    def refused() -> None:
        raise AssertionError("an implicit builder of xDSL patches Operation for all threads")

    parsed = xdsl_relax.load(LINALG.replace("NUMBER", "2.0"))
    monkeypatch.setattr("xdsl.builder._override_operation_post_init", refused)
    assert xdsl_relax.compile(parsed)["main"](np.ones(4, np.float32)).tolist() == [4] * 4
    assert _built(1).shape == (5,)
    assert _model(1).shape == (2,)
