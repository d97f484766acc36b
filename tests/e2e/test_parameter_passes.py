"""The passes around parameter lifting change no result: the interpreter on random modules, before and after."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest
from lift_modules import flattened, random_arguments, random_module, size_of
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl_relax.dialects.relax.program import verify_program
from xdsl_relax.passes.bundle_model_params import BundleModelParamsPass
from xdsl_relax.passes.canonicalize_bindings import CanonicalizeBindingsPass
from xdsl_relax.passes.computable_at_compile_time import ComputableAtCompileTimePass
from xdsl_relax.passes.convert_to_dataflow import ConvertToDataflowPass
from xdsl_relax.passes.dead_code_elimination import DeadCodeEliminationPass
from xdsl_relax.passes.eliminate_common_subexpr import EliminateCommonSubexprPass
from xdsl_relax.passes.expand_tuple_arguments import ExpandTupleArgumentsPass
from xdsl_relax.passes.function_signature import num_input
from xdsl_relax.passes.infer_shapes import InferShapesPass
from xdsl_relax.passes.lazy_get_input import LazyGetInputPass
from xdsl_relax.passes.lazy_set_output import LazySetOutputPass
from xdsl_relax.passes.lazy_transform_params import LazyTransformParamsPass
from xdsl_relax.passes.lift_transform_params import LiftTransformParamsPass
from xdsl_relax.passes.remove_unused_outputs import RemoveUnusedOutputsPass
from xdsl_relax.passes.remove_unused_parameters import RemoveUnusedParametersPass
from xdsl_relax.passes.topological_sort import TopologicalSortPass
from xdsl_relax.runtime.interpreter.engine import Interpreter
from xdsl_relax.runtime.packed import register_packed

MODULES = int(os.environ.get("RELAX_LIFT_MODULES", "400"))

PASSES: dict[str, tuple[ModulePass, ...]] = {
    "canonicalize": (CanonicalizeBindingsPass(),),
    "dead_code": (DeadCodeEliminationPass(),),
    "common_subexpr": (EliminateCommonSubexprPass(), DeadCodeEliminationPass()),
    "to_dataflow": (ConvertToDataflowPass(),),
    "sort_inputs": (TopologicalSortPass(),),
    "sort_inputs_breadth": (TopologicalSortPass(order="breadth-first"),),
    "sort_outputs": (TopologicalSortPass(direction="from-outputs"),),
    "sort_outputs_breadth": (TopologicalSortPass(order="breadth-first", direction="from-outputs"),),
    "tuples": (ExpandTupleArgumentsPass(), RemoveUnusedParametersPass(), RemoveUnusedOutputsPass()),
    "compile_time": (ComputableAtCompileTimePass(),),
    "infer": (InferShapesPass(),),
    "all": (
        EliminateCommonSubexprPass(),
        CanonicalizeBindingsPass(),
        DeadCodeEliminationPass(),
        ConvertToDataflowPass(),
        TopologicalSortPass(),
    ),
}


def modules_of(index: int, count: int) -> range:
    """The seeds of the index-th of `count` groups."""
    return range(index, MODULES, count)


def prepared(seed: int, passes: tuple[ModulePass, ...]) -> tuple[ModuleOp, ModuleOp]:
    before = random_module(seed)
    after = before.clone()
    for one in passes:
        one.apply(Context(), after)
        verify_program(after)
    return before, after


def names(module: ModuleOp) -> list[str]:
    return [name for name in ("f0", "f1", "f2") if name in Interpreter(module).functions]


def equal(found: Any, expected: Any, seed: int) -> None:
    mine, other = flattened(list(found)), flattened(list(expected))
    assert len(mine) == len(other)
    for one, two in zip(mine, other, strict=True):
        np.testing.assert_array_equal(np.asarray(one), np.asarray(two), err_msg=f"seed {seed}")


@pytest.mark.parametrize("name", PASSES)
def test_results_are_equal(name: str):
    for seed in modules_of(list(PASSES).index(name), len(PASSES)):
        check(seed, name)


def check(seed: int, name: str) -> None:
    before, after = prepared(seed, PASSES[name])
    for function in names(before):
        arguments = random_arguments(Interpreter(before).functions[function], size_of, seed)
        equal(Interpreter(after).call(function, *arguments), Interpreter(before).call(function, *arguments), seed)
    again = after.clone()
    PASSES[name][-1].apply(Context(), again)
    assert str(again) == str(after), f"not idempotent: seed {seed}"


def test_bundled_parameters():
    for seed in modules_of(0, 12):
        before, after = prepared(seed, (BundleModelParamsPass(),))
        for function in names(before):
            count = num_input(Interpreter(before).functions[function])
            arguments = random_arguments(Interpreter(before).functions[function], size_of, seed)
            expected = Interpreter(before).call(function, *arguments)
            equal(Interpreter(after).call(function, *arguments[:count], tuple(arguments[count:])), expected, seed)


def test_lazy_input_and_output():
    for seed in modules_of(1, 12):
        check_lazy(seed)


def check_lazy(seed: int) -> None:
    before, after = prepared(seed, (LazyGetInputPass(), LazySetOutputPass()))
    for function in names(before):
        count = num_input(Interpreter(before).functions[function]) or 0
        arguments = random_arguments(Interpreter(before).functions[function], size_of, seed)
        expected = Interpreter(before).call(function, *arguments)
        params, loaded, stored = arguments[count:], list[int](), dict[int, Any]()

        def get(index: int, label: str, params: list[Any] = params, loaded: list[int] = loaded) -> Any:
            assert label == f"layer.{index}.weight"
            loaded.append(int(index))
            return params[int(index)]

        def put(index: int, value: Any, stored: dict[int, Any] = stored) -> None:
            stored[int(index)] = value

        closures = [get, put] if params else [put]
        assert Interpreter(after).call(function, *arguments[:count], *closures) == ()
        equal([stored[index] for index in sorted(stored)], expected, seed)
        assert len(loaded) == len(set(loaded)), "a parameter is loaded once"


def test_lazy_transform():
    for seed in modules_of(2, 12):
        for bundle in (False, True):
            check_lazy_transform(seed, bundle)


def check_lazy_transform(seed: int, bundle: bool) -> None:
    before, after = prepared(seed, (LiftTransformParamsPass(shared=True, bundle=bundle, consume=bundle),))
    lazy = after.clone()
    LazyTransformParamsPass().apply(Context(), lazy)
    verify_program(lazy)
    params = [
        value
        for value in random_arguments(Interpreter(before).functions["f0"], size_of, seed)[
            num_input(Interpreter(before).functions["f0"]) :
        ]
    ]
    expected = Interpreter(after).call("transform_params", *([tuple(params)] if bundle else params))
    stored: dict[int, Any] = {}
    register_packed("get_item", lambda index: params[int(index)])
    register_packed("set_item", lambda index, value: stored.__setitem__(int(index), value))
    assert Interpreter(lazy).call("transform_params") == ()
    wanted = expected[0] if bundle else expected
    equal([stored[index] for index in range(len(wanted))], wanted, seed)
