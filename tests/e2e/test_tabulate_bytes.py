"""Functions of 8-bit elements by tables: native code against the interpreter and the ops one by one, and lookups beside other ops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import xdsl_relax
from xdsl.dialects.builtin import ModuleOp
from xdsl_relax.builder import ModuleBuilder, sym, tensor
from xdsl_relax.interpreter.engine import Interpreter
from xdsl_relax.lowering.pipeline import Settings, pipelines
from xdsl_relax.runtime.compiler import available_passes, pipeline_of, relax_context
from xdsl_relax.targets.cpu import host_target
from xdsl_relax.targets.cpu.table import CPU_TARGETS

TARGETS = [
    pytest.param(
        name,
        marks=pytest.mark.skipif(not CPU_TARGETS[name].features <= host_target().features, reason="no such processor"),
    )
    for name in ("znver4", "x86-64-v4", "x86-64-v3", "x86-64")
]
"""With the instruction, and without it: AVX-512, AVX2, SSE2."""

DTYPES = {"i8": np.int8, "ui8": np.uint8}
SIZES = [0, 1, 63, 64, 65, 1000003]


def every(kind: str) -> np.ndarray[Any, Any]:
    """All elements of a type."""
    limits = np.iinfo(DTYPES[kind])
    return np.arange(limits.min, limits.max + 1).astype(DTYPES[kind])


def silu(f: Any, x: Any) -> Any:
    return f.multiply(x, f.sigmoid(x))


def decomposed_gelu(f: Any, x: Any) -> Any:
    half, root = np.float32(0.5), np.float32(np.sqrt(0.5))
    return f.multiply(f.multiply(x, f.add(f.erf(f.multiply(x, root)), np.float32(1))), half)


FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "gelu": lambda f, x: f.nn.gelu(x),
    "gelu of an exporter": decomposed_gelu,
    "silu": silu,
    "tanh": lambda f, x: f.tanh(x),
    # NaN for what is negative, and infinities.
    "log": lambda f, x: f.log(x),
    "sqrt of exp": lambda f, x: f.sqrt(f.exp(x)),
}


def chain(
    function: str,
    kinds: tuple[str, str] = ("ui8", "ui8"),
    zero_points: tuple[int, int] = (128, 3),
    scales: tuple[float, float] = (0.037, 0.013),
    dims: tuple[int | str, ...] = ("n",),
    parameters: bool = False,
) -> ModuleOp:
    """A function between two quantizations, whose scales may be parameters."""
    m = ModuleBuilder()
    with m.function("main") as f:
        q = f.input("q", tensor([sym(d) if isinstance(d, str) else d for d in dims], kinds[0]))
        if parameters:
            sx, sy = (f.param(name, tensor([], "f32")) for name in ("sx", "sy"))
        else:
            sx, sy = (f.constant(scale, "f32") for scale in scales)
        with f.dataflow() as g:
            x = g.dequantize(q, sx, g.constant(zero_points[0], kinds[0]))
            y = FUNCTIONS[function](g, x)
            r = g.output(g.quantize(y, sy, g.constant(zero_points[1], kinds[1]), out_dtype=kinds[1]))
        f.returns(r)
    return m.build()


def is_tabulated(module: ModuleOp, **settings: Any) -> bool:
    """Whether nothing is left of a chain but a lookup."""
    passes = pipelines(Settings(**settings))["optimize"]
    for item in pipeline_of(passes, available_passes()):
        item.apply(relax_context(), module)
    names = {op.name for op in module.walk()}
    return "relax.take" in names and "relax.dequantize" not in names


@pytest.mark.sweep
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("kinds", [("ui8", "ui8"), ("i8", "i8"), ("ui8", "i8"), ("i8", "ui8")], ids="-".join)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_all_elements(function: str, kinds: tuple[str, str], target: str):
    q = every(kinds[0])
    limits = [np.iinfo(DTYPES[kind]) for kind in kinds]
    for ends in (("min", "min"), ("max", "max")):
        zero_points = getattr(limits[0], ends[0]), getattr(limits[1], ends[1])
        for scales in ((0.037, 0.013), (1e-3, 1e-5), (3e38, 1e-38)):
            module = chain(function, kinds, zero_points, scales)
            assert is_tabulated(module.clone(), target=target)
            (expected,) = Interpreter(module).call("main", q)
            # The table is what the interpreter computes; functions of native code may be rounded differently.
            np.testing.assert_array_equal(xdsl_relax.compile(module, target=target)["main"](q), expected)
            plain = xdsl_relax.compile(module, target=target, opt_level=1)["main"](q)
            assert np.abs(plain.astype(int) - expected.astype(int)).max() <= 1


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("kind", DTYPES)
def test_sizes(kind: str, target: str):
    module = chain("silu", (kind, kind), (5, -7 if kind == "i8" else 9))
    main = xdsl_relax.compile(module, target=target)["main"]
    (table,) = Interpreter(module).call("main", every(kind))
    rng = np.random.default_rng(0)
    for size in SIZES:
        q = rng.choice(every(kind), 2 * size)
        np.testing.assert_array_equal(main(q[:size]), table[q[:size].astype(int) - int(every(kind)[0])])
        np.testing.assert_array_equal(main(q[::2]), table[q[::2].astype(int) - int(every(kind)[0])])


def test_threads():
    module = chain("gelu", dims=("n", 48, "m"))
    q = np.random.default_rng(0).integers(0, 256, (3, 48, 5003)).astype(np.uint8)
    for array in (q, q.transpose(2, 1, 0)):
        (expected,) = Interpreter(module).call("main", array)
        np.testing.assert_array_equal(xdsl_relax.compile(module, threads=2)["main"](array), expected)


@pytest.mark.parametrize("kind", DTYPES)
def test_scales_that_are_parameters(kind: str):
    module = chain("gelu", (kind, kind), (5, 9), parameters=True)
    assert not is_tabulated(module.clone())
    params = {"sx": np.array(0.037, np.float32), "sy": np.array(0.013, np.float32)}
    q = every(kind)
    lifted, plain = (xdsl_relax.compile(module, lift=True, opt_level=level) for level in (2, 1))
    results = [exe["main"](q, exe.transform_params(params)) for exe in (lifted, plain)]
    # Both are native code.
    np.testing.assert_array_equal(*results)
    (table,) = lifted.transform_params(params)
    assert table.shape == (256,) and table.dtype == DTYPES[kind]


def test_channels_are_left():
    m = ModuleBuilder()
    with m.function("main") as f:
        q = f.input("q", tensor(["n", 3], "i8"))
        zero = f.constant(0, "i8")
        x = f.dequantize(q, f.constant([0.1, 0.2, 0.3], "f32"), zero, axis=1)
        f.returns(f.quantize(f.nn.gelu(x), f.constant(0.05, "f32"), zero, out_dtype="i8"))
    module = m.build()
    assert not is_tabulated(module.clone())
    q = np.stack([every("i8")] * 3, 1)
    (expected,) = Interpreter(module).call("main", q)
    result = xdsl_relax.compile(module)["main"](q)
    assert np.abs(result.astype(int) - expected).max() <= 1


# Lookups beside other ops, and inside of other kernels.
PLACES: dict[str, Callable[[Any, Any, Any], Any]] = {
    "before floats": lambda f, t, q: f.exp(f.multiply(f.astype(f.take(t, q), dtype="f32"), np.float32(-0.01))),
    "after floats": lambda f, t, q: f.take(t, f.astype(f.sqrt(f.astype(q, dtype="f32")), dtype="ui8")),
    "twice": lambda f, t, q: f.take(t, f.take(t, q)),
    "of a transpose": lambda f, t, q: f.take(t, f.permute_dims(q)),
    "then transposed": lambda f, t, q: f.permute_dims(f.take(t, q)),
    "summed along rows": lambda f, t, q: f.sum(f.astype(f.take(t, q), dtype="i32"), axis=[1]),
    "summed along columns": lambda f, t, q: f.sum(f.astype(f.take(t, q), dtype="i32"), axis=[0]),
    "softmax": lambda f, t, q: f.nn.softmax(f.astype(f.take(t, q), dtype="f32")),
    "strided": lambda f, t, q: f.take(t, f.strided_slice(q, axes=[1], begin=[1], end=[60], strides=[2])),
    "joined": lambda f, t, q: f.concat(f.take(t, q), q, axis=1),
    "of one for all": lambda f, t, q: f.add(f.take(t, f.strided_slice(q, axes=[1], begin=[2], end=[3])), q),
    "of two tables": lambda f, t, q: f.subtract(f.take(t, q), f.take(f.flip(t, axis=0), q)),
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("place", PLACES)
def test_places(place: str, target: str):
    m = ModuleBuilder()
    with m.function("main") as f:
        t, q = f.input("t", tensor([256], "ui8")), f.input("q", tensor(["n", 67], "ui8"))
        f.returns(PLACES[place](f, t, q))
    module = m.build()
    rng = np.random.default_rng(0)
    main = xdsl_relax.compile(module, target=target)["main"]
    for rows in (3, 70):
        arrays = rng.permutation(256).astype(np.uint8), rng.integers(0, 256, (rows, 67)).astype(np.uint8)
        (expected,) = Interpreter(module).call("main", *arrays)
        np.testing.assert_allclose(main(*arrays), expected, rtol=2e-6)


def test_wider_places():
    """An index of 16 bits into as many elements, and bytes into fewer."""
    for kind, count in (("i16", 1 << 16), ("ui8", 255), ("i8", 255), ("i8", 257)):
        m = ModuleBuilder()
        with m.function("main") as f:
            t, q = f.input("t", tensor([count], "ui8")), f.input("q", tensor(["n"], kind))
            f.returns(f.take(t, q))
        module = m.build()
        dtype = np.dtype({"i16": "int16", "ui8": "uint8", "i8": "int8"}[kind])
        limits = np.iinfo(dtype)
        arrays = (np.arange(count) * 7).astype(np.uint8), np.arange(limits.min, limits.max + 1).astype(dtype)
        (expected,) = Interpreter(module).call("main", *arrays)
        np.testing.assert_array_equal(xdsl_relax.compile(module)["main"](*arrays), expected)
