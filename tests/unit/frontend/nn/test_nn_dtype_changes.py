"""Changes of dtype by `to`: expressions and the constants in them follow, and an error changes nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xdsl_relax.frontend import nn

pytestmark = pytest.mark.filterwarnings("ignore::xdsl_relax.frontend.nn.UnusedParameterWarning")


class Joined(nn.Module):
    """Expressions with constants of every kind beside parameters: numbers, arrays, what is made of them, and indices."""

    def __init__(self):
        self.dtype = "float32"
        self.first = nn.Parameter([2, 3])
        self.second = nn.Parameter([2, 3])
        self.projection = nn.Linear(3, 2, out_dtype="float32")
        halved = self.second * 0.1
        positive = nn.op.where(nn.op.greater(self.first, 0.0), self.first, 1.5)
        self.joined = nn.op.concat([self.first, halved, positive, nn.op.zeros([1, 3])], dim=0)
        self.taken = nn.op.take(self.first, nn.Tensor.from_const(np.array([1, 0])), axis=0)

    def forward(self, x: nn.Tensor) -> Any:
        return nn.op.matmul(x, nn.op.permute_dims(self.joined)), self.taken


def exported(model: nn.Module, dtype: str) -> str:
    return str(model.export({"forward": {"x": nn.spec.Tensor([1, 3], dtype)}})[0])


def test_constants_follow_and_keep_their_precision():
    model = Joined()
    original = exported(model, "float32")
    for dtype in ("float16", "bfloat16", "float64", "float16"):
        model.to(dtype)
        assert model.joined.dtype == model.taken.dtype == model.dtype == dtype
    # 0.1 as float16 holds it.
    assert "9.997560e-02" in exported(model, "float16")
    model.to("float32")
    assert exported(model, "float32") == original


def test_values_of_converted_expressions():
    model = Joined()
    model.to("float64")
    data = np.random.default_rng(0).normal(size=(2, 2, 3))
    state = {"first": data[0], "second": data[1]}
    linear = {"projection.weight": np.zeros((2, 3)), "projection.bias": np.zeros(2, np.float32)}
    model.load_state_dict(state | linear)
    x = np.ones((1, 3))
    result, taken = model.jit({"forward": {"x": nn.spec.Tensor([1, 3], "float64")}})(x)
    joined = np.concatenate(
        [data[0], data[1] * np.float64(np.float32(0.1)), np.where(data[0] > 0, data[0], 1.5), [[0] * 3]]
    )
    np.testing.assert_allclose(result, x @ joined.T, rtol=1e-12)
    np.testing.assert_array_equal(taken, data[0][[1, 0]])


def state(model: Any) -> list[Any]:
    dtypes = [(name, parameter.dtype) for name, parameter in model.named_parameters()]
    return [dtypes, model.joined.dtype, model.dtype, model.projection.bias]


def test_an_error_changes_nothing():
    model = Joined()
    before, text = state(model), exported(model, "float32")
    with pytest.raises(
        nn.ModelError, match=r"changes\.py:\d+:\d+: error: relax\.where: int8 does not hold the constant 1\.5"
    ):
        model.to("int8")
    assert state(model) == before
    data: Any = np.zeros((2, 3), np.float32)
    model.projection.weight.data = data  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(ValueError, match=r"^projection\.weight: expected a parameter without data to change float32"):
        model.to("float16")
    assert state(model) == before
    assert exported(model, "float32") == text


def test_integers_and_back():
    class Counts(nn.Module):
        def __init__(self):
            self.counts = nn.Parameter([2])
            self.doubled = self.counts * 2.0
            # What nothing holds does not matter.
            assert nn.op.softmax(self.counts * 0.5).dtype == "float32"

    model = Counts()
    model.to("int8")
    assert model.doubled.dtype == "int8"
    model.to("float16")
    assert model.doubled.dtype == "float16"
    model.doubled = nn.op.softmax(model.counts)
    with pytest.raises(nn.ModelError, match=r"relax\.nn\.softmax: softmax_c1: element type must be one of .*, got i32"):
        model.to("int32")
    assert model.counts.dtype == model.doubled.dtype == "float16"


def test_parts_whose_parameters_stand_in_the_expression_of_others():
    class Parts(nn.Module):
        def __init__(self):
            self.a, self.b = nn.Linear(2, 2, bias=False), nn.Linear(2, 2, bias=False)
            self.joined = nn.op.concat([self.a.weight, self.b.weight, nn.op.ones([1, 2])], dim=0)

    model = Parts()
    model.a.to("float16")
    assert model.joined.dtype == "float32"
    model.b.to("float16")
    assert model.joined.dtype == "float16"


def test_a_bias_that_keeps_its_dtype():
    layer = nn.Linear(2, 2, out_dtype="float32")
    bias = layer.bias
    assert isinstance(bias, nn.Parameter)
    bias.data = np.ones(2, np.float32)
    layer.to("float16")
    assert layer.weight.dtype == "float16"
    data: Any = np.ones((2, 2), np.float16)
    layer.load_state_dict({"weight": data}, strict=False)
    with pytest.raises(ValueError, match=r"^weight: expected a parameter without data"):
        layer.to("float32")
    assert layer.bias is bias
    np.testing.assert_array_equal(bias.data, [1, 1])


def test_lists_that_are_extended_by_themselves():
    layers = nn.ModuleList([nn.ReLU()])
    layers.extend(layers)
    assert [*layers] == [layers[0]] * 2
    wrong: Any = [nn.ReLU(), 3]
    with pytest.raises(nn.ModelError, match=r"expected nn\.Module in ModuleList, got int"):
        layers.extend(wrong)
    assert len(layers) == 2


@pytest.mark.parametrize("dtype", [None, "float16"])
def test_a_module_that_contains_itself(dtype: str | None):
    layers = nn.ModuleList([nn.Linear(1, 1)])
    layers.append(layers)
    with pytest.raises(nn.ModelError, match="module '1' contains itself"):
        layers.to(dtype)
    assert {parameter.dtype for parameter in layers[0].parameters()} == {"float32"}


def test_a_cache_of_no_dtype():
    cache = nn.KVCache(1, [2])
    with pytest.raises(nn.ModelError, match="to: expected an element type"):
        cache.to("float7")
    assert cache.dtype == "float32"


def test_tensors_of_torch_are_no_parts():
    torch = pytest.importorskip("torch")

    class Holding(nn.Module):
        def __init__(self):
            self.table = torch.ones(2)

    model = Holding()
    model.to("float16")
    assert model.table.dtype == torch.float32
