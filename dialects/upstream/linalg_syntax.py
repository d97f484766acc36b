"""Parses upstream's custom form of the linalg ops that xDSL does not have, or reads in part only.

For upstream: "`linalg` ops accept `indexing_maps`, mixed element types, short regions and several results in their custom form."
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    ShapedType,
    StringAttr,
    i32,
    i64,
)
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.attrs import IteratorType, IteratorTypeAttr
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.parser import Parser

from .linalg_bodies import UnknownBodyError, contraction_body, elementwise_body, payload_body, pooling_body

Generic = TypeVar("Generic", bound=linalg.GenericOp)


def parse_group(parser: Parser, keyword: str) -> list[SSAValue]:
    """Parses `ins(%a, %b : A, B)`, if it is there."""
    if parser.parse_optional_keyword(keyword) is None:
        return []
    start = parser.pos
    parser.parse_punctuation("(")
    if parser.parse_optional_punctuation(")") is not None:
        return []
    names = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_unresolved_operand)
    parser.parse_punctuation(":")
    types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
    parser.parse_punctuation(")")
    return list(parser.resolve_operands(names, types, start))


def parse_results(parser: Parser) -> list[Attribute]:
    """Parses `-> A` or `-> (A, B)`, if it is there."""
    if parser.parse_optional_punctuation("->") is None:
        return []
    several = parser.parse_optional_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
    return [parser.parse_type()] if several is None else list(several)


def _maps(parser: Parser) -> dict[str, Attribute]:
    if parser.parse_optional_keyword("indexing_maps") is None:
        return {}
    parser.parse_punctuation("=")
    return {"indexing_maps": parser.parse_attribute()}


def _integers(parser: Parser, keyword: str) -> DenseArrayBase:
    """Parses `= [1, 0]`."""
    parser.parse_punctuation("=")
    values = parser.parse_comma_separated_list(
        parser.Delimiter.SQUARE, lambda: parser.parse_integer(allow_boolean=False), f" in {keyword}"
    )
    return DenseArrayBase.from_list(i64, values)


def _build(
    cls: type[Any],
    operands: Sequence[SSAValue],
    results: Sequence[Attribute],
    properties: Mapping[str, Attribute],
    attributes: Mapping[str, Attribute],
    region: Region | None,
) -> Any:
    known = cls.get_irdl_definition().properties
    every = {**attributes, **properties}
    return cls.create(
        operands=operands,
        result_types=results,
        properties={k: v for k, v in every.items() if k in known},
        attributes={k: v for k, v in every.items() if k not in known},
        regions=[] if region is None else [region],
    )


def _segments(*sizes: int) -> dict[str, Attribute]:
    return {"operandSegmentSizes": DenseArrayBase.from_list(i32, sizes)}


def parse_structured(cls: type[Any], parser: Parser, family: str) -> Any:
    """Parses `linalg.x {attributes} ins(...) outs(...) -> type` of a family that a name alone describes.

    Families: `contraction`, `convolution`, `pooling`, `elementwise`, and `kind` (`linalg.elementwise kind=...`).
    """
    # The family says which properties the text leaves out; these are filled in, so that both forms give the same op.
    name = cls.name.removeprefix("linalg.")
    properties: dict[str, Attribute] = {}
    if family == "kind":
        parser.parse_keyword("kind")
        parser.parse_punctuation("=")
        properties["kind"] = parser.parse_attribute()
        name = str(getattr(properties["kind"], "data", name))
    properties |= _maps(parser)
    attributes = parser.parse_optional_attr_dict()
    start = parser.pos
    inputs, outputs = parse_group(parser, "ins"), parse_group(parser, "outs")
    attributes |= parser.parse_optional_attr_dict()
    results = parse_results(parser)
    types = [v.type for v in (*inputs, *outputs)]
    unsigned = "cast_unsigned" in str(attributes.get("cast", ""))
    if len(outputs) != 1:
        parser.raise_error(f"{cls.name} has one output, found {len(outputs)}", start)
    try:
        if family in ("contraction", "convolution"):
            if len(inputs) not in (2, 4):
                parser.raise_error(f"{cls.name} has two or four inputs, found {len(inputs)}", start)
            region = contraction_body(types, unsigned)
        elif family == "pooling":
            region = pooling_body(name, types)
        else:
            region = elementwise_body(name, types)
    except UnknownBodyError as error:
        parser.raise_error(f"{cls.name}: {error}", start)
    if family == "kind" and "indexing_maps" not in properties and isinstance(outputs[0].type, ShapedType):
        identity = AffineMapAttr(AffineMap.identity(outputs[0].type.get_num_dims()))
        properties["indexing_maps"] = ArrayAttr([identity] * len(types))
    properties |= _segments(len(inputs), len(outputs))
    return _build(cls, [*inputs, *outputs], results, properties, attributes, region)


def _payload(parser: Parser) -> Any:
    """Parses `{ arith.addf }`; returns a function that makes the op, or None."""
    if parser.parse_optional_punctuation("{") is None:
        return None
    start = parser.pos
    name = parser.parse_identifier()
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation("}")
    op_class = parser.ctx.get_optional_op(name)
    if op_class is None:
        parser.raise_error(f"operation {name} is not registered", start)

    def make(operands: Sequence[SSAValue]) -> Operation:
        known = op_class.get_irdl_definition().properties  # pyright: ignore
        given = {k: v for k, v in attributes.items() if k in known}
        if "fastmath" in known:
            given.setdefault("fastmath", arith.FastMathFlagsAttr("none"))
        if "overflowFlags" in known:
            given.setdefault("overflowFlags", arith.IntegerOverflowAttr("none"))
        return op_class.create(operands=operands, result_types=[operands[0].type], properties=given)

    return make


def _arguments_and_region(parser: Parser) -> Region:
    arguments = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_argument)
    return parser.parse_region(arguments)


def parse_reduce(cls: type[Any], parser: Parser) -> Any:
    """Parses `linalg.reduce { arith.addf } ins(...) outs(...) dimensions = [0]`, or with a region at the end."""
    make = _payload(parser)
    inputs, outputs = parse_group(parser, "ins"), parse_group(parser, "outs")
    parser.parse_keyword("dimensions")
    properties = {"dimensions": _integers(parser, "dimensions")}
    attributes = parser.parse_optional_attr_dict()
    types = [v.type for v in (*inputs, *outputs)]
    region = payload_body(make, types, True) if make is not None else _arguments_and_region(parser)
    return _build(cls, [*inputs, *outputs], [v.type for v in outputs], properties, attributes, region)


def parse_map(cls: type[Any], parser: Parser) -> Any:
    """Parses `linalg.map { arith.mulf } ins(...) outs(...)`, or with a region at the end."""
    make = _payload(parser)
    inputs, outputs = parse_group(parser, "ins"), parse_group(parser, "outs")
    attributes = parser.parse_optional_attr_dict()
    types = [v.type for v in (*inputs, *outputs)]
    region = payload_body(make, types, False) if make is not None else _arguments_and_region(parser)
    return _build(cls, [*inputs, *outputs], [v.type for v in outputs], {}, attributes, region)


def parse_softmax(cls: type[Any], parser: Parser) -> Any:
    """Parses `linalg.softmax dimension(1) ins(...) outs(...) -> type`."""
    attributes = parser.parse_optional_attr_dict()
    parser.parse_keyword("dimension")
    with parser.in_parens():
        properties = {"dimension": IntegerAttr(parser.parse_integer(), i64)}
    inputs, outputs = parse_group(parser, "ins"), parse_group(parser, "outs")
    return _build(cls, [*inputs, *outputs], parse_results(parser), properties, attributes, None)


def parse_packing(cls: type[Any], parser: Parser) -> Any:
    """Parses `linalg.pack %a padding_value(%f : f32) inner_dims_pos = [..] inner_tiles = [..] into %o : A -> O`, and unpack."""
    source = parser.parse_unresolved_operand()
    padding: list[SSAValue] = []
    if parser.parse_optional_keyword("padding_value") is not None:
        with parser.in_parens():
            value = parser.parse_unresolved_operand()
            parser.parse_punctuation(":")
            padding = [parser.resolve_operand(value, parser.parse_type())]
    properties: dict[str, Attribute] = {"outer_dims_perm": DenseArrayBase.from_list(i64, [])}
    if parser.parse_optional_keyword("outer_dims_perm") is not None:
        properties["outer_dims_perm"] = _integers(parser, "outer_dims_perm")
    parser.parse_keyword("inner_dims_pos")
    properties["inner_dims_pos"] = _integers(parser, "inner_dims_pos")
    parser.parse_keyword("inner_tiles")
    parser.parse_punctuation("=")
    start = parser.pos
    tiles = parser.parse_comma_separated_list(
        parser.Delimiter.SQUARE,
        lambda: parser.parse_optional_unresolved_operand() or parser.parse_integer(allow_boolean=False),
    )
    if not all(isinstance(t, int) for t in tiles):
        parser.raise_error(f"{cls.name} with tiles of dynamic size is not supported", start)
    properties["static_inner_tiles"] = DenseArrayBase.from_list(i64, [t for t in tiles if isinstance(t, int)])
    parser.parse_keyword("into")
    target = parser.parse_unresolved_operand()
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    source_type = parser.parse_type()
    parser.parse_punctuation("->")
    target_type = parser.parse_type()
    operands = [parser.resolve_operand(source, source_type), parser.resolve_operand(target, target_type), *padding]
    if cls.name == "linalg.pack":
        properties |= _segments(1, 1, len(padding), 0)
    return _build(cls, operands, [target_type], properties, attributes, None)


def parse_generate(cls: type[Any], parser: Parser) -> Any:
    """Parses `tensor.generate %n, %m { ... } : tensor<?x?xf32>`."""
    names = parser.parse_optional_undelimited_comma_separated_list(
        parser.parse_optional_unresolved_operand, parser.parse_unresolved_operand
    )
    operands = [parser.resolve_operand(name, IndexType()) for name in names or ()]
    region = parser.parse_region()
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    return _build(cls, operands, [parser.parse_type()], {}, attributes, region)


def parse_generic(cls: type[Generic], parser: Parser) -> Generic:
    """Parses `linalg.generic`, also with several results, whose types xDSL prints in parentheses but does not read."""
    start = parser.pos
    attributes = parser.parse_optional_attr_dict()
    maps, iterators = attributes.pop("indexing_maps", None), attributes.pop("iterator_types", None)
    if not isinstance(maps, ArrayAttr) or not isinstance(iterators, ArrayAttr):
        parser.raise_error("linalg.generic needs indexing_maps and iterator_types", start, parser.pos)
    kinds: list[Attribute] = []
    for kind in iterators.data:
        if isinstance(kind, StringAttr) and kind.data in [known.value for known in IteratorType]:  # pyright: ignore
            kind = IteratorTypeAttr(IteratorType(kind.data))
        if not isinstance(kind, IteratorTypeAttr):
            parser.raise_error(f"expected an iterator type, got {kind}", start, parser.pos)
        kinds.append(kind)
    doc, call = attributes.pop("doc", None), attributes.pop("library_call", None)
    inputs, outputs = parse_group(parser, "ins"), parse_group(parser, "outs")
    if parser.parse_optional_keyword("attrs") is not None:
        parser.parse_punctuation("=")
        attributes |= parser.expect(parser.parse_optional_attr_dict, "expected attributes after attrs =")
    region = parser.parse_region()
    op = cls(
        inputs,
        outputs,
        region,
        maps,  # pyright: ignore
        kinds,
        parse_results(parser),
        doc if isinstance(doc, StringAttr) else None,
        call if isinstance(call, StringAttr) else None,
    )
    op.attributes |= attributes
    return op
