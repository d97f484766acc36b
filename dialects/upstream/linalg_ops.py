"""Named operations of MLIR's `linalg` dialect that xDSL lacks; read in both forms of upstream.

Each keeps its operands, attributes and the region that upstream prints in generic form and `linalg_bodies` adds to the
custom form. `EXTENDED_LINALG` is xDSL's dialect with these definitions added; a driver that reads such modules registers it under the
name `linalg`.

For upstream: "`linalg` has the named ops of MLIR, and its ops parse their custom forms in full."
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
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

from .linalg_syntax import (
    parse_generic,
    parse_map,
    parse_packing,
    parse_reduce,
    parse_softmax,
    parse_structured,
)


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


CONVOLUTIONS: dict[str, str] = {
    "conv_1d": "x+p, p, x",
    "conv_1d_nwc_wcf": "n x+p c, p c f, n x f",
    "conv_1d_ncw_fcw": "n c x+p, f c p, n f x",
    "conv_2d": "y+p x+q, p q, y x",
    "conv_2d_nhwc_hwcf": "n y+p x+q c, p q c f, n y x f",
    "conv_2d_nhwc_fhwc": "n y+p x+q c, f p q c, n y x f",
    "conv_2d_nchw_fchw": "n c y+p x+q, f c p q, n f y x",
    "conv_2d_ngchw_fgchw": "n g c y+p x+q, f g c p q, n g f y x",
    "conv_2d_ngchw_gfchw": "n g c y+p x+q, g f c p q, n g f y x",
    "conv_2d_nhwgc_gfhwc": "n y+p x+q g c, g f p q c, n y x g f",
    "conv_3d": "z+o y+p x+q, o p q, z y x",
    "conv_3d_ndhwc_dhwcf": "n z+o y+p x+q c, o p q c f, n z y x f",
    "conv_3d_ncdhw_fcdhw": "n c z+o y+p x+q, f c o p q, n f z y x",
    "depthwise_conv_1d_nwc_wc": "n x+p c, p c, n x c",
    "depthwise_conv_1d_ncw_cw": "n c x+p, c p, n c x",
    "depthwise_conv_1d_nwc_wcm": "n x+p c, p c m, n x c m",
    "depthwise_conv_2d_nhwc_hwc": "n y+p x+q c, p q c, n y x c",
    "depthwise_conv_2d_nchw_chw": "n c y+p x+q, c p q, n c y x",
    "depthwise_conv_2d_nhwc_hwcm": "n y+p x+q c, p q c m, n y x c m",
    "depthwise_conv_3d_ndhwc_dhwc": "n z+o y+p x+q c, o p q c, n z y x c",
    "depthwise_conv_3d_ncdhw_cdhw": "n c z+o y+p x+q, c o p q, n c z y x",
    "depthwise_conv_3d_ndhwc_dhwcm": "n z+o y+p x+q c, o p q c m, n z y x c m",
}
"""Index of input, filter and output; `x+p` is the position of window element p at output position x."""

QUANTIZED = {
    f"{name}_q": CONVOLUTIONS[name]
    for name in (
        "conv_2d_nhwc_hwcf",
        "conv_2d_nhwc_fhwc",
        "conv_2d_nchw_fchw",
        "conv_2d_nhwgc_gfhwc",
        "conv_2d_ngchw_gfchw",
        "conv_3d_ndhwc_dhwcf",
        "depthwise_conv_2d_nhwc_hwc",
        "depthwise_conv_2d_nhwc_hwcm",
    )
}
"""Forms with zero points as two further scalar inputs."""

_WINDOWS = {
    "nwc": "n x+p c, p, n x c",
    "ncw": "n c x+p, p, n c x",
    "nhwc": "n y+p x+q c, p q, n y x c",
    "nchw": "n c y+p x+q, p q, n c y x",
    "ndhwc": "n z+o y+p x+q c, o p q, n z y x c",
}
POOLINGS = {
    f"pooling_{layout}_{kind}": spec
    for layout, spec in _WINDOWS.items()
    for kind in ("sum", "max", "max_unsigned", "min", "min_unsigned")
}
CONTRACTIONS: dict[str, str] = {
    "matmul": "m k, k n, m n",
    "quantized_matmul": "m k, k n, m n",
    "matmul_transpose_a": "k m, k n, m n",
    "matmul_transpose_b": "m k, n k, m n",
    "batch_matmul": "b m k, b k n, b m n",
    "quantized_batch_matmul": "b m k, b k n, b m n",
    "batch_matmul_transpose_a": "b k m, b k n, b m n",
    "batch_matmul_transpose_b": "b m k, b n k, b m n",
    "batch_reduce_matmul": "b m k, b k n, m n",
    "mmt4d": "m k i l, n k j l, m n i j",
    "batch_mmt4d": "b m k i l, b n k j l, b m n i j",
    "matvec": "m k, k, m",
    "vecmat": "k, k n, n",
    "dot": "k, k, ",
    "batch_matvec": "b m k, b k, b m",
    "batch_vecmat": "b k, b k n, b n",
}
ELEMENTWISE: Sequence[str] = (
    *("add", "sub", "mul", "div", "div_unsigned", "max", "min", "powf", "select", "copy"),
    *("exp", "log", "abs", "ceil", "floor", "negf", "reciprocal", "round", "sqrt", "rsqrt", "square", "tanh", "erf"),
    *("elemwise_unary", "elemwise_binary"),
)
"""Ops whose operands all have the shape of the result."""

STRUCTURAL: Sequence[str] = ("elementwise", "contract", "map", "reduce", "broadcast", "transpose", "softmax")
NAMED: Sequence[str] = (*CONVOLUTIONS, *QUANTIZED, *POOLINGS, *CONTRACTIONS, *ELEMENTWISE, *STRUCTURAL)


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
    """`linalg.generic`, whose custom form may have several results: xDSL prints their types in parentheses but does not read them."""

    @classmethod
    def parse(cls, parser: Parser) -> GenericOp:
        return parse_generic(cls, parser)


def _replacement(op: type[Operation]) -> type[Operation]:
    return GenericOp if op is linalg.GenericOp else op


EXTENDED_LINALG = Dialect(
    "linalg",
    [*(_replacement(op) for op in Linalg.operations if op.name in _KNOWN), *DEFINITIONS],
    [*Linalg.attributes, ElementwiseKindAttr, UnaryFnAttr, BinaryFnAttr, TypeFnAttr],
)
