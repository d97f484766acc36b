"""The pass `deduplicate-functions`."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, StringAttr, SymbolRefAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass

from ...dialects.relax.vocabulary.attributes import VDEVICE


@dataclass(frozen=True)
class DeduplicateFunctionsPass(ModulePass):
    """Keeps one of several private functions with the same body and redirects the calls of the others to it.

    Names of functions, values and symbols do not count: at the linalg stage the kernels of `prefill` with `n` and of `decode` with
    `m` are the same. *Leaves* every private function different from all others.
    """

    name = "deduplicate-functions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        kept: dict[Hashable, str] = {}
        replaced: dict[str, str] = {}
        for function in list(op.body.block.ops):
            if not isinstance(function, func.FuncOp) or function.is_declaration or not _is_private(function):
                continue
            name = function.sym_name.data
            first = kept.setdefault(_structure(function), name)
            if first != name:
                replaced[name] = first
                function.detach()
                function.erase()
        if not replaced:
            return
        for inner in op.walk():
            if isinstance(inner, func.CallOp) and inner.callee.string_value() in replaced:
                inner.callee = SymbolRefAttr(replaced[inner.callee.string_value()])


def _is_private(function: func.FuncOp) -> bool:
    return function.sym_visibility == StringAttr("private")


def _structure(function: func.FuncOp) -> Hashable:
    """Returns a key that is equal for functions that differ in names alone."""
    numbers: dict[SSAValue, int] = {}

    def of_block(block: Block) -> Hashable:
        for argument in block.args:
            numbers[argument] = len(numbers)
        types = tuple(argument.type for argument in block.args)
        return (types, tuple(of_op(op) for op in block.ops))

    def of_op(op: Operation) -> Hashable:
        operands = tuple(numbers[operand] for operand in op.operands)
        regions = tuple(of_block(block) for region in op.regions for block in region.blocks)
        for result in op.results:
            numbers[result] = len(numbers)
        return (
            op.name,
            operands,
            tuple(result.type for result in op.results),
            tuple(sorted(op.properties.items(), key=_name)),
            tuple(sorted(op.attributes.items(), key=_name)),
            regions,
        )

    blocks = tuple(of_block(block) for block in function.body.blocks)
    return (function.function_type, tuple(sorted(function.attributes)), _devices(function), blocks)


def _devices(function: func.FuncOp) -> Hashable:
    """Returns the devices of arguments and results; a kernel belongs to a device."""
    return tuple(
        frozenset((index, VDEVICE.of(entry)) for index, entry in enumerate(entries.data) if VDEVICE.is_on(entry))
        if entries is not None
        else frozenset[object]()
        for entries in (function.arg_attrs, function.res_attrs)
    )


def _name(item: tuple[str, Attribute]) -> str:
    return item[0]
