"""Compiled models: arrays of numpy and torch, parameters from dicts and files, state, what is shared."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from xdsl_relax.frontend import nn
from xdsl_relax.interpreter.host.arrays import to_numpy, to_torch
from xdsl_relax.interpreter.host.errors import ArgumentError
from xdsl_relax.runtime.params.safetensors_file import write_safetensors

needs_torch = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="needs the extra torch")


class Mlp(nn.Module):
    def __init__(self, size: int = 4, inner: int = 6):
        self.up = nn.Linear(size, inner, bias=False)
        self.gate = nn.Linear(size, inner, bias=False)
        self.down = nn.Linear(inner, size)
        self.both = nn.Linear(size, 2 * inner, bias=False)
        self.both.weight = nn.op.concat([self.gate.weight, self.up.weight], dim=0)

    def forward(self, x: nn.Tensor) -> nn.Tensor:
        gate, up = nn.op.split(self.both(x), 2, axis=-1)
        return self.down(nn.op.silu(gate) * up)

    def first(self, x: nn.Tensor) -> nn.Tensor:
        return self.both(x)

    def second(self, x: nn.Tensor) -> nn.Tensor:
        return self.down(x)


SPEC = {
    "forward": {"x": nn.spec.Tensor(["n", 4], "float32")},
    "first": {"x": nn.spec.Tensor([1, 4], "float32")},
}


def mlp_weights(dtype: Any = np.float32) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    shapes = {"up.weight": (6, 4), "gate.weight": (6, 4), "down.weight": (4, 6), "down.bias": (4,)}
    return {name: rng.standard_normal(shape, np.float32).astype(dtype) for name, shape in shapes.items()}


def expected(x: np.ndarray) -> np.ndarray:
    w = mlp_weights()
    gate = x @ w["gate.weight"].T
    return (gate / (1 + np.exp(-gate)) * (x @ w["up.weight"].T)) @ w["down.weight"].T + w["down.bias"]


def loaded() -> Mlp:
    model = Mlp()
    model.load_state_dict(mlp_weights())
    return model


X = np.random.default_rng(1).standard_normal((3, 4), np.float32)


def test_methods_share_what_is_made_of_the_parameters():
    compiled = loaded().jit(SPEC)
    assert list(compiled) == ["forward", "first"]
    np.testing.assert_allclose(compiled(X), expected(X), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(compiled.forward(x=X), expected(X), rtol=1e-5, atol=1e-6)
    w = mlp_weights()
    joined = np.concatenate([w["gate.weight"], w["up.weight"]])
    np.testing.assert_allclose(compiled["first"](X[:1]), X[:1] @ joined.T, rtol=1e-5, atol=1e-6)
    (plan,) = compiled.executable.interface.transforms
    assert plan.name == "transform_params"
    # Joined and transposed when the model is compiled, not in a call.
    assert compiled.params is not None and len(compiled.params.values) == plan.results


@pytest.mark.filterwarnings("ignore::xdsl_relax.frontend.nn.UnusedParameterWarning")
def test_one_method_is_the_model():
    compiled = loaded().jit({"first": SPEC["first"]})
    assert compiled(X[:1]).shape == (1, 12)
    two = loaded().jit({"first": SPEC["first"], "second": {"x": nn.spec.Tensor([1, 6], "float32")}})
    assert two.second(np.ones((1, 6), np.float32)).shape == (1, 4)
    with pytest.raises(nn.ModelError, match="the model has no method 'forward', call one of first, second"):
        two(X)
    with pytest.raises(AttributeError, match="the model has no method 'up'"):
        _ = two.up


def test_parameters_without_data_are_listed():
    model = Mlp()
    model.load_state_dict({"up.weight": mlp_weights()["up.weight"]}, strict=False)
    with pytest.raises(nn.ModelError) as error:
        model.jit(SPEC)
    assert str(error.value).endswith(
        "3 parameters have no data, load them before jit: gate.weight, down.weight, down.bias"
    )


@pytest.mark.parametrize("out_format", [None, "numpy", "torch"])
@needs_torch
def test_torch_tensors_go_in_and_out(out_format: Any):
    import torch

    model = Mlp()
    model.load_state_dict({name: torch.from_numpy(array) for name, array in mlp_weights().items()})
    compiled = model.jit({"forward": SPEC["forward"]}, out_format=out_format)
    wide = torch.from_numpy(np.repeat(X, 2, axis=1))
    for tensor in (torch.from_numpy(X), wide[:, ::2], torch.nn.Parameter(torch.from_numpy(X))):
        result = compiled(tensor)
        assert isinstance(result, np.ndarray if out_format == "numpy" else torch.Tensor)
        np.testing.assert_allclose(np.asarray(result), expected(X), rtol=1e-5, atol=1e-6)
    assert isinstance(compiled(X), torch.Tensor if out_format == "torch" else np.ndarray)


@needs_torch
def test_a_torch_module_is_the_oracle_of_its_state_dict():
    import torch

    reference = torch.nn.Linear(5, 3)
    model = nn.Linear(5, 3)
    model.load_state_dict(reference.state_dict())
    x = torch.randn(2, 5)
    result = model.jit({"forward": {"x": nn.spec.Tensor(["n", 5], "float32")}})(x)
    torch.testing.assert_close(result, reference(x))


@needs_torch
@pytest.mark.parametrize(
    "name", ["float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "int64", "uint8", "bool", "float64"]
)
def test_memory_is_shared_both_ways(name: str):
    import torch

    tensor = torch.ones(2, 3).to(getattr(torch, name))
    array = to_numpy(tensor)
    assert array.dtype.name == name and array.ctypes.data == tensor.data_ptr()
    back = to_torch(array)
    assert back.dtype == tensor.dtype and back.data_ptr() == tensor.data_ptr()
    array.flags.writeable = False
    assert to_torch(array).data_ptr() != tensor.data_ptr()


@needs_torch
def test_bfloat16():
    import torch

    model = Mlp()
    model.to("bfloat16")
    state = {name: torch.from_numpy(array).bfloat16() for name, array in mlp_weights().items()}
    model.load_state_dict(state)
    compiled = model.jit({"forward": {"x": nn.spec.Tensor(["n", 4], "bfloat16")}})
    result = compiled(torch.from_numpy(X).bfloat16())
    assert result.dtype == torch.bfloat16
    np.testing.assert_allclose(result.float().numpy(), expected(X), rtol=0.05, atol=0.1)
    again = compiled(X.astype(ml_dtypes.bfloat16))
    np.testing.assert_array_equal(again.astype(np.float32), result.float().numpy())


def test_safetensors_files_and_shards(tmp_path: Path):
    weights = mlp_weights()
    whole = tmp_path / "whole.safetensors"
    write_safetensors(whole, weights)
    shards = tmp_path / "shards"
    shards.mkdir()
    parts = {"model-1-of-2.safetensors": list(weights)[:1], "model-2-of-2.safetensors": list(weights)[1:]}
    for file, names in parts.items():
        write_safetensors(shards / file, {name: weights[name] for name in names})
    write_safetensors(shards / "consolidated.safetensors", weights)
    index = shards / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": {name: file for file, names in parts.items() for name in names}}))
    files = [[shards / file for file in parts]]
    for paths in ([whole], [index], [shards], *files):
        model = Mlp()
        assert model.load_safetensors(*paths) == ([], [])
        np.testing.assert_allclose(model.jit(SPEC)(X), expected(X), rtol=1e-5, atol=1e-6)
    with pytest.raises(KeyError, match=r"missing: weight; unexpected: up\.weight"):
        nn.Linear(4, 6, bias=False).load_safetensors(shards)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"weight_map": 3}', '{"weight_map": {"w": 3}}'])
def test_a_bad_index(tmp_path: Path, text: str):
    index = tmp_path / "model.safetensors.index.json"
    index.write_text(text)
    with pytest.raises(ArgumentError, match="not an index of safetensors files"):
        Mlp().load_safetensors(tmp_path)


def test_a_directory_without_files(tmp_path: Path):
    with pytest.raises(ArgumentError, match="or safetensors files, got 0 of them"):
        Mlp().load_safetensors(tmp_path)


class Tied(nn.Module):
    def __init__(self):
        self.embedding = nn.Linear(4, 3, bias=False)
        self.head = nn.Linear(4, 3, bias=False)
        self.head.weight = self.embedding.weight

    def forward(self, x: nn.Tensor) -> nn.Tensor:
        return self.embedding(x) + self.head(x)


@pytest.mark.parametrize("path", ["embedding.weight", "head.weight"])
def test_a_tied_parameter_is_bound_under_one_path(path: str):
    model = Tied()
    weight = np.arange(12, dtype=np.float32).reshape(3, 4)
    assert model.load_state_dict({path: weight}) == ([], [])
    compiled = model.jit({"forward": {"x": nn.spec.Tensor([1, 4], "float32")}})
    np.testing.assert_allclose(compiled(X[:1]), 2 * X[:1] @ weight.T, rtol=1e-5)


def test_names_of_a_tied_parameter():
    model = Tied()
    assert [name for name, _ in model.named_parameters()] == ["embedding.weight"]
    assert [parameter for parameter in model.parameters()] == [model.head.weight]
    paths = ["embedding.weight", "head.weight"]
    assert [name for name, _ in model.named_parameters(remove_duplicate=False)] == paths
    assert list(model.state_dict()) == paths
    assert [name for name, _ in model.export({"forward": {"x": nn.spec.Tensor([1, 4], "float32")}})[1]] == paths


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_data_of_a_tied_parameter_that_contradicts_itself(dtype: str):
    model = Tied()
    model.to(dtype)
    kind = np.dtype(getattr(ml_dtypes, dtype, dtype))
    ones = np.array([[np.nan, 1, 1, -0.0]] * 3, kind)
    model.load_state_dict({"embedding.weight": ones, "head.weight": ones.T.copy().T})
    with pytest.raises(
        ValueError,
        match=r"head\.weight: expected the data of embedding.weight, which is the same parameter, got other values",
    ):
        model.load_state_dict({"embedding.weight": np.zeros((3, 4), kind), "head.weight": ones})
    weight: Any = model.head.weight
    assert np.array_equal(weight.data[:, 1], ones[:, 1])


@needs_torch
@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_copied_data_may_change(library: str):
    import torch

    weights = np.arange(12, dtype=np.float32).reshape(3, 4)
    given = torch.tensor(weights) if library == "torch" else weights.copy()
    spec = {"forward": {"x": nn.spec.Tensor([1, 4], "float32")}}

    class Both(nn.Module):
        """Reads a weight as it is, and transposed."""

        def __init__(self):
            self.weight = nn.Parameter([3, 4])

        def forward(self, x: nn.Tensor) -> nn.Tensor:
            return nn.op.matmul(x, nn.op.permute_dims(self.weight)) + nn.op.sum(self.weight * self.weight)

    model = Both()
    model.load_state_dict({"weight": given}, copy=True)
    given *= 2
    compiled = model.jit(spec)
    given *= 3
    np.testing.assert_allclose(compiled(X[:1]), X[:1] @ weights.T + (weights * weights).sum(), rtol=1e-5)
    # Without a copy, it is the data of the caller.
    model.load_state_dict({"weight": given})
    assert model.weight.data is given


def test_a_model_with_data_keeps_its_dtypes():
    model = Mlp()
    model.load_state_dict({"gate.weight": mlp_weights()["gate.weight"]}, strict=False)
    with pytest.raises(
        ValueError, match=r"^gate\.weight: expected a parameter without data to change float32 to float16"
    ):
        model.to("float16")
    assert {parameter.dtype for parameter in model.parameters()} == {"float32"}


@needs_torch
def test_a_donated_tensor_that_autograd_follows():
    import torch

    class Sum(nn.Module):
        def add(self, x: nn.Tensor, totals: Any) -> Any:
            return (totals[0] + x,)

    vector = nn.spec.Tensor([3], "float32")
    compiled = Sum().jit({"add": {"x": vector, "totals": (vector,), "$": {"donate": {"totals": [0]}}}})
    followed = torch.zeros(3, requires_grad=True)
    with pytest.raises(ArgumentError, match="expected a donated tensor that does not require a gradient as 'totals'"):
        compiled.add(torch.ones(3), (followed,))
    assert followed.sum() == 0
    assert compiled.add(followed, (torch.ones(3),))[0].tolist() == [1, 1, 1]


@needs_torch
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_tensors_of_torch_are_constants(dtype: str):
    import torch

    class Added(nn.Module):
        def forward(self, x: nn.Tensor) -> nn.Tensor:
            offset: Any = torch.arange(4).to(getattr(torch, dtype))
            return x + offset

    np.testing.assert_array_equal(Added().jit({"forward": SPEC["forward"]})(X), X + np.arange(4, dtype=np.float32))


class Counting(nn.Module):
    def __init__(self):
        self.cache = nn.KVCache(1, [2])

    def add(self, x: nn.Tensor, total: Any) -> nn.Tensor:
        nn.op.debug_func("test.jit", total)
        self.cache.append(x)
        return self.cache.view(total)

    def pair(self, xs: Any) -> Any:
        return [xs[1], (xs[0],)]


@pytest.fixture
def totals():
    """What the calls of `Counting.add` were given, in their order."""
    import xdsl_relax

    seen: list[Any] = []
    xdsl_relax.register_packed("test.jit", lambda line, total: seen.append(total))
    return seen


COUNTING = {
    "add": {"x": nn.spec.Tensor(["n", 2], "float32"), "total": int},
    "pair": {"xs": (nn.spec.Tensor([1], "float32"), nn.spec.Tensor([2], "int32")), "$": {"effect_mode": "none"}},
}


def test_state_is_kept_between_calls(totals: list[int]):
    compiled = Counting().jit(COUNTING, debug=True)
    x = np.arange(6, dtype=np.float32).reshape(3, 2)
    np.testing.assert_array_equal(compiled.add(x[:1], 1), x[:1])
    with pytest.raises(ArgumentError, match=r"expected a cache of shape \[9, 2\], it has \[2, 2\]"):
        compiled.add(x[1:2], 9)
    # The state is what it was before the call that failed.
    np.testing.assert_array_equal(compiled.add(x[1:], total=3), x)
    compiled.reset()
    np.testing.assert_array_equal(compiled.add(x[2:], 1), x[2:])
    assert totals == [1, 9, 3, 1]


def test_a_cache_takes_one_row():
    class Rows(nn.Module):
        def __init__(self):
            self.cache = nn.KVCache(1, [2])

        def add(self, row: nn.Tensor, total: Any) -> nn.Tensor:
            self.cache.append(row)
            return self.cache.view(total)

    compiled = Rows().jit({"add": {"row": nn.spec.Tensor([2], "float32"), "total": int}})
    np.testing.assert_array_equal(compiled.add(X[0, :2], 1), X[:1, :2])
    np.testing.assert_array_equal(compiled.add(X[1, :2], 2), X[:2, :2])


def test_tuples_go_in_and_out():
    compiled = Counting().jit({"pair": COUNTING["pair"]})
    second, (first,) = compiled.pair((np.ones(1, np.float32), np.arange(2, dtype=np.int32)))
    assert first.tolist() == [1] and second.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("arguments", "named", "message"),
    [
        ((), {}, r"add: arguments 'x', 'total' missing: expected x, total"),
        ((1, 2, 3), {}, r"add: expected 2 arguments \(x, total\), got 3"),
        ((1,), {"x": 2}, "add: argument 'x' is given twice, by position and by name"),
        ((1,), {"totl": 2}, "add: no argument 'totl', did you mean 'total'?"),
        ((X, 2.5), {}, "expected an integer as 'total', got 2.5"),
    ],
)
@pytest.mark.usefixtures("totals")
def test_wrong_calls(arguments: Any, named: Any, message: str):
    compiled = Counting().jit({"add": COUNTING["add"]}, debug=True)
    with pytest.raises(ArgumentError, match=message):
        compiled.add(*arguments, **named)


def test_arrays_that_do_not_fit():
    compiled = Counting().jit({"pair": COUNTING["pair"]})
    with pytest.raises(ArgumentError, match="expected a tuple of 2 as 'xs', got ndarray"):
        compiled.pair(X)
    with pytest.raises(ArgumentError, match=r"pair: argument 'xs.0': expected element type float32, got float64"):
        compiled.pair((np.ones(1), np.ones(2, np.int32)))


def test_a_compiled_model_shows_its_methods():
    compiled = loaded().jit(SPEC)
    head, *lines = repr(compiled).splitlines()
    assert head == "<compiled model of 2 methods" and lines[0] == f"  {compiled['forward']!r}"
    assert "forward(x: Tensor([n, 4], 'float32'))" in lines[0]


def test_options():
    with pytest.raises(nn.ModelError, match="expected numpy, torch or jax as out_format, got 'cupy'"):
        loaded().jit(SPEC, out_format="cupy")  # pyright: ignore[reportArgumentType]
    with pytest.raises(nn.ModelError, match="expected cpu as the device, got 'cuda'"):
        loaded().jit(SPEC, device="cuda")
