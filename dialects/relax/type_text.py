"""The types of an op in the text. A tuple of many fields, such as all parameters of a model, is spelled once, not at each of its uses."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import TupleType
from xdsl.ir import Attribute
from xdsl.printer import Printer

_KEPT = 64
"""More tuples than the functions of a model have."""

_texts: dict[int, tuple[Attribute, str]] = {}
"""By identity: to hash a tuple takes as long as to print it. The type is kept, so that no other one gets its identity."""


def print_type(printer: Printer, value_type: Attribute) -> None:
    """Prints a type."""
    if not isinstance(value_type, TupleType):
        printer.print_attribute(value_type)
        return
    known = _texts.get(id(value_type))
    if known is None:
        if len(_texts) >= _KEPT:
            _texts.clear()
        known = _texts[id(value_type)] = (value_type, str(value_type))
    printer.print_string(known[1])


def print_function_type(printer: Printer, inputs: Sequence[Attribute], outputs: Sequence[Attribute]) -> None:
    """Prints the types of operands and results."""
    if not any(isinstance(value_type, TupleType) for value_type in (*inputs, *outputs)):
        printer.print_function_type(inputs, outputs)
        return
    with printer.in_parens():
        printer.print_list(inputs, lambda value_type: print_type(printer, value_type))
    printer.print_string(" -> ")
    if len(outputs) == 1:
        print_type(printer, outputs[0])
        return
    with printer.in_parens():
        printer.print_list(outputs, lambda value_type: print_type(printer, value_type))
