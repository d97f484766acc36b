"""Mutators: what is visited, with which path, and what replaces it."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from xdsl_relax.frontend import nn


class Block(nn.Module):
    def __init__(self):
        self.linear = nn.Linear(2, 2)
        self.cache = nn.KVCache(4, [2])
        self.name = "block"


class Model(nn.Module):
    def __init__(self):
        self.layers = nn.ModuleList([Block(), nn.ModuleList([Block()])])
        self.by_name = nn.ModuleDict({"first": Block()})
        self.weights = nn.ParameterList([nn.Parameter([1]), nn.Parameter([2])])
        self.scales = nn.ParameterDict({"x": nn.Parameter([3])})


KINDS = ["module", "effect", "param", "modulelist", "moduledict", "parameterlist", "parameterdict"]


class Recording(nn.Mutator):
    def __init__(self):
        self.visited: list[tuple[str, str]] = []


def _recorded(kind: str) -> Any:
    def visit(self: Recording, name: str, node: Any) -> Any:
        self.visited.append((kind, name))
        return self.visit(name, node)

    return visit


for kind in KINDS:
    setattr(Recording, f"visit_{kind}", _recorded(kind))


def test_every_part_is_visited_with_its_path():
    recording = Recording()
    model = Model()
    assert recording.visit_module("", model) is model
    inside = [("module", "linear"), ("param", "linear.weight"), ("param", "linear.bias"), ("effect", "cache")]

    def block(path: str) -> list[tuple[str, str]]:
        return [("module", path), *((kind, f"{path}.{name}") for kind, name in inside)]

    assert recording.visited == [
        ("module", ""),
        ("modulelist", "layers"),
        *block("layers.0"),
        ("modulelist", "layers.1"),
        *block("layers.1.0"),
        ("moduledict", "by_name"),
        *block("by_name.first"),
        ("parameterlist", "weights"),
        ("param", "weights.0"),
        ("param", "weights.1"),
        ("parameterdict", "scales"),
        ("param", "scales.x"),
    ]


def test_parts_are_replaced():
    class Replacing(nn.Mutator):
        def visit_module(self, name: str, node: Any) -> Any:
            if isinstance(node, nn.Linear):
                return nn.Linear(node.in_features, 7, bias=False)
            return self.visit(name, node)

        def visit_param(self, name: str, node: Any) -> Any:
            return nn.Parameter([9]) if name in ("weights.1", "scales.x") else node

    model = Replacing().visit_module("model", Model())
    shapes = {name: parameter.shape for name, parameter in model.named_parameters()}
    assert shapes == {
        "layers.0.linear.weight": [7, 2],
        "layers.1.0.linear.weight": [7, 2],
        "by_name.first.linear.weight": [7, 2],
        "weights.0": [1],
        # The name of the root is in front of the paths.
        "weights.1": [2],
        "scales.x": [3],
    }
    shapes = {name: parameter.shape for name, parameter in Replacing().visit("", model).named_parameters()}
    assert shapes["weights.1"] == shapes["scales.x"] == [9]


def test_a_list_takes_what_it_may_hold():
    class Wrong(nn.Mutator):
        def visit_param(self, name: str, node: Any) -> Any:
            return 3

    with pytest.raises(nn.ModelError, match=r"in place of the parameter .0., got 3"):
        Wrong().visit("", nn.ParameterList([nn.Parameter([1])]))
    items: Any = [object()]
    for make in (
        lambda: nn.ParameterList(items),
        lambda: nn.ModuleList(items),
        lambda: nn.ParameterDict({"a": items[0]}),
    ):
        with pytest.raises(TypeError, match="got") as error:
            make()
        assert isinstance(pickle.loads(pickle.dumps(error.value)), nn.ModelError)


class Tied(nn.Module):
    """A weight under two paths, a layer under two, and an expression of both weights."""

    def __init__(self):
        self.embedding = nn.Embedding(3, 2)
        self.head = nn.Linear(2, 3, bias=False)
        self.head.weight = self.embedding.weight
        self.layer = nn.Linear(2, 2, bias=False)
        self.again = self.layer
        self.joined = nn.op.concat([self.layer.weight * 0.5, self.head.weight], dim=0)

    def forward(self, x: nn.Tensor) -> nn.Tensor:
        return nn.op.matmul(self.again(x), nn.op.permute_dims(self.joined))


class ToHalf(nn.Mutator):
    def __init__(self):
        self.visited: list[str] = []

    def visit_module(self, name: str, node: Any) -> Any:
        self.visited.append(name)
        return self.visit(name, node)

    def visit_param(self, name: str, node: Any) -> Any:
        self.visited.append(name)
        return nn.Parameter(node.shape, "float16")


def test_what_is_shared_stays_shared():
    mutator = ToHalf()
    model = mutator.visit("", Tied())
    assert mutator.visited == ["embedding", "embedding.weight", "head", "layer", "layer.weight"]
    assert model.head.weight is model.embedding.weight
    assert model.again is model.layer


def test_expressions_follow_their_parameters():
    model = ToHalf().visit("", Tied())
    assert model.joined.dtype == "float16"
    text = str(model.export({"forward": {"x": nn.spec.Tensor([1, 2], "float16")}})[0])
    assert "f32" not in text

    class Narrow(nn.Mutator):
        def visit_param(self, name: str, node: Any) -> Any:
            return nn.Parameter([2, 5]) if name == "layer.weight" else node

    with pytest.raises(nn.ModelError, match=r"test_nn_mutator\.py:\d+:\d+: error: relax\.concat: concat_c\d+"):
        Narrow().visit("", Tied())


def test_a_part_that_contains_itself_is_refused():
    model = nn.ModuleList([nn.ModuleList()])
    inner: Any = model[0]
    inner.append(model)
    for visit in (ToHalf().visit, ToHalf().visit_module):
        with pytest.raises(nn.ModelError, match=r"module '0\.0' contains itself"):
            visit("", model)


def test_a_misspelled_visit_is_refused():
    with pytest.raises(
        nn.ModelError, match=r"nothing calls 'visit_modul', did you mean 'visit_module'\?; a mutator has"
    ):

        class Misspelled(nn.Mutator):  # pyright: ignore[reportUnusedClass]
            def visit_modul(self, name: str, node: Any) -> Any:
                return node


def test_what_takes_the_place_of_a_parameter_is_a_tensor():
    class Wrong(nn.Mutator):
        def visit_param(self, name: str, node: Any) -> Any:
            return 5

    with pytest.raises(
        nn.ModelError, match=r"Wrong\.visit_param: expected a tensor, a module or None in place of the parameter"
    ):
        Wrong().visit("", nn.Linear(2, 2))
