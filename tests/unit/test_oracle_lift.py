"""The passes on parameters against the reference's, on random modules and on modules made for each pass."""

from __future__ import annotations

import importlib.util
from collections import Counter

import pytest

if importlib.util.find_spec("tvm") is None:
    pytest.skip("needs the extra tvm", allow_module_level=True)

from oracle_lift import PAIRS, compare, random_relax_module
from tvm_modules import read

SEEDS = {"lift": 40, "lift-shared": 40, "lift-list": 30}
FEWER = 12

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
"""
    ],
    "unused-outputs": [
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


@pytest.mark.parametrize("name", [name for name in PAIRS if name != "lazy-get"])
def test_random_modules(name):
    """Wherever the reference's result is well-formed, ours is the same."""
    found: Counter[str] = Counter()
    for seed in range(SEEDS.get(name, FEWER)):
        outcome = compare(name, random_relax_module(seed))
        assert outcome.kind != "different", f"seed {seed}: {outcome.detail}"
        found[outcome.kind] += 1
    assert found["same"] >= 5, found


@pytest.mark.parametrize(
    ("name", "index"), [(name, index) for name, texts in MODULES.items() for index in range(len(texts))]
)
def test_modules(name, index):
    outcome = compare(name, read(MODULES[name][index]))
    assert outcome.kind == "same", outcome.detail


def test_a_difference_is_found():
    """The comparison tells the results of two passes apart."""
    import oracle_lift

    pair = oracle_lift.Pair(PAIRS["lift"].reference, PAIRS["bundle"].ours, PAIRS["lift"].quirks)
    oracle_lift.PAIRS["broken"] = pair
    try:
        outcome = compare("broken", read(MODULES["lift"][0]))
    finally:
        del oracle_lift.PAIRS["broken"]
    assert outcome.kind == "different"
