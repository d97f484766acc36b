"""Models exported to the dialect: names, parameters, symbolic dims, expressions of parameters, errors."""

import inspect
import re
from typing import Any, cast

import numpy as np
import pytest
import xdsl_relax
from xdsl.context import Context
from xdsl_relax.dialects.upstream.positions import name_of, position_of
from xdsl_relax.frontend import nn
from xdsl_relax.lowering.linalg.fuse_linalg import FuseLinalgPass
from xdsl_relax.lowering.relax_to_linalg.relax_to_linalg import RelaxToLinalgPass
from xdsl_relax.passes.lifting.lift_transform_params import LiftTransformParamsPass
from xdsl_relax.runtime.compiler import relax_context


class LlamaMlp(nn.Module):
    """The feed-forward block of Llama, with both first weights joined."""

    def __init__(self, hidden_size: int, intermediate_size: int):
        self.gate_proj = nn.Linear(hidden_size, intermediate_size, bias=False, dtype="float16")
        self.up_proj = nn.Linear(hidden_size, intermediate_size, bias=False, dtype="float16")
        self.down_proj = nn.Linear(intermediate_size, hidden_size, bias=False, dtype="float16")
        self.gate_up_proj = nn.Linear(hidden_size, intermediate_size, bias=False, dtype="float16")
        weights = [self.gate_proj.weight, self.up_proj.weight]
        self.gate_up_proj.weight = nn.op.concat(weights, dim=0, name="gate_up_proj_weights")

    def forward(self, x: nn.Tensor) -> nn.Tensor:
        gate, up = nn.op.split(self.gate_up_proj(x), 2, axis=-1)
        return self.down_proj(nn.op.silu(gate) * up)


class Projection(nn.Module):
    def __init__(self, input_size, output_size):
        self.weights = nn.Parameter([output_size, input_size])

    def forward(self, state: nn.Tensor) -> nn.Tensor:
        return nn.op.matmul(state, nn.op.permute_dims(self.weights))


class Projections(nn.Module):
    def __init__(self, hidden_size, intermediate_size):
        self.up = Projection(hidden_size, intermediate_size)
        self.down = Projection(intermediate_size, hidden_size)

    def forward(self, state: nn.Tensor) -> nn.Tensor:
        return self.down(self.up(state))


def lines(module, prefix: str) -> list[str]:
    """Returns the lines of a program's text that start so, up to the types."""
    stripped = (line.strip() for line in str(module).splitlines())
    return [line.partition(" : ")[0] for line in stripped if line.startswith(prefix)]


def test_weight_that_is_an_expression():
    module, parameters = LlamaMlp(8, 16).export({"forward": {"x": nn.spec.Tensor(["batch_size", 8], "float16")}})
    assert [name for name, _ in parameters] == ["gate_proj.weight", "up_proj.weight", "down_proj.weight"]
    assert lines(module, "%")[1:] == [
        "%gate_up_proj_weights = relax.concat %gate_proj_weight, %up_proj_weight {axis = 0",
        "%permute_dims = relax.permute_dims %gate_up_proj_weights",
        "%matmul = relax.matmul %x, %permute_dims",
        "%split, %split_1 = relax.split %matmul {axis = -1",
        "%silu = relax.nn.silu %split",
        "%mul = relax.multiply %silu, %split_1",
        "%permute_dims_1 = relax.permute_dims %down_proj_weight",
        "%matmul_1 = relax.matmul %mul, %permute_dims_1",
    ]


@pytest.mark.parametrize(
    ("hidden_size", "intermediate_size", "shapes"),
    [
        ("hidden", "hidden", ["hidden, hidden", "hidden, hidden"]),
        ("hidden", "inner", ["inner, hidden", "hidden, inner"]),
        (nn.SymbolicVar("hidden"), nn.SymbolicVar("inner"), ["inner, hidden", "hidden, inner"]),
        (nn.SymbolicVar("hidden"), nn.SymbolicVar("hidden"), ["hidden, hidden_1", "hidden_1, hidden"]),
        ((size := nn.SymbolicVar("hidden")), size, ["hidden, hidden", "hidden, hidden"]),
    ],
)
def test_symbols_of_parameters(hidden_size, intermediate_size, shapes):
    module, _ = Projections(hidden_size, intermediate_size).export(
        {"forward": {"state": nn.spec.Tensor([2, 4], "float32")}}
    )
    (header,) = lines(module, "func.func")
    assert [part.partition(">>")[0] for part in header.split("#relax.sym<")[1:3]] == shapes


def test_symbol_of_an_argument_and_of_a_parameter_are_two():
    module, _ = nn.Linear(4, "n").export({"forward": {"x": nn.spec.Tensor(["n", 4], "float32")}})
    (header,) = lines(module, "func.func")
    assert "%weight: tensor<?x4xf32, #relax.sym<n_1>>" in header and "%bias: tensor<?xf32, #relax.sym<n_1>>" in header


def test_error_names_module_op_shapes_and_line():
    spec = {"forward": {"state": nn.spec.Tensor(["n", 5], "float32")}}
    with pytest.raises(nn.ModelError) as error:
        Projections(4, 8).export(spec)
    position, _, message = str(error.value).partition(": error: ")
    assert position.startswith(__file__)
    assert message == (
        "up: relax.matmul: matmul_c2: contraction dimensions differ: lhs has 5, rhs has 4 "
        "(operands: tensor<?x5xf32, #relax.sym<n>>, tensor<4x8xf32>)"
    )


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({}, "expected a dict with a specification for each method, got {}"),
        ({"forwad": {}}, "Projections has no method 'forwad', did you mean 'forward'?"),
        ({"forward": {}}, "forward needs a specification of 'state'"),
        (
            {"forward": {"state": 3}},
            "expected spec.Tensor, int, spec.Int, spec.Object, or a tuple or list of them as the specification of 'state', got 3",
        ),
        (
            {"forward": {"state": nn.spec.Tensor([2, 4], "float32"), "stat": int}},
            "forward has no argument 'stat', did you mean 'state'?; it has state",
        ),
        (
            {"forward": {"state": nn.spec.Tensor([-2, 4], "float32")}},
            "specification of 'state': expected a size from 0 to 2^63 - 1, got -2",
        ),
    ],
)
def test_wrong_specifications(spec, message):
    with pytest.raises(nn.ModelError) as error:
        Projections(4, 8).export(spec)
    assert str(error.value).partition(": error: ")[2] == message


def test_parameter_of_another_model():
    weights = nn.Parameter([4, 4])

    class Stray(nn.Module):
        def forward(self, x: nn.Tensor) -> nn.Tensor:
            return nn.op.matmul(x, weights)

    with pytest.raises(
        nn.ModelError,
        match=r"param of type tensor<4x4xf32> is no parameter of the exported module: hold it in an attribute",
    ):
        Stray().export({"forward": {"x": nn.spec.Tensor([2, 4], "float32")}})


def test_dtype_of_expressions_follows_their_parameters():
    model = LlamaMlp(8, 16)
    model.to("float32")
    module, _ = model.export({"forward": {"x": nn.spec.Tensor([2, 8], "float32")}})
    assert "f16" not in str(module)


class Summed(nn.Module):
    """Sums in a plain list, which is no part of the model."""

    def __init__(self):
        self.weights = [nn.Parameter([4])]

    def forward(self, x: nn.Tensor) -> nn.Tensor:
        return x + self.weights[0]


class Reshaped(nn.Module):
    def forward(self, x: nn.Tensor) -> nn.Tensor:
        return nn.op.matmul(x, x) + nn.Tensor.placeholder([4, 4], "float16")


class Nothing(nn.Module):
    def forward(self, x: nn.Tensor) -> None:
        return None


def wrapped_message(inner: nn.Module, shape: list) -> tuple[str, str]:
    """Returns the position and the message of the error of a module inside of others."""

    class Outer(nn.Module):
        def __init__(self):
            self.layers = nn.ModuleList([nn.ModuleDict({"inner": inner})])

        def forward(self, x: nn.Tensor) -> nn.Tensor:
            (layer,) = self.layers
            assert isinstance(layer, nn.ModuleDict)
            return layer["inner"](x)

    with pytest.raises(nn.ModelError) as error:
        Outer().export({"forward": {"x": nn.spec.Tensor(shape, "float32")}})
    position, _, message = str(error.value).partition(": error: ")
    return position, message


@pytest.mark.parametrize(
    ("inner", "shape", "line", "message"),
    [
        (
            Summed(),
            [4],
            "return x + self.weights[0]",
            "layers.0.inner: param of type tensor<4xf32> is no parameter of the exported module: hold it in an attribute, an "
            "nn.ParameterList or an nn.ParameterDict of a module (modules in an nn.ModuleList or an nn.ModuleDict, "
            "not in a list or dict of Python), or pass it as an argument",
        ),
        (
            Reshaped(),
            [4, 5],
            "return nn.op.matmul(x, x) +",
            "layers.0.inner: relax.matmul: matmul_c2: contraction dimensions differ: lhs has 5, rhs has 4 "
            "(operands: tensor<4x5xf32>, tensor<4x5xf32>)",
        ),
        (
            nn.Linear(4, 4),
            [2, 5],
            'return layer["inner"](x)',
            "layers.0.inner: relax.matmul: matmul_c2: contraction dimensions differ: lhs has 5, rhs has 4 "
            "(operands: tensor<2x5xf32>, tensor<4x4xf32>)",
        ),
    ],
)
def test_errors_name_the_path_and_the_line(inner: nn.Module, shape: list, line: str, message: str):
    position, text = wrapped_message(inner, shape)
    file, number, _ = position.rsplit(":", 2)
    with open(file) as source:
        assert line in source.read().splitlines()[int(number) - 1]
    assert text == message


def test_a_result_that_is_none_is_told_where_the_method_is_defined():
    with pytest.raises(nn.ModelError) as error:
        Nothing().export({"forward": {"x": nn.spec.Tensor([4], "float32")}})
    position, _, message = str(error.value).partition(": error: ")
    assert position == f"{__file__}:{inspect.unwrap(Nothing.forward).__code__.co_firstlineno}:1"
    assert message == "expected a tensor, an object, or a tuple or list of them as the result of forward, got NoneType"


def test_errors_at_run_time_and_remarks_name_the_path(capsys):
    class Outer(nn.Module):
        def __init__(self):
            self.up = nn.Linear(4, "n")

        def forward(self, x: nn.Tensor, y: nn.Tensor) -> nn.Tensor:
            return self.up(x) + nn.op.matmul(x, y)

    spec = {"x": nn.spec.Tensor([2, 4], "float32"), "y": nn.spec.Tensor(["k", 1], "float32")}
    module, _ = Outer().export({"forward": spec})
    executable = xdsl_relax.compile(module)
    weights = np.ones((3, 4), np.float32), np.ones(3, np.float32)
    with pytest.raises(Exception, match=r"test_nn_export.py:\d+:\d+: error: relax.matmul: expected 4 == k"):
        executable["forward"](np.ones((2, 4), np.float32), np.ones((5, 1), np.float32), *weights)

    class Checked(nn.Module):
        def __init__(self):
            self.inner = Outer()

        def forward(self, x: nn.Tensor, y: nn.Tensor) -> nn.Tensor:
            return self.inner(x, y)

    module, _ = Checked().export({"forward": spec})
    with pytest.raises(Exception, match=r"test_nn_export.py:\d+:\d+: error: inner: relax.matmul: expected 4 == k"):
        xdsl_relax.compile(module)["forward"](np.ones((2, 4), np.float32), np.ones((5, 1), np.float32), *weights)
    LiftTransformParamsPass(remarks=True).apply(Context(), module)
    assert re.search(r"test_nn_export.py:\d+:\d+: remark: lifting: inner.up: %permute_dims", capsys.readouterr().err)


def test_linalg_has_the_location_of_what_it_computes():
    module, _ = Projections(4, 8).export({"forward": {"state": nn.spec.Tensor(["n", 4], "float32")}})
    for lowering in (RelaxToLinalgPass(), FuseLinalgPass()):
        lowering.apply(relax_context(), module)
        computed = [op for op in module.walk() if op.name in ("linalg.generic", "linalg.fill")]
        assert {name_of(op.location) for op in computed} == {"up", "down"}
        assert {(position_of(op.location) or ("",))[0] for op in computed} == {__file__}


def test_python_cannot_branch_on_a_tensor():
    class Branch(nn.Module):
        def forward(self, x: nn.Tensor) -> nn.Tensor:
            return nn.op.relu(x) if nn.op.max(x) > 0 else nn.op.negative(x)

    with pytest.raises(nn.ModelError, match="a tensor has no value before the program runs"):
        Branch().export({"forward": {"x": nn.spec.Tensor([2], "float32")}})


NOTHING: Any = None


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: nn.spec.Tensor(cast(Any, 4), "float32"), "expected a list of sizes as the shape of a tensor, got 4"),
        (lambda: nn.Linear(2, 2).export({"forward": None}), "expected a dict from the arguments of forward"),
        (lambda: nn.Linear(2, 2).export(cast(Any, {3: {}})), "Linear has no method 3"),
        (lambda: nn.KVCache(-1, [2]), r"expected sizes from 0 to 2\^31 - 1 for a cache, got \[-1, 2\]"),
        (lambda: nn.KVCache(cast(Any, "n"), [2]), "KVCache takes an integer as 'init_seq_len', got 'n'"),
        (
            lambda: nn.Linear(2, 2, bias=False).load_state_dict({"weight": None}),
            "weight: expected an array, got NoneType",
        ),
        (lambda: nn.Linear(2, 2).load_state_dict(NOTHING), "expected a dict of arrays by name, got NoneType"),
    ],
)
def test_arguments_of_the_wrong_kind(call, message):
    with pytest.raises((nn.ModelError, ValueError), match=message):
        call()


def test_a_method_with_the_name_of_a_member_of_compiled_models():
    class Model(nn.Module):
        def get(self, x: nn.Tensor) -> nn.Tensor:
            return x

    with pytest.raises(
        nn.ModelError, match="a compiled model has members with the names of these methods, give them others: get"
    ):
        Model().jit({"get": {"x": nn.spec.Tensor([2], "float32")}})


def test_a_parameter_that_no_method_reads():
    class Model(nn.Module):
        def __init__(self):
            self.layers = nn.ModuleList([nn.Linear(2, 2, bias=False), nn.Linear(2, 2)])

        def forward(self, x: nn.Tensor) -> nn.Tensor:
            return self.layers[0](x)

    with pytest.warns(
        nn.UnusedParameterWarning, match=r"^layers.1.weight, layers.1.bias: no exported method reads them$"
    ):
        module, parameters = Model().export({"forward": {"x": nn.spec.Tensor([2, 2], "float32")}})
    assert len(parameters) == 3 and "%layers_1_bias: tensor<2xf32>" in str(module)


def test_modules_in_a_plain_list():
    class Model(nn.Module):
        def __init__(self):
            self.layers = [nn.Linear(2, 2)]

        def forward(self, x: nn.Tensor) -> nn.Tensor:
            return self.layers[0](x)

    with pytest.raises(
        nn.ModelError, match=r"modules in an nn.ModuleList or an nn.ModuleDict, not in a list or dict of Python"
    ):
        Model().export({"forward": {"x": nn.spec.Tensor([2, 2], "float32")}})
