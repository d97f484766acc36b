"""Op cases as programs of StableHLO: verified, run by XLA, and imported again; both results are held against the interpreter."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from cases.qnn import QnnCase
from cases.qnn import module_of as quantized_module_of
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Region
from xdsl.utils.exceptions import VerifyException
from xdsl_relax.dialects.relax.attrs import element_type_of
from xdsl_relax.dialects.relax.function_signature import argument_attributes
from xdsl_relax.dialects.relax.ops.core import ShapeOp
from xdsl_relax.dialects.relax.vocabulary.attributes import NAME
from xdsl_relax.frontend.model.problems import OriginalModelError, UnsupportedProgramError
from xdsl_relax.frontend.stablehlo import import_stablehlo, to_stablehlo
from xdsl_relax.frontend.stablehlo.load import read_module
from xdsl_relax.frontend.stablehlo.original import run_module
from xdsl_relax.interpreter.engine import Interpreter
from xdsl_relax.interpreter.host.errors import ArgumentError
from xdsl_relax.interpreter.rule import InterpreterError
from xdsl_relax.passes.analysis.call_graph import named_functions
from xdsl_relax.passes.analysis.symbol_map import symbols_in
from xdsl_relax.passes.cleanup.bind_symbolic_vars import bind_symbolic_vars

from harness.op_cases import Case, assert_close
from harness.outcomes import Outcome, one_line
from harness.symbolic_cases import sized_inputs

Array = np.ndarray[Any, Any]
Compare = Callable[[Array, Any, Attribute], None]

WORDS = ("pass", "reference", "refused", "no program", "wrong")
"""What may become of a case: `reference` agrees as the project's reference interpreter runs it, where XLA does not; `no program` has sizes that
the op takes as symbols alone."""


ZEROS_COUNT = "_transpose-infinities"
"""How names of cases end, but for a number, that differ: a convolution of StableHLO multiplies the zeros between the items of its data."""


def sized_module(case: Case) -> ModuleOp:
    """Returns a module with the function `@main` for a case, whose sizes are numbers; shapes are made in the function."""
    args = [
        dataclasses.replace(arg, dims=[case.sizes[dim] if isinstance(dim, str) else dim for dim in arg.dims])
        for arg in case.args
    ]
    block = Block(arg_types=[arg.type() for arg in args if not arg.shape_value])
    tensors = iter(block.args)
    operands: list[Any] = []
    for arg in args:
        if arg.shape_value:
            shape = ShapeOp.build(result_types=[arg.type()])
            block.add_op(shape)
            operands.append(shape.results[0])
        else:
            operands.append(next(tensors))
    op = case.op.build_from(*operands, **case.attrs)
    op.verify()
    block.add_ops([op, func.ReturnOp(*op.results)])
    types = ([arg.type for arg in block.args], [result.type for result in op.results])
    return ModuleOp([func.FuncOp("main", types, Region(block))])


def check_module(module: ModuleOp, inputs: Sequence[Any], compare: Compare) -> Outcome:
    """Exports `@main`, runs the program, imports and runs it again: `compare(result, expected, type)` raises where they differ."""
    try:
        program = to_stablehlo(module, entry="main")
    except UnsupportedProgramError as error:
        return Outcome("refused", "; ".join(f"{problem.what}: {problem.reason}" for problem in error.problems))
    except ir.MLIRError as error:
        return Outcome("wrong", f"not valid: {one_line(error)}")
    try:
        expected = Interpreter(module).call("main", *inputs)
    except (ArgumentError, InterpreterError) as error:
        return Outcome("no program", one_line(error))
    types = next(op for op in module.walk() if isinstance(op, func.FuncOp)).function_type.outputs.data
    word = "pass"
    try:
        _compare(run_module(read_module(program), inputs), expected, types, compare)
    except (AssertionError, OriginalModelError) as error:
        word = "reference"
        try:
            _compare(run_reference(read_module(program), inputs), expected, types, compare)
        except Exception:
            return Outcome("wrong", f"XLA: {one_line(error)}")
    try:
        model = import_stablehlo(program)
        entries = argument_attributes(named_functions(model.module)["main"])[len(inputs) :]
        weights = [model.params[str(NAME.of(entry))] for entry in entries]
        results = Interpreter(model.module).call("main", *inputs, *weights)
        _compare(results, expected, types, compare)
    except Exception as error:
        return Outcome("wrong", f"imported again: {one_line(error)}")
    return Outcome(word)


def run_reference(module: Any, arguments: Sequence[Any]) -> list[Array]:
    """Returns what the reference interpreter of the StableHLO project computes for `@main`, which settles disputes."""
    with module.context, ir.Location.unknown():
        (function,) = module.body.operations
        given: list[Any] = []
        for argument, kind in zip(arguments, function.type.inputs, strict=True):
            kind = ir.RankedTensorType(kind)
            array: Any = np.ascontiguousarray(argument)
            given.append(ir.DenseElementsAttr.get(array, type=kind.element_type, shape=list(kind.shape)))
        return [np.asarray(result) for result in stablehlo.eval_module(module, given)]


def _compare(results: Sequence[Any], expected: Sequence[Any], types: Sequence[Attribute], compare: Compare) -> None:
    for result, wanted, result_type in zip(results, expected, types, strict=True):
        result, wanted = np.asarray(result), np.asarray(wanted)
        assert result.dtype == wanted.dtype, f"expected {wanted.dtype}, got {result.dtype}"
        compare(result, wanted, result_type)


def check_case(case: Case) -> Outcome:
    """Exports a case with its own sizes."""

    def compare(result: Array, wanted: Array, result_type: Attribute) -> None:
        wide = wanted.astype(np.int64 if wanted.dtype.kind in "iub" else np.float64)
        assert_close(result, wide, element_type_of(result_type), case.tolerance, case.native_error)

    inputs = [value for arg, value in zip(case.args, case.inputs(), strict=True) if not arg.shape_value]
    try:
        module = sized_module(case)
    except VerifyException as error:
        return Outcome("no program", one_line(error))
    return check_module(module, inputs, compare)


def check_sizes(case: Case) -> list[str]:
    """Exports a case with sizes of 0, 1 and 2; returns what is wrong."""
    wrong = list[str]()
    for sizes, _ in sized_inputs(case):
        outcome = check_case(dataclasses.replace(case, sizes={**case.sizes, **sizes}))
        if outcome.word == "wrong":
            wrong.append(f"{case.name} {sizes}: {outcome.detail}")
    return wrong


def check_quantized_case(case: QnnCase) -> Outcome:
    """Exports a quantized case with its own sizes; results are equal, bit by bit."""

    def compare(result: Array, wanted: Array, result_type: Attribute) -> None:
        np.testing.assert_array_equal(result.astype(np.float64), wanted.astype(np.float64))

    module = quantized_module_of([case])
    function = next(op for op in module.walk() if isinstance(op, func.FuncOp))
    symbols = {name for arg in function.body.block.args for name in symbols_in(arg.type)}
    bind_symbolic_vars(function, {name: size for name, size in case.sizes.items() if name in symbols})
    function.properties["sym_name"] = type(function.sym_name)("main")
    return check_module(module, case.inputs(), compare)
