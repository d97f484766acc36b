"""The kinds of attributes that ops declare, found by asking a constraint about a sample of each; a new constraint needs nothing here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

from xdsl.dialects.builtin import (
    BoolAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    SymbolRefAttr,
    TensorType,
    f32,
    f64,
    i64,
)
from xdsl.ir import Attribute
from xdsl.irdl import OptionalDef, PropertyDef, VerificationContext
from xdsl.utils.exceptions import VerifyException

from .attrs import HOST

SAMPLES: Mapping[str, Attribute] = {
    "bool": BoolAttr.from_bool(True),
    "int": IntegerAttr(0, i64),
    "float": FloatAttr(0.0, f64),
    "str": StringAttr(""),
    "ints": DenseArrayBase.from_list(i64, [0]),
    "floats": DenseArrayBase.from_list(f64, [0.0]),
    "array": DenseIntOrFPElementsAttr.from_list(TensorType(f32, [1]), [0.0]),
    "device": HOST,
    "symbol": SymbolRefAttr("f"),
    "dict": DictionaryAttr({}),
    "dtype": f32,
}
"""An attribute of each kind."""

_WORDS: Mapping[str, str] = {
    "bool": "true or false",
    "int": "an i64",
    "float": "an f64",
    "str": "a string",
    "ints": "an array<i64>",
    "floats": "an array<f64>",
    "array": "dense elements",
    "device": "a #relax.vdevice",
    "symbol": "the name of a function",
    "dict": "a dictionary",
    "dtype": "an element type",
}
"""The kinds as an error about the text says them."""


def accepts(definition: PropertyDef | OptionalDef, attr: Attribute) -> bool:
    """Returns whether a declared attribute may be this one."""
    try:
        cast(Any, definition).constr.verify(attr, VerificationContext())
    except VerifyException:
        return False
    return True


def kinds_of(samples: Mapping[str, Attribute], accepted: Callable[[Attribute], bool]) -> tuple[str, ...]:
    """Returns the kinds that a constraint takes; nothing if it takes all of them."""
    kinds = tuple(kind for kind, sample in samples.items() if accepted(sample))
    return () if len(kinds) == len(samples) else kinds


def expected(definition: PropertyDef | OptionalDef) -> str:
    """Returns what a declared attribute must be, for errors."""
    return " or ".join(_WORDS[kind] for kind in kinds_of(SAMPLES, lambda sample: accepts(definition, sample)))
