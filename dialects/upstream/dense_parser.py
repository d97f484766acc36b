"""A parser of dense literals as MLIR prints them: bit patterns of floats, packed bits, large splats, and resources.

xDSL reads `dense<0xFF800000> : tensor<f32>`, which is minus infinity, as the number 4286578688, and takes one byte for each
element of `dense<"0x..."> : tensor<200xi1>`, where MLIR writes
one bit. A splat of many elements it writes out, 1 GiB for the 13 characters of `dense<1.0> : tensor<268435456xf32>`; here it is kept as
its one element, as MLIR does.

For upstream: "Hexadecimal literals of float element types are bit patterns, and hexadecimal strings of i1 are packed, as in MLIR. Large
splats are stored as one element."
"""

from __future__ import annotations

import math
import re
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import (
    AnyFloat,
    BytesAttr,
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    RankedStructure,
    StringAttr,
    TensorType,
)
from xdsl.parser import Parser
from xdsl.parser.attribute_parser import AttrParser
from xdsl.parser.generic_parser import ParserState
from xdsl.utils.lexer import Input
from xdsl.utils.mlir_lexer import MLIRTokenKind, StringLiteral

from ..relax.resources import ResourceName
from .dense_resource import ResourceSection
from .linear_lexer import LinearLexer

_HEX_STRING = re.compile(r'\s*"0x')
_SPLAT = re.compile(r'\s*(?:[^\s\[>"]|"0x[0-9A-Fa-f]{1,32}")')
"""The start of a literal with one element."""
SPLAT_WRITTEN_OUT = 4096
"""The most elements of a splat that are stored one by one, as upstream's ops expect of their strides and the like."""


class _Bits(AttrParser._TensorLiteralElement):  # pyright: ignore[reportPrivateUsage]
    """A hexadecimal literal: for a float type the bits of the value."""

    def to_type(self, parser: AttrParser, type: Any) -> Any:
        if not isinstance(type, AnyFloat):
            return super().to_type(parser, type)
        assert isinstance(self.value, int)
        size = type.compile_time_size
        if self.is_negative or self.value >= 1 << (8 * size):
            parser.raise_error(f"expected the bits of a value of type {type}", at_position=self.span)
        return next(iter(type.iter_unpack(self.value.to_bytes(size, "little"))))


class DenseParser(Parser):
    """xDSL's parser with dense literals as upstream means them."""

    def __init__(self, ctx: Context, input: str, name: str = "<unknown>") -> None:
        # The state reads the first token at once.
        super().__init__(ctx, "", name)
        self._parser_state = ParserState(LinearLexer(Input(input, name)))
        self._resources: ResourceSection | None = None

    @property
    def _section(self) -> ResourceSection:
        if self._resources is None:
            self._resources = ResourceSection(self.lexer.input.content)
        return self._resources

    def _parse_builtin_dense_resource_attr(self) -> DenseResourceAttr:
        """Parses a constant together with its data; one without data, such as `__elided__`, is only a name."""
        self.parse_characters("<", " in dense_resource attribute")
        start = self._current_token.span
        name = self.parse_identifier_or_str_literal(" for resource handle")
        self.parse_characters(">", " in dense_resource attribute")
        self.parse_characters(":", " in dense_resource attribute")
        resource_type = self._parse_dense_literal_type()
        try:
            blob = self._section.blob(name)
        except ValueError as error:
            self.raise_error(str(error), start)
        if blob is None:
            return DenseResourceAttr.from_params(name, resource_type)
        size = math.prod(resource_type.get_shape()) * resource_type.get_element_type().compile_time_size
        if len(blob.data) != size:
            message = f"resource {name}: expected {size} bytes for {resource_type}, got {len(blob.data)}"
            self.raise_error(message, start)
        # The printer writes the sections of loaded dialects.
        self.ctx.get_dialect("builtin")
        return DenseResourceAttr(StringAttr(ResourceName.of(name, blob)), resource_type)

    def _parse_file_metadata_dictionary(self) -> None:
        section = self._section
        if self._current_token.span.start == section.start and section.end is not None:
            self._resume_from(section.end)
        else:
            super()._parse_file_metadata_dictionary()

    def _parse_external_resources(self) -> None:
        self.raise_error("external resources are not supported, expected dialect_resources")

    def parse_optional_str_literal(self) -> str | None:
        # xDSL's lexer takes a string with an escaped letter that is not ASCII for bytes, which it prints just so.
        text, token = super().parse_optional_str_literal(), self._current_token
        if text is not None or token.kind is not MLIRTokenKind.BYTES_LIT:
            return text
        try:
            text = StringLiteral.from_span(token.span).string_contents
        except UnicodeDecodeError:
            return None
        self._consume_token(MLIRTokenKind.BYTES_LIT)
        return text

    def _parse_tensor_literal_element(self) -> AttrParser._TensorLiteralElement:
        hexadecimal = self._current_token.text[:2] in ("0x", "0X")
        element = super()._parse_tensor_literal_element()
        return _Bits(element.is_negative, element.value, element.span) if hexadecimal else element

    def parse_dense_int_or_fp_elements_attr(self, type: RankedStructure[Any] | None) -> DenseIntOrFPElementsAttr:
        start = self._current_token.span
        if start.text == "<" and _SPLAT.match(start.input.content, start.end):
            return self._parse_splat(type)
        return self._parse_elements(type)

    def _parse_splat(self, type: RankedStructure[Any] | None) -> DenseIntOrFPElementsAttr:
        """Parses a literal with one element, which stays one where the type has many."""
        start = self._current_token.span.start
        literal_type = type
        if literal_type is None:
            self.parse_punctuation("<")
            if self.parse_optional_str_literal() is None:
                self._parse_tensor_literal()
            self.parse_punctuation(">", " in dense attribute")
            self.parse_punctuation(":", " in dense attribute")
            literal_type = self._parse_dense_literal_type()
            self._resume_from(start)
        if math.prod(literal_type.get_shape()) <= SPLAT_WRITTEN_OUT:
            return self._parse_elements(type)
        single = super().parse_dense_int_or_fp_elements_attr(TensorType(literal_type.get_element_type(), [1]))
        if type is None:
            self.parse_punctuation(":")
            self._parse_dense_literal_type()
        return DenseIntOrFPElementsAttr(literal_type, single.data)

    def _parse_elements(self, type: RankedStructure[Any] | None) -> DenseIntOrFPElementsAttr:
        start = self._current_token.span
        if type is not None or start.text != "<" or _HEX_STRING.match(start.input.content, start.end) is None:
            return super().parse_dense_int_or_fp_elements_attr(type)
        self.parse_punctuation("<")
        text = self.parse_str_literal()
        self.parse_punctuation(">")
        self.parse_punctuation(":")
        literal_type = self._parse_dense_literal_type()
        count = math.prod(literal_type.get_shape())
        if str(literal_type.get_element_type()) != "i1":
            self._resume_from(start.start)
            return super().parse_dense_int_or_fp_elements_attr(None)
        try:
            data = bytes.fromhex(text[2:])
        except ValueError:
            self.raise_error("Hex string in denseAttr is invalid", start)
        if len(data) == count:
            # xDSL's own printing.
            bits = [byte != 0 for byte in data]
        elif data in (b"\x00", b"\xff", b"\x01") and count > 8:
            bits = [data != b"\x00"] * count
        elif len(data) == (count + 7) // 8:
            bits = [bool(data[i // 8] >> (i % 8) & 1) for i in range(count)]
        else:
            self.raise_error(f"expected {(count + 7) // 8} bytes for {count} bits, got {len(data)}", start)
        return DenseIntOrFPElementsAttr(literal_type, BytesAttr(bytes(bits)))
