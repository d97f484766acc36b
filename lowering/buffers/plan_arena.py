"""The pass `plan-arena`: scratch buffers become views of one workspace argument, at offsets planned by lifetime.

The steps for a function, callees first: find what needs memory, how many bytes (`workspace_bytes.py`), from which op to which
(`order.py`) and on which device (`scratch_devices.py`); give each an offset (`arena.py`); make the views.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from xdsl.context import Context
from xdsl.dialects import func, memref
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    FunctionType,
    IndexType,
    MemRefType,
    ModuleOp,
    StringAttr,
    i8,
)
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ...dialects.relax.function_signature import argument_attributes, attribute_array
from ...dialects.relax.vocabulary.attributes import RESULT_DIMS_OF, VDEVICE, WORKSPACE, WORKSPACE_OF
from ...dialects.relax.vocabulary.symbols import WORKSPACE as WORKSPACE_FUNCTION
from ...dialects.relax.vocabulary.symbols import SymbolNames
from ...dialects.upstream.block_arguments import append_arguments
from ...dialects.walks import ops_inside
from ...passes.analysis.remarks import is_recording
from ...passes.options import PassWithOptions, within
from ...targets.cpu import BUFFER_ALIGNMENT
from ..emit.constructors import view
from ..emit.op_builder import OpBuilder
from ..sizes.index_expr import Atom, Expr, ExprEmitter
from ..sizes.sizes import SizeAnalysis
from .arena import Device, Item, plan
from .arena_remarks import remark_on_arena, remark_on_results, remark_on_stack
from .call_order import callees_first
from .order import ExecutionOrder
from .parallel_memory import Section, loop_around, plan_sections
from .scratch_devices import device_of
from .shape_inputs import input_atoms, input_types, result_arguments, shape_inputs
from .workspace_bytes import alloc_bytes, call_bytes

Needs: TypeAlias = "dict[Device, Expr]"
"""The bytes of workspace that a function needs on each device, the host first."""
_WORKSPACE_TYPE = MemRefType(i8, [DYNAMIC_INDEX])
TOO_MANY_BYTES = -1
"""What a workspace function returns where 64 bits do not hold the bytes."""


@dataclass(frozen=True)
class PlanArenaPass(PassWithOptions):
    """Replaces `memref.alloc` by views of one workspace argument.

    ```mlir
    func.func @f(%x: memref<?xf32>, %y: memref<?xf32> {relax.result}) {
      %t = memref.alloc(%n) : memref<?xf32>
      func.call @kernel(%x, %t) : ...
      func.call @other(%t, %y) : ...
    ```
    becomes, where `@kernel` needs scratch of its own,
    ```mlir
    func.func @f(%x: ..., %y: ..., %workspace: memref<?xi8> {relax.workspace}) {
      %t = memref.view %workspace[%offset][%n] : memref<?xi8> to memref<?xf32>
      %scratch = memref.view %workspace[%offset_1][%bytes] : memref<?xi8> to memref<?xi8>
      func.call @kernel(%x, %t, %scratch) : ...
      func.call @other(%t, %y) : ...
    func.func private @f.workspace(%n: index) -> index
    ```

    Before: bufferized functions with `memref.alloc`. After: a function that needs scratch, or calls one that does, has
    a last argument `%workspace: memref<?xi8>` (`relax.workspace`), takes `memref.view`s of it, and is accompanied by a
    private function with `relax.workspace_of`, from its shape inputs to the bytes needed. Scratch on another device than the host is in a
    workspace argument of its own with the attribute `relax.vdevice`, and that function returns the bytes of each.
    Scratch inside of a parallel loop is one for each iteration.
    Small scratch of constant size in functions that call nobody is `memref.alloca`.
    """

    name = "plan-arena"
    alloca_bytes: int = within(4096, 0)
    """The bytes of the largest scratch that is on the stack."""
    alloca_total: int = within(16384, 0, 1 << 20)
    """The bytes of all scratch of a function that is on the stack."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = {f.sym_name.data: f for f in op.body.block.ops if isinstance(f, func.FuncOp)}
        has_devices = any(VDEVICE.is_on(entry) for f in functions.values() for entry in f.arg_attrs or ())
        result_dims = RESULT_DIMS_OF.owners(functions.values())
        symbols = SymbolNames(op)
        needs: dict[str, Needs] = {}
        for function in callees_first(functions):
            if not function.body.blocks:
                continue
            needed = self._plan(function, functions, result_dims.get(function.sym_name.data), needs, has_devices)
            if needed:
                needs[function.sym_name.data] = needed
                name = symbols.fresh(WORKSPACE_FUNCTION.format(function.sym_name.data))
                _insert_workspace_function(function, name, needed)

    def _plan(
        self,
        function: func.FuncOp,
        functions: Mapping[str, func.FuncOp],
        dims: func.FuncOp | None,
        needs: Mapping[str, Needs],
        has_devices: bool,
    ) -> Needs:
        """Plans the scratch space of a function; returns the bytes that it needs, nothing where it needs no workspace.

        `dims` is its function of result dims, if it has one.
        """
        if is_recording():
            remark_on_results(function)
        allocations, calls = (
            _erase_unused([op for op in ops_inside(function) if isinstance(op, memref.AllocOp)]),
            _calls(function),
        )
        needing = [op for op in calls if op.callee.string_value() in needs]
        if not allocations and not needing:
            return {}
        sizes = SizeAnalysis(function, {}, result_arguments(function, dims))
        order = ExecutionOrder(function)
        bytes_of = {op: alloc_bytes(op, sizes) for op in allocations}
        on_stack = [] if calls else self._small(bytes_of)
        items = [
            Item(
                op,
                size,
                order.start[op],
                order.last_use(op),
                device_of(function, op.memref, functions) if has_devices else None,
            )
            for op, size in bytes_of.items()
            if op not in on_stack
        ]
        for op in needing:
            for device, need in needs[op.callee.string_value()].items():
                items.append(Item(op, call_bytes(op, sizes, need), order.start[op], order.start[op], device))
        if is_recording():
            remark_on_stack(function.sym_name.data, on_stack, order)
        entry = Block([_move_to_stack(op) for op in on_stack])
        needed: Needs = {}
        if items:
            sections = plan_sections(items, sizes, order)
            needed = _place(items, sections)
            if is_recording():
                remark_on_arena(function.sym_name.data, items, order)
            b = OpBuilder(InsertPoint.at_end(entry))
            _take_views(function, items, sections, _add_workspaces(function, list(needed)), b)
        Rewriter.inline_block(entry, InsertPoint.at_start(function.body.block))
        return needed

    def _small(self, bytes_of: Mapping[memref.AllocOp, Expr]) -> list[memref.AllocOp]:
        """Returns the allocations of constant size that may be on the stack."""
        small: list[memref.AllocOp] = []
        total = self.alloca_total
        for op, size in bytes_of.items():
            known = size.constant
            fits = known is not None and known <= min(self.alloca_bytes, total)
            if known is not None and fits and not op.dynamic_sizes and loop_around(op) is None:
                small.append(op)
                total -= known
        return small


def _place(items: Sequence[Item], sections: Mapping[Item, Section]) -> Needs:
    """Sets the offsets of items, in the first section of a loop for those inside of it; returns the bytes needed on each device."""
    wholes = dict.fromkeys(section.whole for section in sections.values())
    planned = [*(item for item in items if item not in sections), *wholes]
    devices = sorted({item.device for item in items}, key=lambda device: device or "")
    needed = {device: plan([item for item in planned if item.device == device]) for device in devices}
    for item, section in sections.items():
        item.offset = item.offset + section.whole.offset
    return needed


def _calls(function: func.FuncOp) -> list[func.CallOp]:
    return [op for op in ops_inside(function) if isinstance(op, func.CallOp)]


def _erase_unused(allocations: Sequence[memref.AllocOp]) -> list[memref.AllocOp]:
    """Erases the allocations that nothing uses; returns the others."""
    for op in allocations:
        if op.memref.first_use is None:
            Rewriter.erase_op(op)
    return [op for op in allocations if op.parent is not None]


def _move_to_stack(op: memref.AllocOp) -> Operation:
    """Replaces an allocation by one on the stack, and returns that, to be inserted at function entry."""
    stack = memref.AllocaOp.get(op.memref.type.element_type, BUFFER_ALIGNMENT, op.memref.type.get_shape())
    op.memref.replace_all_uses_with(stack.memref)
    Rewriter.erase_op(op)
    return stack


def _add_workspaces(function: func.FuncOp, devices: Sequence[Device]) -> dict[Device, SSAValue]:
    """Gives a function a workspace argument for each device."""
    arguments = append_arguments(function.body.block, [_WORKSPACE_TYPE] * len(devices))
    for argument in arguments:
        argument.name_hint = "workspace"
    inputs = function.function_type.inputs.data
    marks = [{**WORKSPACE.entry(), **({} if device is None else VDEVICE.entry(device))} for device in devices]
    function.arg_attrs = attribute_array([*argument_attributes(function), *marks])
    function.function_type = FunctionType.from_lists(
        [*inputs, *([_WORKSPACE_TYPE] * len(devices))], function.function_type.outputs.data
    )
    return dict(zip(devices, arguments, strict=True))


def _take_views(
    function: func.FuncOp,
    items: Sequence[Item],
    sections: Mapping[Item, Section],
    workspaces: Mapping[Device, SSAValue],
    b: OpBuilder,
) -> None:
    """Replaces each allocation by a view at an offset that `b` emits, and passes views on to calls."""

    def value_of(atom: Atom) -> SSAValue:
        argument = function.body.block.args[atom.argument]
        return argument if atom.kind == "arg" else b.insert(memref.DimOp(argument, b.index(atom.dim)))

    emitter = ExprEmitter(b.insert_op, value_of)
    for item in items:
        op, workspace, offset = item.op, workspaces[item.device], emitter.value(item.offset)
        section = sections.get(item)
        if section is not None:
            inner = OpBuilder(InsertPoint.before(op))
            offset = inner.as_index(inner.add(offset, inner.mul(section.iteration, emitter.value(section.size))))
        if isinstance(op, memref.AllocOp):
            Rewriter.replace_op(op, view(workspace, offset, op.dynamic_sizes, op.memref.type))
        else:
            scratch = view(workspace, offset, [emitter.value(item.size)], _WORKSPACE_TYPE)
            Rewriter.insert_op(scratch, InsertPoint.before(op))
            op.operands = [*op.operands, scratch.result]


def _insert_workspace_function(function: func.FuncOp, name: str, needed: Needs) -> None:
    """Inserts the function from shape inputs to the bytes of each workspace."""
    inputs = shape_inputs(input_types(function))
    block = Block(arg_types=[IndexType()] * len(inputs))
    atoms = input_atoms(block, inputs)
    emitter = ExprEmitter(block.add_op, lambda atom: atoms[atom.key])
    block.add_op(func.ReturnOp(*(emitter.value_or(need, TOO_MANY_BYTES) for need in needed.values())))
    types = FunctionType.from_lists([IndexType()] * len(inputs), [IndexType()] * len(needed))
    computed = func.FuncOp(name, types, Region(block), StringAttr("private"))
    WORKSPACE_OF.set(computed, function.sym_name.data)
    Rewriter.insert_op(computed, InsertPoint.after(function))
