"""`relax.match_cast`: symbols of the result type that are new get their sizes, the other dims are checked.

    %y = relax.match_cast %x : (tensor<?x?xf32>) -> tensor<?x4xf32, #relax.sym<n>>    in @main

becomes

    %n = tensor.dim %x, %c0                  n stands for it from here on, and is checked against a range that @main declares
    %d = tensor.dim %x, %c1
    cf.assert (arith.cmpi eq, %d, %c4), "main: match_cast dim 1: expected 4"
    %y = tensor.cast %x : tensor<?x?xf32> to tensor<?x4xf32>
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue

from ...dialects.relax.attrs import ShapeType, dims_of
from ...dialects.relax.ops import core
from ...dialects.relax.type_dims import used_symbols
from ...dialects.symbolic.expressions import Dim, Symbol, equal
from .builder import LoweringError
from .converted_types import converted
from .size_checks import SizeChecks


def match_cast(op: core.MatchCastOp, values: Sequence[SSAValue], checks: SizeChecks) -> list[SSAValue]:
    """Returns the lowered result; `values` are the lowered operand, which is a tensor, a shape, or anything without dims."""
    source, target = op.input.type, op.result.type
    b = checks.b
    if isinstance(target, ShapeType) and isinstance(source, ShapeType):
        _match_dims(target.data, source.data, values, checks, are_values=True)
    elif isinstance(target, TensorType) and isinstance(values[0].type, TensorType):
        dims = dims_of(target) or ()
        known = dims_of(source) or (None,) * len(dims)
        _match_dims(dims, known, [b.as_index(b.dim(values[0], axis)) for axis in range(len(dims))], checks)
        return [b.refined(values[0], converted(target)[0])]
    return list(values)


def _define(name: str, size: SSAValue, checks: SizeChecks, is_value: bool) -> None:
    """Gives a new symbol its size, in range; a size that is a value gets the name too, which errors of later steps show."""
    checks.b.symbols[name] = size
    if is_value and isinstance(size.owner, Operation):
        size.name_hint = name
    checks.check_symbol(name, size, is_value)


def _match_dims(
    dims: Sequence[Dim], known: Sequence[Dim], sizes: Sequence[SSAValue], checks: SizeChecks, are_values: bool = False
) -> None:
    """Defines the new symbols among `dims` as their sizes and checks the others; `known` is what the operand's type says of them.

    Sizes that are values, not those of a tensor, may be negative. All symbols are defined before any dim is checked, which may use a
    symbol of a later axis.
    """
    symbols, ranges = checks.b.symbols, checks.b.ranges
    for dim, size in zip(dims, sizes, strict=True):
        if isinstance(dim, Symbol) and dim.name not in symbols:
            _define(dim.name, size, checks, are_values)
    for axis, (dim, size, before) in enumerate(zip(dims, sizes, known, strict=True)):
        defined_here = isinstance(dim, Symbol) and symbols[dim.name] is size
        if dim is None or defined_here or equal(dim, before, ranges) is True:
            continue
        expected = checks.b.as_index(checks.b.size(dim))
        names = f"dim {axis}", "" if isinstance(dim, int) else str(dim)
        checks.b.check(size, "==", expected, f"{checks.function}: match_cast dim {axis}: expected {dim}", names)


def check_tensor_of_object(op: core.MatchCastOp, symbols: AbstractSet[str]) -> None:
    """Raises `LoweringError` unless an object becomes a tensor whose sizes are known before the object is there."""
    unknown = sorted(used_symbols(op.result.type) - symbols)
    if unknown or not isinstance(op.result.type, TensorType) or None in (dims_of(op.result.type) or ()):
        raise LoweringError(
            f"it must make an object a tensor of known sizes, got {op.result.type}: memory is planned before the object is "
            "there (relax-bind-symbolic-vars makes symbols sizes)"
        )
