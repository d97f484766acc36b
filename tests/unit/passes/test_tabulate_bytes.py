"""`relax-tabulate-bytes`: random graphs of element-wise ops on bytes have the same results, to the bit, and what counts as a number."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl_relax.builder import ModuleBuilder, sym, tensor
from xdsl_relax.interpreter.engine import Interpreter
from xdsl_relax.passes.analysis.remarks import recording
from xdsl_relax.passes.quantization.tabulate_bytes import TabulateBytesPass

UNARY = ("exp", "sigmoid", "tanh", "nn.gelu", "negative", "sqrt", "log", "nn.relu", "abs")
BINARY = ("add", "multiply", "subtract", "maximum", "divide")
KINDS = ("i8", "ui8")
SEEDS = 60


def names(module: ModuleOp) -> Counter[str]:
    return Counter(op.name for op in module.walk())


def tabulated(module: ModuleOp, **options: Any) -> ModuleOp:
    """A module after the pass."""
    changed = module.clone()
    TabulateBytesPass(**options).apply(Context(), changed)
    changed.verify()
    return changed


class Graph:
    """Random ops on bytes and floats: what they read is drawn from all that is there, so that values have several readers."""

    def __init__(self, seed: int):
        self.rng = np.random.default_rng(seed)
        self.m = ModuleBuilder()

    def build(self, inputs: int) -> ModuleOp:
        with self.m.function("main") as f:
            arguments = [f.input(f"q{k}", tensor([sym("n"), 3], self.kind())) for k in range(inputs)]
            with f.dataflow() as g:
                made: dict[str, list[Any]] = {"bytes": list(arguments), "floats": []}
                for _ in range(int(self.rng.integers(4, 16))):
                    self.step(g, made)
                every = [*made["bytes"][inputs:], *made["floats"]]
                results = [every[k] for k in sorted({int(self.rng.integers(len(every))), len(every) - 1})]
                outputs = g.output(*results)
            f.returns(*(outputs if isinstance(outputs, tuple) else (outputs,)))
        return self.m.build()

    def kind(self) -> str:
        return KINDS[self.rng.integers(2)]

    def quantization(self, g: Any) -> tuple[Any, Any, str]:
        """A scale, mostly one for all, a zero point, and its type."""
        kind = self.kind()
        channels = self.rng.random() < 0.05
        scale = self.rng.uniform(0.01, 0.1, 3 if channels else ()).astype(np.float32)
        return g.constant(scale), g.constant(int(self.rng.integers(0, 100)), kind), kind

    def step(self, g: Any, made: dict[str, list[Any]]) -> None:
        floats = made["floats"]
        # The newest are read most, so that there are chains.
        newest = lambda values: values[max(len(values) - int(self.rng.geometric(0.6)), 0)]  # noqa: E731
        choice = self.rng.random() if floats else 0.0
        if choice < 0.25:
            scale, zero_point, _ = self.quantization(g)
            floats.append(g.dequantize(newest(made["bytes"]), scale, zero_point))
        elif choice < 0.45:
            scale, zero_point, kind = self.quantization(g)
            made["bytes"].append(g.quantize(newest(floats), scale, zero_point, out_dtype=kind))
        elif choice < 0.7:
            floats.append(g.op(f"relax.{UNARY[self.rng.integers(len(UNARY))]}", newest(floats)))
        elif choice < 0.75:
            made["bytes"].append(g.astype(newest(floats), dtype=self.kind()))
        else:
            other = newest(floats) if self.rng.random() < 0.5 else np.float32(self.rng.uniform(-2, 2))
            floats.append(g.op(f"relax.{BINARY[self.rng.integers(len(BINARY))]}", newest(floats), other))


def test_random_graphs():
    """Tables of any length: results are those of the ops one by one, to the bit."""
    taken = 0
    for seed in range(SEEDS):
        for least in (1, 14):
            graph = Graph(seed)
            inputs = 1 + seed % 2
            module = graph.build(inputs)
            changed = tabulated(module, least=least)
            taken += names(changed)["relax.take"]
            types = [str(arg.type) for arg in next(iter(module.body.block.ops)).regions[0].block.args]
            rng = np.random.default_rng(seed)
            arrays = [
                rng.permutation(258).reshape(86, 3).astype(np.uint8 if "ui8" in type_ else np.int8) for type_ in types
            ]
            with np.errstate(all="ignore"):
                expected = Interpreter(module).call("main", *arrays)
                results = Interpreter(changed).call("main", *arrays)
            for result, wanted in zip(results, expected, strict=True):
                np.testing.assert_array_equal(result, wanted, err_msg=f"seed {seed}, least {least}\n{module}")
    assert taken > SEEDS


def activation(number: Any, weights: bool = False) -> ModuleOp:
    """A chain that multiplies by a number: a constant array, or a parameter of a shape."""
    m = ModuleBuilder()
    with m.function("main") as f:
        q = f.input("q", tensor(["n", 3], "i8"))
        scale, zero = f.constant(0.05, "f32"), f.constant(3, "i8")
        w = f.param("w", tensor(number, "f32")) if weights else f.constant(np.asarray(number, np.float32))
        x = f.tanh(f.multiply(f.dequantize(q, scale, zero), w))
        f.returns(f.quantize(x, scale, zero, out_dtype="i8"))
    return m.build()


@pytest.mark.parametrize(
    "number", [0.5, [0.5], [[0.5]], [0.5, 0.5, 0.5], [[0.5, 0.5, 0.5]], [np.nan] * 3, np.inf], ids=str
)
def test_numbers(number: Any):
    module = activation(number)
    changed = tabulated(module)
    assert names(changed)["relax.take"] == 1
    q = np.arange(-129, 129).astype(np.int8).reshape(-1, 3)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(*(Interpreter(each).call("main", q)[0] for each in (module, changed)))


@pytest.mark.parametrize("numbers", [[0.5, 0.5, 0.25], [0.0, -0.0, 0.0]], ids=str)
def test_numbers_that_differ(numbers: list[float]):
    """One for each column is left, and so are zeros of different signs."""
    assert names(tabulated(activation(numbers)))["relax.take"] == 0


@pytest.mark.parametrize("shape", [(), (1,), (1, 1)], ids=str)
def test_parameters(shape: tuple[int, ...]):
    module = activation(shape, weights=True)
    for weights, expected in (("parameters", 1), ("constants", 0)):
        assert names(tabulated(module, weights=weights))["relax.take"] == expected
    assert names(tabulated(activation((3,), weights=True)))["relax.take"] == 0


def test_weights_are_left():
    """What is computed of weights alone is folded or lifted, not looked up."""
    m = ModuleBuilder()
    with m.function("main") as f:
        f.input("x", tensor(["n"], "i8"))
        w = f.param("w", tensor([64], "i8"))
        scale, zero = f.constant(0.05, "f32"), f.constant(3, "i8")
        f.returns(f.quantize(f.exp(f.dequantize(w, scale, zero)), scale, zero, out_dtype="i8"))
    assert names(tabulated(m.build()))["relax.take"] == 0


def test_a_remark_says_what_became_a_table():
    with recording() as remarks:
        tabulated(activation(0.5))
    *before, last = remarks
    assert last.text.startswith("relax.quantize (")
    assert last.text.endswith("is looked up in a table of 256: it and 3 ops before are functions of one byte")
    assert len(before) == 3
    for remark in before:
        assert "is computed of all 256 bytes, for the table that relax.quantize (" in remark.text
        assert remark.positions != last.positions


@pytest.mark.parametrize(
    ("least", "reason"),
    [(24, ""), (200, "operations for an element, want 200 at least")],
)
def test_a_remark_says_why_there_is_no_table(least: int, reason: str):
    with recording() as remarks:
        TabulateBytesPass(weights="constants", least=least).apply(Context(), activation(0.5))
    texts = [remark.text for remark in remarks if "is not looked up in a table of 256" in remark.text]
    assert len(texts) == bool(reason) and all(text.endswith(reason) for text in texts)


def test_options():
    with pytest.raises(ValueError, match="least: expected at least 1, got 0"):
        TabulateBytesPass(least=0)
