"""Models that no program follows from, by their names, results, depth or data: a `ModelError` or `ValueError` of one line."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xdsl_relax.frontend import nn

SPEC = {"forward": {"x": nn.spec.Tensor([2], "float32")}}


def with_parameter(name: str) -> nn.Module:
    class Model(nn.Module):
        def __init__(self) -> None:
            setattr(self, name, nn.Parameter([2]))

        def forward(self, x: nn.Tensor) -> nn.Tensor:
            return x + getattr(self, name)

    return Model()


@pytest.mark.parametrize("name", ["0", "0_1", "_0", "_", "a.b", "a b", "%x"])
def test_parameters_have_any_name(name: str):
    model = with_parameter(name)
    model.load_state_dict({name: np.ones(2, np.float32)})
    assert model.jit(SPEC)(np.zeros(2, np.float32)).tolist() == [1, 1]


@pytest.mark.parametrize("name", ["", "\0", "\ud800"])
def test_names_that_no_file_holds_are_refused(name: str):
    with pytest.raises(nn.ModelError, match="the name of a parameter must be a string that is not empty"):
        with_parameter(name).export(SPEC)


def test_two_parameters_of_one_path_are_refused():
    class Model(nn.Module):
        def __init__(self) -> None:
            self.a = nn.ParameterDict({"b": nn.Parameter([2])})
            setattr(self, "a.b", nn.Parameter([2]))

    with pytest.raises(nn.ModelError, match=r"two parts of the model have the path 'a\.b': rename one"):
        Model().state_dict()


def test_a_result_that_contains_itself_is_refused():
    class Model(nn.Module):
        def forward(self, x: nn.Tensor) -> Any:
            result: list[Any] = [x, [x, x], (x,)]
            result.append(result)
            return result

    with pytest.raises(nn.ModelError, match="the result of forward is a list that contains itself"):
        Model().export(SPEC)


def test_modules_that_are_nested_too_deep_are_refused():
    class Model(nn.Module):
        def __init__(self, inner: nn.Module | None) -> None:
            self.inner = inner

        def forward(self, x: nn.Tensor) -> nn.Tensor:
            return x if self.inner is None else self.inner(x)

    model = Model(None)
    for _ in range(2000):
        model = Model(model)
    with pytest.raises(nn.ModelError, match=r"forward calls modules too deep .*: the recursion limit of Python is \d+"):
        model.export(SPEC)


def test_an_expression_whose_operands_do_not_fit_any_more_is_named():
    class Model(nn.Module):
        def __init__(self) -> None:
            self.a, self.other = nn.Parameter([2, 3]), nn.Parameter([2, 3])
            self.b = nn.op.concat([self.a, self.other], dim=0)

        def forward(self, x: nn.Tensor) -> nn.Tensor:
            return nn.op.matmul(x, self.b)

    model = Model()
    model.a.to("float16")
    with pytest.raises(nn.ModelError, match=r"relax\.concat: concat_c\d+: .*f16 and f32"):
        model.export({"forward": {"x": nn.spec.Tensor([1, 4], "float16")}})


@pytest.mark.filterwarnings("ignore")
def test_tensors_of_torch_without_data_in_memory_are_refused():
    torch = pytest.importorskip("torch")
    layer = nn.Linear(2, 2, bias=False)
    wrong = [
        torch.empty(2, 2, device="meta"),
        torch.eye(2).to_sparse(),
        torch.eye(2).to_sparse_csr(),
        torch.nested.nested_tensor([torch.ones(2), torch.ones(2)]),
    ]
    for data in wrong:
        with pytest.raises(ValueError, match=r"^weight: expected an array in this machine's memory, got [^\n]+\Z"):
            layer.load_state_dict({"weight": data})
    layer.load_state_dict({"weight": torch.nn.Parameter(torch.ones(2, 2))})


def test_what_is_no_array_of_numbers_is_refused():
    layer = nn.Linear(2, 2, bias=False)
    ones = np.ones((2, 2), np.float32)
    wrong: list[tuple[Any, str]] = [
        (np.ma.masked_array(ones, [[True, False], [False, False]]), "got a masked array"),
        (nn.op.ones([2, 2]), "expected an array, got a Tensor of a model, which has no data"),
        (nn.Linear(2, 2).weight, "expected an array, got a Parameter of a model, which has no data"),
        (
            ones.astype(np.float64),
            r"expected data of dtype float32, got float64; convert the data, or change the model by to\(\)",
        ),
    ]
    for data, message in wrong:
        with pytest.raises(ValueError, match=rf"^weight: .*{message}"):
            layer.load_state_dict({"weight": data})


def test_what_torch_counts_is_ignored():
    torch = pytest.importorskip("torch")

    class Model(nn.Module):
        def __init__(self):
            self.norm = nn.BatchNorm(3)

    state = torch.nn.BatchNorm2d(3).state_dict()
    assert nn.BatchNorm(3).load_state_dict(state) == ([], [])
    assert Model().load_state_dict({f"norm.{name}": data for name, data in state.items()}) == ([], [])
    with pytest.raises(KeyError, match=r"unexpected: num_batches_tracked'"):
        Model().load_state_dict({f"norm.{name}": data for name, data in state.items()} | {"num_batches_tracked": 1})
