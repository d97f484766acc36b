"""The pass `plan-arena`: scratch buffers become views of one workspace argument, at offsets planned by lifetime."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from xdsl.context import Context
from xdsl.dialects import func, memref
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DictionaryAttr,
    FixedBitwidthType,
    FunctionType,
    IndexType,
    MemRefType,
    ModuleOp,
    StringAttr,
    i8,
)
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.passes import ModulePass

from ...dialects.relax.vocabulary.attributes import DIMS, PRIMITIVE, RESULT, VDEVICE, WORKSPACE
from ..diagnostics import OpError
from ..emit.constructors import constant as index_constant
from ..emit.constructors import view as view_of
from ..sizes.index_expr import Atom, Expr, ExprEmitter, aligned, argument_dim, argument_value, const, maximum
from ..sizes.sizes import SizeAnalysis
from .bufferize import DIMS_SUFFIX, callees_first, input_atoms, shape_inputs
from .order import ExecutionOrder

Device: TypeAlias = "str | None"
"""A device as `relax.vdevice` names it; `None` is the host."""
Needs: TypeAlias = "dict[Device, Expr]"
"""The bytes of workspace that a function needs on each device."""
WORKSPACE_SUFFIX = ".workspace"
ALIGNMENT = 64
VIEWS = (
    memref.SubviewOp,
    memref.CastOp,
    memref.CollapseShapeOp,
    memref.ExpandShapeOp,
    memref.ReinterpretCastOp,
    memref.ViewOp,
)


@dataclass
class Item:
    """Something that needs room while the ops from `start` to `end` run: an allocation, or the workspace of a call."""

    op: Operation
    size: Expr
    start: int
    end: int
    device: Device = None
    offset: Expr = field(default_factory=lambda: const(0))

    def meets(self, other: Item) -> bool:
        """Whether both need their room at the same time."""
        return self.start <= other.end and other.start <= self.end


@dataclass
class _Slot:
    """Room of symbolic size that items use one after the other."""

    size: Expr
    items: list[Item]


def plan(items: Sequence[Item]) -> Expr:
    """Sets the offset of each item and returns the bytes needed.

    Items of constant size are placed largest first, each in the smallest gap that fits (best fit). Items of symbolic
    size share slots behind them; a slot is as large as the largest of its items, by proof or by `arith.maxsi`.
    """
    placed: list[tuple[int, int, Item]] = []
    total = 0
    fixed = [(size, item) for item in items if (size := item.size.constant) is not None]
    for size, item in sorted(fixed, key=lambda pair: (-pair[0], pair[1].start)):
        size = -(-size // ALIGNMENT) * ALIGNMENT
        offset = _best_gap(size, sorted((a, b) for a, b, other in placed if other.meets(item)))
        placed.append((offset, offset + size, item))
        item.offset = const(offset)
        total = max(total, offset + size)
    slots: list[_Slot] = []
    symbolic = [item for item in items if item.size.constant is None]
    for item in sorted(symbolic, key=lambda i: (-i.size.estimate(), i.start)):
        size = aligned(item.size, ALIGNMENT)
        free = [slot for slot in slots if not any(other.meets(item) for other in slot.items)]
        fitting = [slot for slot in free if size.at_most(slot.size)]
        if fitting:
            slot = min(fitting, key=lambda s: s.size.estimate())
        elif free:
            slot = free[0]
            slot.size = maximum(slot.size, size)
        else:
            slot = _Slot(size, [])
            slots.append(slot)
        slot.items.append(item)
    offset = const(total)
    for slot in slots:
        for item in slot.items:
            item.offset = offset
        offset = offset + slot.size
    return offset


def _best_gap(size: int, taken: Sequence[tuple[int, int]]) -> int:
    """The offset of the smallest gap between taken ranges that holds a size, or the end."""
    best: tuple[int, int] | None = None
    end = 0
    for start, stop in taken:
        gap = start - end
        if gap >= size and (best is None or gap < best[0]):
            best = (gap, end)
        end = max(end, stop)
    return end if best is None else best[1]


def byte_width(type_: Attribute) -> int:
    """The bytes of an element in memory; `i1` takes one, `index` eight."""
    if isinstance(type_, IndexType):
        return 8
    if isinstance(type_, FixedBitwidthType):
        return -(-type_.bitwidth // 8)
    raise ValueError(f"no size in memory is known for {type_}")


@dataclass(frozen=True)
class PlanArenaPass(ModulePass):
    """Replaces `memref.alloc` by views of one workspace argument.

    Before: bufferized functions with `memref.alloc`. After: a function that needs scratch, or calls one that does, has
    a last argument `%workspace: memref<?xi8>` (`relax.workspace`), takes `memref.view`s of it, and is accompanied by a
    private `@f.workspace` from its shape inputs to the bytes needed. Scratch on another device than the host is in a
    workspace argument of its own with the attribute `relax.vdevice`, and `@f.workspace` returns the bytes of each.
    Small scratch of constant size in functions that call nobody is `memref.alloca`. Options: `alloca_bytes` is the
    largest such scratch, `alloca_total` their sum.
    """

    name = "plan-arena"
    alloca_bytes: int = 4096
    alloca_total: int = 16384

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = {f.sym_name.data: f for f in op.body.block.ops if isinstance(f, func.FuncOp)}
        is_placed = any(VDEVICE.is_on(entry) for f in functions.values() for entry in f.arg_attrs or ())
        needs: dict[str, Needs] = {}
        for function in callees_first(functions):
            if function.body.blocks:
                _plan_function(function, functions, needs, is_placed, self.alloca_bytes, self.alloca_total)


def _plan_function(
    function: func.FuncOp,
    functions: dict[str, func.FuncOp],
    needs: dict[str, Needs],
    is_placed: bool,
    alloca_bytes: int,
    total: int,
) -> None:
    allocations: list[memref.AllocOp] = []
    calls: list[func.CallOp] = []
    called = False
    for op in function.walk():
        if isinstance(op, memref.AllocOp):
            allocations.append(op)
        elif isinstance(op, func.CallOp):
            called = True
            if op.callee.string_value() in needs:
                calls.append(op)
    if not allocations and not calls:
        return
    sizes = SizeAnalysis(function, {}, result_arguments(function, functions))
    order = ExecutionOrder(function)
    anchor = function.body.block.first_op
    assert anchor is not None
    items: list[Item] = []
    for op in allocations:
        size = _alloc_bytes(op, sizes)
        known = size.constant
        if not op.memref.first_use:
            op.detach()
            op.erase()
        elif known is not None and not op.dynamic_sizes and known <= alloca_bytes and known <= total and not called:
            total -= known
            new = memref.AllocaOp.get(op.memref.type.element_type, ALIGNMENT, op.memref.type.get_shape())
            function.body.block.insert_op_before(new, anchor)
            op.memref.replace_all_uses_with(new.memref)
            if anchor is op:
                anchor = op.next_op
                assert anchor is not None
            op.detach()
            op.erase()
        else:
            device = _device(function, op.memref, functions) if is_placed else None
            items.append(Item(op, size, order.start[op], _last_use(op, order), device))
    for op in calls:
        for device, need in needs[op.callee.string_value()].items():
            items.append(Item(op, _call_bytes(op, sizes, need), order.start[op], order.start[op], device))
    if not items:
        return
    # The host's comes first.
    devices = sorted({item.device for item in items}, key=lambda device: device or "")
    needed = {device: plan([item for item in items if item.device == device]) for device in devices}
    needs[function.sym_name.data] = needed
    inputs = shape_inputs(_inputs(function))
    _emit(function, items, devices, anchor)
    module_block = function.parent
    assert module_block is not None
    module_block.insert_op_after(_workspace_function(function, inputs, needed), function)


def _inputs(function: func.FuncOp) -> list[Attribute]:
    """The types of the arguments that are neither results nor a workspace."""
    return [
        type_
        for position, type_ in enumerate(function.function_type.inputs.data)
        if not RESULT.is_on_argument(function, position) and not WORKSPACE.is_on_argument(function, position)
    ]


def result_arguments(function: func.FuncOp, functions: dict[str, func.FuncOp]) -> dict[tuple[int, int], Expr]:
    """The dynamic dims of the result arguments, as `@f.dims` tells them."""
    dims = functions.get(function.sym_name.data + DIMS_SUFFIX)
    if dims is None:
        return {}
    inputs = shape_inputs(_inputs(function))
    values = iter(dims_of_results(dims, function, inputs))
    return {
        (position, d): next(values)
        for position, type_ in enumerate(function.function_type.inputs.data)
        if isinstance(type_, MemRefType) and RESULT.is_on_argument(function, position)
        for d, size in enumerate(type_.get_shape())
        if size == DYNAMIC_INDEX
    }


def dims_of_results(dims: func.FuncOp, function: func.FuncOp, inputs: Sequence[tuple[int, int]]) -> list[Expr]:
    """What a function of shape inputs returns, in terms of the arguments of the function that it belongs to."""
    analysis = SizeAnalysis(dims, {})
    terminator = dims.body.block.last_op
    assert terminator is not None

    def atom(one: Atom) -> Expr:
        position = one.args[0]
        assert isinstance(position, int)
        argument, dim = inputs[position]
        if dim < 0:
            return argument_value(argument, DIMS.is_on_argument(function, argument))
        return argument_dim(argument, dim)

    found: list[Expr] = []
    for value in terminator.operands:
        expr = analysis.value(value)
        replaced = None if expr is None else expr.substitute(atom)
        if replaced is None:
            raise OpError(dims, f"@{dims.sym_name.data} is not index arithmetic on its arguments")
        found.append(replaced)
    return found


def _alloc_bytes(op: memref.AllocOp, sizes: SizeAnalysis) -> Expr:
    type_ = op.memref.type
    total = const(byte_width(type_.element_type))
    for d in range(type_.get_num_dims()):
        size = sizes.dim(op.memref, d, exact=False)
        if size is None:
            raise OpError(
                op,
                f"plan-arena: dim {d} of a scratch buffer {type_} depends on data and has no upper bound "
                "(arith.minsi %size, %bound)",
            )
        # One that is negative is refused before it is used; it must not shift what lies behind it.
        total = total * maximum(size, const(0))
    return total


def _device(function: func.FuncOp, buffer: SSAValue, functions: dict[str, func.FuncOp]) -> Device:
    """Returns the device of a buffer: in a kernel that of the result, else that of the arguments it is passed to or copied from.

    Raises `OpError` if these are on several devices.
    """
    if PRIMITIVE.is_on(function):
        positions = range(len(function.function_type.inputs))
        results = [place for place in positions if RESULT.is_on_argument(function, place)]
        return _argument_device(function, results[0]) if results else None
    found: set[Device] = set()
    seen: set[SSAValue] = set()
    pending = [buffer]
    while pending:
        value = pending.pop()
        if value in seen:
            continue
        seen.add(value)
        if isinstance(value, BlockArgument) and value.block is function.body.block:
            found.add(_argument_device(function, value.index))
            continue
        if isinstance(value.owner, VIEWS):
            pending.append(value.owner.operands[0])
        for use in value.uses:
            user = use.operation
            if isinstance(user, func.CallOp):
                found.add(_argument_device(functions[user.callee.string_value()], use.index))
            elif isinstance(user, VIEWS):
                pending.append(user.results[0])
            elif isinstance(user, memref.CopyOp):
                pending.append(user.operands[1 - use.index])
        if len(found) > 1:
            assert isinstance(value.owner, Operation)
            names = " and on ".join(sorted(device or "cpu:0" for device in found))
            raise OpError(value.owner, f"plan-arena: a buffer is used on {names}")
    return found.pop() if found else None


def _argument_device(function: func.FuncOp, position: int) -> Device:
    return VDEVICE.of_argument(function, position)


def _call_bytes(op: func.CallOp, sizes: SizeAnalysis, need: Expr) -> Expr:

    def atom(one: Atom) -> Expr | None:
        operand = op.operands[one.args[0]]  # pyright: ignore
        if one.kind == "arg":
            return sizes.value(operand, need.constant is None and not need.nonnegative) or sizes.value(operand, False)
        dim = one.args[1]
        assert isinstance(dim, int)
        # The bound of a size will do where more of it means more bytes.
        return sizes.dim(operand, dim, exact=not need.nonnegative)

    found = need.substitute(atom)
    if found is None:
        callee = op.callee.string_value()
        raise OpError(op, f"plan-arena: the workspace of @{callee} depends on data without an upper bound")
    return found


def _last_use(op: memref.AllocOp, order: ExecutionOrder) -> int:
    """The last op of the allocation's block that uses the buffer or a view of it, with all inside."""
    block = op.parent
    last = order.start[op]
    pending: list[SSAValue] = [op.memref]
    while pending:
        for use in pending.pop().uses:
            user = use.operation
            if isinstance(user, VIEWS):
                pending.append(user.results[0])
            while user.parent is not block:
                parent = user.parent_op()
                assert parent is not None
                user = parent
            last = max(last, order.span(user)[1])
    return last


def _emit(function: func.FuncOp, items: Sequence[Item], devices: Sequence[Device], anchor: Operation) -> None:
    block = function.body.block
    type_ = MemRefType(i8, [DYNAMIC_INDEX])
    workspaces: dict[Device, SSAValue] = {}
    for device in devices:
        workspaces[device] = block.insert_arg(type_, len(block.args))
        workspaces[device].name_hint = "workspace"
    indices: dict[int, SSAValue] = {}

    def insert(op: Operation) -> None:
        block.insert_op_before(op, anchor)

    def atom(one: Atom) -> SSAValue:
        argument = block.args[one.args[0]]  # pyright: ignore
        if one.kind == "arg":
            return argument
        dim = one.args[1]
        assert isinstance(dim, int)
        if dim not in indices:
            constant = index_constant(dim)
            insert(constant)
            indices[dim] = constant.result
        found = memref.DimOp(argument, indices[dim])
        insert(found)
        return found.result

    emitter = ExprEmitter(insert, atom)
    for item in items:
        op = item.op
        offset = emitter.value(item.offset)
        parent = op.parent
        assert parent is not None
        if isinstance(op, memref.AllocOp):
            view = view_of(workspaces[item.device], offset, op.dynamic_sizes, op.memref.type)
            parent.insert_op_before(view, op)
            op.memref.replace_all_uses_with(view.result)
            if op is anchor:
                anchor = view
            op.detach()
            op.erase()
        else:
            view = view_of(workspaces[item.device], offset, [emitter.value(item.size)], type_)
            parent.insert_op_before(view, op)
            op.operands = [*op.operands, view.result]
    inputs = function.function_type.inputs.data
    attributes = (
        list(function.arg_attrs.data) if function.arg_attrs is not None else [DictionaryAttr({}) for _ in inputs]
    )
    marks = [{**WORKSPACE.entry(), **({} if device is None else VDEVICE.entry(device))} for device in devices]
    function.arg_attrs = ArrayAttr([*attributes, *map(DictionaryAttr, marks)])
    function.function_type = FunctionType.from_lists(
        [*inputs, *([type_] * len(devices))], function.function_type.outputs.data
    )


def _workspace_function(function: func.FuncOp, inputs: Sequence[tuple[int, int]], needed: Needs) -> func.FuncOp:
    block = Block(arg_types=[IndexType()] * len(inputs))
    atoms = input_atoms(block, list(inputs))
    emitter = ExprEmitter(block.add_op, lambda atom: atoms[atom.key])
    block.add_op(func.ReturnOp(*(emitter.value(need) for need in needed.values())))
    return func.FuncOp(
        function.sym_name.data + WORKSPACE_SUFFIX,
        FunctionType.from_lists([IndexType()] * len(inputs), [IndexType()] * len(needed)),
        Region(block),
        StringAttr("private"),
    )
