"""Reads dataflow patterns from text, one a line (or more, separated by `;`); `#` begins a comment.

```
biased = relax.add(relax.matmul(%x: f32, %w: f32), %b)
blas.matmul_bias_relu = relax.nn.relu?(biased)
cut.first_half = relax.nn.relu(relax.split(*) {sections = 2, axis = 0 | none}.0)
```

| in a pattern | matches |
|---|---|
| `relax.op(P, Q)` | an op of this name whose operands match; `...` at the end: and any further operands |
| `relax.op(P) {a = 1 \\| none, b = 'x'}` | as well, attributes with one of the values; `none`: the attribute is left out |
| `relax.op(P).1` | its result 1 rather than 0 |
| `relax.op?(P, Q)` | `relax.op(P, Q)`, or else `P` alone |
| `P \\| Q` | `P`, or else `Q` |
| `*`, `%name` | any value, which is read from outside; a name that occurs twice is the same value |
| `*: f32 \\| f64` | a tensor of one of these element types |
| `const` | a constant |
| `name` | what an earlier line calls so |

The name of a pattern is that of a code generator, a dot, and more. A name without a dot is not searched for by itself: it is short for
what stands behind it. A line goes on inside of parentheses, and where the next one begins with `|`.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import NoReturn

from xdsl.context import Context
from xdsl.dialects.builtin import Builtin
from xdsl.ir import Attribute, Operation
from xdsl.irdl import IRDLOperation
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError, PassFailedException

from ...dialects.relax.dialect import OPS
from ...records import record
from .dataflow_pattern import CallPattern, Choice, NamedPattern, Pattern, Wildcard

_TOKEN = re.compile(
    r"(?P<space>[ \t\r]+|\#[^\n]*)|(?P<end>[;\n])|(?P<dots>\.\.\.)|(?P<item>\.\d+)|(?P<name>[A-Za-z_][\w.]*\w|[A-Za-z_])"
    r"|(?P<value>%\w+)|(?P<number>-?\d+(\.\d+)?(e-?\d+)?)|(?P<string>'[^'\n]*')|(?P<mark>[()\[\]{}=,|*?:])"
)
_KNOWN: dict[str, type[Operation]] = {op.name: op for op in OPS}


@record
class _Token:
    kind: str
    text: str
    position: int


def parse_patterns(text: str, file: str = "<patterns>") -> list[NamedPattern]:
    """Returns the patterns of a text, in order; raises `PassFailedException` with the position of what cannot be read."""
    return _Parser(text, file).patterns()


class _Parser:
    def __init__(self, text: str, file: str):
        self.text = text
        self.file = file
        self.tokens = self._tokens()
        self.index = 0
        self.parts: dict[str, Pattern] = {}

    def _tokens(self) -> list[_Token]:
        tokens: list[_Token] = []
        position = depth = 0
        while position < len(self.text):
            match = _TOKEN.match(self.text, position)
            if match is None:
                self._fail(position, f"expected a pattern, got {self.text[position]!r}")
            kind, text = match.lastgroup or "", match.group()
            depth += (text in ("(", "[", "{")) - (text in (")", "]", "}"))
            position = match.end()
            goes_on = depth > 0 or self.text[position:].lstrip().startswith("|")
            if kind != "space" and not (text == "\n" and goes_on):
                tokens.append(_Token(kind, text, match.start()))
        tokens.append(_Token("end", "", position))
        return tokens

    def _fail(self, position: int, message: str) -> NoReturn:
        before = self.text[:position]
        line, column = before.count("\n") + 1, position - before.rfind("\n")
        raise PassFailedException(f"{self.file}:{line}:{column}: {message}")

    @property
    def token(self) -> _Token:
        return self.tokens[self.index]

    def _unexpected(self, expected: str) -> NoReturn:
        token = "the end of the line" if self.token.kind == "end" else repr(self.token.text)
        self._fail(self.token.position, f"expected {expected}, got {token}")

    def _take(self, kind: str, expected: str) -> _Token:
        token = self.token
        if token.kind != kind:
            self._unexpected(expected)
        self.index += 1
        return token

    def _accept(self, mark: str) -> bool:
        if self.token.text != mark:
            return False
        self.index += 1
        return True

    def _expect(self, mark: str) -> None:
        if not self._accept(mark):
            self._unexpected(repr(mark))

    def patterns(self) -> list[NamedPattern]:
        patterns: list[NamedPattern] = []
        while self.index < len(self.tokens):
            if self.token.kind == "end":
                self.index += 1
                continue
            name = self._take("name", "the name of a pattern")
            if name.text in self.parts or any(pattern.name == name.text for pattern in patterns):
                self._fail(name.position, f"two patterns are called {name.text}")
            self._expect("=")
            start = self.token.position
            pattern = self._pattern()
            if self.token.kind != "end":
                self._unexpected("the end of the pattern")
            if "." not in name.text:
                self.parts[name.text] = pattern
                continue
            if not _begins_with_op(pattern):
                self._fail(start, "expected an op, got a pattern that any value matches")
            patterns.append(NamedPattern(name.text, pattern))
        return patterns

    def _pattern(self) -> Pattern:
        alternatives = [self._alternative()]
        while self._accept("|"):
            alternatives.append(self._alternative())
        return alternatives[0] if len(alternatives) == 1 else Choice(tuple(alternatives))

    def _alternative(self) -> Pattern:
        token = self.token
        if self._accept("("):
            pattern = self._pattern()
            self._expect(")")
            return pattern
        if self._accept("*"):
            return Wildcard(None, self._elements())
        if token.kind == "value":
            self.index += 1
            return Wildcard(token.text[1:], self._elements())
        if token.text == "const":
            self.index += 1
            return Wildcard(None, self._elements(), is_constant=True)
        name = self._take("name", "an op, a value or '('")
        return self.parts[name.text] if name.text in self.parts else self._call(name)

    def _call(self, name: _Token) -> Pattern:
        definition = _KNOWN.get(name.text)
        if definition is None:
            close = get_close_matches(name.text, _KNOWN, n=1)
            self._fail(
                name.position,
                f"no op is called {name.text}" + "".join(f", did you mean {suggestion}?" for suggestion in close),
            )
        is_optional = self._accept("?")
        self._expect("(")
        operands, any_more = self._operands()
        attributes = self._attributes(definition)
        result = 0
        if self.token.kind == "item":
            result = int(self._take("item", "a result").text[1:])
        call = CallPattern(name.text, tuple(operands), any_more, attributes, result)
        if not is_optional:
            return call
        if not operands:
            self._fail(name.position, f"expected an operand that stays if {name.text} is left out")
        return Choice((call, operands[0]))

    def _operands(self) -> tuple[list[Pattern], bool]:
        operands: list[Pattern] = []
        if self._accept(")"):
            return operands, False
        while True:
            if self._accept("..."):
                self._expect(")")
                return operands, True
            operands.append(self._pattern())
            if self._accept(")"):
                return operands, False
            self._expect(",")

    def _elements(self) -> tuple[Attribute, ...]:
        if not self._accept(":"):
            return ()
        elements = [self._element()]
        while self.token.text == "|" and _type(self.tokens[self.index + 1].text) is not None:
            self.index += 1
            elements.append(self._element())
        return tuple(elements)

    def _element(self) -> Attribute:
        token = self._take("name", "an element type")
        element = _type(token.text)
        if element is None:
            self._fail(token.position, f"expected an element type, got {token.text}")
        return element

    def _attributes(self, definition: type[Operation]) -> tuple[tuple[str, tuple[object, ...]], ...]:
        attributes: list[tuple[str, tuple[object, ...]]] = []
        if not self._accept("{"):
            return ()
        assert issubclass(definition, IRDLOperation)
        properties = definition.get_irdl_definition().properties
        while True:
            name = self._take("name", "the name of an attribute")
            if name.text not in properties:
                has = ", ".join(sorted(properties)) or "none"
                self._fail(name.position, f"{definition.name} has no attribute {name.text}, its attributes: {has}")
            self._expect("=")
            values = [self._value()]
            while self._accept("|"):
                values.append(self._value())
            attributes.append((name.text, tuple(values)))
            if self._accept("}"):
                return tuple(attributes)
            self._expect(",")

    def _value(self) -> object:
        token = self.token
        self.index += 1
        match token.kind:
            case "number":
                return float(token.text) if "." in token.text or "e" in token.text else int(token.text)
            case "string":
                return token.text[1:-1]
            case "name" if token.text in ("true", "false"):
                return token.text == "true"
            case "name" if token.text == "none":
                return None
            case "name" if (element_type := _type(token.text)) is not None:
                return element_type
            case "mark" if token.text == "[":
                return self._list()
            case _:
                self.index -= 1
                self._unexpected("a number, a 'string', true, false, none, a list or a type")

    def _list(self) -> tuple[object, ...]:
        items: list[object] = []
        while not self._accept("]"):
            if items:
                self._expect(",")
            items.append(self._value())
        return tuple(items)


def _begins_with_op(pattern: Pattern) -> bool:
    if isinstance(pattern, Choice):
        return all(map(_begins_with_op, pattern.alternatives))
    return isinstance(pattern, CallPattern)


def _type(text: str) -> Attribute | None:
    ctx = Context()
    ctx.load_dialect(Builtin)
    try:
        return Parser(ctx, text).parse_optional_type()
    except ParseError:
        return None
