"""Outlines groups of ops into private functions, one for structurally equal groups: kernels, and regions for other code generators."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import field
from typing import Literal

from xdsl.dialects import func
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FunctionType, ModuleOp, SymbolRefAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import Rewriter

from ...dialects.new_op import new_op
from ...dialects.relax.attrs import ShapeType
from ...dialects.relax.function_signature import functions
from ...dialects.relax.ops.core import ConstantOp, MatchCastOp, ShapeOp
from ...dialects.relax.symbol_ranges import range_attributes, ranges_at
from ...dialects.relax.type_dims import defined_symbols, used_symbols
from ...dialects.relax.vocabulary.attributes import GLOBAL_SYMBOL, PRIMITIVE
from ...dialects.symbolic.expressions import Symbol
from ...dialects.upstream.func_ops import CallOp
from ...dialects.upstream.positions import fused
from ...dialects.walks import ops_inside
from ...records import record
from ..analysis.attribute_table import attribute_numbers
from ..analysis.remarks import Topic, function_of, is_recording, named_op, remark
from ..analysis.structure import Structure


@record
class Outline:
    """What an outlined function is like."""

    attributes: Mapping[str, Attribute] = field(default_factory=PRIMITIVE.entry)
    constants: Literal["scalar", "all", "none"] = "scalar"
    """Which constants are copied into the function rather than passed to it."""
    suffix: str = ""
    """The end of the function's name; with one, the function carries its name as `relax.global_symbol` too."""


KERNEL = Outline()


def is_kernel(function: func.FuncOp) -> bool:
    """Returns whether a function is a kernel."""
    return PRIMITIVE.is_on(function)


def graph_functions(module: ModuleOp) -> list[func.FuncOp]:
    """Returns the functions with a body that are no kernels: those that passes on graphs change."""
    return [function for function in functions(module) if not is_kernel(function)]


class KernelFunctions:
    """The kernels of a module, by structure."""

    def __init__(self, module: ModuleOp):
        self.module = module
        self._kernels: dict[Hashable, SymbolRefAttr] = {}
        self._numbers = attribute_numbers()
        self._names = {op.sym_name.data for op in module.body.block.ops if isinstance(op, func.FuncOp)}

    def outline(self, ops: Sequence[Operation], outline: Outline = KERNEL) -> func.CallOp:
        """Replaces ops of one block, in program order, by a call of a function that stands at the last of them; returns the call.

        The function returns what something else reads of the ops' results. What reads results of others than the last op is moved behind
        the call; nothing that the ops read may be among it. Constants and shapes that only the ops read go with them.
        """
        # The call stands at the last op, behind everything that the ops read.
        last = ops[-1]
        block = last.parent
        assert block is not None
        outputs = _outputs(ops)
        inlined, inputs = _operands(ops, outline)
        symbols = _free_symbols([*inlined, *ops], inputs)
        structure = Structure(numbers=self._numbers)
        types = structure.define(inputs)
        body = tuple(map(structure.of_op, (*inlined, *ops)))
        used = {name for value in inputs for name in used_symbols(value.type)} | set(symbols)
        declared = range_attributes(ranges_at(last).restricted(used))
        attributes = structure.of_entries({**outline.attributes, **declared})
        key = (types, tuple(symbols), body, structure.of_values(outputs), attributes, outline.suffix)
        callee = self._kernels.get(key)
        if callee is None:
            callee = SymbolRefAttr(self._create(ops, inlined, inputs, outputs, symbols, outline, declared))
            self._kernels[key] = callee
        operands: list[SSAValue] = list(inputs)
        if symbols:
            shape = ShapeOp.build_from(result_types=[_shape_type(symbols)])
            block.insert_op_before(shape, last)
            operands.append(shape.result)
        if is_recording() and PRIMITIVE.is_on(outline.attributes):
            _remark_on_members(callee.string_value(), ops)
        call = new_op(CallOp, operands, [value.type for value in outputs], {"callee": callee})
        # That of the last op comes first: it is where the call stands.
        call.location = fused(op.location for op in reversed(ops))
        block.insert_op_before(call, last)
        for old, new in zip(outputs, call.results, strict=True):
            new.name_hint = old.name_hint
            old.replace_all_uses_with(new)
        if any(value.owner is not last for value in outputs):
            _move_readers_behind(call, ops)
        for op in reversed(ops):
            Rewriter.erase_op(op)
        for op in inlined:
            if all(result.first_use is None for result in op.results):
                Rewriter.erase_op(op)
        return call

    def _create(
        self,
        ops: Sequence[Operation],
        inlined: Sequence[Operation],
        inputs: Sequence[SSAValue],
        outputs: Sequence[SSAValue],
        symbols: Sequence[str],
        outline: Outline,
        ranges: Mapping[str, Attribute],
    ) -> str:
        name = self._fresh_name(ops, outline.suffix)
        types: list[Attribute] = [value.type for value in inputs]
        if symbols:
            types.append(_shape_type(symbols))
        block = Block(arg_types=types)
        mapping: dict[SSAValue, SSAValue] = dict(zip(inputs, block.args))
        for arg, value in zip(block.args, inputs):
            arg.name_hint = value.name_hint
        for op in (*inlined, *ops):
            block.add_op(op.clone(mapping))
        block.add_op(func.ReturnOp(*(mapping[value] for value in outputs)))
        kernel = func.FuncOp(
            name, FunctionType.from_lists(types, [value.type for value in outputs]), Region(block), "private"
        )
        kernel.attributes.update({**outline.attributes, **ranges})
        if outline.suffix:
            GLOBAL_SYMBOL.set(kernel, name)
        self.module.body.block.add_op(kernel)
        return name

    def _fresh_name(self, ops: Sequence[Operation], suffix: str) -> str:
        stems = [_stem(op) for op in ops]
        # Names of deep kernels would otherwise grow without bound.
        stem = stems[0] if len(stems) == 1 and not suffix else "fused_" + "_".join(stems[:12])
        stem += f"_{suffix}" if suffix else ""
        name, count = stem, 0
        while name in self._names:
            count += 1
            name = f"{stem}{count}"
        self._names.add(name)
        return name


def _remark_on_members(kernel: str, ops: Sequence[Operation]) -> None:
    for member, op in enumerate(ops):
        others = [other for other in ops if other is not op]
        company = f" with {', '.join(map(named_op, others))}" if others else " alone"
        remark(
            Topic.KERNEL,
            function_of(op),
            op.location,
            f"{op.name} is in the kernel @{kernel}{company}",
            kernel=kernel,
            member=member,
        )


def _stem(op: Operation) -> str:
    if isinstance(op, func.CallOp):
        return op.callee.string_value().removeprefix("fused_")
    return op.name.removeprefix("relax.").removeprefix("nn.")


def _shape_type(symbols: Sequence[str]) -> ShapeType:
    return ShapeType(tuple(Symbol(name) for name in symbols))


def _stays_inline(op: object, outline: Outline) -> bool:
    """Returns whether an op is copied into a function rather than passed to it: shapes, and constants as the outline says."""
    if isinstance(op, ShapeOp):
        return True
    if not isinstance(op, ConstantOp) or outline.constants == "none":
        return False
    return outline.constants == "all" or (isinstance(op.value, DenseIntOrFPElementsAttr) and _elements(op) == 1)


def _elements(op: ConstantOp) -> int:
    count = 1
    for size in op.value.type.get_shape():
        count *= size
    return count


def _outputs(ops: Sequence[Operation]) -> list[SSAValue]:
    """Returns the results that something else reads; those of the last op if nothing reads any."""
    inside = set(ops)
    results: list[SSAValue] = [result for op in ops for result in op.results]
    read = [result for result in results if any(use.operation not in inside for use in result.uses)]
    return read or [*ops[-1].results]


def _move_readers_behind(call: func.CallOp, replaced: Sequence[Operation]) -> None:
    """Moves what stands between ops and the call that replaces them, and needs its results, behind the call."""
    moved: list[Operation] = []
    values: set[SSAValue] = set(call.results)
    named: set[str] = set()
    current = replaced[0]
    while current is not call:
        following = current.next_op
        assert following is not None
        read = {operand for inner in ops_inside(current) for operand in inner.operands}
        used = set().union(*(used_symbols(result.type) for result in current.results)) if named else set[str]()
        if current not in replaced and (read & values or used & named):
            moved.append(current)
            values.update(current.results)
            if isinstance(current, MatchCastOp):
                named |= defined_symbols(current.result.type)
        current = following
    block = call.parent
    assert block is not None
    for op in reversed(moved):
        op.detach()
        block.insert_op_after(op, call)


def _operands(ops: Sequence[Operation], outline: Outline) -> tuple[list[Operation], list[SSAValue]]:
    """Returns the ops that are copied into the function, and the values that are passed, both in order of first use."""
    inside = set(ops)
    inlined: dict[Operation, None] = {}
    inputs: dict[SSAValue, None] = {}
    for op in ops:
        for operand in op.operands:
            owner = operand.owner
            if owner in inside:
                continue
            if isinstance(owner, Operation) and _stays_inline(owner, outline):
                inlined[owner] = None
            else:
                inputs[operand] = None
    return list(inlined), list(inputs)


def _free_symbols(ops: Sequence[Operation], inputs: Sequence[SSAValue]) -> list[str]:
    """Returns the symbols that the ops use and the inputs' types do not define, sorted."""
    used: set[str] = set()
    defined: set[str] = set()
    for value in inputs:
        used |= used_symbols(value.type)
        defined |= defined_symbols(value.type)
    for op in ops:
        for result in op.results:
            used |= used_symbols(result.type)
    return sorted(used - defined)
