"""Scalars, which are tensors without dims: `arith`, and single elements of tensors; an index is an i64."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from xdsl.dialects.builtin import FloatAttr, IntegerAttr

from ....model.problems import Unsupported
from ..emit import Emitter, element_of, ints, shape_of
from ..rule import Rule, Rules, scalar_element
from .elementwise import converted

_INTEGERS = dict(enumerate(("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")))
_FLOATS = {1: "equal", 2: "greater", 3: "greater_equal", 4: "less", 5: "less_equal", 13: "not_equal"}
"""The predicates of comparisons, but for those of unsigned and, beside `une`, of unordered numbers."""


def _constant(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    if not isinstance(op.value, IntegerAttr | FloatAttr):
        raise Unsupported("a constant that is no scalar")
    return e.constant(op.value.value.data, scalar_element(op.result.type))


def _unary(name: str) -> Rule:
    return lambda e, op, operands: e.unary(name, operands[0])


def _binary(name: str) -> Rule:
    return lambda e, op, operands: e.binary(name, operands[0], operands[1])


def _compare(kinds: Mapping[int, str]) -> Rule:
    def write(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
        kind = kinds.get(op.predicate.value.data)
        if kind is None:
            raise Unsupported("a comparison of unsigned or unordered numbers has no counterpart")
        return e.compare(kind, operands[0], operands[1])

    return write


def _converted(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    return converted(e, operands[0], scalar_element(op.results[0].type))


def _signed(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    y = e.convert(operands[0], scalar_element(op.results[0].type))
    return e.unary("negate", y) if element_of(operands[0]) == "i1" else y


def _truncated(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    x, element = operands[0], scalar_element(op.result.type)
    return e.compare("not_equal", e.binary("and", x, 1), 0) if element == "i1" else e.convert(x, element)


def _extract(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    x, *indices = operands
    if not indices:
        return x
    single = [1] * len(indices)
    item = e.op("dynamic_slice", (x, *indices), single, element_of(x), {"slice_sizes": ints(single)})
    return e.reshape(item, [])


def _from_elements(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    vector = e.concatenate([e.reshape(x, [1]) for x in operands], 0)
    return e.reshape(vector, op.result.type.get_shape())


def _dim(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    owner = op.index.owner
    if not hasattr(owner, "value") or not isinstance(owner.value, IntegerAttr):
        raise Unsupported("a dim whose number is not constant has no counterpart")
    return e.constant(shape_of(operands[0])[owner.value.value.data], "i64")


RULES: Rules = {
    "arith.addf": _binary("add"),
    "arith.addi": _binary("add"),
    "arith.andi": _binary("and"),
    "arith.cmpf": _compare(_FLOATS),
    "arith.cmpi": _compare(_INTEGERS),
    "arith.constant": _constant,
    "arith.divf": _binary("divide"),
    "arith.extf": _converted,
    "arith.extsi": _signed,
    "arith.extui": _converted,
    "arith.fptosi": _converted,
    "arith.index_cast": _signed,
    "arith.maximumf": _binary("maximum"),
    "arith.maxsi": _binary("maximum"),
    "arith.minimumf": _binary("minimum"),
    "arith.minsi": _binary("minimum"),
    "arith.mulf": _binary("multiply"),
    "arith.muli": _binary("multiply"),
    "arith.negf": _unary("negate"),
    "arith.ori": _binary("or"),
    "arith.select": lambda e, op, operands: e.select(*operands),
    "arith.sitofp": _signed,
    "arith.subf": _binary("subtract"),
    "arith.subi": _binary("subtract"),
    "arith.truncf": _converted,
    "arith.trunci": _truncated,
    "arith.xori": _binary("xor"),
    "tensor.dim": _dim,
    "tensor.extract": _extract,
    "tensor.from_elements": _from_elements,
}
