"""Native code that calls Python: packed functions, closures, objects, and who owns which array for how long."""

from __future__ import annotations

import gc
import os
import weakref
from typing import Any

import numpy as np
import pytest
import xdsl_relax
from generators.lift_modules import flattened, random_arguments, random_module, size_of
from xdsl.context import Context
from xdsl.utils.exceptions import PassFailedException
from xdsl_relax.dialects.relax.function_signature import functions
from xdsl_relax.dialects.relax.type_dims import used_symbols
from xdsl_relax.dialects.relax.vocabulary.attributes import NUM_INPUT
from xdsl_relax.interpreter.engine import Interpreter
from xdsl_relax.interpreter.host.errors import ArgumentError
from xdsl_relax.interpreter.host.packed_functions import register_packed
from xdsl_relax.passes.cleanup.bind_symbolic_vars import bind_symbolic_vars
from xdsl_relax.passes.lifting.lazy_get_input import LazyGetInputPass
from xdsl_relax.passes.lifting.lazy_set_output import LazySetOutputPass
from xdsl_relax.runtime.executable.executable import Executable

MODULES = int(os.environ.get("RELAX_LAZY_MODULES", "4"))

LINEAR = """
func.func @main(%x: tensor<?x8xf32, #relax.sym<n>>, %w: tensor<4x8xf32> {relax.name = "fc.weight"}, %b: tensor<4xf32> {relax.name = "fc.bias"})
    -> tensor<?x4xf32, #relax.sym<n>> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %t = relax.permute_dims %w : (tensor<4x8xf32>) -> tensor<8x4xf32>
    %y = relax.matmul %x, %t : (tensor<?x8xf32, #relax.sym<n>>, tensor<8x4xf32>) -> tensor<?x4xf32, #relax.sym<n>>
    %z = relax.add %y, %b : (tensor<?x4xf32, #relax.sym<n>>, tensor<4xf32>) -> tensor<?x4xf32, #relax.sym<n>>
    relax.output %z : tensor<?x4xf32, #relax.sym<n>>
  } : tensor<?x4xf32, #relax.sym<n>>
  return %r : tensor<?x4xf32, #relax.sym<n>>
}
"""
LIFT = "relax-lift-transform-params"


def weights() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    return {"fc.weight": rng.standard_normal((4, 8), np.float32), "fc.bias": rng.standard_normal(4, np.float32)}


def test_parameters_are_loaded_and_results_handed_over_by_closures():
    exe = xdsl_relax.compile(LINEAR, passes=["relax-lazy-get-input", "relax-lazy-set-output"])
    x, given, loaded, stored = np.ones((3, 8), np.float32), weights(), list[tuple[int, str]](), dict[int, Any]()

    def get(index: int, label: str) -> np.ndarray:
        loaded.append((int(index), label))
        return given[label]

    assert exe["main"](x, get, lambda index, value: stored.__setitem__(int(index), value)) is None
    assert sorted(loaded) == [(0, "fc.weight"), (1, "fc.bias")]
    np.testing.assert_allclose(stored[0], x @ given["fc.weight"].T + given["fc.bias"], rtol=1e-5)


def test_each_call_has_its_own_closures():
    exe = xdsl_relax.compile(LINEAR, passes=["relax-lazy-get-input"])
    x, given = np.ones((2, 8), np.float32), weights()
    once = exe["main"](x, lambda _, label: given[label])
    # A closure may call native code itself.
    twice = exe["main"](
        x, lambda _, label: given[label] * (exe["main"](x, lambda _, name: given[name]) is not None) * 2
    )
    np.testing.assert_allclose(twice, once * 2, rtol=1e-5)


@pytest.mark.parametrize("bundle", ["", "{bundle=true consume=true}"])
def test_lazy_transform_streams_weights(bundle: str):
    exe = xdsl_relax.compile(LINEAR, passes=[LIFT + bundle, "relax-lazy-transform-params"])
    given, stored, alive = weights(), dict[int, Any](), list[weakref.ref[Any]]()

    def get(index: int) -> np.ndarray:
        gc.collect()
        assert not any(reference() is not None for reference in alive), "the weight before is released by now"
        array = list(given.values())[int(index)].copy()
        if index == 0:
            alive.append(weakref.ref(array))
        return array

    register_packed("get_item", get)
    register_packed("set_item", lambda index, value: stored.__setitem__(int(index), value))
    exe["main_transform_params"]()
    expected = xdsl_relax.compile(LINEAR, passes=[LIFT]).transform_params(given)
    assert len(stored) == 2
    for index, value in enumerate(expected.values):
        np.testing.assert_array_equal(stored[index], value)


def test_a_weight_that_stays_as_it_is_is_handed_over_itself():
    exe = xdsl_relax.compile(LINEAR, passes=[LIFT, "relax-lazy-transform-params"])
    given, stored = weights(), dict[int, Any]()
    register_packed("get_item", lambda index: list(given.values())[int(index)])
    register_packed("set_item", lambda index, value: stored.__setitem__(int(index), value))
    exe["main_transform_params"]()
    assert any(value is given["fc.bias"] for value in stored.values())


def test_arguments_may_be_kept():
    kept: list[np.ndarray] = []
    register_packed("test.keep", lambda x: kept.append(x))
    exe = xdsl_relax.compile("""
func.func @main(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %y = relax.add %x, %x : (tensor<1000xf32>, tensor<1000xf32>) -> tensor<1000xf32>
  relax.call_packed %y {callee = "test.keep"} : (tensor<1000xf32>) -> ()
  %z = relax.multiply %y, %y : (tensor<1000xf32>, tensor<1000xf32>) -> tensor<1000xf32>
  relax.call_packed %z {callee = "test.keep"} : (tensor<1000xf32>) -> ()
  %r = relax.add %z, %x : (tensor<1000xf32>, tensor<1000xf32>) -> tensor<1000xf32>
  return %r : tensor<1000xf32>
}
""")
    for value in (1, 3):
        exe["main"](np.full(1000, value, np.float32))
    assert [array[0] for array in kept] == [2, 4, 6, 36]


VIEW = """
func.func @main(%x: tensor<4xf32>) -> tensor<2x2xf32> {
  %y = relax.call_packed %x {callee = "test.ones"} : (tensor<4xf32>) -> tensor<4xf32>
  %s = relax.shape : () -> !relax.shape<[2, 2]>
  %z = relax.reshape %y, %s : (tensor<4xf32>, !relax.shape<[2, 2]>) -> tensor<2x2xf32>
  relax.vm.kill_object %y : (tensor<4xf32>) -> ()
  %a = relax.call_packed %x {callee = "test.collect"} : (tensor<4xf32>) -> tensor<4xf32>
  %b = relax.reshape %a, %s : (tensor<4xf32>, !relax.shape<[2, 2]>) -> tensor<2x2xf32>
  %r = relax.add %z, %b : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}
"""


@pytest.mark.parametrize("opt_level", [0, 2])
def test_a_view_of_a_result_keeps_it(opt_level: int):
    def collect(x: np.ndarray) -> np.ndarray:
        gc.collect()
        # What was freed would be used again for these.
        return sum((np.full(4, 7, np.float32) for _ in range(100)), x)

    register_packed("test.ones", np.ones_like)
    register_packed("test.collect", collect)
    exe = xdsl_relax.compile(VIEW, opt_level=opt_level)
    np.testing.assert_array_equal(exe["main"](np.zeros(4, np.float32)), np.full((2, 2), 701))


KINDS = """
func.func @main(%o: !relax.object, %x: tensor<?xi8, #relax.sym<n>>) -> (!relax.object, tensor<?xi8, #relax.sym<n>>, f32) {
  %f = relax.call_packed %x {callee = "test.mean"} : (tensor<?xi8, #relax.sym<n>>) -> f32
  %p = relax.call_packed %o, %f {callee = "test.append"} : (!relax.object, f32) -> !relax.object
  %a, %b = relax.call_packed %x {callee = "test.two"} : (tensor<?xi8, #relax.sym<n>>) -> (tensor<?xi8, #relax.sym<n>>, tensor<?xi8, #relax.sym<n>>)
  %c = relax.add %a, %b : (tensor<?xi8, #relax.sym<n>>, tensor<?xi8, #relax.sym<n>>) -> tensor<?xi8, #relax.sym<n>>
  return %p, %c, %f : !relax.object, tensor<?xi8, #relax.sym<n>>, f32
}
"""


@pytest.mark.parametrize("dtype", ["i8", "ui8", "bf16"])
def test_objects_scalars_and_several_results(dtype: str):
    import ml_dtypes

    numpy_type = {"i8": np.int8, "ui8": np.uint8, "bf16": ml_dtypes.bfloat16}[dtype]
    seen: list[np.dtype] = []
    register_packed("test.mean", lambda x: seen.append(x.dtype) or x.astype("f").mean())
    register_packed("test.append", lambda items, value: [*items, float(value)])
    register_packed("test.two", lambda x: (x, x + x))
    exe = xdsl_relax.compile(KINDS.replace("i8", dtype))
    x = np.array([100, 120, 8]).astype(numpy_type)
    items, total, mean = exe["main"](["first"], x)
    assert items == ["first", 76.0] and mean == np.float32(76) and seen == [np.dtype(numpy_type)]
    np.testing.assert_array_equal(total, x + (x + x))


IN_PLACE = """
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %y = relax.call_packed %x {callee = "test.double", inplace_indices = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32>
  %z = relax.add %y, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %a, %b = relax.call_packed %z, %y {callee = "test.double", literals = {"1" = "name"}, inplace_indices = array<i64: 0, 2>} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}
"""


@pytest.mark.parametrize("kind", ["native", "interpreter"])
def test_a_function_that_writes_in_place_leaves_what_the_caller_passed(kind: str):
    def double(*args: Any) -> Any:
        arrays = [arg for arg in args if isinstance(arg, np.ndarray)]
        assert [arg for arg in args if isinstance(arg, str)] == ["name"] * (len(arrays) - 1)
        for array in arrays:
            array *= 2
        return arrays[0] if len(arrays) == 1 else tuple(arrays)

    register_packed("test.double", double)
    x = np.arange(4, dtype=np.float32)
    before = x.copy()
    program = xdsl_relax.load(IN_PLACE)
    call = xdsl_relax.compile(program)["main"] if kind == "native" else lambda x: Interpreter(program).call("main", x)
    a, b = call(x)
    np.testing.assert_array_equal(a, 8 * before)
    np.testing.assert_array_equal(b, 4 * before)
    np.testing.assert_array_equal(x, before)


SHAPES = """
func.func @main(%x: tensor<?xf32, #relax.sym<n>>) -> tensor<1xf32> {
  %s = relax.shape : () -> !relax.shape<[n, 3]>
  %t = relax.tuple %x, %s : (tensor<?xf32, #relax.sym<n>>, !relax.shape<[n, 3]>) -> tuple<tensor<?xf32, #relax.sym<n>>, !relax.shape<[n, 3]>>
  %r = relax.call_packed %s, %t {callee = "test.shapes", literals = {"1" = "name"}} : (!relax.shape<[n, 3]>, tuple<tensor<?xf32, #relax.sym<n>>, !relax.shape<[n, 3]>>) -> tensor<1xf32>
  return %r : tensor<1xf32>
}
"""


@pytest.mark.parametrize("kind", ["native", "interpreter"])
def test_shapes_and_tuples_are_passed_as_tuples(kind: str):
    seen: list[Any] = []
    register_packed("test.shapes", lambda *args: seen.append(args) or np.zeros(1, np.float32))
    program = xdsl_relax.load(SHAPES)
    x = np.ones(2, np.float32)
    call = xdsl_relax.compile(program)["main"] if kind == "native" else lambda x: Interpreter(program).call("main", x)
    call(x)
    ((shape, name, (array, again)),) = seen
    assert shape == again == (2, 3) and name == "name"
    np.testing.assert_array_equal(array, x)


SIZES = """
func.func @main(%x: tensor<?xf32, #relax.sym<n>>, %k: !relax.shape<[k]>, %flag: i1, %f: f32) -> tensor<1xf32> {
  %s = relax.shape : () -> !relax.shape<[n + 1]>
  %three = arith.constant 3 : i64
  %t = relax.tuple %three, %s : (i64, !relax.shape<[n + 1]>) -> tuple<i64, !relax.shape<[n + 1]>>
  %r = relax.call_packed %k, %s, %three, %s, %flag, %f, %t {callee = "test.sizes", literals = {"1" = "name"}, sizes = array<i64: 0, 2>} : (!relax.shape<[k]>, !relax.shape<[n + 1]>, i64, !relax.shape<[n + 1]>, i1, f32, tuple<i64, !relax.shape<[n + 1]>>) -> tensor<1xf32>
  return %r : tensor<1xf32>
}
"""


@pytest.mark.parametrize("kind", ["native", "interpreter"])
def test_numbers_and_sizes_are_those_of_python(kind: str):
    seen: list[Any] = []
    register_packed("test.sizes", lambda *args: seen.append(args) or np.zeros(1, np.float32))
    program = xdsl_relax.load(SIZES)
    arguments = (np.ones(2, np.float32), (5,), True, np.float32(0.5))
    if kind == "native":
        xdsl_relax.compile(program)["main"](*arguments)
    else:
        Interpreter(program).call("main", *arguments)
    expected = (5, "name", 3, 3, (3,), True, 0.5, (3, (3,)))
    assert seen == [expected]
    assert list(map(type, seen[0])) == list(map(type, expected)) and type(seen[0][-1][0]) is int


def broken(*_: Any) -> Any:
    raise ArithmeticError("no such weight")


@pytest.fixture(scope="module")
def lazy() -> Executable:
    """Returns `LINEAR`, which asks a closure for its weights."""
    return xdsl_relax.compile(LINEAR, passes=["relax-lazy-get-input"])


@pytest.mark.parametrize(
    ("get", "error", "message"),
    [
        (broken, ArithmeticError, "no such weight"),
        (None, ArgumentError, "a closure is called: expected a function, got NoneType"),
        (lambda *_: 3, ArgumentError, "match_cast of an object: expected a float32 array, got int"),
        (lambda *_: np.ones((4, 8)), ArgumentError, "expected a float32 array, got float64 array"),
        (lambda *_: np.ones(3, np.float32), ValueError, r"returned shape \(3,\), the program expects \(4, 8\)"),
    ],
)
def test_what_a_closure_does_wrong_is_said_by_the_call(
    get: Any, error: type[Exception], message: str, lazy: Executable
):
    x, given = np.ones((2, 8), np.float32), weights()
    with pytest.raises(error, match=message):
        lazy["main"](x, get)
    assert lazy["main"](x, lambda _, label: given[label]).shape == (2, 4)


def test_an_object_of_a_size_that_nobody_knows_is_refused():
    program = """
func.func @main(%f: !relax.object) -> tensor<?xf32> {
  %o = relax.invoke_pure_closure %f : (!relax.object) -> !relax.object
  %x = relax.match_cast %o : (!relax.object) -> tensor<?xf32, #relax.sym<n>>
  %y = relax.match_cast %x : (tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}
"""
    with pytest.raises(PassFailedException, match="it must make an object a tensor of known sizes"):
        xdsl_relax.compile(program)


def test_lazy_random_modules_agree_with_the_interpreter():
    compared = 0
    for seed in range(MODULES):
        before = random_module(seed)
        after = before.clone()
        # Weights have sizes of their own.
        for function in functions(after):
            names = set[str]().union(*(used_symbols(argument.type) for argument in function.body.block.args))
            bind_symbolic_vars(function, {name: size_of(name) for name in sorted(names)})
        for item in (LazyGetInputPass(), LazySetOutputPass()):
            item.apply(Context(), after)
        try:
            exe = xdsl_relax.compile(after)
        except PassFailedException as error:
            assert "known sizes" in str(error) or "rank" in str(error), error
            continue
        oracle = Interpreter(before)
        for name in exe:
            count = NUM_INPUT.of(oracle.functions[name]) or 0
            arguments = random_arguments(oracle.functions[name], size_of, seed)
            params, stored = arguments[count:], dict[int, Any]()
            closures: list[Any] = [lambda index, _, params=params: params[int(index)]] if params else []
            exe[name](
                *arguments[:count], *closures, lambda index, value, stored=stored: stored.__setitem__(int(index), value)
            )
            expected = flattened(list(oracle.call(name, *arguments)))
            results = flattened([stored[index] for index in sorted(stored)])
            for result, wide in zip(results, expected, strict=True):
                np.testing.assert_allclose(result, wide, rtol=1e-4, atol=1e-5, err_msg=f"seed {seed}")
            compared += 1
    assert compared >= MODULES // 2
