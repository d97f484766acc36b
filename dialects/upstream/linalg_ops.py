"""Named operations of MLIR's `linalg` dialect that xDSL lacks; read in both forms of upstream.

Each keeps its operands, attributes and the region that upstream prints in generic form and `linalg_bodies` adds to the
custom form. `EXTENDED_LINALG` is xDSL's dialect with these definitions added; a driver that reads such modules registers it under the
name `linalg`.

For upstream: "`linalg` has the named ops of MLIR, and its ops parse their custom forms in full."
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xdsl.dialects.linalg import Linalg
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Attribute, Data, Dialect, Operation
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    opt_prop_def,
    var_operand_def,
    var_region_def,
    var_result_def,
)
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from .linalg_divisors import verify_divisors
from .linalg_names import CONTRACTIONS, CONVOLUTIONS, ELEMENTWISE, NAMED, POOLINGS, QUANTIZED
from .linalg_syntax import (
    parse_generic,
    parse_map,
    parse_packing,
    parse_reduce,
    parse_softmax,
    parse_structured,
)
from .linalg_yield import verify_yield


class _KeywordAttr(Data[str]):
    """An enumeration attribute, `#linalg.elementwise_kind<exp>`."""

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> str:
        with parser.in_angle_brackets():
            return parser.parse_identifier()

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(self.data)


@irdl_attr_definition
class ElementwiseKindAttr(_KeywordAttr):
    """What `linalg.elementwise` computes."""

    name = "linalg.elementwise_kind"


@irdl_attr_definition
class UnaryFnAttr(_KeywordAttr):
    """What `linalg.elemwise_unary` computes."""

    name = "linalg.unary_fn"


@irdl_attr_definition
class BinaryFnAttr(_KeywordAttr):
    """What `linalg.elemwise_binary` computes."""

    name = "linalg.binary_fn"


@irdl_attr_definition
class TypeFnAttr(_KeywordAttr):
    """How a named op widens its inputs."""

    name = "linalg.type_fn"


class NamedLinalgOp(IRDLOperation):
    """A structured op known by name: inputs, outputs, a scalar region, and what its maps depend on."""

    arguments = var_operand_def()
    res = var_result_def()
    body = var_region_def()

    operand_segments = opt_prop_def(Attribute, prop_name="operandSegmentSizes")
    indexing_maps = opt_prop_def(Attribute)
    strides = opt_prop_def(Attribute)
    dilations = opt_prop_def(Attribute)
    dimension = opt_prop_def(Attribute)
    dimensions = opt_prop_def(Attribute)
    permutation = opt_prop_def(Attribute)
    kind = opt_prop_def(Attribute)
    fun = opt_prop_def(Attribute)
    cast = opt_prop_def(Attribute)
    inner_dims_pos = opt_prop_def(Attribute)
    outer_dims_perm = opt_prop_def(Attribute)
    static_inner_tiles = opt_prop_def(Attribute)


def _family(name: str) -> Callable[[type[Any], Parser], Any]:
    """Returns what parses the custom form of an op."""
    special: dict[str, Callable[[type[Any], Parser], Any]] = {
        "reduce": parse_reduce,
        "map": parse_map,
        "softmax": parse_softmax,
        "pack": parse_packing,
        "unpack": parse_packing,
    }
    if name in special:
        return special[name]
    family = "elementwise"
    if name in CONTRACTIONS or name == "contract":
        family = "contraction"
    elif name in CONVOLUTIONS or name in QUANTIZED:
        family = "convolution"
    elif name in POOLINGS:
        family = "pooling"
    elif name == "elementwise":
        family = "kind"
    return lambda cls, parser: parse_structured(cls, parser, family)


def _define(name: str) -> type[NamedLinalgOp]:
    parse = _family(name)
    members = {
        "name": f"linalg.{name}",
        "__doc__": f"`linalg.{name}`; printed in generic form.",
        "__module__": __name__,
        "parse": classmethod(lambda cls, parser: parse(cls, parser)),  # pyright: ignore
    }
    return irdl_op_definition(type(f"Named_{name}", (NamedLinalgOp,), members))


_KEPT = {f"linalg.{name}" for name in (*ELEMENTWISE, "generic", "yield", "index", "fill", "transpose", "broadcast")}
"""xDSL reads the others in part: no `indexing_maps`, no mixed types, no strides in custom form, no short regions."""
_KNOWN = {op.name for op in Linalg.operations} & _KEPT
DEFINITIONS: list[type[NamedLinalgOp]] = [
    _define(name) for name in (*NAMED, "pack", "unpack") if f"linalg.{name}" not in _KNOWN
]


class GenericOp(linalg.GenericOp):
    """`linalg.generic`, whose custom form may have several results: xDSL prints their types in parentheses but does not read them.

    For upstream: "`linalg.generic` verifies what its body yields, and that its maps do not divide by 0."
    """

    @classmethod
    def parse(cls, parser: Parser) -> GenericOp:
        return parse_generic(cls, parser)

    def verify_(self) -> None:
        verify_divisors(self)
        super().verify_()
        verify_yield(self)


class TransposeOp(linalg.TransposeOp):
    """`linalg.transpose`, whose permutation xDSL reads dims by before it is known to be one.

    For upstream: "`linalg.transpose` verifies that its permutation is one."
    """

    def verify_(self) -> None:
        permutation = self.permutation.get_values()
        if sorted(permutation) != list(range(len(permutation))):
            raise VerifyException(f"expected a permutation of the {len(permutation)} dims, got {list(permutation)}")
        super().verify_()


def _replacement(op: type[Operation]) -> type[Operation]:
    if op is linalg.TransposeOp:
        return TransposeOp
    return GenericOp if op is linalg.GenericOp else op


EXTENDED_LINALG = Dialect(
    "linalg",
    [*(_replacement(op) for op in Linalg.operations if op.name in _KNOWN), *DEFINITIONS],
    [*Linalg.attributes, ElementwiseKindAttr, UnaryFnAttr, BinaryFnAttr, TypeFnAttr],
)
