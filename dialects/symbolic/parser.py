"""Parses dimension expressions, inside attributes and from strings."""

from __future__ import annotations

import re

from xdsl.context import Context
from xdsl.parser import AttrParser, ParserState
from xdsl.utils.lexer import Input
from xdsl.utils.mlir_lexer import MLIRLexer

from .expressions import Apply, Dim, Known, Symbol, simplify

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_$]*\Z")


def parse_dim(parser: AttrParser) -> Dim:
    """Parses `?` (unknown) or an expression, and returns its canonical form."""
    if parser.parse_optional_punctuation("?") is not None:
        return None
    return simplify(_parse_sum(parser))


def parse_dims(parser: AttrParser, delimiter: AttrParser.Delimiter) -> tuple[Dim, ...]:
    """Parses a comma-separated list of dims."""
    return tuple(parser.parse_comma_separated_list(delimiter, lambda: parse_dim(parser)))


def dim_from_string(text: str) -> Dim:
    """Parses a dim from a string; raises `ParseError` on malformed text."""
    if _IDENTIFIER.match(text):
        return Symbol(text)
    parser = AttrParser(ParserState(MLIRLexer(Input(text, "<dim>"))), Context())
    dim = parse_dim(parser)
    if parser.pos < len(text.rstrip()):
        parser.raise_error(f"expected the end of the dim, got '{text[parser.pos :]}'")
    return dim


def _parse_sum(parser: AttrParser) -> Known:
    result = _parse_product(parser)
    while True:
        if parser.parse_optional_punctuation("+") is not None:
            result = Apply("+", result, _parse_product(parser))
        elif parser.parse_optional_punctuation("-") is not None:
            result = Apply("-", result, _parse_product(parser))
        else:
            return result


def _parse_product(parser: AttrParser) -> Known:
    result = _parse_atom(parser)
    while True:
        if parser.parse_optional_punctuation("*") is not None:
            result = Apply("*", result, _parse_atom(parser))
        elif parser.parse_optional_keyword("floordiv") is not None:
            result = Apply("floordiv", result, _parse_divisor(parser))
        elif parser.parse_optional_keyword("mod") is not None:
            result = Apply("mod", result, _parse_divisor(parser))
        else:
            return result


def _parse_divisor(parser: AttrParser) -> Known:
    start = parser.pos
    result = _parse_atom(parser)
    value = simplify(result)
    if isinstance(value, int) and value < 1:
        parser.raise_error(f"expected a positive divisor, got {value}", start, parser.pos)
    return result


def _parse_atom(parser: AttrParser) -> Known:
    if parser.parse_optional_punctuation("(") is not None:
        result = _parse_sum(parser)
        parser.parse_punctuation(")")
        return result
    for name in ("min", "max"):
        if parser.parse_optional_keyword(name) is not None:
            parser.parse_punctuation("(")
            lhs = _parse_sum(parser)
            parser.parse_punctuation(",")
            rhs = _parse_sum(parser)
            parser.parse_punctuation(")")
            return Apply(name, lhs, rhs)
    number = parser.parse_optional_integer(allow_boolean=False)
    if number is not None:
        return number
    name = parser.parse_optional_identifier()
    if name is None:
        parser.raise_error("expected a dimension: an integer, a symbol, '(' or '?'")
    return Symbol(name)
