"""The pass `profile-kernels`: reads a clock around every kernel, and counts what it computes and moves.

func.call @k(%x, %y)    becomes    %begin = llvm.call_intrinsic "llvm.readcyclecounter"() : () -> i64
                                   func.call @k(%x, %y)
                                   %end = llvm.call_intrinsic "llvm.readcyclecounter"() : () -> i64
                                   func.call @profile.end(%region, %begin, %end)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.context import Context
from xdsl.dialects import arith, func, llvm, memref, scf
from xdsl.dialects.builtin import IntegerAttr, MemRefType, ModuleOp, StringAttr, SymbolRefAttr, UnitAttr, i64
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint

from ....dialects.relax import profile_layout as layout
from ....dialects.relax.profile_layout import ProfileLayout
from ....dialects.relax.vocabulary.attributes import (
    NO_INLINE,
    PRIMITIVE,
    PROFILE_REGIONS,
    RESULT_DIMS_OF,
    SHAPE_FUNCTION_OF,
    WORKSPACE,
    WORKSPACE_OF,
)
from ....dialects.relax.vocabulary.symbols import PROFILE, PROFILE_END, SymbolNames
from ....dialects.upstream.llvm_ops import AtomicRMWOp
from ....dialects.upstream.positions import all_positions, name_of
from ....passes.analysis.call_graph import named_functions
from ....passes.options import PassWithOptions
from ....targets.cpu import BUFFER_ALIGNMENT
from ...buffers.workspace_bytes import byte_width
from ...emit.constructors import INDEX, call
from ...emit.emitter import Index
from ...emit.op_builder import OpBuilder
from ...emit.pointers import address_of, pointer_to
from ..schedule.dependence import Buffers
from ..schedule.groups import ContractionGroup, Group, read_groups
from ..schedule.runs import runs_of
from .work import Work

_HELPERS = (SHAPE_FUNCTION_OF, WORKSPACE_OF, RESULT_DIMS_OF)
"""Marks of functions that compute sizes."""


class ProfileKernelsPass(PassWithOptions):
    """Measures each call of a kernel and of a packed function, each group of `linalg` ops in other functions, and these functions.

    ```mlir
    func.call @k(%x, %y) : (memref<4xf32>, memref<4xf32>) -> ()
    ```
    becomes
    ```mlir
    %begin = llvm.call_intrinsic "llvm.readcyclecounter"() : () -> i64
    func.call @k(%x, %y) : (memref<4xf32>, memref<4xf32>) -> ()
    %end = llvm.call_intrinsic "llvm.readcyclecounter"() : () -> i64
    func.call @profile.end(%region, %begin, %end) : (index, i64, i64) -> ()
    ```

    Before: the buffers stage, with schedules. After: the same, and the module has `relax.profile_regions`, which says what each
    number of a region stands for. Kernels count their arithmetic, and the bytes of their arguments that they read and write, at their
    end; the region around the call takes both. The profile is memory of the runtime, the external global `profile`.
    """

    name = "profile-kernels"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        _Instrumenter(op).run()


class _Instrumenter:
    def __init__(self, module: ModuleOp):
        symbols = SymbolNames(module)
        self.module = module
        self.functions = named_functions(module)
        self.symbol, self.end_symbol = symbols.fresh(PROFILE), symbols.fresh(PROFILE_END)
        self.regions: list[tuple[str | int | tuple[str, ...], ...]] = []
        with_body = [function for function in self.functions.values() if function.body.blocks]
        self.kernels = [function for function in with_body if PRIMITIVE.is_on(function)]
        others = [function for function in with_body if not PRIMITIVE.is_on(function)]
        # All of them before anything is inserted: the number of regions is part of the type of the profile.
        self.spans = {
            function: [*self._spans(function)]
            for function in others
            if not any(mark.is_on(function) for mark in _HELPERS)
        }
        self.layout = ProfileLayout(sum(len(spans) + 1 for spans in self.spans.values()))
        self.type = MemRefType(INDEX, [self.layout.size])

    def run(self) -> None:
        for function in self.kernels:
            self._count_kernel(function)
        for function, spans in self.spans.items():
            self._measure(function, spans)
        self._end_function()
        PROFILE_REGIONS.set(self.module, (self.symbol, *self.regions))

    # ---- regions ----

    def _measure(self, function: func.FuncOp, spans: Sequence[tuple[str, Sequence[Operation]]]) -> None:
        name = function.sym_name.data
        block = function.body.block
        last = block.last_op
        assert last is not None
        for kind, ops in spans:
            self._region(kind, name, ops)
        assert block.first_op is not None
        self._enclose(self._number("function", name, name, (function,)), block.first_op, last, before_last=True)

    def _spans(self, function: func.FuncOp) -> Iterator[tuple[str, Sequence[Operation]]]:
        """Yields what is measured inside of a function: a kind, and ops that stand one behind the other."""
        yield from _linalg_spans(function)
        for op in function.walk():
            if isinstance(op, func.CallOp):
                callee = self.functions.get(op.callee.string_value())
                if callee is None or not callee.body.blocks:
                    yield "packed", (op,)
                elif PRIMITIVE.is_on(callee):
                    yield "kernel", (op,)
            elif isinstance(op, scf.ForOp | scf.WhileOp) and _is_scalar_loop(op):
                yield "loop", (op,)

    def _region(self, kind: str, function: str, ops: Sequence[Operation]) -> None:
        first, last = ops[0], ops[-1]
        name = first.callee.string_value() if isinstance(first, func.CallOp) else "+".join(_short(op) for op in ops)
        is_counted = kind == "linalg"
        if kind == "linalg":
            b = OpBuilder(InsertPoint.after(last))
            work = Work(b)
            for op in ops:
                work.add(op)
            last = self._add_work(b, work) or last
        elif kind == "kernel":
            is_counted = not any(_is_scalar_loop(op) for op in self.functions[name].walk())
        number = self._number(kind, function, name, ops, is_counted)
        self._enclose(number, first, last)

    def _number(self, kind: str, function: str, name: str, ops: Sequence[Operation], is_counted: bool = False) -> int:
        positions = dict.fromkeys(position for op in ops for position in all_positions(op.location))
        layer = next((layer for op in ops if (layer := name_of(op.location))), "")
        places = tuple(f"{file}:{line}:{column}" for file, line, column in positions)
        self.regions.append((kind, function, name, layer, places, int(is_counted)))
        return len(self.regions) - 1

    def _enclose(self, region: int, first: Operation, last: Operation, before_last: bool = False) -> None:
        """Reads the clock before and behind ops of one block, and ends the region."""
        begin = OpBuilder(InsertPoint.before(first)).insert(_clock())
        b = OpBuilder(InsertPoint.before(last) if before_last else InsertPoint.after(last))
        end = b.insert(_clock())
        b.insert_op(call(SymbolRefAttr(self.end_symbol), [b.index(region), begin, end], []))

    # ---- work ----

    def _count_kernel(self, function: func.FuncOp) -> None:
        """Counts the work of each block at its end, so that nothing stands between its `linalg` ops."""
        workspace = next(
            (arg for i, arg in enumerate(function.body.block.args) if WORKSPACE.is_on_argument(function, i)), None
        )
        for runs in list(runs_of(function)):
            if not runs:
                continue
            last = runs[0].block.last_op
            assert last is not None
            b = OpBuilder(InsertPoint.before(last))
            work = Work(b, workspace, counts_stack=False)
            for run in runs:
                for op in run.ops:
                    work.add(op)
            self._add_work(b, work, shared=any(run.in_parallel for run in runs))

    def _add_work(self, b: OpBuilder, work: Work, *, shared: bool = False) -> Operation | None:
        """Adds work to what the region at hand takes when it ends, which several threads may; returns the last op that does."""
        last: Operation | None = None
        for slot, amount in ((layout.PENDING_FLOPS, work.flops), (layout.PENDING_BYTES, work.bytes)):
            if amount == 0:
                continue
            memory = b.insert(memref.GetGlobalOp(self.symbol, self.type))
            last = (_add_at_once if shared else _add)(b, memory, slot, amount)
        return last

    def _end_function(self) -> None:
        """Adds the memory of the profile, and the function that ends a region."""
        own = memref.GlobalOp.get(
            StringAttr(self.symbol), self.type, UnitAttr(), StringAttr("private"), None, BUFFER_ALIGNMENT
        )
        block = Block(arg_types=[INDEX, i64, i64])
        b = OpBuilder(InsertPoint.at_end(block))
        region, begin, end = block.args[0], *(_index(b, value) for value in block.args[1:])
        memory = b.insert(memref.GetGlobalOp(self.symbol, self.type))
        row = b.add(b.mul(region, layout.REGION_COLUMNS), layout.HEADER)
        _add(b, memory, b.add(row, layout.CALLS), 1)
        _add(b, memory, b.add(row, layout.TICKS), b.sub(end, begin))
        flops, moved = (_load(b, memory, slot) for slot in (layout.PENDING_FLOPS, layout.PENDING_BYTES))
        for slot, column, amount in (
            (layout.PENDING_FLOPS, layout.FLOPS, flops),
            (layout.PENDING_BYTES, layout.BYTES, moved),
        ):
            _add(b, memory, b.add(row, column), amount)
            _store(b, 0, memory, slot)
        count = _load(b, memory, layout.EVENTS)
        kept = b.minimum(count, layout.MOST_EVENTS)
        event = b.add(b.mul(kept, layout.EVENT_COLUMNS), self.layout.first_event)
        columns = (layout.REGION, layout.BEGIN, layout.END, layout.EVENT_FLOPS, layout.EVENT_BYTES)
        for column, value in zip(columns, (region, begin, end, flops, moved), strict=True):
            _store(b, value, memory, b.add(event, column))
        _store(b, b.add(count, 1), memory, layout.EVENTS)
        b.insert_op(func.ReturnOp())
        function = func.FuncOp(
            self.end_symbol, ([arg.type for arg in block.args], []), Region(block), StringAttr("private")
        )
        NO_INLINE.set(function)
        self.module.body.block.add_ops([own, function])


def _linalg_spans(function: func.FuncOp) -> Iterator[tuple[str, Sequence[Operation]]]:
    """Yields the `linalg` ops of a function that share loops, or that a contraction needs side by side."""
    for runs in runs_of(function):
        buffers = Buffers(runs[0].block) if runs else None
        for run in runs:
            assert buffers is not None
            groups = read_groups(run.ops, buffers, run.in_parallel)
            yield from (("linalg", ops) for ops in _spans_of(run.ops, groups))


def _spans_of(ops: Sequence[Operation], groups: Sequence[Group]) -> Iterator[Sequence[Operation]]:
    """Yields the ops of each group, together with those that stand between them: a fill that starts a contraction may."""
    # Invariant: `pending` are the ops from the first that is not yielded on, up to the furthest that a group so far needs.
    position = {op: number for number, op in enumerate(ops)}
    spans: list[tuple[int, int]] = []
    for group in groups:
        members = [member.op for member in group.members]
        if isinstance(group, ContractionGroup) and group.init is not None:
            members.append(group.init)
        numbers = [position[op] for op in members]
        spans.append((min(numbers), max(numbers)))
    begin, end = 0, -1
    for first, last in sorted(spans):
        if first > end and end >= 0:
            yield ops[begin : end + 1]
            begin = first
        end = max(end, last)
    if ops:
        yield ops[begin:]


def _is_scalar_loop(op: Operation) -> bool:
    """Returns whether an op is an outermost loop that reads or writes elements itself."""
    if not isinstance(op, scf.ForOp | scf.WhileOp):
        return False
    inside = [inner for region in op.regions for inner in region.walk()]
    computes = any(isinstance(inner, memref.LoadOp | memref.StoreOp) for inner in inside)
    return computes and not any(isinstance(inner, func.CallOp) or inner.name.startswith("linalg.") for inner in inside)


def _short(op: Operation) -> str:
    """Returns what a `linalg` op is called in a table; one that only moves elements is a copy."""
    if isinstance(op, linalg.GenericOp) and op.body.block.first_op is op.body.block.last_op:
        return "copy"
    return op.name.removeprefix("linalg.")


def _clock() -> llvm.CallIntrinsicOp:
    return llvm.CallIntrinsicOp("llvm.readcyclecounter", [], [i64])


def _index(b: OpBuilder, value: SSAValue) -> SSAValue:
    return b.insert(arith.IndexCastOp(value, INDEX))


def _load(b: OpBuilder, memory: SSAValue, place: Index) -> SSAValue:
    return b.insert(memref.LoadOp.get(memory, [b.as_index(place)]))


def _store(b: OpBuilder, value: Index, memory: SSAValue, place: Index) -> Operation:
    op = memref.StoreOp.get(b.as_index(value), memory, [b.as_index(place)])
    b.insert_op(op)
    return op


def _add(b: OpBuilder, memory: SSAValue, place: Index, amount: Index) -> Operation:
    return _store(b, b.add(_load(b, memory, place), amount), memory, place)


def _add_at_once(b: OpBuilder, memory: SSAValue, place: int, amount: Index) -> Operation:
    """Adds to a word that other threads add to meanwhile."""
    pointer = pointer_to(b, b.add(address_of(b, memory), place * byte_width(INDEX)))
    value = b.insert(arith.IndexCastOp(b.as_index(amount), i64))
    # Of no order: what is added up is read when the threads have met.
    op = AtomicRMWOp.build(
        operands=[pointer, value],
        result_types=[i64],
        properties={"bin_op": IntegerAttr(1, i64), "ordering": IntegerAttr(2, i64)},
    )
    b.insert_op(op)
    return op
