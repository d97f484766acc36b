"""The functions and modules of `frontend.nn`: exported as TVM exports them, and computing what torch computes."""

from __future__ import annotations

import importlib.util
import inspect
import re
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from cases.frontend_nn import CASES
from cases.frontend_nn.sampling import KERNELS
from harness.native import compile_native
from harness.nn_cases import FLOAT, Case, runs_of
from harness.sampling import sampled
from xdsl_relax.dialects.relax.function_signature import functions
from xdsl_relax.frontend import nn
from xdsl_relax.interpreter.engine import Interpreter
from xdsl_relax.passes.analysis.structure import Structure

requires_tvm = pytest.mark.skipif(importlib.util.find_spec("tvm") is None, reason="needs the extra tvm")

FLOATS = ("float32", "float16", "bfloat16")

WITH_EFFECTS = {
    "print_",
    "debug_func",
    "extern",
    "call_packed",
    "tensor_ir_op",
    "tensor_expr_op",
    "tensor_ir_inplace_op",
}
"""Functions with tests of their own."""


class Recorder:
    """A namespace that notes down what is read from it."""

    def __init__(self, namespace):
        self._namespace = namespace
        self._read = set()

    def __getattr__(self, name):
        self._read.add(name)
        return getattr(self._namespace, name)


@requires_tvm
@pytest.mark.parametrize("case", [case for case in CASES if not case.differs], ids=lambda case: case.name)
def test_equal_to_tvm(case: Case):
    from tvm.relax.frontend import nn as reference
    from xdsl_relax.frontend.tvm import from_relax, to_relax

    # Through TVM and back, all defaults are written out.
    exported = from_relax(to_relax(case.export(nn, "float32")[0]))
    expected = from_relax(case.export(reference, "float32")[0])
    assert form_of(exported) == form_of(expected), f"{exported}\n{expected}"
    for name, wanted in zip(names_in(exported), names_in(expected), strict=True):
        # TVM calls the transpose of a weight `linear.weight` `matmul.weight`.
        assert wanted in ("", "lv", "gv") or name == (
            "permute_dims" if "matmul" in wanted and "weight" in wanted else wanted
        )


def form_of(module):
    """Returns what a function that TVM read computes."""
    (function,) = functions(module)
    for op in function.walk():
        op.attributes.pop("tvm.alias", None)
    return Structure().of_op(function)


def names_in(module):
    """Returns the names of all results, without the numbers that tell equal ones apart."""
    return [re.sub(r"_?\d+$", "", result.name_hint or "") for op in module.walk() for result in op.results]


@requires_tvm
@pytest.mark.parametrize("case", [case for case in CASES if case.differs == KERNELS], ids=lambda case: case.name)
def test_equal_to_kernels_of_tvm(case: Case):
    from tvm.relax.frontend import nn as reference
    from xdsl_relax.frontend.tvm import from_relax

    call = compile_native(case.export(nn, "float32")[0])
    expected = compile_native(from_relax(case.export(reference, "float32")[0]))
    rng = np.random.default_rng(0)
    for _ in range(100):
        arguments = [arg.make(rng, "float32") for arg in case.args]
        np.testing.assert_array_equal(call("run", *arguments), expected("run", *arguments))


@requires_tvm
def test_multinomial_equals_that_of_tvm():
    import tvm

    module, _ = next(case for case in CASES if case.name == "multinomial").export(nn, "float32")
    call, builtin = Interpreter(module).call, tvm.get_global_func("vm.builtin.multinomial_from_uniform")
    rng = np.random.default_rng(0)
    for _ in range(100):
        prob, uniform = (
            rng.random((4, 7)).astype(np.float32),
            rng.choice([0, 0.5, 0.9999999, *rng.random(3)], (4, 1)).astype(np.float32),
        )
        prob /= prob.sum(1, keepdims=True)
        expected = builtin(*map(tvm.runtime.tensor, (prob, uniform))).numpy()
        np.testing.assert_array_equal(call("run", prob, uniform)[0], expected)


@requires_tvm
def test_signatures_are_those_of_tvm():
    from tvm.relax.frontend.nn import op as reference

    known = {name: function for name, function in vars(reference).items() if inspect.isfunction(function)}
    own = {name: known[name] for name in known if known[name].__module__ == reference.__name__}
    assert len(own) == 77
    assert {name for name in own if not hasattr(nn.op, name)} <= WITH_EFFECTS
    for name in sorted(own.keys() - WITH_EFFECTS):
        parameters = inspect.signature(getattr(nn.op, name)).parameters.values()
        expected = inspect.signature(own[name]).parameters.values()
        assert [p.name for p in parameters] == [p.name for p in expected], name
        assert all(
            p.default == e.default or name == "permute_dims" for p, e in zip(parameters, expected, strict=True)
        ), name
        assert inspect.getdoc(getattr(nn.op, name)), name
        assert getattr(nn, name) is getattr(nn.op, name)


def test_each_function_and_module_has_a_case():
    functions_read, modules_read = Recorder(nn.op), Recorder(nn.modules)
    namespace = SimpleNamespace(op=functions_read, modules=modules_read, Module=nn.Module, spec=nn.spec)
    for case in CASES:
        case.export(namespace, "float32")
    files = {
        name: getattr(nn.op, name).__module__.rpartition(".")[2]
        for name in nn.op.__all__
        if name not in functions_read._read
    }
    assert set(files.values()) <= {"debug", "external", "kernel", "values"}, files
    assert set(nn.modules.__all__) - modules_read._read <= {"IOEffect", "KVCache"}


def test_names_of_cases_differ():
    assert len({case.name for case in CASES}) == len(CASES)


def test_interpreter():
    pytest.importorskip("torch")
    module, runs = runs_of(CASES, FLOATS)
    interpreter = Interpreter(module)
    differences = [
        run.difference(interpreter.call(run.function, *run.arguments, *run.parameters.values())) for run in runs
    ]
    assert not any(differences), "\n".join(filter(None, differences))


class Constant(nn.Module):
    """What a function makes of parameters, computed outside of a method."""

    def __init__(self, case):
        names = [f"w{index}" for index in range(len(case.args))]
        parameters = [nn.Parameter(arg.dims, "float32" if arg.dtype == FLOAT else arg.dtype) for arg in case.args]
        for name, parameter in zip(names, parameters, strict=True):
            setattr(self, name, parameter)
        # In a list, a result that is a parameter is none of the module.
        self.results = [case.forward(nn, *parameters)]

    def run(self):
        return self.results[0]


@pytest.mark.filterwarnings("ignore::xdsl_relax.frontend.nn.UnusedParameterWarning")
def test_functions_outside_of_an_export():
    pytest.importorskip("torch")
    cases = [case for case in CASES if case.module is None]
    _, runs = runs_of(cases, ["float32"])
    differences: list[str | None] = []
    for run in runs:
        module, _ = Constant(run.case).export({"run": {}})
        differences.append(run.difference(Interpreter(module).call("run", *run.arguments)))
    assert not any(differences), "\n".join(filter(None, differences))


@pytest.mark.parametrize("part", [0, 1])
def test_native(part):
    """A case is compiled in float32, and in the other types by turns: their lowering is tested op by op."""
    pytest.importorskip("torch")
    module, runs = runs_of(sampled(CASES[part::2], lambda case: case.name), ["float32", FLOATS[1 + part]])
    call = compile_native(module)
    differences = [run.difference(call(run.function, *run.arguments, *run.parameters.values())) for run in runs]
    assert not any(differences), "\n".join(filter(None, differences))


UNTYPED: Any = nn
"""What is called wrongly on purpose."""


class Applied(nn.Module):
    """A function as a model."""

    def __init__(self, function):
        self.function = function

    def forward(self, x: nn.Tensor):
        return self.function(x)


def spec_of(*dims, dtype="float32"):
    return {"forward": {"x": nn.spec.Tensor(list(dims), dtype)}}


def test_wrap_nested():
    def pair(x):
        return nn.op.wrap_nested([nn.op.exp(x).value, nn.op.log(x).value], "pair")

    text = str(Applied(pair).export(spec_of(2))[0])
    assert "%pair = relax.exp %x" in text and "%pair_1 = relax.log %x" in text


@requires_tvm
@pytest.mark.parametrize(
    "data",
    [np.ones(2), np.arange(2), np.int64(1), 1, 1.5, [1, 2], [1.5], True, np.ones(2, np.float16), np.array([True])],
)
def test_dtype_of_constants(data):
    from tvm.relax.frontend import nn as reference

    assert nn.Tensor.from_const(data).dtype == str(reference.Tensor.from_const(data).dtype)


def test_dtype_of_large_constants():
    with pytest.raises(nn.ModelError, match="expected data that int32 holds, or a dtype"):
        nn.Tensor.from_const(1 << 40)
    assert nn.Tensor.from_const(1 << 40, "int64").dtype == "int64"


def test_dtype_of_modules():
    layer = nn.Linear(4, 5, out_dtype="float32")
    layer.to("float16")
    assert [parameter.dtype for parameter in layer.parameters()] == ["float16", "float32"]


@pytest.mark.parametrize(
    ("function", "dims", "message"),
    [
        (lambda x: UNTYPED.op.interpolate(x), (1, 2, 3, 4), "interpolate needs a size or a scale_factor"),
        (lambda x: UNTYPED.op.interpolate(x, 2, antialias=True), (1, 2, 3, 4), "interpolate has no antialias"),
        (
            lambda x: UNTYPED.op.ccl_allreduce(x, "mean"),
            (2,),
            "relax.ccl.allreduce: allreduce_c1: op_type must be one of sum, ",
        ),
        (lambda x: UNTYPED.op.ccl_allgather(x, 2), (2,), "relax.ccl.allgather: allgather_c1: num_workers must be 1, "),
        (lambda x: x + None, (2,), "expected a tensor or a number, got None"),
        (lambda x: UNTYPED.op.concat(x, 0), (2,), "concat takes a list of tensors as 'x', got Tensor([2], "),
        (lambda x: UNTYPED.op.zeros(["n"]), (2,), "zeros takes a list of sizes as 'shape', got ['n']"),
        (
            lambda x: UNTYPED.op.zeros([nn.SymbolicVar("k")]),
            (2,),
            "symbol k in the result of relax.shape is not defined: ",
        ),
        (lambda x: UNTYPED.op.zeros(3), (2,), "zeros takes a list of sizes as 'shape', got 3"),
        (
            lambda x: UNTYPED.op.reshape(x, [-1, -1]),
            (2,),
            "relax.reshape: reshape_c1: the shape must have at most one -1",
        ),
        (
            lambda x: UNTYPED.op.conv2d(x, x, padding="SAME"),
            (2,),
            "expected padding 'same', 'valid' or numbers, got 'SAME'",
        ),
        (
            lambda x: UNTYPED.op.conv2d(x, x, stride=(1, 2), padding="same"),
            (2, 2, 2, 2),
            "expected strides of 1 with padding 'same', got [1, 2]",
        ),
        (
            lambda x: UNTYPED.op.conv1d(x, x, padding="same"),
            (2, 2, "n"),
            "expected windows of known sizes with padding 'same', got [",
        ),
        (
            lambda x: UNTYPED.op.group_norm(x, 1, None, None, channel_axis=3),
            (2,),
            "group_norm expected channel_axis to be in [-1, 1), got 3",
        ),
        (
            lambda x: UNTYPED.op.get_timestep_embedding(x, 8),
            (2, 2),
            "get_timestep_embedding expected steps of rank 1, got Tensor([2, 2], ",
        ),
        (
            lambda x: UNTYPED.op.interpolate(x, 2),
            (2, 2),
            "interpolate expected a tensor in the layout NCHW, got one of rank 2",
        ),
        (
            lambda x: UNTYPED.op.multinomial_from_uniform(x, UNTYPED.op.zeros([3, 1])),
            (2, 2),
            "expected as many uniform numbers as rows",
        ),
        (lambda x: UNTYPED.Conv1D(3, 4, 1, groups=2)(x), (2, 3, 4), "expected groups that divide 3 channels, got 2"),
        (
            lambda x: UNTYPED.op.exp(x),
            (2,),
            "relax.exp: exp_c1: element type must be one of f64, f32, f16, bf16, got i32",
        ),
    ],
)
def test_errors(function, dims, message):
    with pytest.raises(nn.ModelError) as error:
        Applied(function).export(spec_of(*dims, dtype="int32"))
    position, _, text = str(error.value).partition(": error: ")
    assert position.startswith(__file__)
    assert text.startswith(message)
