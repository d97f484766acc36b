"""Programs that TVM legalized to kernels: our interpreter and machine code against TVM's own machine on the CPU."""

from __future__ import annotations

import importlib.util
from importlib import import_module

import numpy as np
import pytest

if importlib.util.find_spec("tvm") is None:
    pytest.skip("needs the extra tvm", allow_module_level=True)

import xdsl_relax
from generators.tvm_kernels import call, leaves, legalized, virtual_machine, without_symbols
from harness.op_cases import Case, assert_close
from xdsl.dialects import func
from xdsl_relax.dialects.relax.attrs import element_type_of
from xdsl_relax.frontend.tvm import from_relax, to_relax
from xdsl_relax.interpreter.engine import Interpreter

NAMES = """
binary/add-f32 binary/floor_divide-f32 unary/tanh-f32 unary/erf-f32 create/tril-f32 indexing/take-f32 indexing/index_tensor-one
linear_algebra/matmul-f32 manipulate/reshape-join manipulate/concat-f32 manipulate/pad-constant manipulate/split nn_activation/gelu-f32
nn_attention/attention-f32 nn_conv/conv2d-f32 nn_loss/cross_entropy-f32 nn_norm/layer_norm-f32 nn_norm/group_norm-f32
nn_pool/max_pool2d-f32 nn_pool/avg_pool2d-f32-False nn_softmax/softmax-f32--1 reduction/sum-f32-nx133-(1,)-False
reduction/argmax-f32-nx133-1-False reduction/variance-f32-nx133-(1,)-False image/linear-align-8
""".split()
"""A case of each form of kernel. Not all cases can be held against TVM: its results for indices out of range, divisions by zero and the
like are undefined, and some end the process."""


def chosen() -> list[Case]:
    """Returns the cases to run, without symbols that only shapes define."""
    families = sorted({name.split("/")[0] for name in NAMES})
    known = {f"{family}/{case.name}": case for family in families for case in import_module(f"cases.{family}").CASES}
    cases = [known[name] for name in NAMES]
    return [case if not any(arg.shape_value for arg in case.args) else without_symbols(case) for case in cases]


def ordinary(value):
    """Returns numbers for which TVM's results are defined."""
    value = np.asarray(value)
    if value.dtype.kind in "iub":
        return value
    wide = np.nan_to_num(value.astype(np.float64), nan=0.5, posinf=3, neginf=-3)
    return np.asarray(np.clip(wide, -100, 100)).astype(value.dtype)


def test_legalized_ops_compute_what_tvm_computes():
    import tvm

    cases = chosen()
    module = legalized(cases)
    imported = from_relax(module)
    tvm.ir.assert_structural_equal(to_relax(imported), module)
    assert "relax.opaque" not in str(imported)
    machine, compiled, interpreter = virtual_machine(module), xdsl_relax.compile(imported), Interpreter(imported)
    types = {
        op.sym_name.data: op.function_type.outputs.data for op in imported.body.block.ops if isinstance(op, func.FuncOp)
    }
    for index, case in enumerate(cases):
        name = f"case_{index}"
        inputs = [ordinary(value) for value, arg in zip(case.inputs(), case.args, strict=True) if not arg.shape_value]
        expected = call(machine, name, inputs)
        elements = [element_type_of(leaf) for result in types[name] for leaf in getattr(result, "types", [result])]
        for results in (interpreter.call(name, *inputs), compiled[name](*inputs)):
            for result, reference, element in zip(leaves(results), expected, elements, strict=True):
                assert result.dtype == reference.dtype, case.name
                wide = reference.astype(np.int64 if reference.dtype.kind in "iub" else np.float64)
                assert_close(result, wide, element, case.tolerance, 1e-5)


def models():
    """Returns modules of TVM's `nn.Module`: a feed-forward block with a symbolic size, and a convolutional net."""
    from tvm.relax.frontend import nn
    from tvm.relax.frontend.nn import spec

    class FeedForward(nn.Module):
        def __init__(self):
            self.norm = nn.RMSNorm(16, -1, bias=False)
            self.gate_up = nn.Linear(16, 48, bias=False)
            self.down = nn.Linear(24, 16, bias=False)

        def forward(self, x):
            gate, up = nn.op.split(self.gate_up(self.norm(x)), 2, axis=-1)
            return x + self.down(nn.op.silu(gate) * up)

    class ConvNet(nn.Module):
        def __init__(self):
            self.first = nn.Conv2D(3, 8, 3, stride=1, padding=1, bias=True)
            self.second = nn.Conv2D(8, 4, 3, stride=2, padding=1, bias=True)

        def forward(self, x):
            y = self.second(nn.op.relu(self.first(x)))
            return nn.op.softmax(nn.op.reshape(y, (1, -1)), axis=-1)

    yield FeedForward().export_tvm({"forward": {"x": spec.Tensor(["n", 16], "float32")}})[0], (5, 16)
    yield ConvNet().export_tvm({"forward": {"x": spec.Tensor([1, 3, 8, 8], "float32")}})[0], (1, 3, 8, 8)


@pytest.mark.parametrize("index", [0, 1], ids=["feed-forward", "convolutions"])
def test_legalized_model(index):
    import tvm

    module, shape = list(models())[index]
    module = tvm.relax.transform.AnnotateTIROpPattern()(tvm.relax.transform.LegalizeOps()(module))
    rng = np.random.default_rng(0)
    shapes = [shape, *([int(dim) for dim in parameter.ty.shape] for parameter in module["forward"].params[1:])]
    inputs = [rng.standard_normal(dims).astype(np.float32) * np.float32(0.3) for dims in shapes]
    imported = from_relax(module)
    tvm.ir.assert_structural_equal(to_relax(imported), module)
    [expected] = call(virtual_machine(module), "forward", inputs)
    for results in (Interpreter(imported).call("forward", *inputs), xdsl_relax.compile(imported)["forward"](*inputs)):
        [result] = leaves(results)
        np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-5)
