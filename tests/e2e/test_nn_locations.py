"""The module path and line of an op stay with what becomes of it, down to LLVM."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import xdsl_relax
from xdsl.dialects.builtin import ModuleOp, NameLoc, UnknownLoc
from xdsl.ir import Operation
from xdsl_relax.frontend import nn
from xdsl_relax.interpreter.engine import Interpreter
from xdsl_relax.interpreter.rule import InterpreterError
from xdsl_relax.lowering.pipeline import STAGES, Settings
from xdsl_relax.lowering.relax_to_linalg.relax_to_linalg import RelaxToLinalgPass
from xdsl_relax.runtime.compiler import available_passes, pipeline_of, relax_context

SHARED = ("relax.contract.", "forward.")
"""Kernels that several layers share, entries, and functions of sizes: they belong to no op of the model."""


class Model(nn.Module):
    def __init__(self):
        self.layers = nn.ModuleList([nn.Linear(64, 64), nn.Linear(64, 32)])
        self.norm = nn.RMSNorm(32, -1)

    def forward(self, x: nn.Tensor) -> nn.Tensor:
        for layer in self.layers:
            x = nn.op.silu(layer(x))
        return nn.op.softmax(self.norm(x))


def paths(op: Operation) -> set[str]:
    """Returns the module paths in the locations of an op and of what is inside."""
    return {inner.location.desc.data for inner in op.walk() if isinstance(inner.location, NameLoc)}


def compiled_stages(module: ModuleOp):
    """Yields the stages with the module as it is behind each."""
    settings, known, context = Settings(), available_passes(), relax_context()
    for stage in STAGES:
        for item in pipeline_of(settings.passes_of(stage), known):
            item.apply(context, module)
        yield stage, module


def test_every_stage_knows_the_layers():
    module, _ = Model().export({"forward": {"x": nn.spec.Tensor(["n", 64], "float32")}})
    for stage, program in compiled_stages(module):
        assert paths(program) == {"layers.0", "layers.1", "norm"}, stage


def test_most_of_a_kernel_says_where_it_comes_from():
    module, _ = Model().export({"forward": {"x": nn.spec.Tensor([3, 64], "float32")}})
    *_, (_, program) = compiled_stages(module)
    kernels = 0
    for function in program.body.block.ops:
        name = function.properties.get("sym_name") or function.attributes.get("sym_name")
        if not function.regions or not function.regions[0].blocks or str(name).strip('"').startswith(SHARED):
            continue
        ops = list(function.walk())
        unknown = [op for op in ops if isinstance(op.location, UnknownLoc)]
        # Constants and strides at the start of a function are for all of it.
        kernels += len(unknown) < len(ops) / 2
    assert kernels >= 3


class Product(nn.Module):
    def forward(self, x: nn.Tensor, y: nn.Tensor) -> nn.Tensor:
        return nn.op.matmul(x, y)


class Products(nn.Module):
    def __init__(self):
        self.layers = nn.ModuleList([Product()])

    def forward(self, x: nn.Tensor, y: nn.Tensor) -> nn.Tensor:
        return self.layers[0](x, y)


def interpreted(module: ModuleOp) -> Callable[..., Any]:
    return lambda *arguments: Interpreter(module).call("forward", *arguments)


def lowered(module: ModuleOp) -> Callable[..., Any]:
    RelaxToLinalgPass().apply(relax_context(), module)
    return interpreted(module)


def native(module: ModuleOp) -> Callable[..., Any]:
    return xdsl_relax.compile(module)["forward"]


@pytest.mark.parametrize("backend", [interpreted, lowered, native])
def test_a_call_with_sizes_that_do_not_fit_names_the_module_and_the_line(backend: Callable[[ModuleOp], Any]):
    spec = {"x": nn.spec.Tensor([2, "n"], "float32"), "y": nn.spec.Tensor(["k", 1], "float32")}
    call = backend(Products().export({"forward": spec})[0])
    with pytest.raises(Exception, match="expected n == k") as error:
        call(np.ones((2, 4), np.float32), np.ones((5, 1), np.float32))
    assert re.match(rf"{re.escape(__file__)}:\d+:16: error: layers.0: relax.matmul: expected n == k", str(error.value))
    assert str(error.value).count(": error: ") == 1


def test_a_rule_of_the_interpreter_that_refuses_names_the_module_and_the_line():
    module, _ = Products().export(
        {"forward": {"x": nn.spec.Tensor(["n", "n"], "float32"), "y": nn.spec.Tensor(["n", 1], "float32")}}
    )
    (product,) = (op for op in module.walk() if op.name == "relax.matmul")
    error = InterpreterError("the reason")
    error.raised_in(product)
    error.raised_in(module)
    assert str(error).endswith(": error: layers.0: the reason") and error.op is product


class Calling(nn.Module):
    """Calls one function of Python in two modules."""

    def __init__(self, name: str):
        self.layers = nn.ModuleList([Call(name), Call(name)])

    def forward(self, x: nn.Tensor) -> nn.Tensor:
        return self.layers(x)


class Call(nn.Module):
    def __init__(self, name: str):
        self.name = name

    def forward(self, x: nn.Tensor) -> nn.Tensor:
        return nn.op.call_packed(self.name, [x], nn.Tensor.placeholder(x.shape, "float32"))


CALLING = {"forward": {"x": nn.spec.Tensor([2], "float32")}}


def refuse_large(x: np.ndarray) -> np.ndarray:
    if x.max() > 2:
        raise LookupError(f"expected at most 2, got {x.max()}")
    return x + 1


@pytest.mark.parametrize("backend", [interpreted, native])
def test_an_error_of_a_function_of_python_names_the_module_and_the_line(backend: Callable[[ModuleOp], Any]):
    xdsl_relax.register_packed("test.refuse_large", refuse_large)
    call = backend(Calling("test.refuse_large").export(CALLING)[0])
    for start, layer in ((3, 0), (2, 1)):
        with pytest.raises(LookupError) as error:
            call(np.full(2, start, np.float32))
        assert re.fullmatch(
            rf"{re.escape(__file__)}:\d+:16: error: layers.{layer}: expected at most 2, got 3.0", error.value.args[0]
        )


def test_an_error_of_a_cache_names_the_module_and_the_line():
    class History(nn.Module):
        def __init__(self):
            self.keys, self.values = nn.KVCache(4, [2]), nn.KVCache(4, [2])

        def forward(self, x: nn.Tensor, total: Any) -> Any:
            self.keys.append(x)
            return self.keys.view(x.shape[0]) + self.values.view(total)

    class Model(nn.Module):
        def __init__(self):
            self.history = History()

        def forward(self, x: nn.Tensor, total: Any) -> Any:
            return self.history(x, total)

    spec = {"forward": {"x": nn.spec.Tensor(["n", 2], "float32"), "total": int}}
    model = Model().jit(spec)
    with pytest.raises(
        ValueError, match=r":\d+:\d+: error: history: attention_kv_cache_view: expected a cache of shape"
    ):
        model(np.ones((3, 2), np.float32), 3)


def test_functions_that_nobody_registered_are_listed_by_jit():
    with pytest.raises(nn.ModelError) as error:
        Calling("test.not_there").jit(CALLING)
    assert re.fullmatch(
        rf"{re.escape(__file__)}:\d+:16: error: layers.0: no packed function is registered as 'test.not_there'",
        str(error.value),
    )
