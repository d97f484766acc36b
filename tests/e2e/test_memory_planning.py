"""Memory planning changes no result: in the interpreter, where tensors really share storages, in native code, and as a graph.

`RELAX_MEMORY_MODULES=2000` runs more modules.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xdsl_relax
import xdsl_relax.universe
from generators.graph_modules import Generator as GraphGenerator
from generators.memory_modules import Generator
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import PassPipeline
from xdsl_relax.dialects.relax.ops.memory import AllocStorageOp, AllocTensorOp
from xdsl_relax.dialects.relax.program import verify_program
from xdsl_relax.dialects.upstream.op_error import OpError
from xdsl_relax.frontend.graph_json import GraphError, load_graph
from xdsl_relax.interpreter.engine import Interpreter
from xdsl_relax.interpreter.rule import InterpreterError
from xdsl_relax.lowering.pipeline import Settings
from xdsl_relax.passes import PASSES
from xdsl_relax.runtime.activation_memory import activation_memory
from xdsl_relax.runtime.compiler import available_passes, load, relax_context
from xdsl_relax.targets.graph_json.graph_json import graph_of

MODULES = int(os.environ.get("RELAX_MEMORY_MODULES", "30"))
ROOT = Path(__file__).resolve().parents[2]

PLAN = (
    "relax-infer-shapes",
    "relax-fuse-ops{opt_level=0}",
    "relax-convert-to-destination-style",
    "relax-static-plan-memory",
    "relax-kill-after-last-use",
)
SEED = """
func.func @main(%x: tensor<10x20xf32>) -> tensor<10x20xf32> {
  %0 = relax.add %x, %x : (tensor<10x20xf32>, tensor<10x20xf32>) -> tensor<10x20xf32>
  %1 = relax.add %0, %0 : (tensor<10x20xf32>, tensor<10x20xf32>) -> tensor<10x20xf32>
  %2 = relax.exp %1 : (tensor<10x20xf32>) -> tensor<10x20xf32>
  return %2 : tensor<10x20xf32>
}
"""


def run(module: ModuleOp, *passes: str) -> ModuleOp:
    """Runs passes, and verifies after each."""
    for spec in passes:
        PassPipeline.parse_spec(PASSES, spec).apply(Context(), module)
        verify_program(module)
    return module


def assert_same(results, expected):
    for result, reference in zip(results, expected, strict=True):
        np.testing.assert_array_equal(result, reference)


def test_results_are_equal():
    """After each pass, and back in value semantics."""
    shared = 0
    for seed in range(MODULES):
        module, arguments = Generator(seed).module()
        verify_program(module)
        expected = Interpreter(module).call("main", *arguments)
        for spec in (*PLAN, "relax-convert-to-value-semantics"):
            run(module, spec)
            assert_same(Interpreter(module).call("main", *arguments), expected)
            if spec == "relax-static-plan-memory":
                count = [sum(isinstance(op, kind) for op in module.walk()) for kind in (AllocTensorOp, AllocStorageOp)]
                shared += count[0] > count[1]
    assert shared > MODULES // 2, f"tensors shared a storage in {shared} of {MODULES} modules only"


@pytest.mark.parametrize("seed", range(3))
def test_results_are_equal_in_native_code(seed: int):
    module, arguments = Generator(seed, branches=False).module()
    expected = Interpreter(module).call("main", *arguments)
    assert_same(xdsl_relax.compile(run(module, *PLAN))["main"].call(*arguments), expected)


def test_results_of_fused_graph_modules_are_equal():
    for seed in range(6):
        module, arguments = GraphGenerator(seed).module()
        run(module, "relax-infer-shapes", "relax-fuse-ops")
        expected = Interpreter(module).call("main", *arguments)
        run(module, *PLAN[2:])
        for result, reference in zip(Interpreter(module).call("main", *arguments), expected, strict=True):
            np.testing.assert_allclose(result, reference, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    "spec",
    [
        "cse",
        "dce",
        "relax-canonicalize-bindings",
        "relax-convert-to-dataflow",
        "relax-dead-code-elimination",
        "relax-eliminate-common-subexpr",
        "relax-fuse-ops",
        "relax-inline{private_functions=true}",
        "relax-remove-unused-functions",
        "relax-topological-sort",
    ],
)
def test_other_passes_keep_the_plan(spec: str):
    for seed in range(2):
        module, arguments = Generator(seed).module()
        expected = Interpreter(module).call("main", *arguments)
        PassPipeline.parse_spec(available_passes(), spec).apply(Context(), run(module, *PLAN))
        verify_program(module)
        assert any(isinstance(op, AllocTensorOp) for op in module.walk())
        assert_same(Interpreter(module).call("main", *arguments), expected)


def static_module(seed: int) -> tuple[ModuleOp, list]:
    """A random module without branches, symbolic sizes and foreign code."""
    while True:
        module, arguments = Generator(seed, branches=False).module()
        text = str(module)
        if "relax.sym<" not in text and "call_dps_packed" not in text:
            return module, arguments
        seed += 1000


@pytest.mark.parametrize("seed", range(max(4, MODULES // 3)))
def test_a_graph_runs_again(seed: int):
    module, arguments = static_module(seed)
    expected = Interpreter(module).call("main", *arguments)
    graph = graph_of(module)
    assert len(graph["attrs"]["storage_id"][1]) == graph["node_row_ptr"][-1]
    back = load_graph(relax_context(), json.dumps(graph))
    # What nothing reads is no part of a graph, but arguments always are.
    assert_same(Interpreter(back).call("main", *arguments), expected)


def test_a_graph_without_kernels_runs():
    text = """
func.func @main(%x: tensor<4xf32>) -> (tensor<2x2xf32>, tensor<4xf32>) {
  %s = relax.shape : () -> !relax.shape<[2, 2]>
  %y = relax.reshape %x, %s : (tensor<4xf32>, !relax.shape<[2, 2]>) -> tensor<2x2xf32>
  return %y, %x : tensor<2x2xf32>, tensor<4xf32>
}"""
    graph = graph_of(load(text))
    assert [node["name"] for node in graph["nodes"]] == ["x", "reshape_nop"]
    assert graph["attrs"]["storage_id"] == ["list_int", [0, 0]]
    x = np.arange(4, dtype="f")
    back = load_graph(relax_context(), json.dumps(graph))
    assert_same(Interpreter(back).call("main", x), (x.reshape(2, 2), x))


def test_a_graph_has_a_type_and_a_shape_for_each_tensor():
    text = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n  return %x : tensor<4xf32>\n}"
    graph = graph_of(load(text))
    graph["attrs"]["shape"][1].pop()
    with pytest.raises(GraphError, match="must have an entry for each tensor, got 1 and 0"):
        load_graph(relax_context(), json.dumps(graph))


@pytest.mark.parametrize(("key", "value"), [("name", 1), ("num_input", "x"), ("num_input", 1.0)])
def test_a_graph_whose_metadata_has_other_types_is_refused(key: str, value: Any):
    graph = graph_of(load("func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n  return %x : tensor<4xf32>\n}"))
    graph["metadata"][key] = value
    with pytest.raises(GraphError, match=f"a text as name and an integer as num_input, got .*{value!r}"):
        load_graph(relax_context(), json.dumps(graph))


def test_a_graph_keeps_constants():
    text = """
func.func @main(%x: tensor<2xf32>, %w: tensor<2xf32> {relax.name = "a.b"}) -> tensor<2xf32> attributes {relax.num_input = 1 : i64} {
  %k = relax.constant {value = dense<[1.5, -2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %y = relax.add %x, %k : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %z = relax.multiply %y, %w : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %z : tensor<2xf32>
}"""
    graph = graph_of(load(text))
    assert [node["name"] for node in graph["nodes"] if node["op"] == "null"] == ["x", "a.b", "p0"]
    assert graph["arg_nodes"] == [0, 1, 2] and graph["attrs"]["storage_id"][1][:3] == [0, 1, 2]
    x, w = np.array([1, 2], "f"), np.array([3, 4], "f")
    back = load_graph(relax_context(), json.dumps(graph))
    assert_same(Interpreter(back).call("main", x, w), ((x + np.array([1.5, -2], "f")) * w,))
    assert "relax.num_input = 1 : i64" in str(back) and 'relax.name = "a.b"' in str(back)


def test_a_graph_runs_natively():
    module, arguments = load(SEED), [np.random.default_rng(0).standard_normal((10, 20)).astype("f")]
    graph = graph_of(module)
    assert graph["attrs"]["storage_id"] == ["list_int", [0, 1, 2, 1]]
    back = load_graph(relax_context(), json.dumps(graph))
    expected = Interpreter(module).call("main", *arguments)
    np.testing.assert_allclose(xdsl_relax.compile(back)["main"](*arguments), expected[0], rtol=1e-5)


def test_graphs_that_cannot_run_are_refused():
    graph = graph_of(load(SEED))
    functions = graph["metadata"].pop("functions")
    with pytest.raises(GraphError, match=r"calls tvmgen_default_fused_add, of which metadata\.functions has no text"):
        load_graph(relax_context(), json.dumps(graph))
    graph["metadata"]["functions"] = functions
    graph["nodes"][1]["inputs"] = [[2, 0, 0]]
    with pytest.raises(GraphError, match="reads output 0 of node 2, which does not come before it"):
        load_graph(relax_context(), json.dumps(graph))
    del graph["attrs"]["shape"]
    with pytest.raises(GraphError, match="not well-formed: KeyError 'shape'"):
        load_graph(relax_context(), json.dumps(graph))
    with pytest.raises(GraphError, match="the file has no nodes, arg_nodes"):
        load_graph(relax_context(), "{}")
    with pytest.raises(GraphError, match="not JSON: "):
        load_graph(relax_context(), "builtin.module {}")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("%r = func.call @helper(%x) : (tensor<4xf32>) -> tensor<4xf32>", "func.call is none"),
        ("%r = relax.call_packed %x {callee = 'f'} : (tensor<4xf32>) -> tensor<4xf32>", "relax.call_packed is none"),
    ],
)
def test_programs_that_are_no_graph_are_refused(body: str, message: str):
    text = f"func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {{ {body} return %r : tensor<4xf32> }}"
    helper = "func.func private @helper(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }"
    with pytest.raises(OpError, match=message):
        graph_of(load(text.replace("'", '"') + helper))


def test_a_killed_value_must_not_be_used():
    module = run(load(SEED), *PLAN)
    text = str(module)
    (kill,) = [line for line in text.splitlines() if "kill_tensor %alloc_1 " in line or "kill_tensor %alloc :" in line][
        :1
    ]
    lines = [line for line in text.splitlines() if line != kill]
    call = next(index for index, line in enumerate(lines) if "relax.call_dps %alloc," in line)
    lines.insert(call, kill)
    module = load("\n".join(lines))
    with pytest.raises(InterpreterError, match=r"relax\.call_dps uses operand 0 after relax\.memory\.kill_tensor"):
        Interpreter(module).call("main", np.zeros((10, 20), "f"))


def test_a_wrong_plan_gives_wrong_results():
    """The interpreter really shares memory: two tensors that are needed at once in one storage."""
    text = str(run(load(SEED), *PLAN[:4]))
    wrong = text.replace("alloc_tensor %storage_1,", "alloc_tensor %storage,")
    assert wrong != text
    x = np.full((10, 20), 0.5, "f")
    assert not np.array_equal(Interpreter(load(wrong)).call("main", x)[0], Interpreter(load(text)).call("main", x)[0])


def test_activation_memory():
    """Of three tensors of 800 bytes one is the result, and the others are needed at once."""
    memory = activation_memory(load(SEED), "main", {}, Settings(opt_level=0))
    assert (memory.tensors, memory.unplanned, memory.storages, memory.planned) == (2, 1600, 2, 1600)
    native = xdsl_relax.compile(SEED, opt_level=0)["main"]
    assert native.workspace_bytes(np.zeros((10, 20), "f")) == 2 * 832  # each at a multiple of 64 bytes
    resnet = activation_memory(load(ROOT / "examples" / "resnet18.mlir"), "main", {}, Settings())
    assert resnet.planned < resnet.unplanned / 2
