"""Modules that become private functions: what they take, when two share one, state, errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import xdsl_relax
from xdsl_relax.dialects.upstream.positions import name_of
from xdsl_relax.frontend import nn


class ScaledLinear(nn.Module):
    define_subroutine = True

    def __init__(self, inner: Any, outer: Any, scale: float = 1.0):
        self.weight: nn.Tensor = nn.Parameter([outer, inner])
        self.scale = scale

    def forward(self, x: nn.Tensor) -> nn.Tensor:
        return nn.op.matmul(x, nn.op.permute_dims(self.weight)) * self.scale


class Chain(nn.Module):
    def __init__(self, *layers: nn.Module):
        self.layers = nn.ModuleList(layers)

    def forward(self, x: nn.Tensor) -> nn.Tensor:
        return self.layers(x)


SPEC = {"forward": {"x": nn.spec.Tensor(["batch", 4], "float32")}}


def private_functions(module: Any) -> list[str]:
    lines = [line.strip() for line in str(module).splitlines()]
    return [line.split("@")[1].split("(")[0] for line in lines if line.startswith("func.func private")]


def test_equal_modules_share_a_function():
    module, parameters = Chain(ScaledLinear(4, 4), ScaledLinear(4, 4), ScaledLinear(4, 4)).export(SPEC)
    assert private_functions(module) == ["scaled_linear"]
    text = str(module)
    assert text.count("func.call @scaled_linear(") == 3
    assert "%scaled_linear_output = func.call @scaled_linear(%x, %layers_0_weight)" in text
    header = "func.func private @scaled_linear(%x: tensor<?x4xf32, #relax.sym<batch>>, %weight: tensor<4x4xf32>)"
    assert f"{header} -> tensor<?x4xf32, #relax.sym<batch>> {{" in text
    assert len(parameters) == 3


def test_modules_that_differ_have_functions_of_their_own():
    model = Chain(ScaledLinear(4, 4), ScaledLinear(4, 6), ScaledLinear(6, 4), ScaledLinear(4, 4, scale=2.0))
    module, _ = model.export(SPEC)
    assert private_functions(module) == ["scaled_linear", "scaled_linear_1", "scaled_linear_2", "scaled_linear_3"]


def test_symbols_are_those_of_the_function():
    model = Chain(ScaledLinear(4, "n"), ScaledLinear("n", "m"), ScaledLinear("m", "n"))
    module, _ = model.export(SPEC)
    # Both n -> m and m -> n are one function.
    assert private_functions(module) == ["scaled_linear", "scaled_linear_1"]


def test_a_size_that_no_argument_defines_is_an_argument():
    class Doubled(nn.Module):
        define_subroutine = True

        def forward(self, x: nn.Tensor, rows: Any) -> nn.Tensor:
            return nn.op.matmul(x, nn.op.permute_dims(x)) * 2

    class Model(nn.Module):
        def __init__(self):
            self.doubled = Doubled()

        def forward(self, x: nn.Tensor, n: Any) -> nn.Tensor:
            return self.doubled(x, rows=3)

    module, _ = Model().export({"forward": {"x": nn.spec.Tensor(["2 * n", 4], "float32"), "n": int}})
    module.verify()
    assert "(%x: tensor<?x4xf32, #relax.sym<2 * n>>, %sizes: !relax.shape<[n]>)" in str(module)


def test_nested_subroutines_and_their_results():
    class Outer(nn.Module):
        define_subroutine = True

        def __init__(self):
            self.inner = ScaledLinear(4, 4)

        def forward(self, pair: Any, factor: int) -> Any:
            x, _ = pair
            return [self.inner(x), (x * factor,)], x

    class Model(nn.Module):
        def __init__(self):
            self.outer = nn.ModuleList([Outer(), Outer()])

        def forward(self, x: nn.Tensor, n: Any) -> nn.Tensor:
            (a, (b,)), c = self.outer[0]((x, n), 3)
            (d, (e,)), f = self.outer[1]((x, n), factor=3)
            return a + b + c + d + e + f

    model = Model()
    module, _ = model.export({"forward": {"x": nn.spec.Tensor([2, 4], "float32"), "n": int}})
    assert sorted(private_functions(module)) == ["outer", "scaled_linear"]
    w = np.random.default_rng(0).standard_normal((2, 4, 4), np.float32)
    x = np.ones((2, 4), np.float32)
    model.load_state_dict({f"outer.{i}.inner.weight": w[i] for i in range(2)})
    compiled = model.jit({"forward": {"x": nn.spec.Tensor([2, 4], "float32"), "n": int}})
    np.testing.assert_allclose(compiled(x, 1), x @ w[0].T + x @ w[1].T + 8 * x, rtol=1e-5)


def test_weights_that_are_expressions_are_computed_by_the_caller():
    first = ScaledLinear(4, 4)
    second = ScaledLinear(4, 8)
    second.weight = nn.op.concat([first.weight, first.weight], dim=0)
    module, parameters = Chain(first, second).export(SPEC)
    assert [name for name, _ in parameters] == ["layers.0.weight"]
    assert str(module).index("relax.concat") < str(module).index("func.func private")


class Remembering(nn.Module):
    define_subroutine = True

    def __init__(self):
        self.cache = nn.KVCache(4, [2])

    def forward(self, x: nn.Tensor, total: Any) -> nn.Tensor:
        nn.op.print_(x)
        self.cache.append(x)
        return self.cache.view(total)


def test_state_passes_through(capsys: pytest.CaptureFixture[str]):
    class Model(nn.Module):
        def __init__(self):
            self.layers = nn.ModuleList([Remembering(), Remembering()])

        def forward(self, x: nn.Tensor, total: Any) -> Any:
            return [layer(x, total) for layer in self.layers]

    spec = {"forward": {"x": nn.spec.Tensor([1, 2], "float32"), "total": int}}
    compiled = Model().jit(spec, debug=True)
    x = np.ones((1, 2), np.float32)
    compiled(x, 1)
    first, second = compiled(2 * x, 2)
    np.testing.assert_array_equal(first, [[1, 1], [2, 2]])
    np.testing.assert_array_equal(second, first)
    assert capsys.readouterr().out.count("float32 [1, 2]") == 4
    assert private_functions(Model().export(spec, debug=True)[0]) == ["remembering"]


def test_a_method_keeps_its_name():
    class Linear(nn.Module):
        define_subroutine = True

        def forward(self, x: nn.Tensor) -> nn.Tensor:
            return x + 1

    class Model(nn.Module):
        def __init__(self):
            self.layer = Linear()

        def first(self, x: nn.Tensor) -> nn.Tensor:
            return self.layer(x)

        def linear(self, x: nn.Tensor) -> nn.Tensor:
            return self.layer(x)

    argument = {"x": nn.spec.Tensor([1], "float32")}
    module, _ = Model().export({"first": argument, "linear": argument})
    assert private_functions(module) == ["linear_1"]
    program = xdsl_relax.compile(module)
    assert program["linear"](np.ones(1, np.float32)) == 2


def test_a_result_that_is_none():
    class Nothing(nn.Module):
        define_subroutine = True

        def forward(self, x: nn.Tensor) -> None:
            return None

    with pytest.raises(nn.ModelError, match=r"layers.0: expected a tensor, .* as the result of nothing, got NoneType"):
        Chain(Nothing()).export(SPEC)


def test_outside_of_an_export_a_subroutine_is_an_expression():
    layer = ScaledLinear(4, 4)
    assert layer(nn.Parameter([2, 4])).shape == [2, 4]


def test_effects_that_a_subroutine_does_not_use_are_not_passed():
    class Model(nn.Module):
        def __init__(self):
            self.cached = Remembering()
            self.plain = ScaledLinear(2, 2)

        def forward(self, x: nn.Tensor, total: Any) -> nn.Tensor:
            return self.cached(self.plain(x), total)

    spec = {"forward": {"x": nn.spec.Tensor([1, 2], "float32"), "total": int}}
    text = str(Model().export(spec, debug=True)[0])
    header = "func.func private @scaled_linear(%x: tensor<1x2xf32>, %weight: tensor<2x2xf32>) -> tensor<1x2xf32>"
    assert header in text
    assert "func.call @scaled_linear(%x, %plain_weight)" in text


def test_an_effect_without_methods():
    class Unfinished(nn.Effect):
        pass

    class Model(nn.Module):
        def __init__(self):
            self.effect = Unfinished()

        def forward(self, x: nn.Tensor) -> nn.Tensor:
            return x

    with pytest.raises(NotImplementedError, match="Unfinished has no emit_init"):
        Model().export({"forward": {"x": nn.spec.Tensor([1], "float32")}})


def test_a_subroutine_that_is_no_part_of_the_model_has_the_path_of_its_caller():
    class Doubled(nn.Module):
        define_subroutine = True

        def forward(self, x: nn.Tensor) -> nn.Tensor:
            return nn.op.add(x, x) if x.ndim == 1 else nn.op.matmul(x, x)

    class Inner(nn.Module):
        def forward(self, x: nn.Tensor) -> nn.Tensor:
            return Doubled()(x)

    class Model(nn.Module):
        def __init__(self) -> None:
            self.inner = Inner()

        def forward(self, x: nn.Tensor) -> nn.Tensor:
            return self.inner(x)

    module, _ = Model().export({"forward": {"x": nn.spec.Tensor([4], "float32")}})
    assert {name_of(op.location) for op in module.walk() if op.name in ("relax.add", "func.call")} == {"inner"}
    with pytest.raises(nn.ModelError, match=r":\d+:\d+: error: inner: relax.matmul: matmul_c2"):
        Model().export({"forward": {"x": nn.spec.Tensor([4, 5], "float32")}})


class Stored(nn.Module):
    """A subroutine that keeps its last result on itself, and takes arguments in every way that Python has."""

    define_subroutine = True

    def __init__(self):
        self.linear = nn.Linear(4, 4, bias=False)
        self.last: Any = None

    def forward(self, x: nn.Tensor, options: Any = None, *further: nn.Tensor, **named: Any) -> nn.Tensor:
        self.last = self.linear(x)
        result = self.last
        if options is not None:
            result = result + options["pair"][0] * options["scale"] * options["number"]
        for item in (*further, *named.values()):
            result = result * item
        return result


class Storing(nn.Module):
    def __init__(self):
        self.inner = Stored()

    def forward(self, x: nn.Tensor) -> nn.Tensor:
        y = self.inner(self.inner(x))
        y = self.inner(y, {"pair": [x, None], "scale": y, "number": 2.0})
        return self.inner(y, None, x, mask=x, factor=0.5)


def test_tensors_that_a_call_stores_are_no_weights():
    model = Storing()
    spec = {"forward": {"x": nn.spec.Tensor(["n", 4], "float32")}}
    text = str(model.export(spec)[0])
    assert str(model.export(spec)[0]) == text
    assert text.count("call @stored(") == 2
    weight = np.eye(4, dtype=np.float32) / 2
    model.load_state_dict({"inner.linear.weight": weight})
    x = np.arange(8, dtype=np.float32).reshape(2, 4)
    y = x / 4
    y = y / 2 + x * y * 2
    np.testing.assert_allclose(model.jit(spec)(x), y / 2 * x * x * 0.5, rtol=1e-6)
    model = Storing()
    model.export(spec)
    model.to("float16")
    assert model.inner.linear.weight.dtype == "float16"
