"""The pass `expand-math`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, math, scf, vector
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IndexType,
    IntegerType,
    ModuleOp,
    VectorType,
    bf16,
    f32,
    f64,
    i1,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.rewriter import Rewriter
from xdsl.traits import IsolatedFromAbove

from ....dialects.relax.vocabulary.attributes import NOT_POSITIVE
from ....dialects.upstream.op_error import OpError
from ....dialects.walks import ops_inside
from ....passes.options import PassWithOptions
from ....targets.cpu import DEFAULT, CpuTarget, cpu_target
from . import exponential, hyperbolic, integer_power, inverse_trigonometric, logarithm, power, remainder, trigonometric
from .builder import MathBuilder, Value
from .rounded_number import drop_hidden_differences, is_rounded_number, rounded_number
from .rounded_quotient import is_rounded_quotient, rounded_quotient

Formula = Callable[..., Value]

IN_SINGLE: dict[str, Formula] = {
    "math.exp": exponential.exp,
    "math.exp2": exponential.exp2,
    "math.expm1": exponential.expm1,
    "math.log": logarithm.log,
    "math.tanh": hyperbolic.tanh,
    "math.erf": hyperbolic.erf,
    "math.sin": trigonometric.sin,
    "math.cos": trigonometric.cos,
    "math.rsqrt": power.rsqrt,
    "arith.remf": remainder.remf,
}
"""Functions whose f32 form uses f32 arithmetic."""

IN_DOUBLE: dict[str, Formula] = {
    "math.log2": logarithm.log2,
    "math.log10": logarithm.log10,
    "math.log1p": logarithm.log1p,
    "math.asinh": logarithm.asinh,
    "math.acosh": logarithm.acosh,
    "math.atanh": logarithm.atanh,
    "math.sinh": hyperbolic.sinh,
    "math.cosh": hyperbolic.cosh,
    "math.tan": trigonometric.tan,
    "math.asin": inverse_trigonometric.asin,
    "math.acos": inverse_trigonometric.acos,
    "math.atan": inverse_trigonometric.atan,
    "math.atan2": inverse_trigonometric.atan2,
    "math.powf": power.powf,
    "math.cbrt": power.cbrt,
    "math.fpowi": integer_power.fpowi,
}
"""Functions whose f32 form uses f64 arithmetic with shorter polynomials."""

INTEGER: dict[str, Formula] = {"math.ipowi": integer_power.ipowi}

EXPANDED = frozenset((*IN_SINGLE, *IN_DOUBLE, *INTEGER))

ROUNDED = frozenset(
    (
        *(f"arith.{name}f" for name in ("trunc", "add", "sub", "mul", "div", "maximum", "minimum", "maxnum", "minnum")),
        *(f"math.{name}" for name in ("ceil", "floor", "trunc", "round", "roundeven", "sqrt", "fma")),
    )
)
"""Ops whose bf16 results are rounded from f32 by integers."""

_MAY_BE_REPLACED = EXPANDED | ROUNDED | {arith.CmpfOp.name, arith.SIToFPOp.name, arith.DivfOp.name}
"""The names of all ops that `_is_replaced` looks into: most ops of a program have others."""


@dataclass(frozen=True)
class ExpandMathPass(PassWithOptions):
    """Replaces `math` ops that no processor instruction computes by polynomials in `arith`, and `arith.remf` by the exact remainder.

    ```mlir
    %y = math.rsqrt %0 : f32
    ```
    becomes
    ```mlir
    %1 = arith.constant 1.000000e+00 : f32
    %2 = math.sqrt %0 : f32
    %y = arith.divf %1, %2 : f32
    ```

    Before: any module. After: of `math`, only absf, absi, ceil, floor, round, roundeven, trunc, sqrt, fma, copysign,
    ctpop, ctlz and cttz are left; `scf.if` around the reduction of huge angles and `scf.while` for scalar integer
    powers are new. Operands are scalars or 1-D vectors of f16, bf16, f32, f64 (`ipowi`: integers). No fast-math flag is
    set. `docs/math.md` has the error bounds. Arithmetic on bf16 is in f32, rounded by integers: the instructions flush subnormal numbers;
    comparisons are in f32 too.

    If the `target` has no fused multiply-add, `vector.fma`, by which contractions accumulate, becomes a product and a sum; if it has one,
    bounded quotients by constants that are rounded to integers become products. If an instruction multiplies vectors by powers of 2,
    exponentials use it. What `trunci` leaves nothing of is not subtracted before.
    """

    name = "expand-math"

    target: str = DEFAULT
    """The CPU whose instructions are used; docs/targets.md has the names."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = cpu_target(self.target)
        expand_math(op, target)
        drop_hidden_differences(op)
        if not target.fuses_multiply_add:
            split_multiply_adds(op)


def split_multiply_adds(root: Operation) -> None:
    """Replaces each `vector.fma` inside an op by a product and a sum."""
    for fma in [op for op in ops_inside(root) if isinstance(op, vector.FMAOp)]:
        product = arith.MulfOp(fma.lhs, fma.rhs)
        total = arith.AddfOp(product.result, fma.acc)
        Rewriter.replace_op(fma, [product, total], [total.result])


def expand_math(root: Operation, target: CpuTarget | None = None) -> int:
    """Expands everything inside an op for a target, or the default one; returns the number of ops replaced."""
    cpu = target or cpu_target(DEFAULT)
    ops = [op for op in ops_inside(root) if _is_replaced(op, cpu.fuses_multiply_add)]
    scopes: dict[Block, tuple[dict[tuple[object, ...], SSAValue], list[Operation]]] = {}
    for op in ops:
        block = _scope(op)
        constants, head = scopes.setdefault(block, ({}, []))
        _expand(op, constants, head, cpu)
    for block, (_, head) in scopes.items():
        first = block.first_op
        if head and first is not None:
            block.insert_ops_before(head, first)
    return len(ops)


def _is_replaced(op: Operation, fuses: bool) -> bool:
    if op.name not in _MAY_BE_REPLACED:
        return False
    if op.name in ROUNDED and _is_bf16(op.results[0]):
        return True
    if isinstance(op, arith.CmpfOp) and _is_bf16(op.lhs):
        return True
    return op.name in EXPANDED or is_rounded_number(op) or (fuses and is_rounded_quotient(op))


def _is_bf16(value: SSAValue) -> bool:
    type_ = value.type
    return isinstance(type_.element_type if isinstance(type_, VectorType) else type_, BFloat16Type)


def _scope(op: Operation) -> Block:
    """Returns the block that constants go to: a function body, or that of a parallel loop, which becomes a function."""
    block = op.parent
    while block is not None:
        parent = block.parent_op()
        if parent is None or isinstance(parent, scf.ParallelOp) or parent.has_trait(IsolatedFromAbove):
            region = block.parent
            return block if region is None else region.blocks[0]
        outer = parent.parent
        if outer is None:
            return block
        block = outer
    raise OpError(op, f"expand-math: {op.name} is not inside a block")


def _expand(
    op: Operation, constants: dict[tuple[object, ...], SSAValue], head: list[Operation], target: CpuTarget
) -> None:
    type_ = op.results[0].type
    lanes, element = _lanes(op, type_), type_.element_type if isinstance(type_, VectorType) else type_
    m = MathBuilder(lanes, constants, head, target)
    operands = [m.wrap(operand) for operand in op.operands]
    if op.name == "math.fpowi" and isinstance(operands[1].element, IndexType):
        raise OpError(op, f"expand-math: {op.name} needs an exponent of a fixed width, found index")
    if is_rounded_quotient(op):
        result = rounded_quotient(m, op)
    elif isinstance(op, arith.SIToFPOp):
        result = rounded_number(m, op)
    elif isinstance(op, arith.CmpfOp):
        # LLVM 22 finds no instruction for vectors of bf16 whose comparison becomes integers of 16 bits.
        result = m.emit(type(op), i1, *(operand.extend(f32) for operand in operands), properties=dict(op.properties))
    elif op.name in ROUNDED:
        result = _rounded(op, operands)
    elif op.name in INTEGER:
        if not isinstance(element, IntegerType):
            raise OpError(op, f"expand-math: {op.name} needs integers of a fixed width, found {element}")
        result = INTEGER[op.name](m, *operands)
    else:
        result = _expand_float(op, m, operands, element)
    block = op.parent
    assert block is not None
    for made in m.ops:
        made.location = op.location
    block.insert_ops_before(m.ops, op)
    op.results[0].replace_all_uses_with(result.ssa)
    op.detach()
    op.erase()


def _expand_float(op: Operation, m: MathBuilder, operands: list[Value], element: Attribute) -> Value:
    if isinstance(element, Float64Type):
        m.kind = "f64"
        return _formula(op)(m, *operands)
    if not isinstance(element, Float32Type | Float16Type | BFloat16Type):
        raise OpError(op, f"expand-math: {op.name} needs f16, bf16, f32 or f64, found {element}")
    if op.name in IN_SINGLE:
        m.kind, work = "f32", f32
    else:
        m.kind, work = "lite", f64
    wide = [o if isinstance(o.element, IntegerType) else o.extend(f32).extend(work) for o in operands]
    return _formula(op)(m, *wide).truncate(f32).truncate(element)


def _formula(op: Operation) -> Formula:
    if isinstance(op, math.ExpOp) and NOT_POSITIVE.is_on(op):
        return exponential.exp_of_not_positive
    return IN_SINGLE.get(op.name) or IN_DOUBLE[op.name]


def _rounded(op: Operation, operands: list[Value]) -> Value:
    """Returns a bf16 that is computed in f32, or converted."""
    if isinstance(op, arith.TruncFOp):
        return operands[0].truncate(bf16)
    first, *rest = (operand.extend(f32) for operand in operands)
    if isinstance(op, math.FmaOp):
        return first.fma(*rest).truncate(bf16)
    assert isinstance(op, IRDLOperation)
    return first.m.emit(type(op), f32, first, *rest, properties=dict(op.properties)).truncate(bf16)


def _lanes(op: Operation, type_: Attribute) -> int | None:
    if isinstance(type_, VectorType):
        shape = type_.get_shape()
        if len(shape) != 1 or any(bool(flag) for flag in type_.get_scalable_dims()):
            raise OpError(op, f"expand-math: {op.name} needs a scalar or a vector of one fixed dim, found {type_}")
        return shape[0]
    if isinstance(type_, IntegerType | IndexType) or type_.name.removeprefix("b").startswith("f"):
        return None
    raise OpError(op, f"expand-math: {op.name} needs a scalar or a vector of one fixed dim, found {type_}")
