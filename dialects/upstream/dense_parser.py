"""A parser of dense literals as MLIR prints them: bit patterns of floats, and packed bits.

xDSL reads `dense<0xFF800000> : tensor<f32>`, which is minus infinity, as the number 4286578688, and takes one byte for each
element of `dense<"0x..."> : tensor<200xi1>`, where MLIR writes
one bit.

For upstream: "Hexadecimal literals of float element types are bit patterns, and hexadecimal strings of i1 are packed, as in MLIR."
"""

from __future__ import annotations

import math
import re
from typing import Any

from xdsl.dialects.builtin import AnyFloat, BytesAttr, DenseIntOrFPElementsAttr, RankedStructure
from xdsl.parser import Parser
from xdsl.parser.attribute_parser import AttrParser

_HEX_STRING = re.compile(r'\s*"0x')


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

    def _parse_tensor_literal_element(self) -> AttrParser._TensorLiteralElement:
        hexadecimal = self._current_token.text[:2] in ("0x", "0X")
        element = super()._parse_tensor_literal_element()
        return _Bits(element.is_negative, element.value, element.span) if hexadecimal else element

    def parse_dense_int_or_fp_elements_attr(self, type: RankedStructure[Any] | None) -> DenseIntOrFPElementsAttr:
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
