"""Tuples, shape values, devices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .....dialects.relax.base import shape_value
from ..emit import Emitter
from ..rule import Fields, Rules, known_sizes, result_element
from .elementwise import converted


def _same(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    return operands[0]


def _tuple(e: Emitter, op: Any, operands: Sequence[Any]) -> Fields:
    return Fields(operands)


def _item(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    return operands[0][op.prop("index")]


def _symbol_value(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    size = known_sizes(shape_value(op.shape))[op.prop("index", 0)]
    return converted(e, e.constant(size, "i64"), result_element(op))


def _shape_to_tensor(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    return e.array(np.array(known_sizes(shape_value(op.shape)), np.int64), "i64")


RULES: Rules = {
    "relax.builtin.stop_lift_params": _same,
    "relax.device_copy": _same,
    "relax.hint_on_device": _same,
    "relax.match_cast": _same,
    "relax.shape_to_tensor": _shape_to_tensor,
    "relax.symbol_value": _symbol_value,
    "relax.to_vdevice": _same,
    "relax.tuple": _tuple,
    "relax.tuple_get_item": _item,
}
