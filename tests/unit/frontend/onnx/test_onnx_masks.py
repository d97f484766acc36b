"""Masks of attention that a model of ONNX stores: they are computed, so that passes know what they hide."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="needs onnx")

from harness.onnx_models import info, model  # noqa: E402
from onnx import helper  # noqa: E402
from xdsl_relax.frontend.onnx import import_onnx  # noqa: E402
from xdsl_relax.runtime.interpreted import interpret  # noqa: E402

ROWS, COLUMNS = 17, 19
LOWER = np.tri(ROWS, COLUMNS, 2, dtype=bool)
HOLE = LOWER.copy()
HOLE[9, 3] = False
LOWEST = np.finfo(np.float32).min

COMPUTED = {
    "conditions": LOWER[None, None],
    "conditions of a matrix": LOWER,
    "true": np.ones((1, ROWS, COLUMNS), bool),
    "infinite": np.where(LOWER, np.float32(0), np.float32(-np.inf))[None, None],
    "lowest": np.where(LOWER, np.float32(0), LOWEST)[None, None],
    "lowest of f16": np.where(LOWER, np.float16(0), np.finfo(np.float16).min)[None],
}

STORED = {
    "a hole": HOLE[None],
    "false": np.zeros((1, ROWS, COLUMNS), bool),
    "upper": ~LOWER[None],
    "two matrices": np.stack([LOWER, LOWER]),
    "small numbers": np.where(LOWER, np.float32(0), np.float32(-1e4))[None],
    "a matrix of floats": np.where(LOWER, np.float32(0), LOWEST),
    "zeros": np.zeros((1, ROWS, COLUMNS), np.float32),
}


def imported(mask: np.ndarray[Any, Any]) -> Any:
    """A model that picks by conditions, or adds numbers."""
    is_condition = mask.dtype == bool
    kind = helper.np_dtype_to_tensor_dtype(np.dtype(np.float32) if is_condition else mask.dtype)
    operands = ["mask", "x", "y"] if is_condition else ["x", "mask"]
    node = helper.make_node("Where" if is_condition else "Add", operands, ["z"])
    inputs = [info(name, [1, 2, ROWS, COLUMNS], kind) for name in operands if name != "mask"]
    proto = model([node], inputs, ["z"], weights={"mask": mask})
    proto.graph.output[0].type.tensor_type.elem_type = kind
    return import_onnx(proto)


def check(program: Any, mask: np.ndarray[Any, Any], *weights: Any) -> None:
    x, y = np.random.default_rng(0).standard_normal((2, 1, 2, ROWS, COLUMNS)).astype(np.float32)
    x = x if mask.dtype == bool else x.astype(mask.dtype)
    inputs, expected = ([x, y], np.where(mask, x, y)) if mask.dtype == bool else ([x], x + mask)
    (result,) = interpret(program.module)("main", *inputs, *weights)
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("mask", COMPUTED.values(), ids=COMPUTED)
def test_a_mask_is_computed(mask: np.ndarray[Any, Any]):
    program = imported(mask)
    assert not program.params
    check(program, mask)


@pytest.mark.parametrize("weight", STORED.values(), ids=STORED)
def test_a_weight_is_a_parameter(weight: np.ndarray[Any, Any]):
    program = imported(weight)
    assert list(program.params) == ["mask"]
    check(program, weight, program.params["mask"])


def test_two_nodes_share_a_mask():
    nodes = [helper.make_node("Where", ["mask", "x", "y"], ["z"]), helper.make_node("Where", ["mask", "y", "z"], ["w"])]
    inputs = [info(name, [ROWS, COLUMNS]) for name in ("x", "y")]
    program = import_onnx(model(nodes, inputs, ["w"], weights={"mask": LOWER}))
    assert str(program.module).count("relax.tril") == 1
