"""A lexer whose time grows with the length of the text, however the text is malformed, and whose errors say what was read.

xDSL's pattern of a string literal tries every division of the characters behind an opening quote that no quote closes: 51 bytes take hours.

For upstream: "The pattern of string literals does not backtrack, and the error of a sigil without a name says which sigil."
"""

from __future__ import annotations

import re

from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Position, Span
from xdsl.utils.mlir_lexer import MLIRLexer, MLIRToken

_STRING = re.compile(r'"(?:[^"\\\n\v\f]|\\(?:["nt\\]|[0-9A-Fa-f]{2}))*+"')
"""A string literal; `*+` gives no character back."""


class LinearLexer(MLIRLexer):
    """xDSL's lexer without the patterns that backtrack."""

    def _lex_string_literal(self, start_pos: Position) -> MLIRToken:
        if _STRING.match(self.input.content, start_pos) is None:
            raise ParseError(Span(start_pos, start_pos + 1, self.input), "expected a closing quote on this line")
        return super()._lex_string_literal(start_pos)

    def _lex_prefixed_ident(self, start_pos: Position) -> MLIRToken:
        try:
            return super()._lex_prefixed_ident(start_pos)
        except ParseError as error:
            # xDSL's message has a placeholder that nothing fills.
            sigil = self.input.slice(start_pos, self.pos)
            raise ParseError(error.span, f"expected a name behind {sigil!r}") from None
