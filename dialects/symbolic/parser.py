"""Parses dimension expressions, inside attributes and from strings."""

from __future__ import annotations

from xdsl.context import Context
from xdsl.parser import AttrParser, ParserState
from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Input, Span
from xdsl.utils.mlir_lexer import MLIRLexer

from ...records import record
from .expressions import Apply, Dim, Known, Symbol, is_symbol_name, simplify
from .nodes import KEYWORDS, integers

DEEPEST = 128
"""The levels of operators, and those of parentheses, in a dim: the algebra recurs over them."""


def parse_dim(parser: AttrParser) -> Dim:
    """Parses `?` (unknown) or an expression at most `DEEPEST` levels deep, and returns its canonical form, which is no deeper."""
    if parser.parse_optional_punctuation("?") is not None:
        return None
    start = parser.pos
    expression = _Expression(parser)
    dim = expression.bounded(simplify(expression.parse_sum()))
    expression.require_64_bits(dim, start)
    return dim


def dim_from_string(text: str) -> Dim:
    """Parses a dim from a string; raises `ParseError` on malformed text."""
    if is_symbol_name(text):
        return Symbol(text)
    given = Input(text, "<dim>")
    if (comment := text.find("//")) >= 0:
        raise ParseError(Span(comment, comment + 2, given), "expected an operator, got '//': did you mean floordiv?")
    parser = AttrParser(ParserState(MLIRLexer(given)), Context())
    dim = parse_dim(parser)
    if parser.pos < len(text.rstrip()):
        parser.raise_error(f"expected the end of the dim, got '{text[parser.pos :]}'")
    return dim


@record(frozen=False)
class _Expression:
    """Parses one expression by recursive descent: sums of products of atoms."""

    parser: AttrParser
    level: int = 0
    """The parentheses that are open."""

    def parse_sum(self) -> Known:
        result = self._parse_product()
        while (op := self._parse_operator("+", "-")) is not None:
            result = self.bounded(Apply(op, result, self._parse_product()))
        return result

    def _parse_product(self) -> Known:
        result = self._parse_atom()
        while (op := self._parse_operator("*", "floordiv", "mod")) is not None:
            result = self.bounded(Apply(op, result, self._parse_atom() if op == "*" else self._parse_divisor()))
        return result

    def _parse_operator(self, *operators: str) -> str | None:
        for op in operators:
            parse = self.parser.parse_optional_keyword if op.isalpha() else self.parser.parse_optional_punctuation
            if parse(op) is not None:  # pyright: ignore[reportArgumentType]
                return op
        return None

    def bounded(self, dim: Known) -> Known:
        """Returns an expression; raises `ParseError` if it, or what is open around it, is too deep."""
        if max(self.level, dim.depth if isinstance(dim, Apply) else 0) > DEEPEST:
            self.parser.raise_error(f"expected a dim of at most {DEEPEST} nested operators or parentheses")
        return dim

    def require_64_bits(self, dim: Known, start: int) -> None:
        """Raises `ParseError` for a dim, parsed since `start`, with an integer that 64 bits do not hold."""
        number = next((number for number in integers(dim) if not -(1 << 63) <= number < 1 << 63), None)
        if number is not None:
            bits = number.bit_length() + 1
            self.parser.raise_error(
                f"expected integers of 64 bits in a dim, got one of {bits} bits", start, self.parser.pos
            )

    def _parse_divisor(self) -> Known:
        start = self.parser.pos
        result = self._parse_atom()
        value = simplify(result)
        if isinstance(value, int) and value < 1:
            self.parser.raise_error(f"expected a positive divisor, got {value}", start, self.parser.pos)
        return result

    def _parse_atom(self) -> Known:
        if self.parser.parse_optional_punctuation("(") is not None:
            self._open()
            return self._closed(self.parse_sum())
        for op in ("min", "max"):
            if self.parser.parse_optional_keyword(op) is not None:
                self.parser.parse_punctuation("(")
                self._open()
                lhs = self.parse_sum()
                self.parser.parse_punctuation(",")
                return self._closed(self.bounded(Apply(op, lhs, self.parse_sum())))
        start = self.parser.pos
        try:
            number = self.parser.parse_optional_integer(allow_boolean=False)
        except ValueError:
            # Python itself reads no integer of thousands of digits.
            self.parser.raise_error("expected integers of 64 bits in a dim", start, self.parser.pos)
        if number is not None:
            self.require_64_bits(number, start)
            return number
        name = self.parser.parse_optional_identifier()
        if name is None:
            self.parser.raise_error("expected a dimension: an integer, a symbol, '(' or '?'")
        if not is_symbol_name(name):
            expected = "that is no operator" if name in KEYWORDS else "of letters, digits, '_' and '$'"
            self.parser.raise_error(f"expected a symbol {expected}, got '{name}'", start, self.parser.pos)
        return Symbol(name)

    def _open(self) -> None:
        self.level += 1
        self.bounded(0)

    def _closed(self, result: Known) -> Known:
        self.parser.parse_punctuation(")")
        self.level -= 1
        return result
