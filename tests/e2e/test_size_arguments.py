"""A shape of one size, as callers give it: a number or a sequence of one, alike in every way to call a function."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import xdsl_relax
from xdsl_relax.frontend import nn
from xdsl_relax.interpreter.engine import Interpreter
from xdsl_relax.interpreter.host.errors import ArgumentError

X = np.arange(10, dtype=np.float32)


class Rows(nn.Module):
    def forward(self, x: nn.Tensor, rows: int) -> nn.Tensor:
        return nn.op.reshape(x, (rows, 2))


SPEC: dict[str, Any] = {"forward": {"x": nn.spec.Tensor(["m"], "float32"), "rows": int}}


@pytest.fixture(scope="module")
def calls() -> dict[str, Any]:
    program, _ = Rows().export(SPEC)
    executable = xdsl_relax.compile(program)
    return {
        "executable": executable["forward"],
        "jit": Rows().jit(SPEC),
        "interpreter": lambda *args: Interpreter(program).call("forward", *args)[0],
    }


@pytest.mark.parametrize("kind", ["executable", "jit", "interpreter"])
@pytest.mark.parametrize("rows", [5, (5,), [5], np.int32(5), np.array(5), np.array([5])], ids=repr)
def test_one_size(calls: dict[str, Any], kind: str, rows: Any):
    np.testing.assert_array_equal(calls[kind](X, rows), X.reshape(5, 2))


@pytest.mark.parametrize("kind", ["executable", "jit", "interpreter"])
@pytest.mark.parametrize("rows", [5.0, (5, 1), (), True, (True,), "5", None, (5.5,), np.float32(5), ("5",)], ids=repr)
def test_no_size(calls: dict[str, Any], kind: str, rows: Any):
    with pytest.raises(ArgumentError, match=r"rows.*: expected|expected an integer as 'rows'") as error:
        calls[kind](X, rows)
    assert "\n" not in str(error.value)
