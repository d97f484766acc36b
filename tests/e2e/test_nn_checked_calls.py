"""What functions of Python and effects give a model back is what the program expects, or an error of one line."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
import xdsl_relax
from xdsl_relax.frontend import nn

T = nn.spec.Tensor([2], "float32")
X = np.ones(2, np.float32)
RESULT = nn.Tensor.placeholder([2], "float32")


class Applied(nn.Module):
    def __init__(self, function: Callable[[nn.Tensor], Any]):
        self.function = function

    def forward(self, x: nn.Tensor) -> Any:
        return self.function(x)


def compiled(function: Callable[[nn.Tensor], Any], **options: Any) -> Any:
    return Applied(function).jit({"forward": {"x": T}}, **options)


RETURNED: dict[str, tuple[Any, str]] = {
    "none": (None, "returned NoneType, the program expects an array of float32"),
    "text": ("x", "returned str, the program expects an array of float32"),
    "float64": (np.ones(2), "returned dtype float64, the program expects float32"),
    "int32": (np.ones(2, np.int32), "returned dtype int32, the program expects float32"),
    "shape": (np.ones(3, np.float32), r"returned shape \(3,\), the program expects \(2,\)"),
}


def test_results_of_packed_functions():
    names = [*RETURNED, "numbers"]
    for name, (returned, _) in {**RETURNED, "numbers": ([3, 4], "")}.items():
        xdsl_relax.register_packed(f"checked.{name}", lambda array, returned=returned: returned)
    spec = {"x": T}

    class Model(nn.Module):
        pass

    for name in names:

        def method(self: Any, x: nn.Tensor, name: str = name) -> Any:
            return nn.op.call_packed(f"checked.{name}", [x], RESULT)

        setattr(Model, name, method)
    model = Model().jit(dict.fromkeys(names, spec))
    for name, (_, message) in RETURNED.items():
        with pytest.raises(ValueError, match=message):
            model[name](X)
    assert model["numbers"](X).tolist() == [3, 4]


def test_results_of_functions_that_write():
    def writes(array: Any, result: Any) -> Any:
        return np.add(array, 1, out=result)

    xdsl_relax.register_packed("checked.writes", writes)
    xdsl_relax.register_packed("checked.returns", lambda array, result: array + 1)
    assert compiled(lambda x: nn.op.extern("checked.writes", [x], RESULT))(X).tolist() == [2, 2]
    with pytest.raises(ValueError, match="returned ndarray, the program expects it to write into the arrays behind"):
        compiled(lambda x: nn.op.extern("checked.returns", [x], RESULT))(X)


def test_debug_functions_that_nobody_registered():
    def debugged(x: nn.Tensor) -> nn.Tensor:
        nn.op.debug_func("checked.unknown", x)
        nn.op.debug_func("checked.other", x)
        return nn.op.call_packed("checked.third", [x], RESULT)

    names = "'checked.unknown', 'checked.other', 'checked.third'"
    with pytest.raises(nn.ModelError, match=f"no packed function is registered as {names}"):
        compiled(debugged, debug=True)


class State(nn.Effect):
    def __init__(self, answers: dict[str, Any]):
        self.answers = answers
        self.value: Any = None

    def emit_init(self, name_hint: str) -> Any:
        return self.answers.get("emit_init", lambda: [nn.op.zeros([2])])()

    def create(self, name_hint: str) -> Any:
        return self.answers.get("create", lambda: [nn.Tensor.placeholder([2], "float32", name_hint)])()

    def set_state(self, state_vars: Sequence[Any]) -> None:
        (self.value,) = state_vars

    def finalize(self) -> Any:
        return self.answers.get("finalize", lambda: [self.value])()


class Stateful(nn.Module):
    def __init__(self, answers: dict[str, Any]):
        self.state = State(answers)

    def forward(self, x: nn.Tensor) -> nn.Tensor:
        self.state.value = self.state.value + x
        return self.state.value


ANSWERS: list[tuple[str, Callable[[], Any], str]] = [
    ("emit_init", lambda: 3, "expected a list of tensors and objects from State.emit_init, got 3"),
    ("emit_init", lambda: [nn.op.zeros([3])], "expected tensor<2xf32> from State.emit_init, .* got tensor<3xf32>"),
    (
        "emit_init",
        lambda: [nn.op.zeros([2], "int32")],
        "expected tensor<2xf32> from State.emit_init, .* got tensor<2xi32>",
    ),
    ("create", lambda: [3], r"expected a list of tensors and objects from State.create, got \[3\]"),
    ("finalize", lambda: None, "expected a list of tensors and objects from State.finalize, got None"),
    ("finalize", lambda: [], "expected tensor<2xf32> from State.finalize, as create declares, got nothing"),
]


@pytest.mark.parametrize(("method", "answer", "message"), ANSWERS)
def test_states_of_effects(method: str, answer: Callable[[], Any], message: str):
    with pytest.raises(nn.ModelError, match=rf"test_nn_checked_calls\.py:\d+:\d+: error: {message}"):
        Stateful({method: answer}).export({"forward": {"x": T}})


def test_a_function_that_calls_the_model_which_calls_it():
    class Model(nn.Module):
        def __init__(self):
            self.state = State({})

        def outer(self, x: nn.Tensor) -> nn.Tensor:
            self.state.value = self.state.value + x
            return nn.op.call_packed("checked.again", [x], RESULT)

        def inner(self, x: nn.Tensor) -> nn.Tensor:
            self.state.value = self.state.value + x
            return self.state.value

    xdsl_relax.register_packed("checked.again", lambda x: model.inner(x))
    model = Model().jit({"outer": {"x": T}, "inner": {"x": T}})
    with pytest.raises(ValueError, match="inner: the model is called by a function that outer calls: the state"):
        model.outer(X)
    assert model.inner(X).tolist() == [1, 1]


def test_a_compiled_model_says_that_it_is_not_pickled():
    with pytest.raises(
        TypeError, match=r"a compiled model cannot be pickled.*pickle its `executable` and its `params`"
    ):
        pickle.dumps(compiled(lambda x: x + 1.0))


FOREIGN: list[tuple[Callable[[nn.Tensor], Any], str]] = [
    (lambda x: np.exp(x), r"np\.exp takes arrays, .*: use nn\.op\.exp$"),  # pyright: ignore[reportCallIssue, reportArgumentType]
    (lambda x: np.concatenate([x, x]), r"np\.concatenate takes arrays, .*: use nn\.op\.concat$"),  # pyright: ignore[reportCallIssue, reportArgumentType]
    (lambda x: np.arctan(x), r"np\.arctan takes arrays, .*: use nn\.op$"),  # pyright: ignore[reportCallIssue, reportArgumentType]
    (lambda x: np.asarray(x), "a tensor has no elements before the program runs, it is no array"),
]


@pytest.mark.parametrize(("function", "message"), FOREIGN)
def test_functions_of_numpy(function: Any, message: str):
    with pytest.raises(nn.ModelError, match=rf"test_nn_checked_calls\.py:\d+:\d+: error: {message}"):
        Applied(function).export({"forward": {"x": T}})


def test_arrays_beside_tensors():
    array = np.array([2, 4], np.float32)
    results = compiled(lambda x: [array + x, array - x, array * x, array / x, array < x, x + array])(X)
    assert [result.tolist() for result in results] == [[3, 5], [1, 3], [2, 4], [2, 4], [False] * 2, [3, 5]]


def test_functions_and_tensors_of_torch():
    torch = pytest.importorskip("torch")
    for function, name in ((torch.relu, "relu"), (lambda x: torch.nn.functional.softmax(x, -1), "softmax")):
        with pytest.raises(
            nn.ModelError, match=rf"calls\.py:\d+:\d+: error: torch\.{name} takes .*: use nn\.op\.{name}$"
        ):
            Applied(lambda x, function=function: function(x)).export({"forward": {"x": T}})
    two = torch.full((2,), 2.0)
    results = compiled(lambda x: [two + x, two - x, two * x, two / x, x * two])(X)
    assert [result.tolist() for result in results] == [[3, 3], [1, 1], [2, 2], [2, 2], [2, 2]]


def test_lines_of_warnings():
    class Unused(nn.Module):
        def __init__(self):
            self.weight = nn.Parameter([2])

        def forward(self, x: nn.Tensor) -> nn.Tensor:
            return x

    model = Unused()
    model.weight.data = X
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.export({"forward": {"x": T}})
        model.jit({"forward": {"x": T}})
    assert [warning.filename for warning in caught] == [__file__] * 2


def test_what_is_found_out_early():
    for groups in (0, 3):
        with pytest.raises(nn.ModelError, match=f"GroupNorm expected groups that divide 4 channels, got {groups}"):
            nn.GroupNorm(groups, 4)
    with pytest.raises(nn.ModelError, match="got 'flaot32', did you mean 'float32'"):
        nn.Parameter([2], "flaot32")
