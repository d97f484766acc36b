"""Whether two results of a pass are the same up to what has no meaning: ours, and the reference's, which is TVM."""

from __future__ import annotations

from collections.abc import Container, Hashable
from itertools import takewhile
from typing import Any

import tvm
from tvm import relax
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import ModuleOp, TensorType, TupleType, UnrankedTensorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import Rewriter
from xdsl_relax.dialects.relax.attrs import ShapeType, dims_of
from xdsl_relax.dialects.relax.function_signature import (
    argument_attributes,
    calls,
    functions,
    is_private,
    return_op,
    update_signature,
)
from xdsl_relax.dialects.relax.ops.core import ConstantOp, DataflowOp, MatchCastOp, ShapeOp, TupleGetItemOp, TupleOp
from xdsl_relax.dialects.relax.type_dims import defined_symbols, used_symbols
from xdsl_relax.dialects.symbolic.expressions import Symbol
from xdsl_relax.frontend.tvm import from_relax, to_relax
from xdsl_relax.frontend.tvm.vocabulary import PRIM
from xdsl_relax.passes.analysis.effects import PureFunctions, has_effects
from xdsl_relax.passes.rewriting.dataflow_blocks import inline_dataflow

AnyTensor = TensorType | UnrankedTensorType


def difference(ours: Any, reference: Any, strict: bool = False) -> str | None:
    """Returns where two modules of TVM differ, and both in normal form; `None` if they do not."""
    left, right = normal_form(ours, strict), normal_form(reference, strict)
    try:
        tvm.ir.assert_structural_equal(left, right)
    except ValueError as error:
        return f"{str(error).splitlines()[1]}\nours:\n{left.script()}\nreference:\n{right.script()}"
    return None


LEAVES = (arith.ConstantOp, ConstantOp, MatchCastOp, ShapeOp, TupleGetItemOp, TupleOp)
"""Ops that compute nothing: Relax writes them where they are read, or binds them."""


def normal_form(module: Any, strict: bool = False) -> Any:
    """Returns a module without what both sides may write in several ways.

    These are names, trivial bindings, blocks, and the place of a binding. Unless it is `strict`, as for passes that remove them, also
    computations that repeat and such that nothing reads.
    """
    passes = [relax.transform.CanonicalizeBindings(), relax.transform.EliminateCommonSubexpr()]
    cleaned = [] if strict else [*passes, relax.transform.CanonicalizeBindings()]
    imported = from_relax(tvm.transform.Sequential(cleaned)(module) if cleaned else module)
    pure = PureFunctions(imported)
    for function in imported.body.block.ops:
        if isinstance(function, func.FuncOp):
            straighten(function, pure, strict)
    sort_sizes(imported)
    imported.verify()
    return to_relax(imported)


def sort_sizes(module: ModuleOp) -> None:
    """Sorts by name the sizes that private functions take last, one by one; their order in the reference has no rule."""
    called = calls(module)
    for function in functions(module):
        block = function.body.block
        sizes = list(takewhile(is_size, reversed(block.args))) if is_private(function) else []
        if len(sizes) < 2:
            continue
        first = sizes[-1].index
        order = sorted(range(first, len(block.args)), key=lambda index: str(block.args[index].type))
        entries = argument_attributes(function)
        for index in order:
            moved = block.insert_arg(block.args[index].type, len(block.args))
            block.args[index].replace_all_uses_with(moved)
        for arg in block.args[first : first + len(sizes)]:
            block.erase_arg(arg)
        update_signature(function, [*entries[:first], *(entries[index] for index in order)])
        for call in called.get(function.sym_name.data, []):
            call.operands = [*call.operands[:first], *(call.operands[index] for index in order)]


def is_size(value: SSAValue) -> bool:
    """Returns whether a value is a shape of one dim that is a symbol."""
    return isinstance(value.type, ShapeType) and len(value.type.data) == 1 and isinstance(value.type.data[0], Symbol)


def straighten(function: func.FuncOp, pure: Container[str], strict: bool = False) -> None:
    """Puts the ops of a function into the order in which its results, from the first to the last, ask for them.

    Erases what repeats and what nothing reads; only ops that compute nothing if it is to be `strict`.
    """
    block = function.body.block
    for op in list(block.ops):
        if isinstance(op, DataflowOp):
            inline_dataflow(op)
    for op in list(block.ops):
        if isinstance(op, MatchCastOp) and op.result.type == op.input.type:
            op.result.replace_all_uses_with(op.input)
            Rewriter.erase_op(op)
    for op in block.ops:
        if isinstance(op, MatchCastOp) and isinstance(inner := op.input.owner, MatchCastOp):
            if says_no_more(inner.result.type, op.result.type):
                op.operands[0] = inner.input
    known: dict[Hashable, Operation] = {}
    for op in list(block.ops):
        if not has_effects(op, pure) and (not strict or isinstance(op, LEAVES)):
            said = frozenset(op.properties.items()), op.attributes.get(PRIM)
            key = (op.name, tuple(op.operands), said, tuple(result.type for result in op.results))
            first = known.setdefault(key, op)
            if first is not op and not op.regions:
                for result, same in zip(op.results, first.results, strict=True):
                    result.replace_all_uses_with(same)
                Rewriter.erase_op(op)
    for op in list(block.ops):
        if isinstance(op, TupleOp) and (whole := taken_apart(op)) is not None:
            op.result.replace_all_uses_with(whole)
            Rewriter.erase_op(op)
    terminator = return_op(function)
    ops = [op for op in block.ops if op is not terminator]
    placed: dict[Operation, None] = {}

    def place(op: Operation) -> None:
        if op not in placed:
            inside = [operand for inner in op.walk() for operand in inner.operands]
            for operand in inside:
                if isinstance(operand.owner, Operation) and operand.owner.parent is block:
                    place(operand.owner)
            placed[op] = None

    for op in needed_casts(function, pure):
        place(op)
    for op in (op for op in ops if has_effects(op, pure)):
        place(op)
    for value in terminator.operands:
        if isinstance(value.owner, Operation) and value.owner.parent is block:
            place(value.owner)
    for op in (op for op in ops if strict and not isinstance(op, LEAVES)):
        place(op)
    place(terminator)
    for op in block.ops:
        op.attributes.pop("tvm.alias", None)
        if isinstance(op, TupleOp | ShapeOp | ConstantOp):
            op.results[0]._name = None
    for op in [op for op in ops if op not in placed][::-1]:
        Rewriter.erase_op(op)
    for op in placed:
        op.detach()
        block.add_op(op)


def says_no_more(weak: Attribute, strong: Attribute) -> bool:
    """Returns whether a value that has one type also has another."""
    if not isinstance(weak, AnyTensor) or not isinstance(strong, AnyTensor) or weak.element_type != strong.element_type:
        return False
    dims, known = dims_of(weak), dims_of(strong)
    if dims is None or known is None:
        return dims is None
    return len(dims) == len(known) and all(a in (None, b) for a, b in zip(dims, known, strict=True))


def needed_casts(function: func.FuncOp, pure: Container[str]) -> list[Operation]:
    """Returns the casts that define a symbol which the results depend on; the reference drops any other one that nothing reads."""
    block = function.body.block
    live: set[Operation] = set()
    needed: set[Operation] = set()
    pending = [
        return_op(function),
        *(op for op in block.ops if has_effects(op, pure)),
    ]
    known = set().union(*(defined_symbols(arg.type) for arg in block.args))
    while pending:
        op = pending.pop()
        if op in live:
            continue
        live.add(op)
        pending += [
            value.owner for inner in op.walk() for value in inner.operands if isinstance(value.owner, Operation)
        ]
        wanted = set().union(*(used_symbols(result.type) for result in op.results)) - known
        for cast in block.ops:
            if wanted and isinstance(cast, MatchCastOp) and (defined := defined_symbols(cast.result.type) & wanted):
                wanted -= defined
                known |= defined
                needed.add(cast)
                pending.append(cast)
    return [op for op in block.ops if op in needed]


def taken_apart(op: TupleOp) -> SSAValue | None:
    """Returns the tuple of which an op joins all fields again."""
    getters = [value.owner for value in op.fields if isinstance(value.owner, TupleGetItemOp)]
    if not getters or len(getters) < len(op.fields):
        return None
    whole = getters[0].tuple_value
    assert isinstance(whole.type, TupleType)
    fields = [(getter.tuple_value, getter.index.value.data) for getter in getters]
    return whole if fields == [(whole, index) for index in range(len(whole.type.types))] else None


def flaw_of(module: Any) -> str | None:
    """Returns why a module is not well-formed, `None` if it is."""
    try:
        return "not well-formed" if relax.analysis.well_formed(module) is False else None
    except Exception as error:  # TVM raises under many types.
        return str(error).splitlines()[0]
