"""Modules that torch-mlir and upstream's TOSA lowering printed: native code, the interpreter and upstream agree.

`foreign/README.md` says how the modules were made.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xdsl_relax
from harness.upstream import compile_upstream, requires_upstream
from xdsl.dialects.builtin import ModuleOp
from xdsl_relax.interpreter.engine import Interpreter
from xdsl_relax.runtime.session import Values
from xdsl_relax.runtime.signatures import signatures

FOLDER = Path(__file__).parent / "foreign"
NAMES = sorted(path.stem for path in FOLDER.glob("*.mlir"))
POSITIVE = {"torch_convnet": "arg6", "tosa_data_movement_generic": "arg1"}
"""Arguments that must not be negative: a variance, and indices."""


def _arguments(module: ModuleOp, name: str) -> list[Any]:
    functions = signatures(module)
    inputs = {POSITIVE[name]: "ones"} if name in POSITIVE else {}
    return Values(functions, functions, "main", inputs=inputs, sizes={}, params=(), seed=7).inputs


@pytest.mark.parametrize("name", NAMES)
def test_native_code_agrees_with_the_interpreter(name: str) -> None:
    module = xdsl_relax.load(FOLDER / f"{name}.mlir")
    arguments = _arguments(module, name)
    results = xdsl_relax.compile(module)["main"].call(*arguments)
    _same(results, Interpreter(module).call("main", *arguments))


@requires_upstream
@pytest.mark.parametrize("name", NAMES)
def test_the_interpreter_agrees_with_upstream(name: str) -> None:
    text = (FOLDER / f"{name}.mlir").read_text()
    module = xdsl_relax.load(text)
    arguments = _arguments(module, name)
    _same(Interpreter(module).call("main", *arguments), compile_upstream(text)("main", *arguments))


def _same(results: Any, expected: Any) -> None:
    assert len(results) == len(expected)
    for index, (a, b) in enumerate(zip(results, expected, strict=True)):
        assert np.asarray(a).dtype == np.asarray(b).dtype
        np.testing.assert_allclose(a, b, rtol=2e-4, atol=1e-4, err_msg=f"result {index}")


def _torch_mlp(torch: Any, x: Any, w1: Any, b1: Any, w2: Any, b2: Any) -> Any:
    linear = torch.nn.functional.linear
    return linear(torch.nn.functional.gelu(linear(x, w1, b1)), w2, b2)


def _torch_block(torch: Any, x: Any, g1: Any, b1: Any, wqkv: Any, wo: Any, g2: Any, b2: Any, w1: Any, w2: Any) -> Any:
    f = torch.nn.functional
    batch, length, width = x.shape
    q, k, v = (
        t.reshape(batch, length, 4, width // 4).transpose(1, 2)
        for t in f.linear(f.layer_norm(x, (width,), g1, b1), wqkv).chunk(3, -1)
    )
    attended = f.scaled_dot_product_attention(q, k, v, is_causal=True)
    x = x + f.linear(attended.transpose(1, 2).reshape(batch, length, width), wo)
    return x + f.linear(f.silu(f.linear(f.layer_norm(x, (width,), g2, b2), w1)), w2)


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("torch_mlp", _torch_mlp),
        ("torch_mlp_dynamic", _torch_mlp),
        ("torch_transformer_block", _torch_block),
        ("torch_transformer_block_generic", _torch_block),
    ],
)
def test_native_code_agrees_with_torch(name: str, model: Any) -> None:
    torch = pytest.importorskip("torch")
    module = xdsl_relax.load(FOLDER / f"{name}.mlir")
    arguments = _arguments(module, name)
    expected = model(torch, *map(torch.from_numpy, arguments)).numpy()
    _same(xdsl_relax.compile(module)["main"].call(*arguments), (expected,))
