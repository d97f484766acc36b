"""Passes change no result of the programs of their own FileCheck tests: the interpreter before and after.

The random modules of `test_graph_passes` and `test_parameter_passes` seldom have the forms that these programs are about.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.parser import Parser
from xdsl.passes import ModulePass
from xdsl_relax.dialects.relax.attrs import dims_of
from xdsl_relax.dialects.relax.dtypes import numpy_dtype
from xdsl_relax.dialects.relax.function_signature import functions, is_private, transforms
from xdsl_relax.dialects.relax.ops.core import CallDPSPackedOp, CallPackedOp
from xdsl_relax.dialects.relax.program import verify_program
from xdsl_relax.dialects.relax.vocabulary.attributes import PARAMS_INDEX
from xdsl_relax.dialects.symbolic.expressions import Symbol
from xdsl_relax.interpreter.engine import Interpreter
from xdsl_relax.passes import PASSES
from xdsl_relax.passes.lifting.lift_transform_params import LiftTransformParamsPass
from xdsl_relax.runtime.compiler import relax_context

PROGRAMS = Path(__file__).parents[1] / "filecheck" / "passes"

RUNS: dict[str, tuple[str, dict[str, Any], int]] = {
    "adjust_matmul_order": ("relax-adjust-matmul-order", {}, 12),
    "adjust_matmul_order{constants}": ("relax-adjust-matmul-order", {"weights": "constants"}, 12),
    "canonicalize_bindings": ("relax-canonicalize-bindings", {}, 6),
    "eliminate_common_subexpr": ("relax-eliminate-common-subexpr", {}, 6),
    "eliminate_common_subexpr{calls}": ("relax-eliminate-common-subexpr", {"call_only": True}, 6),
    "fold_constant": ("relax-fold-constant", {}, 6),
    "fuse_ops": ("relax-fuse-ops", {}, 6),
    "fuse_ops_groups": ("relax-fuse-ops", {}, 6),
    "merge_composite_functions_tuples": ("relax-merge-composite-functions", {}, 3),
    "remove_unused_outputs": ("relax-remove-unused-outputs", {}, 6),
}
"""The file of the programs, the pass with its options, and how many programs at least are run."""


def arguments(function: func.FuncOp, rng: np.random.Generator) -> list[np.ndarray] | None:
    """Returns random tensors for the arguments of a function; `None` where it takes something else, or calls what is not here."""
    made: list[np.ndarray] = []
    for value_type in function.function_type.inputs:
        dims = dims_of(value_type) if isinstance(value_type, TensorType) else None
        if dims is None or not all(dim is None or isinstance(dim, int | Symbol) for dim in dims):
            return None
        shape = [dim if isinstance(dim, int) else 4 for dim in dims]
        assert isinstance(value_type, TensorType)
        made.append(rng.integers(-3, 4, shape).astype(numpy_dtype(value_type.element_type)))
    return None if any(isinstance(op, CallPackedOp | CallDPSPackedOp) for op in function.walk()) else made


def leaves(values: Any) -> list[np.ndarray]:
    """Returns the tensors of results, those in tuples too."""
    if isinstance(values, tuple | list):
        return [leaf for value in values for leaf in leaves(value)]
    return [np.asarray(values)]


@pytest.mark.parametrize("run", RUNS)
def test_results_are_equal(run: str):
    file = run.partition("{")[0]
    name, options, least = RUNS[run]
    text = (PROGRAMS / f"{file}.mlir").read_text()
    before = Parser(relax_context(), text, file).parse_module()
    after = before.clone()
    apply(PASSES[name]()(**options), after)
    ran = 0
    rng = np.random.default_rng(0)
    kept = {function.sym_name.data for function in functions(after)}
    for function in functions(before):
        made = arguments(function, rng)
        if is_private(function) or made is None or function.sym_name.data not in kept:
            continue
        expected = leaves(Interpreter(before).call(function.sym_name.data, *made))
        actual = leaves(Interpreter(after).call(function.sym_name.data, *made))
        assert [value.shape for value in actual] == [value.shape for value in expected], function.sym_name.data
        for got, wanted in zip(actual, expected, strict=True):
            np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-4, err_msg=function.sym_name.data)
        ran += 1
    assert ran >= least, f"{ran} programs were run"


def apply(step: ModulePass, module: ModuleOp) -> None:
    """Runs a pass and checks what it leaves."""
    step.apply(relax_context(), module)
    verify_program(module)


def test_casts_that_define_sizes_are_lifted():
    text = (PROGRAMS / "lift_transform_params_casts.mlir").read_text()
    before = Parser(relax_context(), text).parse_module()
    after = before.clone()
    apply(LiftTransformParamsPass(shared=True, private=True), after)
    rng = np.random.default_rng(0)
    x, w = (rng.standard_normal(5).astype(np.float32) for _ in range(2))
    (transform,) = transforms(after)
    made = Interpreter(after).call(transform.sym_name.data, w)
    for function in functions(before):
        name = function.sym_name.data
        lifted = Interpreter(after).functions[name]
        index = PARAMS_INDEX.of(lifted)
        passed = made if index is None else [made[place] for place in index]
        for got, wanted in zip(
            Interpreter(after).call(name, x, *passed), Interpreter(before).call(name, x, w), strict=True
        ):
            np.testing.assert_array_equal(got, wanted, err_msg=name)
