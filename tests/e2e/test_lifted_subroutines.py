"""Models with subroutines: what weights alone tell is computed once, and the subroutine stays one function."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import xdsl_relax
from harness.native import compile_native
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl_relax.dialects.relax.function_signature import functions, transforms
from xdsl_relax.frontend import nn
from xdsl_relax.lowering.pipeline import Settings
from xdsl_relax.runtime.compiler import available_passes, pipeline_of, relax_context

LAYERS = 4
SPEC = {
    "prefill": {"x": nn.spec.Tensor(["n", 8], "float32")},
    "decode": {"x": nn.spec.Tensor([1, 8], "float32")},
}


class Mlp(nn.Module):
    define_subroutine = True

    def __init__(self):
        self.gate = nn.Linear(8, 16, bias=False)
        self.up = nn.Linear(8, 16, bias=False)
        self.down = nn.Linear(16, 8)

    def forward(self, x: nn.Tensor) -> nn.Tensor:
        return self.down(nn.op.silu(self.gate(x)) * self.up(x))


class Layer(nn.Module):
    define_subroutine = True

    def __init__(self, prints: bool):
        self.prints = prints
        self.norm = nn.RMSNorm(8, -1, bias=False)
        self.mlp = Mlp()

    def forward(self, x: nn.Tensor) -> nn.Tensor:
        if self.prints:
            nn.op.print_(x)
        return x + self.mlp(self.norm(x))


class Model(nn.Module):
    def __init__(self, prints: bool = False):
        self.layers = nn.ModuleList([Layer(prints) for _ in range(LAYERS)])
        self.head = nn.Linear(8, 5)

    def prefill(self, x: nn.Tensor) -> nn.Tensor:
        return self.head(self.layers(x))

    def decode(self, x: nn.Tensor) -> nn.Tensor:
        return self.head(self.layers(x))


def data_of(parameters: Any) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    return {name: rng.standard_normal(parameter.shape).astype(np.float32) / 3 for name, parameter in parameters}


def expected(x: np.ndarray, data: dict[str, np.ndarray]) -> np.ndarray:
    w = {name: value.astype(np.float64) for name, value in data.items()}
    for layer in (f"layers.{index}" for index in range(LAYERS)):
        y = x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * w[f"{layer}.norm.weight"]
        gate, up = y @ w[f"{layer}.mlp.gate.weight"].T, y @ w[f"{layer}.mlp.up.weight"].T
        x = x + (gate / (1 + np.exp(-gate)) * up) @ w[f"{layer}.mlp.down.weight"].T + w[f"{layer}.mlp.down.bias"]
    return x @ w["head.weight"].T + w["head.bias"]


def on_weights(module: ModuleOp) -> list[str]:
    """The ops outside of transforms that only rearrange weights."""
    made = transforms(module)
    names = ("relax.permute_dims", "relax.pack_weight", "relax.concat")
    return [
        op.name for function in functions(module) if function not in made for op in function.walk() if op.name in names
    ]


@pytest.mark.parametrize("debug", [False, True])
@pytest.mark.parametrize("lift", [True, "shared"])
def test_nothing_on_weights_is_left_and_layers_share_functions(lift: Any, debug: bool):
    module, _ = Model(debug).export(SPEC, debug=debug)
    assert on_weights(module)
    for level in range(4):
        optimized = module.clone()
        for item in pipeline_of(Settings(opt_level=level, lift=lift).passes_of("optimize"), available_passes()):
            item.apply(relax_context(), optimized)
        assert on_weights(optimized) == []
        names = [op.sym_name.data for op in functions(optimized) if op not in transforms(optimized)]
        assert {*names} >= {"layer", "mlp", "layer_1", "mlp_1", "prefill", "decode"}
        calls = [op.callee.string_value() for op in optimized.walk() if isinstance(op, func.CallOp)]
        assert calls.count("layer") == calls.count("layer_1") == LAYERS and calls.count("mlp") == 1


@pytest.mark.sweep(2)
@pytest.mark.parametrize("level", range(4))
def test_results(level: int):
    model = Model()
    module, parameters = model.export(SPEC)
    data = data_of(parameters)
    x = np.random.default_rng(1).standard_normal((3, 8)).astype(np.float32)
    model.load_state_dict(data)
    compiled = model.jit(SPEC, opt_level=level)
    np.testing.assert_allclose(compiled.prefill(x), expected(x, data), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(compiled.decode(x[:1]), expected(x[:1], data), rtol=1e-4, atol=1e-5)
    executable = xdsl_relax.compile(module, opt_level=level, lift="shared")
    lifted = executable.transform_params(data, progress=False)
    np.testing.assert_allclose(executable["prefill"](x, lifted), expected(x, data), rtol=1e-4, atol=1e-5)
    plain = compile_native(module)("prefill", x, *data.values())[0]
    np.testing.assert_allclose(plain, expected(x, data), rtol=1e-4, atol=1e-5)
