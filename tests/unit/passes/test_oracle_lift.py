"""The passes on parameters against the reference's, on random modules and on modules made for each pass."""

from __future__ import annotations

import importlib.util
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

if importlib.util.find_spec("tvm") is None:
    pytest.skip("needs the extra tvm", allow_module_level=True)

from generators.quirk_modules import WITH_QUIRK
from generators.tvm_modules import read
from oracles.lift_quirks import QUIRKS, without
from oracles.normal_form import flaw_of
from oracles.oracle_lift import PAIRS, compare, compare_exactly, random_relax_module, run
from tvm import relax
from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl_relax.dialects.relax.ops.core import CallPackedOp
from xdsl_relax.frontend.tvm import from_relax, to_relax
from xdsl_relax.passes.cleanup.verify_symbols import VerifySymbolsPass
from xdsl_relax.passes.lifting.lazy_transform_params import LazyTransformParamsPass

SEEDS = {"lift": 12, "lift-shared": 12}
FEWER = 6

MODULES = {
    "unused-parameters": [
        """
@I.ir_module
class Module:
    @R.function(private=True)
    def inner(x: R.Tensor((4, 4), "float32"), y: R.Tensor((4, 4), "float32"), z: R.Tensor((4, 4), "float32")):
        with R.dataflow():
            a = R.add(x, z)
            R.output(a)
        return a

    @R.function
    def main(x: R.Tensor((4, 4), "float32"), y: R.Tensor((4, 4), "float32")):
        cls = Module
        with R.dataflow():
            a = cls.inner(x, y, x)
            b = cls.inner(a, x, y)
            R.output(b)
        return b
""",
        """
@I.ir_module
class Module:
    @R.function(private=True)
    def sizes(s: R.Shape(["n", "m"]), x: R.Tensor(("n",), "float32"), y: R.Tensor(("k", "j"), "float32")):
        n, m, k, j = T.int64(), T.int64(), T.int64(), T.int64()
        z = R.ones((m, n), "float32")
        w = R.ones((n, j, k, m), "float32")
        return (z, w)

    @R.function(private=True)
    def repeated(y: R.Tensor(("k", "j"), "float32"), s: R.Shape(["j", "k"])):
        k, j = T.int64(), T.int64()
        z = R.add(R.ones((k, j), "float32"), y)
        return z

    @R.function
    def main(s: R.Shape(["n", "m"]), x: R.Tensor(("n",), "float32"), y: R.Tensor(("k", "j"), "float32")):
        n, m, k, j = T.int64(), T.int64(), T.int64(), T.int64()
        cls = Module
        a = cls.repeated(y, R.shape([j, k]))
        b = cls.sizes(s, x, y)
        return (a, b)
""",
    ],
    "unused-outputs": [
        """
@I.ir_module
class Module:
    @R.function(private=True)
    def always_one(x: R.Tensor((4, 4), "float32")):
        a = R.exp(x)
        return (a,)

    @R.function(private=True)
    def one_of_two(x: R.Tensor((4, 4), "float32")):
        a = R.exp(x)
        b = R.tanh(x)
        return (a, b)

    @R.function
    def main(x: R.Tensor((4, 4), "float32")):
        cls = Module
        t = cls.always_one(x)
        u = cls.one_of_two(x)
        s = R.add(t[0], u[1])
        return s
""",
        """
@I.ir_module
class Module:
    @R.function(private=True)
    def inner(x: R.Tensor((4, 4), "float32")):
        with R.dataflow():
            a = R.exp(x)
            b = R.tanh(x)
            c = R.abs(b)
            R.output(a, b, c)
        return (a, b, c)

    @R.function
    def main(x: R.Tensor((4, 4), "float32")):
        cls = Module
        with R.dataflow():
            t = cls.inner(x)
            a = t[0]
            c = t[2]
            s = R.add(a, c)
            R.output(s)
        return s
""",
        """
@I.ir_module
class Module:
    @R.function(private=True)
    def inner(x: R.Tensor((4, 4), "float32")):
        with R.dataflow():
            a = R.exp(x)
            b = R.tanh(x)
            R.output(a, b)
        return (a, b)

    @R.function
    def main(x: R.Tensor((4, 4), "float32")):
        cls = Module
        with R.dataflow():
            t = cls.inner(x)
            b = t[1]
            R.output(b)
        return b
""",
    ],
    "expand": [
        """
@I.ir_module
class Module:
    @R.function(private=True)
    def inner(
        p: R.Tuple(R.Tensor((4, 4), "float32"), R.Tuple(R.Tensor((4, 4), "float32"), R.Tensor((4,), "float32"))),
        x: R.Tensor((4, 4), "float32"),
    ):
        with R.dataflow():
            a = p[0]
            q = p[1]
            b = q[1]
            c = R.add(a, b)
            d = R.add(c, x)
            R.output(d)
        return d

    @R.function
    def main(x: R.Tensor((4, 4), "float32"), v: R.Tensor((4,), "float32")):
        cls = Module
        with R.dataflow():
            a = cls.inner((x, (x, v)), x)
            R.output(a)
        return a
"""
    ],
    "dce": [
        """
@I.ir_module
class Module:
    @R.function(private=True)
    def unused(x: R.Tensor((4,), "float32")):
        return x

    @R.function
    def main(x: R.Tensor((4,), "float32")):
        with R.dataflow():
            a = R.exp(x)
            b = R.tanh(a)
            c = R.abs(a)
            R.output(b, c)
        return c
"""
    ],
    "lift": [
        """
@R.function
def main(x: R.Tensor((4, 4), "float32"), w: R.Tensor((4, 4), "float32"), v: R.Tensor((4, 4), "float32")):
    R.func_attr({"num_input": 1})
    with R.dataflow():
        a = R.permute_dims(w)
        z = R.zeros(R.shape([4, 4]), "float32")
        b = R.add(a, z)
        s = R.builtin.stop_lift_params(v)
        c = R.permute_dims(s)
        d = R.matmul(x, b)
        e = R.add(d, c)
        f = R.add(e, z)
        R.output(f)
    return f
""",
        """
@R.function
def main(x: R.Tensor(("n", 4), "float32"), w: R.Tensor(("m", 4), "float32"), v: R.Tensor((8, 4), "float32")):
    m = T.int64()
    R.func_attr({"num_input": 1})
    with R.dataflow():
        a = R.permute_dims(w)
        b = R.split(v, 2, axis=0)
        c = b[1]
        d = R.matmul(x, a)
        e = R.matmul(x, R.permute_dims(c))
        o = R.ones(R.shape([m]), "float32")
        f = R.add(d, o)
        R.output(e, f)
    return (e, f)
""",
    ],
    "lazy-get": [
        """
@R.function
def main(x: R.Tensor(("n", 4), "float32"), w: R.Tensor((4, 4), "float32"), v: R.Tensor((4, 4), "float32")):
    R.func_attr({"num_input": 1})
    with R.dataflow():
        a = R.matmul(x, v)
        b = R.matmul(a, w)
        R.output(b)
    return b
"""
    ],
    "lazy-set": [
        """
@R.function
def main(w: R.Tensor((4, 4), "float32"), v: R.Tensor((4, 4), "float32")):
    R.func_attr({"num_input": 0})
    a = R.permute_dims(w)
    b = R.add(a, v)
    return (a, v, b)
"""
    ],
}


@pytest.mark.sweep
@pytest.mark.parametrize("name", PAIRS)
def test_random_modules(name):
    """The results are the same, once what the reference gets wrong is taken out, and compute the same as before."""
    outcomes: Counter[str] = Counter()
    for seed in range(SEEDS.get(name, FEWER)):
        module = random_relax_module(seed)
        outcome = compare(name, module)
        assert outcome.kind in ("same", "refused"), f"seed {seed}: {outcome.detail}"
        outcomes[outcome.kind] += 1
        run(name, module, seed)
    assert outcomes["same"] >= 5, outcomes


@pytest.mark.sweep
@pytest.mark.parametrize("quirk", QUIRKS)
def test_every_quirk_occurs(quirk):
    """Each quirk that differences are explained by is one: there is a module of which the results differ with it alone."""
    name, module = WITH_QUIRK[quirk]
    outcome = compare(name, read(module))
    assert (outcome.kind, outcome.quirks) == ("same", {quirk}), outcome.detail


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("name", "index"), [(name, index) for name, texts in MODULES.items() for index in range(len(texts))]
)
def test_modules(name, index):
    outcome = compare(name, read(MODULES[name][index]))
    assert outcome.kind == "same", outcome.detail


def traffic(module: ModuleOp) -> dict[str, set[int]]:
    """Returns which parameters a lazy transform loads, and which results it stores."""
    indices: dict[str, set[int]] = {"get_item": set(), "set_item": set()}
    for op in module.walk():
        if isinstance(op, CallPackedOp) and op.callee.data in indices:
            index = op.args[0].owner
            assert isinstance(index, arith.ConstantOp) and isinstance(index.value, IntegerAttr)
            indices[op.callee.data].add(index.value.value.data)
    return indices


def test_lazy_transforms():
    """Lazy transforms load and store what the reference's do; when they store, and what they release, is their own affair."""
    # The reference's pass needs the module, and does not import it.
    setattr(relax.op, "vm", importlib.import_module("tvm.relax.op.vm"))
    compared = 0
    for seed in range(20):
        pair = PAIRS["lift-shared"]
        module = without(from_relax(random_relax_module(seed)), frozenset(pair.quirks))
        lifted = relax.transform.ToNonDataflow()(pair.reference(module)(to_relax(module)))
        transform: Any = relax.transform.LazyTransformParams()
        reference = transform(lifted)
        pair.ours(module).apply(Context(), module)
        LazyTransformParamsPass().apply(Context(), module)
        if flaw_of(reference) is not None:
            continue  # A transform that returns its tuple as it is.
        assert traffic(module) == traffic(from_relax(reference)), f"seed {seed}"
        compared += bool(traffic(module)["set_item"])
    assert compared >= 5


def test_a_difference_is_found():
    """The comparison tells the results of two passes apart."""
    from oracles import oracle_lift

    pair = oracle_lift.Pair(PAIRS["lift"].reference, PAIRS["bundle"].ours, PAIRS["lift"].quirks)
    oracle_lift.PAIRS["broken"] = pair
    try:
        outcome = compare("broken", read(MODULES["lift"][0]))
    finally:
        del oracle_lift.PAIRS["broken"]
    assert outcome.kind == "different"


@pytest.mark.parametrize("name", ["dce", "cse", "cse-calls", "unused-outputs"])
def test_missed_removals_are_found(name: str):
    """The comparison sees dead and repeated computations that a pass leaves: a pass that changes nothing is found out."""
    idle = replace(PAIRS[name], ours=lambda _: VerifySymbolsPass())
    kinds = {compare_exactly(idle, from_relax(random_relax_module(seed))).kind for seed in range(8)}
    assert "different" in kinds
