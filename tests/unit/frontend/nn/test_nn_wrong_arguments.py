"""Wrong arguments of models: every function and module of `frontend.nn` answers with a `ModelError` of one line, or takes them."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from cases.frontend_nn import CASES
from harness.nn_cases import Case
from xdsl_relax.frontend import nn
from xdsl_relax.interpreter.engine import Interpreter

WRONG: dict[str, Callable[[], Any]] = {
    "nothing": lambda: None,
    "a text": lambda: "wrong",
    "another dtype": lambda: nn.Tensor.from_const(np.ones((2, 2), np.int8), "int8"),
    "truth": lambda: nn.Tensor.from_const(np.ones((2, 2), np.bool_)),
    "rank 0": lambda: nn.Tensor.from_const(np.float32(1)),
    "rank 7": lambda: nn.Tensor.from_const(np.ones((1, 2, 1, 2, 1, 2, 1), np.float32)),
    "a fraction": lambda: 0.5,
    "no number": lambda: float("nan"),
    "below 0": lambda: -3,
    "far too large": lambda: 10**30,
    "a list of nothing": lambda: [None],
    "an empty list": list,
    "a list of texts": lambda: ["wrong", 3],
    "a dict": lambda: {"wrong": 1},
    "an array": lambda: np.array(["wrong"]),
    "an object": object,
    "a symbolic size": lambda: nn.SymbolicVar("k"),
    "a function": lambda: lambda: None,
}
"""What no function expects in most places, by what it is."""

ONE_LINE = re.compile(r"[^\n]+:\d+:\d+: error: (\S.*)\Z")


class Swept:
    """A namespace whose functions and classes are called with wrong arguments first, each in place of a right one."""

    def __init__(self, namespace: Any, calls: list[str], path: str):
        self._namespace = namespace
        self._calls = calls
        self._path = path

    def __getattr__(self, name: str) -> Any:
        member = getattr(self._namespace, name)
        if name in ("op", "modules"):
            return Swept(member, self._calls, name)
        if self._path not in ("op", "modules") or not callable(member):
            return member

        def call(*arguments: Any, **named: Any) -> Any:
            self.sweep(member, name, arguments, named)
            made = member(*arguments, **named)
            return SweptModule(self, made, name) if isinstance(made, nn.Module) else made

        return call

    def sweep(self, function: Callable[..., Any], name: str, arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
        for label, wrong_arguments, wrong_named in _variants(arguments, named):
            self._calls.append(f"{name} with {label}")
            refused(lambda: function(*wrong_arguments, **wrong_named), self._calls[-1])


class SweptModule(nn.Module):
    """A module whose `forward` is called with wrong arguments first."""

    def __init__(self, sweep: Swept, module: nn.Module, name: str):
        self.module = module
        self._sweep, self._name = sweep, name

    def forward(self, *arguments: Any, **named: Any) -> Any:
        self._sweep.sweep(self.module, f"{self._name}.forward", arguments, named)
        return self.module(*arguments, **named)


def _variants(arguments: tuple[Any, ...], named: dict[str, Any]) -> Iterator[tuple[str, list[Any], dict[str, Any]]]:
    """Yields calls that differ from a right one in one place, with what is wrong about each."""
    for wrong, make in WRONG.items():
        for position in range(len(arguments)):
            yield f"{wrong} at {position}", [*arguments[:position], make(), *arguments[position + 1 :]], named
        for name in named:
            yield f"{wrong} as {name}", list(arguments), {**named, name: make()}
    yield "too many", [*arguments, *[None] * 20], named
    yield "an unknown name", list(arguments), {**named, "wrong": 1}
    if arguments:
        yield "too few", list(arguments[1:]), named


def refused(call: Callable[[], Any], label: str) -> str | None:
    """Returns the message of a call that is refused; `None` for one that is not. Any other exception than `ModelError` is a failure."""
    try:
        call()
    except nn.ModelError as error:
        matched = ONE_LINE.match(str(error))
        assert matched, f"{label}: {error}"
        assert __file__ in str(error) or "cases/frontend_nn" in str(error), f"{label}: {error}"
        return matched[1]
    except Exception as error:
        raise AssertionError(f"{label}: {type(error).__name__}: {error}") from error
    return None


def _is_first(case: Case, seen: set[str]) -> bool:
    stem = case.name.partition("-")[0]
    return stem not in seen and not seen.add(stem)


FIRST: set[str] = set()


@pytest.mark.parametrize("case", [case for case in CASES if _is_first(case, FIRST)], ids=lambda case: case.name)
def test_wrong_arguments_of(case: Case):
    calls: list[str] = []
    try:
        case.export(Swept(nn, calls, ""), "float32")
    except nn.ModelError as error:
        # A symbolic size that was taken is none of the arguments.
        assert "symbol k in the result" in str(error)
    # The operators of tensors are no functions of a namespace.
    assert calls or "nn.op." not in inspect.getsource(case.forward)


class Model(nn.Module):
    """A model with one linear layer, and data for it."""

    def __init__(self) -> None:
        self.layer = nn.Linear(4, 2)

    def forward(self, x: Any) -> Any:
        return self.layer(x)


class Returning(nn.Module):
    """A model whose method returns a value of Python."""

    def __init__(self, value: Any):
        self._value = lambda: value

    def forward(self, x: Any) -> Any:
        return self._value()


X = nn.spec.Tensor([2, 4], "float32")
ELEMENTS = "expected an element type (f64, f32, f16, bf16, i8, i16, i32, i64, ui8, ui16, ui32, ui64, i1, index)"
SPECIFICATION = (
    "expected spec.Tensor, int, spec.Int, spec.Object, or a tuple or list of them as the specification of 'x'"
)
RESULT = "expected a tensor, an object, or a tuple or list of them as the result of forward"

REFUSED = {
    "export(x=(1, 8))": f"{SPECIFICATION}, got (1, 8); a shape needs a dtype: spec.Tensor([1, 8], 'float32')",
    "export(x=['n', 8])": f"{SPECIFICATION}, got ['n', 8]; a shape needs a dtype: spec.Tensor(['n', 8], 'float32')",
    "export(x='x')": f"{SPECIFICATION}, got 'x'",
    "export(x=None)": f"{SPECIFICATION}, got None",
    "export(x=np.zeros(2))": f"{SPECIFICATION}, got array([0., 0.])",
    "export(x=(X, None))": f"{SPECIFICATION}, got (Tensor([2, 4], 'float32'), None)",
    "export(x=nn.spec.Tensor([2, 4], 'f33'))": f"specification of 'x': {ELEMENTS}, got 'f33', did you mean 'f32'?",
    "export(x=nn.spec.Tensor([2, 4], None))": f"specification of 'x': {ELEMENTS}, got None",
    "export(x=nn.spec.Tensor([True], 'float32'))": "specification of 'x': expected a size (an int, a name, or a symbolic variable), got True",
    "export(x=nn.spec.Object(3))": "spec.Object takes a class derived from nn.Object, got 3",
    "export(x=nn.spec.Object(int))": "specification of 'x': expected a class derived from nn.Object, got int",
    "export(x=nn.spec.Tuple('x', 3))": "spec.Tuple takes a list or tuple of specifications, got 3",
    "export()": "forward needs a specification of 'x'",
    "export(x=X, y=X)": "forward has no argument 'y'; it has x",
    "export(x=[])": "layer: Linear.forward takes a tensor as 'x', got []",
    "Model().export(None)": "expected a dict with a specification for each method, got None",
    "Model().export({'forwrd': {'x': X}})": "Model has no method 'forwrd', did you mean 'forward'?",
    "Model().export({'define_subroutine': {}})": "Model has no method 'define_subroutine'",
    "Model().export({'forward': {'x': X, '$': 3}})": "expected a dict in '$' of forward, got 3",
    "Model().export({'forward': {'x': X, '$': {'param_mode': ['x']}}})": "expected param_mode to be plain, packed or none, got ['x']",
    "Model().export({'forward': {'x': X, '$': {'donate': 3}}})": "expected donate to be a dict from arguments to numbers of results, got 3",
    "Model().export({'forward': {'x': X, '$': {'donate': {'x': 'a'}}}})": "expected donate to say which result takes 'x', got 'a'",
    "Model().export({'forward': {'x': X, '$': {'donate': {'x': 7}}}})": "@forward: relax.donate of argument 'x' must be in [0, 1), "
    "the number of results, got 7",
    "Returning(np.ones(3)).export({'forward': {'x': X}})": f"{RESULT}, got ndarray",
    "Returning({'a': 1}).export({'forward': {'x': X}})": f"{RESULT}, got dict",
    "Returning((None,)).export({'forward': {'x': X}})": f"{RESULT}, got NoneType",
    "nn.Parameter([2], 'f33')": f"a parameter: {ELEMENTS}, got 'f33', did you mean 'f32'?",
    "nn.Parameter([2], 3)": "Parameter takes a string or None as 'dtype', got 3",
    "nn.Parameter('ab')": "Parameter takes a list of strings or sizes as 'shape', got 'ab'",
    "nn.Parameter([-1])": "a parameter: expected a size from 0 to 2^63 - 1, got -1",
    "nn.Tensor.placeholder([2], None)": "Tensor.placeholder takes a string as 'dtype', got None",
    "nn.Tensor.from_const('abc')": f"a constant: {ELEMENTS}, got dtype('<U3')",
    "nn.Tensor.from_const(300, 'int8')": "a constant: i8 does not hold integers from 300 to 300",
    "nn.Tensor.from_scalar(1.5, 'int32')": "a constant: i32 does not hold 1.5",
    "nn.Tensor(3)": "Tensor takes a value as 'value', got 3",
    "nn.set_default_dtype('f33')": f"set_default_dtype: {ELEMENTS}, got 'f33', did you mean 'f32'?",
    "Model().to('f33')": f"to: {ELEMENTS}, got 'f33', did you mean 'f32'?",
    "Model().to(3)": "Model.to takes a string or None as 'dtype', got 3",
    "Model().load_safetensors(3)": "Model.load_safetensors takes a list of strings or paths as 'paths', got (3,)",
    "nn.KVCache(1, [2], 'f33')": f"KVCache: {ELEMENTS}, got 'f33', did you mean 'f32'?",
    "nn.KVCache(1, None)": "KVCache takes a list of integers as 'unit_shape', got None",
    "nn.ModuleList(3)": "ModuleList takes a list as 'items', got 3",
    "nn.ModuleList([3])": "expected nn.Module in ModuleList, got int",
    "nn.ExternModule({'f': 3})": "ExternModule takes a dict of functions as 'symbols', got {'f': 3}",
    "nn.ExternModule({})['a']": "the extern module has no function 'a'; it has none",
    "nn.SymbolicVar('é')": "expected the name of a symbol (ASCII letters, digits and '_'), got 'é'",
    "nn.GELU()()": "GELU.forward: missing a required argument: 'x'; it is called GELU.forward(x)",
    "Model()(1, 2)": "Model.forward: too many positional arguments; it is called Model.forward(x)",
    "n > 1": "whether n > 1 is not known before the program runs",
    "2 > n": "whether n < 2 is not known before the program runs",
    "n < 2.5": "expected a size or an integer to compare with n, got 2.5",
    "bool(n)": "whether n is 0 is not known before the program runs",
    "range(n)": "the size n is no number before the program runs",
    "n * 0.5": "expected a size or an integer to compute with n, got 0.5",
    "[0] * n": "expected a size or an integer to compute with n, got [0]",
    "n / 2": "the size n is divided by // or %, which give integers",
    "n // 0": "expected a positive divisor of n, got 0",
    "t + None": "expected a tensor or a number, got None",
    "t + 'a'": "expected a tensor or a number, got 'a'",
    "t[0]": "a tensor has no elements before the program runs; op.take, op.split and op.squeeze choose parts of it",
    "list(t)": "a tensor has no elements before the program runs; op.take, op.split and op.squeeze choose parts of it",
    "nn.op.add(1, 2)": "expected a tensor among the operands, got 1, 2",
    "nn.op.add(t, 1e39)": "a constant: f32 does not hold 1e+39",
    "nn.op.add(t, 'a')": "add takes a tensor or a number or an array as 'b', got 'a'",
    "nn.op.concat(t, 0)": 'concat takes a list of tensors as \'x\', got Tensor([2, 4], "float32")',
}  # fmt: skip


@pytest.mark.parametrize("call", REFUSED)
def test_a_wrong_call_is_refused_in_a_sentence(call: str):
    def export(**arguments: Any) -> Any:
        return Model().export({"forward": arguments})

    code = compile(f"\n\n{call}", "model.py", "exec")
    scope = {"t": nn.Tensor.placeholder([2, 4], "float32"), "n": nn.SymbolicVar("n"), "export": export}
    with pytest.raises(nn.ModelError) as error:
        exec(code, {**globals(), **scope})
    position, _, message = str(error.value).partition(": error: ")
    assert message == REFUSED[call]
    assert position.startswith(("model.py:3:", __file__))


def test_sizes_compare_where_all_values_agree():
    n: Any = nn.SymbolicVar("n")
    assert n >= 0 and n + 1 > 0 and not n < 0 and 2 * n <= 3 * n and bool(n + 1)
    assert (n + 3) - n == 3 and isinstance((n + 3) - n, int)
    assert str(-n) == "(-1) * n"


@pytest.mark.parametrize(
    ("compute", "expected"),
    [
        (lambda x: nn.op.add(x, 1.0), [2, -1]),
        (lambda x: nn.op.subtract(3, x), [2, 5]),
        (lambda x: nn.op.maximum(x, 0), [1, 0]),
        (lambda x: nn.op.where(nn.op.greater(x, 0), x, np.float64(-7)), [1, -7]),
        (lambda x: np.float32(2) * x, [2, -4]),
        (lambda x: np.array([2.0, 3.0]) - x, [1, 5]),
        (lambda x: nn.op.less(x, np.inf), [True, True]),
    ],
)
def test_numbers_and_arrays_beside_tensors(compute: Callable[[Any], Any], expected: list[Any]):
    class Computed(nn.Module):
        def forward(self, x: nn.Tensor) -> nn.Tensor:
            return compute(x)

    module, _ = Computed().export({"forward": {"x": nn.spec.Tensor([2], "float16")}})
    (result,) = Interpreter(module).call("forward", np.array([1, -2], np.float16))
    assert np.asarray(result).tolist() == expected
    assert np.asarray(result).dtype in (np.float16, np.bool_)


def test_a_module_inside_is_exported_by_its_name():
    module, _ = Model().export({"layer": {"x": X}})
    assert "func.func @layer(%x: tensor<2x4xf32>" in str(module)


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda: nn.Conv2D(4, 6, 0), r"expected kernel_size to be at least 1, got 0"),
        (lambda: nn.Conv2D(4, 6, (3, 0)), r"expected kernel_size to be at least 1, got \(3, 0\)"),
        (lambda: nn.Conv1D(4, 6, 3, stride=0), "expected stride to be at least 1, got 0"),
        (lambda: nn.Conv3D(4, 6, 3, dilation=0), "expected dilation to be at least 1, got 0"),
        (lambda: nn.ConvTranspose1D(4, 6, 3, stride=-1), "expected stride to be at least 1, got -1"),
    ],
)
def test_windows_that_do_not_exist(make: Callable[[], Any], expected: str):
    with pytest.raises(nn.ModelError, match=expected):
        make()


@pytest.mark.parametrize("approximate", ["tan", "TANH", True, 1])
def test_approximations_that_gelu_does_not_have(approximate: Any):
    x = nn.Tensor.placeholder([2], "float32")
    with pytest.raises(nn.ModelError, match=r"expected approximate to be 'tanh', 'none', False or None|takes"):
        nn.op.gelu(x, approximate)


@pytest.mark.parametrize("shape", [[3, 4], [4], [1, 2, 3]])
def test_rows_that_a_cache_does_not_hold(shape: list[int]):
    class Model(nn.Module):
        def __init__(self):
            self.cache = nn.KVCache(4, [3])

        def forward(self, x: nn.Tensor):
            self.cache.append(x)
            return x

    with pytest.raises(nn.ModelError, match=r"expected rows of shape \[3\] for the cache, got a tensor of shape"):
        Model().export({"forward": {"x": nn.spec.Tensor(shape, "float32")}})


def test_models_of_the_reference_say_gelu_without_tanh_by_a_boolean():
    x = nn.Tensor.placeholder([2], "float32")
    owners = [nn.op.gelu(x, approximate).value.owner for approximate in (None, False, "tanh")]
    assert [getattr(op, "name", "") for op in owners] == ["relax.nn.gelu", "relax.nn.gelu", "relax.nn.gelu_tanh"]


@pytest.mark.parametrize("name", ["__init__", "_initialize_effect"])
def test_methods_with_a_meaning_of_their_own_are_not_exported(name: str):
    class Model(nn.Module):
        def _initialize_effect(self, x: nn.Tensor) -> nn.Tensor:
            return x

    with pytest.raises(nn.ModelError, match=f"expected a method to export, got '{name}'"):
        Model().export({name: {"x": nn.spec.Tensor([2], "float32")}})
