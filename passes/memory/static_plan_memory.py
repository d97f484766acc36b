"""The pass `relax-static-plan-memory`."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ...dialects.relax.attrs import ShapeType
from ...dialects.relax.base import shape_value
from ...dialects.relax.function_signature import functions
from ...dialects.relax.ops.core import CallPackedOp, MatchCastOp, ShapeOp, TupleGetItemOp, TupleOp
from ...dialects.relax.ops.manipulate import ReshapeOp
from ...dialects.relax.ops.memory import (
    GLOBAL,
    AllocStorageOp,
    AllocTensorOp,
    BuiltinAllocTensorOp,
    CallDPSOp,
    tensor_bytes,
)
from ...dialects.relax.symbol_ranges import ranges_of_signature
from ...dialects.relax.vocabulary.attributes import MEMORY_PLAN_DYNAMIC_OUTPUT
from ...dialects.symbolic.expressions import Dim
from ...dialects.symbolic.extremes import upper_bound
from ...dialects.symbolic.order import Ranges
from ...dialects.walks import inner_blocks, ops_inside
from ...records import record
from .storage_pool import Storage, StoragePool


@record(frozen=False, eq=False)
class Token:
    """The claim of one allocated tensor on a storage."""

    op: BuiltinAllocTensorOp
    size: Dim
    block: Block | None
    uses: int = 0
    planned: bool = True
    storage: Storage | None = None

    @property
    def kind(self) -> object:
        """What a storage must have in common with the tensor."""
        return self.op.prop("storage_scope", GLOBAL), self.op.dtype


Tokens = Token | tuple["Tokens", ...] | None
"""The tokens of a value: those of its fields for a tuple."""


def _leaves(tokens: Tokens) -> Iterator[Token]:
    if isinstance(tokens, Token):
        yield tokens
    elif tokens is not None:
        for field_tokens in tokens:
            yield from _leaves(field_tokens)


def _reads_only_now(op: Operation) -> bool:
    """Returns whether an op uses its operands while it runs and keeps none of them."""
    return isinstance(op, CallDPSOp) or (isinstance(op, CallPackedOp) and not op.prop("pure", False))


class _Planner:
    """Plans one function."""

    def __init__(self, function: func.FuncOp, ranges: Ranges):
        self.ranges = ranges
        self.tokens: dict[SSAValue, Tokens] = {}
        self.pool = StoragePool()
        self._find(function.body.block)
        self._assign(function.body.block)

    def _find(self, block: Block) -> None:
        """Makes a token for each tensor, counts its uses, and drops those that others may hold on to."""
        # A tensor has its token before anything uses it, as ops come in program order.
        for op in block.ops:
            for inner in inner_blocks(op):
                self._find(inner)
            match op:
                case BuiltinAllocTensorOp():
                    sizes = [upper_bound(dim, self.ranges) for dim in shape_value(op.shape)]
                    self.tokens[op.result] = Token(op, tensor_bytes(sizes, op.dtype), block)
                case ReshapeOp() | MatchCastOp():
                    self.tokens[op.results[0]] = self.tokens.get(op.operands[0])
                case TupleOp():
                    self.tokens[op.result] = tuple(self.tokens.get(value) for value in op.fields)
                case TupleGetItemOp():
                    fields = self.tokens.get(op.tuple_value)
                    self.tokens[op.result] = fields[op.index.value.data] if isinstance(fields, tuple) else None
                case _:
                    self._use(op, block)

    def _use(self, op: Operation, block: Block) -> None:
        for operand in op.operands:
            for token in _leaves(self.tokens.get(operand)):
                if _reads_only_now(op) and token.block is block:
                    token.uses += 1
                else:
                    token.planned = False

    def _assign(self, block: Block) -> None:
        """Gives each planned tensor a storage; what a block makes is not free outside of it."""
        storages: list[Storage] = []
        # A storage is in the pool only while every use of the tensors placed in it lies behind.
        remaining: dict[Token, int] = {}
        for op in block.ops:
            for inner in inner_blocks(op):
                self._assign(inner)
            if isinstance(op, BuiltinAllocTensorOp):
                token = self.tokens[op.result]
                assert isinstance(token, Token)
                if token.planned:
                    token.storage = self.pool.request(token.size, token.kind) if token.uses else None
                    if token.storage is None:
                        token.storage = Storage(token.size, token.kind)
                        storages.append(token.storage)
                    remaining[token] = token.uses
            elif _reads_only_now(op):
                for operand in op.operands:
                    for token in _leaves(self.tokens.get(operand)):
                        if token.planned:
                            self._release(token, remaining)
        for storage in storages:
            self.pool.discard(storage)

    def _release(self, token: Token, remaining: dict[Token, int]) -> None:
        remaining[token] -= 1
        if remaining[token] == 0 and token.storage is not None:
            self.pool.release(token.storage)


class _Rewriter:
    """Writes the plan of one function into it."""

    def __init__(self, planner: _Planner, all_bounded: bool):
        self.planner = planner
        self.all_bounded = all_bounded
        self.values: dict[Storage, SSAValue] = {}

    def rewrite(self, op: BuiltinAllocTensorOp) -> None:
        """Places a tensor in its storage, which is made where its first tensor is."""
        token = self.planner.tokens[op.result]
        assert isinstance(token, Token)
        if token.storage is not None:
            if token.storage not in self.values:
                self.values[token.storage] = _alloc_storage(op, token.storage.size)
            _place(op, self.values[token.storage])
        elif self.all_bounded and any(not isinstance(size, int) for size in shape_value(op.shape)):
            _place(op, _alloc_storage(op, token.size))


def _alloc_storage(op: BuiltinAllocTensorOp, size: Dim) -> SSAValue:
    assert op.parent is not None
    shape = ShapeOp.build_from(result_types=[ShapeType((size,))])
    storage = AllocStorageOp.build_from(
        shape.result,
        dtype=op.dtype,
        storage_scope=op.storage_scope,
        virtual_device_index=op.runtime_device_index,
    )
    storage.result.name_hint = "storage"
    storage.location = op.location
    op.parent.insert_ops_before([shape, storage], op)
    return storage.result


def _place(op: BuiltinAllocTensorOp, storage: SSAValue) -> None:
    assert op.parent is not None
    tensor = AllocTensorOp.build_from(storage, op.shape, dtype=op.dtype)
    tensor.location = op.location
    tensor.result.name_hint = op.result.name_hint
    op.parent.insert_op_before(tensor, op)
    op.result.replace_all_uses_with(tensor.result)
    Rewriter.erase_op(op)


class StaticPlanMemoryPass(ModulePass):
    """Places tensors that are not needed at the same time in one storage.

    ```mlir
    %y = relax.builtin.alloc_tensor %s {dtype = f32} : (!relax.shape<[4]>) -> tensor<4xf32>
    relax.call_dps %x, %y {callee = @exp} : ...
    ```
    becomes
    ```mlir
    %bytes = relax.shape : () -> !relax.shape<[16]>
    %storage = relax.memory.alloc_storage %bytes {dtype = f32} : (!relax.shape<[16]>) -> !relax.object
    %y = relax.memory.alloc_tensor %storage, %s {dtype = f32} : (!relax.object, !relax.shape<[4]>) -> tensor<4xf32>
    relax.call_dps %x, %y {callee = @exp} : ...
    ```

    The rules are those of Relax's StaticPlanBlockMemory. A tensor takes a storage that is free at its allocation, of its memory scope and
    element type: the smallest one that is large enough and at most 16 times as large, else the largest one, of at least a 16th, which
    is enlarged. A storage is free again after the last call that is given the tensor, or a reshaped one; thus a call never writes to what
    it reads. Symbolic sizes count with their upper bounds (`relax.sym_upper_bounds = {n = 32 : i64}` on the function, for symbols of its
    signature); without one they share a storage with provably equal sizes.

    A tensor is left alone when it is returned, used in another block, yielded by a branch or a condition, or an operand of anything but
    `relax.call_dps` and a `relax.call_packed` with effects. With `relax.memory_plan_dynamic_func_output = true` on the function, those
    of symbolic size get a storage of their own.

    Where we differ: a storage that is made in a branch is not free outside of it, and the result of a `relax.match_cast` counts as its
    operand.

    *Requires* `relax-convert-to-destination-style`. *Leaves* tensors that others may hold on to.
    """

    name = "relax-static-plan-memory"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions(op):
            is_dynamic = MEMORY_PLAN_DYNAMIC_OUTPUT.is_on(function)
            MEMORY_PLAN_DYNAMIC_OUTPUT.clear(function)
            planner = _Planner(function, ranges_of_signature(function))
            rewriter = _Rewriter(planner, is_dynamic)
            for inner in ops_inside(function):
                if isinstance(inner, BuiltinAllocTensorOp):
                    rewriter.rewrite(inner)
