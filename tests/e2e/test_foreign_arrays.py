"""Arguments as people have them: numbers, nested lists, arrays of other libraries, by position and by name; results as what came in."""

from __future__ import annotations

import importlib.util
from importlib import import_module
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import xdsl_relax
from xdsl_relax.interpreter.engine import Interpreter
from xdsl_relax.interpreter.host.arrays import is_torch, lent, same_data, to_numpy, to_torch
from xdsl_relax.interpreter.host.errors import ArgumentError
from xdsl_relax.runtime.executable.leaf import address
from xdsl_relax.runtime.executable.native_function import NativeFunction

needs_torch = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="needs the extra torch")
needs_jax = pytest.mark.skipif(importlib.util.find_spec("jax") is None, reason="needs jax")

ADD = """
func.func @main(%x: tensor<?x2xf32, #relax.sym<n>>, %bias: tensor<2xf32> {relax.name = "fc.bias"}) -> tensor<?x2xf32, #relax.sym<n>>
    attributes {relax.num_input = 1 : i64} {
  %y = relax.add %x, %bias : (tensor<?x2xf32, #relax.sym<n>>, tensor<2xf32>) -> tensor<?x2xf32, #relax.sym<n>>
  return %y : tensor<?x2xf32, #relax.sym<n>>
}
"""
LIFTED = """
func.func @main(%x: tensor<?x3xf32, #relax.sym<n>>, %w: tensor<4x3xf32> {relax.name = "fc.weight"},
                %b: tensor<4xf32> {relax.name = "fc.bias"}) -> tensor<?x4xf32, #relax.sym<n>> attributes {relax.num_input = 1 : i64} {
  %t = relax.permute_dims %w : (tensor<4x3xf32>) -> tensor<3x4xf32>
  %y = relax.matmul %x, %t : (tensor<?x3xf32, #relax.sym<n>>, tensor<3x4xf32>) -> tensor<?x4xf32, #relax.sym<n>>
  %z = relax.add %y, %b : (tensor<?x4xf32, #relax.sym<n>>, tensor<4xf32>) -> tensor<?x4xf32, #relax.sym<n>>
  return %z : tensor<?x4xf32, #relax.sym<n>>
}
"""
NESTED = """
func.func @main(%p: tuple<tensor<2xf32>, tensor<2xi32>>, %scale: f32, %count: index)
    -> (tuple<tensor<2xf32>, tensor<2xi32>>, f32, index) {
  return %p, %scale, %count : tuple<tensor<2xf32>, tensor<2xi32>>, f32, index
}
"""
DOUBLED = """
func.func @main(%x: tensor<2x3xELEMENT>) -> tensor<2x3xELEMENT> {
  %y = relax.add %x, %x : (tensor<2x3xELEMENT>, tensor<2x3xELEMENT>) -> tensor<2x3xELEMENT>
  return %y : tensor<2x3xELEMENT>
}
"""
JOINED = """
func.func @main(%x: tensor<2x3xELEMENT>) -> tensor<4x3xELEMENT> {
  %y = relax.concat %x, %x {axis = 0 : i64} : (tensor<2x3xELEMENT>, tensor<2x3xELEMENT>) -> tensor<4x3xELEMENT>
  return %y : tensor<4x3xELEMENT>
}
"""
X, B = np.array([[1, 2], [3, 4], [5, 6]], np.float32), np.array([10, 20], np.float32)
SUM = X + B


class OfDLPack:
    """An array of a library that only speaks DLPack."""

    def __init__(self, array: np.ndarray, device: tuple[int, int] = (1, 0)):
        self.array, self.device_code = array, device
        self.reads = 0

    def __dlpack__(self, **options: Any) -> Any:
        """Returns the capsule of the array."""
        self.reads += 1
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        """Returns the type and number of the device."""
        return self.device_code


class OfArray:
    """An object that numpy can make an array of."""

    def __init__(self, array: np.ndarray):
        self.array = array

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """Returns the array."""
        return self.array


@pytest.fixture(scope="module")
def add() -> NativeFunction:
    return xdsl_relax.compile(ADD)["main"]


@pytest.fixture(scope="module")
def interpreted() -> Any:
    interpreter = Interpreter(xdsl_relax.load(ADD))
    return lambda *args, **named: interpreter.call("main", *args, **named)[0]


GIVEN = [
    X.tolist(),
    tuple(map(tuple, X.astype(int).tolist())),
    [list(row) for row in X],
    OfDLPack(X),
    OfArray(X),
    np.asfortranarray(X),
    X.view(np.memmap),
]


@pytest.mark.parametrize("given", GIVEN, ids=lambda given: type(given).__name__)
def test_what_stands_for_an_array_is_taken(given: Any, add: NativeFunction, interpreted: Any):
    for call in (add, interpreted):
        np.testing.assert_array_equal(call(given, [10, 20.0]), SUM)


def read_addresses(function: NativeFunction, monkeypatch: pytest.MonkeyPatch, *args: Any) -> set[int]:
    """Returns the addresses that native code is given by a call."""
    seen: set[int] = set()
    path = "xdsl_relax.runtime.executable.leaf.address"
    monkeypatch.setattr(path, lambda array: seen.add(start := address(array)) or start)
    function(*args)
    return seen


@pytest.mark.parametrize("wrap", [OfDLPack, OfArray, np.asarray])
def test_memory_is_read_where_it_is(wrap: Any, add: NativeFunction, monkeypatch: pytest.MonkeyPatch):
    given = wrap(X)
    assert {address(X), address(B)} <= read_addresses(add, monkeypatch, given, B)
    assert getattr(given, "reads", 1) == 1
    rows = np.repeat(X, 2, 0)[::2]
    assert address(rows) not in read_addresses(add, monkeypatch, rows, B)


@needs_torch
@pytest.mark.parametrize("name", ["float32", "bfloat16", "float16", "float64", "int8", "int64", "uint8", "bool"])
def test_tensors_of_torch_come_back_as_such(name: str, monkeypatch: pytest.MonkeyPatch):
    import torch

    element = {"float": "f", "bfloat": "bf", "int": "i", "uint": "ui", "bool": "i1"}[
        name.rstrip("0123456789")
    ] + name.lstrip("abfilntuo")
    tensor = f"tensor<?x{element}, #relax.sym<n>>"
    body = (
        f"%y = relax.concat %x, %x {{axis = 0 : i64}} : ({tensor}, {tensor}) -> tensor<?x{element}, #relax.sym<2 * n>>"
    )
    program = f"func.func @main(%x: {tensor}) -> tensor<?x{element}, #relax.sym<2 * n>> {{\n{body}\nreturn %y : tensor<?x{element}, #relax.sym<2 * n>>\n}}"
    function = xdsl_relax.compile(program)["main"]
    x = torch.tensor([0, 1, 1, 0, 1]).to(getattr(torch, name))
    result = function(x)
    assert type(result) is torch.Tensor and torch.equal(result, torch.cat((x, x)))
    assert x.data_ptr() in read_addresses(function, monkeypatch, x)
    assert isinstance(function(x, results="numpy"), np.ndarray)
    strided = torch.stack((x, x), 1)[:, 0]
    assert torch.equal(function(strided), torch.cat((x, x)))


@needs_torch
def test_tensors_that_are_more_than_memory(add: NativeFunction, interpreted: Any):
    import torch

    class Own(torch.Tensor):
        """A tensor of a class of the caller."""

    negated: Any = vars(torch)["_neg_view"]
    x, b = torch.from_numpy(X), torch.from_numpy(B)
    expected = torch.from_numpy(SUM)
    for given in (x.requires_grad_(), torch.nn.Parameter(x), x.detach().as_subclass(Own), negated(-x.detach())):
        result = add(given, b)
        assert isinstance(result, torch.Tensor) and not result.requires_grad and torch.equal(result, expected)
        np.testing.assert_array_equal(interpreted(given, b), SUM)
    for given, got in (
        (x.to("meta"), "one on meta, which holds no data"),
        (
            x.detach().to_sparse(),
            "a tensor of torch.float32 that numpy cannot read (Can't export tensors with layout other than torch.strided)",
        ),
    ):
        for call in (add, interpreted):
            with pytest.raises(ArgumentError) as error:
                call(given, b)
            assert str(error.value) == f"main: argument 'x': expected an array in this machine's memory, got {got}"
    with pytest.raises(ArgumentError, match=r"^main: argument 'fc.bias': expected element type float32, got float64$"):
        add(x, b.double())


@needs_torch
@pytest.mark.parametrize("calls", [1, 80])
def test_tensors_in_repeated_calls(calls: int):
    import torch

    function = xdsl_relax.compile(DOUBLED.replace("ELEMENT", "f32"))["main"]
    x = torch.arange(6.0).reshape(2, 3)
    kept = [(k, function(x + k)) for k in range(calls)]
    for k, result in kept:
        assert type(result) is torch.Tensor and torch.equal(result, 2 * (x + k))
    strided, trained = torch.arange(6.0).reshape(3, 2).T, x.clone().requires_grad_()
    for given in (strided, trained, trained * 1.0, torch.nn.Parameter(x), x[:, :3], torch.ones(1, 1).expand(2, 3)):
        result = function(given)
        assert not result.requires_grad and torch.equal(result, 2 * given)
    out = torch.zeros(2, 3)
    assert function(x, out=out) is out and torch.equal(out, 2 * x)
    assert function(x, out=x) is x and torch.equal(x, torch.arange(6.0).reshape(2, 3) * 2)
    array = np.zeros((2, 3), np.float32)
    assert function(x, out=array) is array and np.array_equal(array, (2 * x).numpy())
    for wrong, message in (
        (x.double(), "expected element type float32, got float64"),
        (x[0], "expected rank 2, got 1"),
        (x[:1], "expected 2, got 1"),
        (x.to("meta"), "one on meta, which holds no data"),
        (x.to_sparse(), "layout other than torch.strided"),
    ):
        with pytest.raises(ArgumentError, match=message):
            function(wrong)
    late: Any = vars(torch)["_neg_view"]
    for wrong, message in (
        (torch.zeros(2, 3, requires_grad=True), r"give its detach\(\)"),
        (late(torch.zeros(2, 3)), "negated or conjugated when it is read"),
        (torch.zeros(3, 2), r"expected shape \[2, 3\]"),
        (torch.zeros(3, 2).T, "expected a contiguous array"),
        (torch.zeros(2, 3, dtype=torch.int32), "expected element type float32, got int32"),
        (torch.zeros(2, 3).to_sparse(), "layout other than torch.strided"),
        (torch.zeros(2, 3, device="meta"), "one on meta"),
    ):
        with pytest.raises(ArgumentError, match=message):
            function(x, out=wrong)


@needs_torch
@pytest.mark.parametrize("calls", [1, 80])
def test_tensors_without_memory(calls: int):
    import torch

    function = xdsl_relax.compile(DOUBLED.replace("ELEMENT", "f32"))["main"]
    x = torch.ones(2, 3)
    for _ in range(calls):
        function(x)
    zeros: Any = vars(torch)["_efficientzerotensor"]
    freed = torch.ones(2, 3)
    freed.untyped_storage().resize_(0)
    for given in (zeros((2, 3)), freed):
        with pytest.raises(
            ArgumentError, match=r"argument 'x': .* a tensor of torch.float32 that .*\(it has no memory\)$"
        ):
            function(given)
        with pytest.raises(ArgumentError, match=r"out: .* a tensor of torch.float32 that .*\(it has no memory\)$"):
            function(x, out=given)
    with pytest.raises(ArgumentError, match="it has no memory"):
        torch.func.functionalize(function)(x)
    with pytest.raises(ArgumentError, match=r"argument 'x': .*doesn't have storage"):
        torch.func.vmap(function)(torch.ones(4, 2, 3))
    with pytest.raises(ArgumentError, match=r"out: .*doesn't have storage"):
        torch.func.vmap(lambda out: function(x, out=out))(torch.ones(4, 2, 3))
    with pytest.raises(ArgumentError, match=r"^main: out: .*layout other than torch.strided"):
        function(x, out=x.to_mkldnn())
    empty = xdsl_relax.compile(DOUBLED.replace("ELEMENT", "f32").replace("2x3", "0x3"))["main"]
    assert empty(torch.ones(0, 3)).shape == (0, 3)


@needs_torch
def test_a_tensor_for_two_results_is_refused():
    import torch

    pair = "tensor<2xf32>, tensor<2xf32>"
    function = xdsl_relax.compile(f"func.func @main(%x: tensor<2xf32>) -> ({pair}) {{\n  return %x, %x : {pair}\n}}")[
        "main"
    ]
    with pytest.raises(ArgumentError, match=r"^main: out: expected a tuple of 2, got Tensor$"):
        function(torch.ones(2), out=torch.ones(2))


@needs_torch
def test_tensors_stay_what_they_are():
    import torch

    function = xdsl_relax.compile(DOUBLED.replace("ELEMENT", "f32"))["main"]
    x = torch.ones(2, 3)
    result = function(x)
    # Arrays that are lent do not tie a tensor to its memory.
    x.resize_(40, 30)
    assert torch.equal(result, torch.full((2, 3), 2.0))


@needs_torch
def test_tensors_of_few_bits():
    import torch

    function = xdsl_relax.compile(JOINED.replace("ELEMENT", "bf16"))["main"]
    x = torch.tensor([[0.5, -2.0, 1.0], [0.0, float("nan"), 4.0]]).bfloat16()
    expected = torch.cat((x, x)).float().nan_to_num(9)
    for given in (x, x.clone().requires_grad_(), x.T.contiguous().T):
        result = function(given)
        assert result.dtype == torch.bfloat16 and torch.equal(result.float().nan_to_num(9), expected)
    eighths = [getattr(torch, f"float8_{kind}") for kind in ("e4m3fn", "e5m2")]
    for dtype in (torch.float32, torch.int16, torch.float16, *eighths):
        name = str(dtype).removeprefix("torch.")
        with pytest.raises(ArgumentError, match=f"expected element type bfloat16, got {name}"):
            function(x.to(dtype))
        arrays = lent([x.to(dtype)], ())
        assert arrays is not None and same_data(arrays[0], to_numpy(x.to(dtype)))
        assert to_torch(to_numpy(x.to(dtype))).dtype == dtype


@pytest.mark.parametrize("kind", ["float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e8m0fnu"])
def test_bits_of_8_bit_floats_are_passed_and_no_more(kind: str):
    function = xdsl_relax.compile(JOINED.replace("ELEMENT", "ui8"))["main"]
    values: list[Any] = [np.array([[1, 2, 4], [0.5, 8, 1]], getattr(ml_dtypes, kind))]
    if importlib.util.find_spec("torch") is not None:
        torch = import_module("torch")
        values.append(torch.tensor([[1.0, 2, 4], [0.5, 8, 1]]).to(getattr(torch, kind)))
    for x in values:
        with pytest.raises(ArgumentError, match=f"argument 'x': expected element type uint8, got {kind}"):
            function(x)
        result = function(x.view(import_module("torch").uint8 if is_torch(x) else np.uint8))
        np.testing.assert_array_equal(np.asarray(result), np.concatenate([values[0].view(np.uint8)] * 2))


@needs_torch
def test_tensors_inside_of_tuples_and_as_numbers():
    import torch

    program = xdsl_relax.load(NESTED)
    function = xdsl_relax.compile(program)["main"]
    pair = (torch.tensor([1.0, 2.0]), torch.tensor([3, 4], dtype=torch.int32))
    (first, second), scale, count = function(list(pair), torch.tensor(0.5, dtype=torch.bfloat16), torch.tensor(7))
    assert torch.equal(first, pair[0]) and torch.equal(second, pair[1]) and scale == np.float32(0.5) and count == 7
    (first, second), scale, count = Interpreter(program).call("main", pair, torch.tensor(0.5), 7)
    assert first.tolist() == [1, 2] and second.tolist() == [3, 4] and scale.dtype == np.float32 and count == 7
    (first, _), *_ = function(([1, 2], [3, 4]), 1, 2)
    assert isinstance(first, np.ndarray) and first.tolist() == [1, 2]


@needs_jax
def test_arrays_of_jax(add: NativeFunction, monkeypatch: pytest.MonkeyPatch):
    jax, jnp = import_module("jax"), import_module("jax.numpy")

    x, b = jnp.asarray(X), jnp.asarray(B)
    result = add(x, b)
    assert isinstance(result, jax.Array)
    np.testing.assert_array_equal(result, SUM)
    assert {x.unsafe_buffer_pointer(), b.unsafe_buffer_pointer()} <= read_addresses(add, monkeypatch, x, b)
    assert isinstance(add(X, B, results="jax"), jax.Array)
    with pytest.raises(
        ArgumentError, match=r"^main: out: expected an array that can be written to, got a read-only ArrayImpl$"
    ):
        add(x, b, out=jnp.asarray(SUM))
    bf16 = xdsl_relax.compile(ADD.replace("f32", "bf16"))["main"]
    result = bf16(x.astype(jnp.bfloat16), b.astype(jnp.bfloat16))
    assert isinstance(result, jax.Array) and result.dtype == jnp.bfloat16
    np.testing.assert_array_equal(np.asarray(result), SUM.astype(ml_dtypes.bfloat16))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("text", "expected an array, got a str"),
        (None, "expected an array, got None"),
        ({1: 2}, "expected an array, got a dict"),
        ([[1, 2], [3]], "expected numbers of type float32 in lists of equal lengths, got [[1, 2], [3]]"),
        ([["a", "b"]], "expected numbers of type float32 in lists of equal lengths, got [['a', 'b']]"),
        ([[1, 1e39]], "expected a number that float32 holds, got 1e+39"),
        ([1, 2], "expected rank 2, got 1"),
        (3, "expected rank 2, got 0"),
        (np.float64(3), "expected element type float32, got float64"),
        (OfArray(X.astype(np.float64)), "expected element type float32, got float64"),
        (OfDLPack(X, (2, 0)), "expected an array in this machine's memory, got one on a device of DLPack's type 2; copy it to the CPU"),
        (np.ma.masked_array(X, X > 3), "expected an array in this machine's memory, got a masked array"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)  # fmt: skip
def test_what_is_no_array_is_refused(given: Any, message: str, add: NativeFunction):
    with pytest.raises(ArgumentError) as error:
        add(given, B)
    assert str(error.value).startswith(f"main: argument 'x': {message}") and "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("element", "good", "bad"),
    [
        ("i8", [[-128, 127], [True]], [[128], [1.5], ["a"], [2**70]]),
        ("ui8", [[255], [0]], [[-1], [256]]),
        ("i1", [[True, False], [0, 1]], [[2], [0.0]]),
        ("i64", [[2**63 - 1], []], [[2**63], [1.0]]),
        ("f16", [[1, 2.5, float("inf"), float("nan")]], [[70000], [70000.0], [1j]]),
        ("bf16", [[1, 2.5, True]], [[1e39]]),
    ],
)
def test_numbers_get_the_element_type_that_holds_them(element: str, good: list[Any], bad: list[Any]):
    tensor = f"tensor<?x{element}, #relax.sym<n>>"
    program = xdsl_relax.load(f"func.func @main(%x: {tensor}) -> {tensor} {{\n  return %x : {tensor}\n}}")
    calls = xdsl_relax.compile(program)["main"].call, lambda x: Interpreter(program).call("main", x)
    for call in calls:
        for given in good:
            (result,) = call(given)
            np.testing.assert_array_equal(result.astype(np.float64), np.array(given, np.float64))
        for given in bad:
            with pytest.raises(
                ArgumentError, match=r"^main: argument 'x': expected number|^main: argument 'x': expected an? "
            ):
                call(given)


def test_arguments_by_name(add: NativeFunction, interpreted: Any):
    external: dict[str, Any] = {"fc.bias": B}
    for call in (add, interpreted):
        for result in (call(X, bias=B), call(bias=B, x=X), call(x=X, **external)):
            np.testing.assert_array_equal(result, SUM)


@pytest.mark.parametrize(
    ("args", "named", "message"),
    [
        ((X,), {"bia": B}, "main: no argument 'bia', did you mean 'bias'?"),
        ((X,), {"zzz": B}, "main: no argument 'zzz'; its arguments are x, bias"),
        ((X,), {"x": X}, "main: argument 'x' is given twice, by position and by name"),
        ((X,), {"bias": B, "fc.bias": B}, "main: argument 'bias' is given twice, by two names"),
        ((), {"x": X}, "main: argument 'bias' missing: expected x, bias"),
        ((X, B, B), {"x": X}, "main: expected 2 arguments (x, bias), got 4"),
    ],
)
def test_names_that_do_not_fit(args: Any, named: Any, message: str, add: NativeFunction, interpreted: Any):
    for call in (add, interpreted):
        with pytest.raises(ArgumentError) as error:
            call(*args, **named)
        assert str(error.value) == message


def test_an_argument_may_have_any_name():
    names = ("self", "name", "args", "params", "out", "h.0")
    arguments = ", ".join(f"%{name}: tensor<1xf32>" for name in names)
    sums = "".join(
        f"  %s{i + 1} = relax.add %{'self' if i == 0 else f's{i}'}, %{name} : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>\n"
        for i, name in enumerate(names[1:])
    )
    program = xdsl_relax.load(
        f"func.func @main({arguments}) -> tensor<1xf32> {{\n{sums}  return %s5 : tensor<1xf32>\n}}"
    )
    values = {name: [float(1 << index)] for index, name in enumerate(names)}
    assert Interpreter(program).call("main", **values)[0].tolist() == [63]
    function = xdsl_relax.compile(program)["main"]
    # `out` is an option of calls.
    last: dict[str, Any] = {"h.0": [0]}
    assert function(*values.values()).tolist() == [63]
    assert function(*list(values.values())[:5], **last).tolist() == [31]


def test_a_wrong_library_is_named(add: NativeFunction):
    with pytest.raises(
        ArgumentError, match=r"^results: expected 'numpy', 'torch' or 'jax', got 'numpi', did you mean 'numpy'?"
    ):
        add(X, B, results="numpi")  # pyright: ignore[reportArgumentType]


@needs_torch
def test_state_dicts_of_torch_are_parameters(monkeypatch: pytest.MonkeyPatch):
    import torch

    torch.manual_seed(0)
    model = torch.nn.Module()
    model.fc = torch.nn.Linear(3, 4)
    x = torch.randn(5, 3)
    expected = model.fc(x).detach()
    lifted = xdsl_relax.compile(LIFTED, lift=True)
    params = lifted.transform_params(model.state_dict())
    assert any(isinstance(value, np.ndarray) and address(value) == model.fc.bias.data_ptr() for value in params.values)
    for call in (
        lambda: lifted["main"](x, params),
        lambda: lifted["main"](params=params, x=x),
        lambda: lifted["main"](x, params=params),
    ):
        torch.testing.assert_close(call(), expected)
    plain = xdsl_relax.compile(LIFTED)["main"]
    torch.testing.assert_close(plain(x, model.state_dict()), expected)
    torch.testing.assert_close(plain(x=x, params=model.state_dict()), expected)
    wrong = {"fc.weight": model.fc.weight.double(), "fc.bias": model.fc.bias, "more": torch.ones(2), "step": 3}
    with pytest.raises(ArgumentError) as error:
        lifted.transform_params(wrong)
    assert str(error.value).splitlines() == [
        "parameter 'fc.weight': expected float32 [4, 3], got float64 [4, 3]",
        "surplus parameter 'more': torch.float32 [2] is not used by main_transform_params",
        "surplus parameter 'step': int is not used by main_transform_params",
    ]
    with pytest.raises(ArgumentError, match=r"got Module; give its state_dict\(\)$"):
        lifted.transform_params(model)  # pyright: ignore[reportArgumentType]
    with pytest.raises(
        ArgumentError,
        match=r"^main: expected transformed parameters, what main_transform_params returns: call transform_params, got OrderedDict$",
    ):
        lifted["main"](x, model.state_dict())
