"""Native code of the neural network ops against the interpreter: through our whole pipeline, and our linalg through upstream's."""

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import pytest
import xdsl_relax
from harness.op_cases import check_compiled
from harness.upstream import compile_upstream, requires_upstream
from xdsl.dialects.builtin import ModuleOp

FAMILIES = (
    "nn_activation",
    "nn_softmax",
    "nn_norm",
    "nn_conv",
    "nn_pool",
    "nn_attention",
    "nn_loss",
    "image",
)


def compile_native(module: ModuleOp) -> Callable[..., Sequence[Any]]:
    executable = xdsl_relax.compile(module)

    def run(function: str, *args: Any) -> Sequence[Any]:
        results = executable[function](*args)
        return results if isinstance(results, tuple | list) else [results]

    return run


@pytest.mark.parametrize("family", FAMILIES)
def test_native(family: str):
    check_compiled(import_module(f"cases.{family}").CASES, compile_native)


@requires_upstream
@pytest.mark.parametrize("family", FAMILIES)
def test_upstream(family: str):
    check_compiled(import_module(f"cases.{family}").CASES, compile_upstream)
