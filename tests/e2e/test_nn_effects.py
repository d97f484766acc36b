"""Models with state: what they print and call, caches, natively and in the interpreter, and as TVM exports them."""

import inspect
from typing import Any

import numpy as np
import pytest
import xdsl_relax
from harness.engines import ENGINES
from xdsl_relax.frontend import nn
from xdsl_relax.interpreter.host.errors import ArgumentError


class Shown(nn.Module):
    def __init__(self):
        self.linear = nn.Linear(4, 4, bias=False)

    def forward(self, x: nn.Tensor, n: Any) -> nn.Tensor:
        nn.op.print_(x)
        y = self.linear(x)
        nn.op.debug_func("test.collect", y, 3, 2.5, "text", n, 2 * n)
        return y


LINE = inspect.unwrap(Shown.forward).__code__.co_firstlineno
SHOWN = {"forward": {"x": nn.spec.Tensor([2, 4], "float32"), "n": int}}


@pytest.mark.parametrize("kind", ENGINES)
def test_debug_functions_get_arrays_numbers_sizes_and_lines(kind: str, capsys: pytest.CaptureFixture[str]):
    seen: list[Any] = []
    xdsl_relax.register_packed("test.collect", lambda *args: seen.append(args))
    module, _ = Shown().export(SHOWN, debug=True)
    call = ENGINES[kind](module)
    (state,) = call("_initialize_effect")
    assert state is None
    x, w = np.arange(8, dtype=np.float32).reshape(2, 4), np.full((4, 4), 2, np.float32)
    y, (after,) = call("forward", x, (5,), state, w)
    assert after is None
    ((line, array, integer, number, text, size, twice),) = seen
    assert line == f"{__file__}:{LINE + 3}" and text == "text"
    assert (integer, number, size, twice) == (3, 2.5, 5, 10)
    np.testing.assert_array_equal(array, y)
    assert capsys.readouterr().out == f"{__file__}:{LINE + 1}: float32 [2, 4]\n{x}\n"


def test_io_is_the_first_effect_and_stands_before_parameters():
    text = str(Shown().export(SHOWN, debug=True)[0])
    assert "%x: tensor<2x4xf32>, %n: !relax.shape<[n]>, %_io: !relax.object, %linear_weight: tensor<4x4xf32>" in text
    assert "relax.num_input = 3 : i64" in text
    assert "func.func @_initialize_effect() -> tuple<!relax.object> {" in text
    assert '"1" = "vm.builtin.debug_print"' in text


@pytest.mark.parametrize("kind", ENGINES)
def test_debug_function_that_nobody_registered(kind: str):
    class Model(nn.Module):
        def forward(self, x: nn.Tensor) -> nn.Tensor:
            nn.op.debug_func("test.nobody", x)
            return x

    module, _ = Model().export({"forward": {"x": nn.spec.Tensor([1], "float32")}}, debug=True)
    with pytest.raises(
        LookupError, match=r"no packed function is registered as 'test.nobody': .*test_nn_effects.py:\d+ calls it"
    ):
        ENGINES[kind](module)("forward", np.ones(1, np.float32), None)


def test_debugging_without_debug():
    with pytest.raises(nn.ModelError, match="is called for debugging, but the module is not exported with debug=True"):
        Shown().export(SHOWN)


class Layer(nn.Module):
    def __init__(self):
        self.k = nn.KVCache(2, [3])

    def forward(self, x: nn.Tensor, total: Any) -> nn.Tensor:
        before = self.k.view(total - x.shape[0])
        self.k.append(x)
        return nn.op.concat([before, self.k.view(total)], dim=0)


class Cached(nn.Module):
    def __init__(self):
        self.layers = nn.ModuleList([Layer(), Layer()])

    def prefill(self, x: nn.Tensor, total: Any) -> Any:
        return [layer(x, total) for layer in self.layers]

    def decode(self, x: nn.Tensor, total: Any) -> Any:
        return self.layers[1](x, total)


def cached_spec(effect_mode: str = "plain") -> dict[str, Any]:
    arguments = {"total": int, "$": {"effect_mode": effect_mode}}
    return {
        "prefill": {"x": nn.spec.Tensor(["n", 3], "float32"), **arguments},
        "decode": {"x": nn.spec.Tensor([1, 3], "float32"), **arguments},
    }


@pytest.mark.parametrize("kind", ENGINES)
@pytest.mark.parametrize("effect_mode", ["plain", "packed"])
def test_caches_grow_and_keep_what_they_held(kind: str, effect_mode: str):
    call = ENGINES[kind](Cached().export(cached_spec(effect_mode))[0])
    first = call("_initialize_effect")
    assert len(first) == 2

    def given(state: Any) -> list[Any]:
        return [state] if effect_mode == "packed" else list(state)

    x = np.arange(15, dtype=np.float32).reshape(5, 3)
    results, state = call("prefill", x[:2], (2,), *given(first))
    for result in results:
        np.testing.assert_array_equal(result, x[:2])
    branches = []
    for row in (x[2:3], x[3:4]):
        # The state before the step is still what it was: both steps start from it.
        result, after = call("decode", row, (3,), *given(state))
        np.testing.assert_array_equal(result, np.concatenate([x[:2], x[:2], row]))
        branches.append(after)
    for row, after in zip((x[2:3], x[3:4]), branches, strict=True):
        result, _ = call("decode", x[4:], (4,), *given(after))
        np.testing.assert_array_equal(result[3:], np.concatenate([x[:2], row, x[4:]]))


@pytest.mark.parametrize("kind", ENGINES)
def test_a_view_of_another_size_is_refused(kind: str):
    call = ENGINES[kind](Cached().export(cached_spec())[0])
    with pytest.raises(ArgumentError, match=r"expected a cache of shape \[4, 3\], it has \[0, 3\]"):
        call("decode", np.ones((1, 3), np.float32), (5,), *call("_initialize_effect"))


def test_effects_that_are_not_passed_cannot_be_used():
    with pytest.raises(nn.ModelError, match=r"layers.0: effect layers.0.k is used, but not passed to the method"):
        Cached().export(cached_spec("none"))


def test_a_cache_of_another_dtype():
    model = Cached()
    model.to("float16")
    with pytest.raises(nn.ModelError, match="expected a tensor of dtype float16 for the cache, got float32"):
        model.export(cached_spec())


def test_a_cache_outside_of_an_export():
    with pytest.raises(nn.ModelError, match="KVCache is used outside of an export: it has no state"):
        nn.KVCache(2, [3]).view(1)


class Counter(nn.Effect):
    """An effect of a user: a tensor that counts calls."""

    def emit_init(self, name_hint: str) -> list[Any]:
        return [nn.Tensor.from_const(np.zeros((), np.int32))]

    def create(self, name_hint: str) -> list[Any]:
        return [nn.Tensor.placeholder([], "int32", name=name_hint)]

    def set_state(self, state_vars: Any) -> None:
        (self.count,) = state_vars

    def finalize(self) -> list[Any]:
        return [self.count]


class Counting(nn.Module):
    def __init__(self):
        self.counter = Counter()
        self.again = self.counter

    def forward(self, x: nn.Tensor) -> nn.Tensor:
        self.counter.count = self.counter.count + 1
        return x


@pytest.mark.parametrize("kind", ENGINES)
def test_effect_of_a_user_is_passed_once(kind: str):
    call = ENGINES[kind](Counting().export({"forward": {"x": nn.spec.Tensor([1], "float32")}})[0])
    (state,) = call("_initialize_effect")
    for expected in (1, 2):
        _, (state,) = call("forward", np.ones(1, np.float32), state)
        assert state == expected
