"""The passes around parameter lifting change no result: the interpreter on random modules, before and after."""

from __future__ import annotations

import os

import pytest
from generators.lift_modules import random_module
from harness.sampling import sampled
from oracles.lift_runs import assert_same_results
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl_relax.dialects.relax.program import verify_program
from xdsl_relax.passes.cleanup.canonicalize_bindings import CanonicalizeBindingsPass
from xdsl_relax.passes.cleanup.convert_to_dataflow import ConvertToDataflowPass
from xdsl_relax.passes.cleanup.dead_code_elimination import DeadCodeEliminationPass
from xdsl_relax.passes.cleanup.eliminate_common_subexpr import EliminateCommonSubexprPass
from xdsl_relax.passes.cleanup.expand_tuple_arguments import ExpandTupleArgumentsPass
from xdsl_relax.passes.cleanup.infer_shapes import InferShapesPass
from xdsl_relax.passes.cleanup.remove_unused_outputs import RemoveUnusedOutputsPass
from xdsl_relax.passes.cleanup.remove_unused_parameters import RemoveUnusedParametersPass
from xdsl_relax.passes.cleanup.topological_sort import TopologicalSortPass
from xdsl_relax.passes.lifting.bundle_model_params import BundleModelParamsPass
from xdsl_relax.passes.lifting.computable_at_compile_time import ComputableAtCompileTimePass
from xdsl_relax.passes.lifting.lazy_get_input import LazyGetInputPass
from xdsl_relax.passes.lifting.lazy_set_output import LazySetOutputPass
from xdsl_relax.passes.lifting.lazy_transform_params import LazyTransformParamsPass
from xdsl_relax.passes.lifting.lift_transform_params import LiftTransformParamsPass

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
    for item in passes:
        item.apply(Context(), after)
        verify_program(after)
    return before, after


@pytest.mark.parametrize("name", PASSES)
def test_results_are_equal(name: str):
    for seed in sampled(modules_of(list(PASSES).index(name), len(PASSES))):
        check(seed, name)


def check(seed: int, name: str) -> None:
    before, after = prepared(seed, PASSES[name])
    assert_same_results(before, after, seed)
    again = after.clone()
    PASSES[name][-1].apply(Context(), again)
    assert str(again) == str(after), f"not idempotent: seed {seed}"


LAZY: dict[str, tuple[ModulePass, ...]] = {
    "bundle": (BundleModelParamsPass(),),
    "get_and_set": (LazyGetInputPass(), LazySetOutputPass()),
    "transform": (LiftTransformParamsPass(shared=True), LazyTransformParamsPass()),
    "bundled_transform": (LiftTransformParamsPass(shared=True, bundle=True, consume=True), LazyTransformParamsPass()),
}
"""Passes after which functions are called in another way."""


@pytest.mark.parametrize("name", LAZY)
def test_other_calls(name: str):
    for seed in sampled(modules_of(list(LAZY).index(name), 12)):
        before, after = prepared(seed, LAZY[name])
        assert_same_results(before, after, seed)
