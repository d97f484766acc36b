"""The scalar regions of named linalg ops, which their custom form leaves out; as upstream builds them.

For upstream: "Parsing the custom form of a named `linalg` op builds its region, as in MLIR."
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseArrayBase,
    FloatAttr,
    IndexType,
    IntegerType,
    ShapedType,
    TensorType,
    i1,
    i32,
)
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from ..new_op import new_op

_UNARY: Mapping[str, type[Operation]] = {
    "exp": math.ExpOp,
    "log": math.LogOp,
    "abs": math.AbsFOp,
    "ceil": math.CeilOp,
    "floor": math.FloorOp,
    "negf": arith.NegfOp,
    "round": math.RoundOp,
    "sqrt": math.SqrtOp,
    "rsqrt": math.RsqrtOp,
    "tanh": math.TanhOp,
    "erf": math.ErfOp,
}
_FLOAT: Mapping[str, type[Operation]] = {
    "add": arith.AddfOp,
    "sub": arith.SubfOp,
    "mul": arith.MulfOp,
    "div": arith.DivfOp,
    "max": arith.MaximumfOp,
    "min": arith.MinimumfOp,
    "powf": math.PowFOp,
}
_INTEGER: Mapping[str, type[Operation]] = {
    "add": arith.AddiOp,
    "sub": arith.SubiOp,
    "mul": arith.MuliOp,
    "div": arith.DivSIOp,
    "div_unsigned": arith.DivUIOp,
    "max": arith.MaxSIOp,
    "min": arith.MinSIOp,
    "max_unsigned": arith.MaxUIOp,
    "min_unsigned": arith.MinUIOp,
}
_ONE_TO_ONE = DenseArrayBase.from_list(i32, [1, 1])
_BIT: Mapping[str, type[Operation]] = {"add": arith.OrIOp, "mul": arith.AndIOp}


class UnknownBodyError(Exception):
    """What a named op computes is not known from its name and types."""


def element_type(type_: Attribute) -> Attribute:
    """Returns the element type of a shaped type, or the type itself."""
    return type_.get_element_type() if isinstance(type_, ShapedType) else type_  # pyright: ignore


class _Body:
    def __init__(self, types: Sequence[Attribute], unsigned: bool):
        self.block = Block(arg_types=[element_type(t) for t in types])
        self.accumulator = self.block.args[-1]
        self.unsigned = unsigned

    def add(self, op: Operation) -> SSAValue:
        self.block.add_op(op)
        return op.results[0]

    def cast(self, value: SSAValue) -> SSAValue:
        """Returns the value in the type of the accumulator."""
        # The value is widened or narrowed by its kind and that of the accumulator; signs are those of the op, not of the type.
        source, target = value.type, self.accumulator.type
        if source == target:
            return value
        if isinstance(source, AnyFloat) and isinstance(target, AnyFloat):
            wider = target.bitwidth > source.bitwidth
            return self.add((arith.ExtFOp if wider else arith.TruncFOp)(value, target))
        if isinstance(source, IntegerType) and isinstance(target, AnyFloat):
            return self.add((arith.UIToFPOp if self.unsigned else arith.SIToFPOp)(value, target))
        if isinstance(source, AnyFloat) and isinstance(target, IntegerType):
            return self.add((arith.FPToUIOp if self.unsigned else arith.FPToSIOp)(value, target))
        if isinstance(source, IntegerType) and isinstance(target, IntegerType):
            if target.width.data < source.width.data:
                return self.add(arith.TruncIOp(value, target))
            return self.add((arith.ExtUIOp if self.unsigned else arith.ExtSIOp)(value, target))
        if isinstance(source, IndexType) or isinstance(target, IndexType):
            return self.add(arith.IndexCastOp(value, target))
        raise UnknownBodyError(f"no cast from {source} to {target}")

    def binary(self, kind: str, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        if isinstance(lhs.type, AnyFloat):
            op_class = _FLOAT.get(kind.removesuffix("_unsigned"))
        elif lhs.type == i1 and kind in _BIT:
            op_class = _BIT[kind]
        else:
            op_class = _INTEGER.get(kind)
        if op_class is None:
            raise UnknownBodyError(f"{kind} of {lhs.type} is not known")
        return self.add(op_class(lhs, rhs))  # pyright: ignore[reportCallIssue]

    def unary(self, kind: str, value: SSAValue) -> SSAValue:
        if kind == "square":
            return self.binary("mul", value, value)
        if not isinstance(value.type, AnyFloat):
            raise UnknownBodyError(f"{kind} of {value.type} is not known")
        if kind == "reciprocal":
            numerator = self.add(arith.ConstantOp(FloatAttr(1.0, value.type)))
            return self.add(arith.DivfOp(numerator, value))
        return self.add(_UNARY[kind](value))  # pyright: ignore[reportCallIssue]

    def finish(self, *values: SSAValue) -> Region:
        self.block.add_op(linalg.YieldOp(*values))
        return Region(self.block)


def fill_op(scalar: SSAValue, destination: SSAValue) -> linalg.FillOp:
    """Returns a `linalg.fill` of a tensor or memref, which is not inserted yet.

    xDSL's own constructor makes the region by an implicit builder, which patches `Operation` for all threads.
    """
    block = Block(arg_types=[scalar.type, element_type(destination.type)])
    block.add_op(new_op(linalg.YieldOp, block.args[:1]))
    return linalg.FillOp.create(
        operands=[scalar, destination],
        result_types=[destination.type] if isinstance(destination.type, TensorType) else [],
        properties={"operandSegmentSizes": _ONE_TO_ONE},
        regions=[Region(block)],
    )


def contraction_body(types: Sequence[Attribute], unsigned: bool = False) -> Region:
    """Emits the product of two inputs, less their zero points if there are four, added to the accumulator."""
    body = _Body(types, unsigned)
    lhs, rhs, *zeros = (body.cast(a) for a in body.block.args[:-1])
    if zeros:
        lhs, rhs = (body.binary("sub", a, z) for a, z in zip((lhs, rhs), zeros, strict=True))
    return body.finish(body.binary("add", body.accumulator, body.binary("mul", lhs, rhs)))


def pooling_body(name: str, types: Sequence[Attribute]) -> Region:
    """Emits the sum, maximum or minimum of the first input and the accumulator; the second input is the window's shape."""
    kind = name.split("_", 2)[2]
    body = _Body(types, kind.endswith("_unsigned"))
    value = body.cast(body.block.args[0])
    return body.finish(body.binary("add" if kind == "sum" else kind, body.accumulator, value))


def elementwise_body(kind: str, types: Sequence[Attribute]) -> Region:
    """Returns a function of the inputs in the type of the output; `kind` is as in `linalg.elementwise`."""
    kind = kind.removesuffix("_signed")
    body = _Body(types, kind.endswith("_unsigned"))
    inputs = body.block.args[:-1]
    if kind == "select":
        condition, *choices = inputs
        return body.finish(body.add(arith.SelectOp(condition, *(body.cast(c) for c in choices))))
    values = [body.cast(v) for v in inputs]
    if kind == "copy":
        return body.finish(values[0])
    if kind in _UNARY or kind in ("square", "reciprocal"):
        return body.finish(body.unary(kind, values[0]))
    return body.finish(body.binary(kind, values[0], values[1]))


def payload_body(make: Callable[[Sequence[SSAValue]], Operation], types: Sequence[Attribute], first: bool) -> Region:
    """Returns the short form `{ arith.addf }`: one op on the inputs, behind the accumulator if `first`; that is left
    out otherwise.
    """
    block = Block(arg_types=[element_type(t) for t in types])
    operands = [block.args[-1], *block.args[:-1]] if first else block.args[:-1]
    op = make(operands)
    block.add_ops([op, linalg.YieldOp(*op.results)])
    return Region(block)
