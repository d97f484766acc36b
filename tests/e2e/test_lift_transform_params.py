"""Lifting changes no result: the interpreter on random modules, before and after, in every mode and one after the other.

`RELAX_LIFT_MODULES=2000` runs more modules.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from generators.lift_modules import flattened, random_arguments, random_module
from harness.sampling import sampled
from oracles.lift_runs import Caller, assert_same_results
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.universe import XDSL_UNIVERSE
from xdsl_relax.dialects.relax.program import verify_program
from xdsl_relax.dialects.relax.vocabulary.attributes import NUM_INPUT
from xdsl_relax.dialects.upstream.located_parser import parse_module
from xdsl_relax.interpreter.engine import Interpreter
from xdsl_relax.passes.lifting.infer_num_input import InferNumInputPass
from xdsl_relax.passes.lifting.lift_transform_params import LiftTransformParamsPass
from xdsl_relax.universe import RELAX_UNIVERSE

MODULES = int(os.environ.get("RELAX_LIFT_MODULES", "320"))
CHUNK = 40

MODES: dict[str, list[dict[str, Any]]] = {
    "local": [{}],
    "shared": [{"shared": True}],
    "named": [{"shared": ("f0",)}],
    "unused": [{"shared": True, "lift_unused": True}],
    "private": [{"shared": True, "private": True}],
    "bundle": [{"shared": True, "bundle": True, "consume": True}],
    "shared_local": [{"shared": True}, {}],
    "shared_private": [{"shared": True}, {"shared": True, "private": True}],
    "bundle_private": [{"shared": True, "bundle": True}, {"shared": True, "private": True}],
    "private_local": [{"shared": True, "private": True}, {"shared": False}],
    "callees": [{}],
    "callees_private": [{"shared": True, "private": True}],
}
CALLEES = ("callees", "callees_private")
"""Modes that lift out of private functions too."""


def apply(module: ModuleOp, options: dict[str, Any]) -> None:
    LiftTransformParamsPass(**options).apply(Context(), module)
    verify_program(module)


def weight_only_ops(module: ModuleOp) -> int:
    from xdsl_relax.passes.lifting.computable_at_compile_time import computable_at_compile_time

    return sum(
        len(computable_at_compile_time(function, with_parameters=True))
        for name, function in Interpreter(module).functions.items()
        if not name.endswith("transform_params") and NUM_INPUT.of(function) is not None
    )


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("start", range(0, MODULES, CHUNK * len(MODES)))
def test_results_are_equal(mode: str, start: int):
    first = start + CHUNK * list(MODES).index(mode)
    for seed in sampled(range(first, min(first + CHUNK, max(MODULES, first + 1)))):
        check(seed, mode)


def lifted(module: ModuleOp, mode: str) -> ModuleOp:
    after = module.clone()
    if mode in CALLEES:
        InferNumInputPass().apply(Context(), after)
        verify_program(after)
        assert_same_results(module, after, 0)
    for options in MODES[mode]:
        apply(after, options)
    return after


def check(seed: int, mode: str) -> None:
    before = random_module(seed)
    verify_program(before)
    after = lifted(before, mode)
    assert_same_results(before, after, seed)
    text = str(after)
    again = after.clone()
    apply(again, MODES[mode][-1])
    assert str(again) == text, f"not idempotent: seed {seed}"
    assert str(lifted(before, mode)) == text, f"not deterministic: seed {seed}"
    if mode in ("private", "callees_private"):
        assert weight_only_ops(after) == 0, f"seed {seed}"


def test_llama_is_bit_equal():
    """The example, with both functions from one shared transform."""
    program = (Path(__file__).parents[2] / "examples" / "llama_decoder.mlir").read_text()
    context = Context()
    for name, dialect in RELAX_UNIVERSE.all_dialects.items():
        context.register_dialect(name, dialect)
    for name, dialect in XDSL_UNIVERSE.all_dialects.items():
        context.register_dialect(name, dialect)
    before = parse_module(context, program)
    after = before.clone()
    apply(after, {"shared": True})
    sizes = {"s": 3, "m": 2}
    for name in ("prefill", "decode"):
        function = Interpreter(before).functions[name]
        arguments = random_arguments(function, sizes.__getitem__, 0)
        expected = flattened(Interpreter(before).call(name, *arguments))
        count = NUM_INPUT.of(function)
        results = Caller(after).call(name, arguments[:count], arguments[count:])
        for result, reference in zip(results, expected, strict=True):
            np.testing.assert_array_equal(result, reference)
        assert not [op for op in Interpreter(after).functions[name].walk() if op.name == "relax.permute_dims"]
