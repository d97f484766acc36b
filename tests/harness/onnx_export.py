"""Exported models of ONNX: checked by onnx, run by onnxruntime, by onnx's reference evaluator where that has no kernel.

The words of an outcome are `onnxruntime` and `reference` (it agrees, as run by that), `refused` and `wrong`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import onnx
from cases.qnn import QnnCase
from cases.qnn import module_of as quantized_module_of
from onnx import ModelProto, TensorProto, helper
from onnx.reference import ReferenceEvaluator
from xdsl.dialects.builtin import ModuleOp, i64
from xdsl.ir import Attribute
from xdsl_relax.dialects.relax.attrs import ShapeType, element_type_of
from xdsl_relax.dialects.relax.function_signature import functions
from xdsl_relax.frontend.model.problems import UnsupportedProgramError
from xdsl_relax.frontend.onnx import to_onnx
from xdsl_relax.interpreter.engine import Interpreter
from xdsl_relax.interpreter.host.errors import ArgumentError
from xdsl_relax.interpreter.rule import InterpreterError

from harness.op_cases import Case, assert_close, module_of
from harness.outcomes import Outcome
from harness.symbolic_cases import sized_inputs

Array = np.ndarray[Any, Any]
Compare = Callable[[Array, Any, Attribute], None]

EVALUATORS_ROUND = {"erf-f64", "gelu-f64"}
"""Cases whose models are right, while the evaluators of ONNX compute `Erf` of f64 in f32."""
LEAST_OPSET = {"relax.bitcast": 26}
"""The operator set from which on ONNX has an op, for those that the set of an export by default lacks."""
UNSAFE = ("conv2d-symbolic-kernel", "einsum-")
"""How names of cases begin that are not run with sizes of 0: onnxruntime does not come back from a convolution with an empty kernel, and
ends the process for an empty operand of `Einsum`."""


def without_bf16(model: ModelProto) -> ModelProto:
    """Returns a model whose inputs and outputs of bf16 are of f32: arrays of onnxruntime have no bf16."""
    result = ModelProto()
    result.CopyFrom(model)
    first, last = [], []
    for info in result.graph.input:
        if info.type.tensor_type.elem_type == TensorProto.BFLOAT16:
            outer = f"{info.name}.f32"
            first.append(helper.make_node("Cast", [outer], [info.name], to=TensorProto.BFLOAT16))
            info.name, info.type.tensor_type.elem_type = outer, TensorProto.FLOAT
    for info in result.graph.output:
        if info.type.tensor_type.elem_type == TensorProto.BFLOAT16:
            outer = f"{info.name}.f32"
            last.append(helper.make_node("Cast", [info.name], [outer], to=TensorProto.FLOAT))
            info.name, info.type.tensor_type.elem_type = outer, TensorProto.FLOAT
    nodes = [*first, *result.graph.node, *last]
    del result.graph.node[:]
    result.graph.node.extend(nodes)
    return result


def fed(value: Any) -> Array:
    """Returns an argument as onnxruntime takes it."""
    array = np.array(value, np.int64) if isinstance(value, tuple) else np.asarray(value)
    return array.astype(np.float32) if array.dtype.name == "bfloat16" else array


def run_onnxruntime(model: ModelProto, arguments: Sequence[Any]) -> list[Array]:
    """Returns what onnxruntime computes for inputs in order."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(without_bf16(model).SerializeToString(), options)
    names = [item.name for item in session.get_inputs()]
    return arrays(session.run(None, {name: fed(value) for name, value in zip(names, arguments, strict=True)}))


def arrays(results: Any) -> list[Array]:
    """Returns the results of a model, all of which are tensors."""
    return [np.asarray(result) for result in results]


def run_reference(model: ModelProto, arguments: Sequence[Any]) -> list[Array]:
    """Returns what onnx's reference evaluator computes for inputs in order."""
    names = [item.name for item in model.graph.input]
    given = {
        name: np.array(value, np.int64) if isinstance(value, tuple) else np.asarray(value)
        for name, value in zip(names, arguments, strict=True)
    }
    with np.errstate(all="ignore"):
        return arrays(ReferenceEvaluator(model).run(None, given))


def checked_run(model: ModelProto, arguments: Sequence[Any]) -> tuple[str, list[Array]]:
    """Checks a model and runs it; returns by what, and the results."""
    onnx.checker.check_model(model, full_check=True)
    try:
        return "onnxruntime", run_onnxruntime(model, arguments)
    except Exception as error:
        if "NOT_IMPLEMENTED" not in str(error):
            raise
    return "reference", run_reference(model, arguments)


def flat(values: Sequence[Any]) -> list[Any]:
    """Returns results with the fields of tuples in their place; a shape is an array."""
    result = []
    for value in values:
        if isinstance(value, tuple) and not all(isinstance(item, int) for item in value):
            result += flat(value)
        else:
            result.append(np.array(value, np.int64) if isinstance(value, tuple) else np.asarray(value))
    return result


def check_function(module: ModuleOp, name: str, inputs: Sequence[Any], compare: Compare, opset: int = 21) -> Outcome:
    """Exports a function, runs the model, and compares with the interpreter: `compare(result, expected, type)` raises where they differ."""
    try:
        model = to_onnx(module, entry=name, opset=opset)
    except UnsupportedProgramError as error:
        return Outcome("refused", "; ".join(f"{problem.what}: {problem.reason}" for problem in error.problems))
    return check_model(model, module, name, inputs, compare)


def check_model(model: ModelProto, module: ModuleOp, name: str, inputs: Sequence[Any], compare: Compare) -> Outcome:
    """Runs the model of a function, and compares with the interpreter."""
    try:
        expected = Interpreter(module).call(name, *inputs)
        word, results = checked_run(model, inputs)
        (types,) = (f.function_type.outputs.data for f in functions(module) if f.sym_name.data == name)
        for result, wanted, result_type in zip(results, flat(expected), types, strict=True):
            compare(result, wanted, result_type)
    except Exception as error:
        return Outcome("wrong", f"{type(error).__name__}: {' '.join(str(error).split())[:400]}")
    return Outcome(word)


def comparison(case: Case) -> Compare:
    """Returns how results of a case are compared."""

    def compare(result: Array, wanted: Any, result_type: Attribute) -> None:
        wide = np.asarray(wanted, np.int64 if wanted.dtype.kind in "iub" else np.float64)
        element = i64 if isinstance(result_type, ShapeType) else element_type_of(result_type)
        assert_close(result, wide, element, case.tolerance, case.native_error)

    return compare


def check_case(case: Case, opset: int = 21) -> Outcome:
    """Exports a case, runs the model, and compares with the interpreter."""
    opset = max(opset, LEAST_OPSET.get(case.op.name, 0))
    return check_function(module_of([case]), "case_0", case.inputs(), comparison(case), opset)


def check_sizes(case: Case) -> list[str]:
    """Exports a case, runs the model with sizes of 0, 1 and 2 that the interpreter accepts; returns what is wrong."""
    module = module_of([case])
    try:
        model = to_onnx(module, entry="case_0", opset=LEAST_OPSET.get(case.op.name, 21))
    except UnsupportedProgramError:
        return []
    interpreter, wrong = Interpreter(module), list[str]()
    for sizes, inputs in sized_inputs(case):
        try:
            interpreter.call("case_0", *inputs)
        except (ArgumentError, InterpreterError):
            continue
        outcome = check_model(model, module, "case_0", inputs, comparison(case))
        if outcome.word == "wrong":
            wrong.append(f"{case.name} {sizes}: {outcome.detail}")
    return wrong


def check_quantized_case(case: QnnCase, opset: int = 21) -> Outcome:
    """Exports a quantized case, runs the model, and compares with the interpreter, bit by bit."""

    def compare(result: Array, wanted: Any, result_type: Attribute) -> None:
        np.testing.assert_array_equal(np.asarray(result, np.float64), np.asarray(wanted, np.float64))

    return check_function(quantized_module_of([case]), "case_0", case.inputs(), compare, opset)
