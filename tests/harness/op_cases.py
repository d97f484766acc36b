"""Tables of op cases: one op on given operands, with an independent oracle in float64.

A family's table is run through the interpreter (against the oracle) and through the native pipeline (against the interpreter).
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import IntegerType, ModuleOp, bf16, f16, f32, f64
from xdsl.ir import Attribute, Block, Region
from xdsl_relax.dialects.relax.attrs import ShapeType, element_type_of, tensor_type
from xdsl_relax.dialects.relax.dtypes import is_float, numpy_dtype
from xdsl_relax.dialects.symbolic.expressions import Symbol
from xdsl_relax.interpreter.engine import Interpreter

FLOATS = (f64, f32, f16, bf16)

Run = Callable[..., Sequence[Any]]
"""`run(function, *args)` returns the results of a function."""

# Relative error of one rounding to the element type, plus what f32 intermediates lose.
TOLERANCE = {f64: 1e-11, f32: 2e-5, f16: 1.2e-3, bf16: 9e-3}


@dataclass(frozen=True)
class Arg:
    """An operand: its dims (names are symbols), element type, and values (default: normal, or small integers)."""

    dims: Sequence[int | str]
    element: Attribute = f32
    values: Callable[[np.random.Generator, tuple[int, ...]], Any] | None = None
    shape_value: bool = False

    def type(self) -> Attribute:
        dims = tuple(Symbol(dim) if isinstance(dim, str) else dim for dim in self.dims)
        return ShapeType(dims) if self.shape_value else tensor_type(dims, self.element)

    def make(self, rng: np.random.Generator, sizes: Mapping[str, int]) -> Any:
        shape = tuple(sizes[dim] if isinstance(dim, str) else dim for dim in self.dims)
        if self.shape_value:
            return shape
        dtype = numpy_dtype(self.element)
        if self.values is not None:
            return np.asarray(self.values(rng, shape)).astype(dtype)
        if is_float(self.element):
            return rng.standard_normal(shape).astype(dtype)
        low = -4 if np.issubdtype(dtype, np.signedinteger) else 0
        return rng.integers(low, 5, shape).astype(dtype)


@dataclass(frozen=True)
class Case:
    """An op with attributes on operands; `oracle` maps float64 (integers: int64) arrays to the expected results.

    `tolerance` replaces the relative error allowed; `native_error` is an absolute one that compiled code may add.
    """

    name: str
    op: type[Any]
    args: Sequence[Arg]
    oracle: Callable[..., Any]
    attrs: Mapping[str, Any] = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)
    tolerance: float | None = None
    native_error: float = 0.0

    def inputs(self) -> list[Any]:
        rng = np.random.default_rng(zlib.crc32(self.name.encode()))
        return [arg.make(rng, self.sizes) for arg in self.args]

    def expected(self, inputs: Sequence[Any]) -> list[np.ndarray]:
        wide = [value if isinstance(value, tuple) else _widest(value) for value in inputs]
        with np.errstate(all="ignore"):
            results = self.oracle(*wide)
        return [np.asarray(result) for result in (results if isinstance(results, tuple | list) else (results,))]


def _widest(value: np.ndarray) -> np.ndarray:
    return value.astype(np.int64 if value.dtype.kind in "iub" else np.float64)


def module_of(cases: Sequence[Case]) -> ModuleOp:
    """Returns a module with the function `@case_<i>` for each case; its result types are inferred."""
    functions = []
    for index, case in enumerate(cases):
        block = Block(arg_types=[arg.type() for arg in case.args])
        op = case.op.build_from(*block.args, **case.attrs)
        op.verify()
        block.add_ops([op, func.ReturnOp(*op.results)])
        types = ([arg.type for arg in block.args], [result.type for result in op.results])
        functions.append(func.FuncOp(f"case_{index}", types, Region(block)))
    return ModuleOp(functions)


def assert_close(
    result: Any, expected: Any, element: Attribute, tolerance: float | None = None, absolute: float = 0.0
) -> None:
    """Compares a result with what it should be; integers exactly, NaN and infinities in the same places."""
    assert tuple(np.shape(result)) == tuple(np.shape(expected))
    if isinstance(element, IntegerType):
        np.testing.assert_array_equal(_widest(np.asarray(result)), expected)
        return
    rtol = TOLERANCE[element] if tolerance is None else tolerance
    floor = 1e-13 if element == f64 else 1e-6
    wide = np.asarray(expected, np.float64)
    if element == f16:
        wide = np.where(np.abs(wide) > 65519, np.copysign(np.inf, wide), wide)
    scale = np.max(np.abs(wide[np.isfinite(wide)]), initial=1.0)
    np.testing.assert_allclose(np.asarray(result).astype(np.float64), wide, rtol=rtol, atol=floor * scale + absolute)


def check_interpreter(case: Case) -> None:
    """Holds the interpreter against the oracle."""
    inputs = case.inputs()
    module = module_of([case])
    results = Interpreter(module).call("case_0", *inputs)
    expected = case.expected(inputs)
    types = _result_types(module)[0]
    assert len(results) == len(expected)
    for result, wide, result_type in zip(results, expected, types, strict=True):
        element = element_type_of(result_type)
        assert np.asarray(result).dtype == numpy_dtype(element)
        assert_close(result, wide, element, case.tolerance)


def check_compiled(cases: Sequence[Case], compile_module: Callable[[ModuleOp], Run]) -> None:
    """Holds compiled code against the interpreter: `compile_module(module)` returns what runs the functions."""
    module = module_of(cases)
    check_run(cases, module, compile_module(module))


def check_run(cases: Sequence[Case], module: ModuleOp, run: Run) -> None:
    """Holds the functions of the cases' module, as `run` computes them, against the interpreter."""
    interpreter = Interpreter(module)
    failures = []
    for index, (case, types) in enumerate(zip(cases, _result_types(module), strict=True)):
        inputs = case.inputs()
        expected = interpreter.call(f"case_{index}", *inputs)
        for result, wide, result_type in zip(run(f"case_{index}", *inputs), expected, types, strict=True):
            element = element_type_of(result_type)
            try:
                assert_close(result, _widest(np.asarray(wide)), element, case.tolerance, case.native_error)
            except AssertionError as error:
                failures.append(f"{case.name}: {error}")
    assert not failures, "\n".join(failures)


def _result_types(module: ModuleOp) -> list[Sequence[Attribute]]:
    return [op.function_type.outputs.data for op in module.body.block.ops if isinstance(op, func.FuncOp)]
