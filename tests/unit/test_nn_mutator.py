"""Mutators: what is visited, with which path, and what replaces it."""

from __future__ import annotations

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

    with pytest.raises(nn.ModelError, match=r"expected nn.Parameter in ParameterList, got int"):
        Wrong().visit("", nn.ParameterList([nn.Parameter([1])]))
