"""Sizes, memrefs, copies and the walk: what the rewriting of every op family needs."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

from xdsl.dialects import arith, func, memref, scf, tensor
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    IndexType,
    MemRefType,
    TensorType,
    UnknownLoc,
)
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue

from ...dialects.upstream.linalg_bodies import fill_op
from ...dialects.upstream.op_error import OpError
from ..emit import emitter
from ..emit.constructors import INDEX, alloc, constant
from ..emit.emitter import Index
from ..sizes.index_expr import Atom, ExprEmitter
from ..sizes.op_sizes import dim_source, reassociation
from ..sizes.size_rules import ResultDims
from ..sizes.sizes import SizeAnalysis
from .buffer_plan import BufferPlan
from .buffers import Buffer, plain
from .constants import GlobalConstants
from .copy_kernels import CopyKernels, copy_op
from .view_types import row_major

Size: TypeAlias = Index


class Emitter(emitter.Emitter):
    """Rewrites the body of a function by a table of rules, which share its helpers.

    Ops are inserted before `point`, which is the op that is being rewritten unless `at` has moved it. Old ops stay in place and are
    detached at the end, so that values can be looked up.
    """

    def __init__(
        self,
        function: func.FuncOp,
        plan: BufferPlan,
        sizes: SizeAnalysis,
        callees: dict[str, ResultDims],
        constants: GlobalConstants,
        copy_kernels: CopyKernels,
        arguments: dict[SSAValue, SSAValue],
        results: Sequence[SSAValue],
        rules: Mapping[str, Rule],
    ):
        self.function = function
        self.plan = plan
        self.size_analysis = sizes
        self.callees = callees
        self.constants = constants
        self.copy_kernels = copy_kernels
        self.memrefs: dict[SSAValue, SSAValue] = dict(arguments)
        self.results = results
        self.dead: list[Operation] = []
        self.dead_arguments: list[BlockArgument] = []
        self.known_sizes: dict[tuple[SSAValue, int], Size] = {}
        self._buffers: dict[Buffer, SSAValue] = {}
        self.bounds: dict[Buffer, list[Size]] = {}
        entry = function.body.block.first_op
        assert entry is not None
        self._entry = self.point = entry
        self.entry = ExprEmitter(self._insert_at_entry, self._entry_atom)
        self._constants: dict[tuple[float | bool, Attribute], SSAValue] = {}
        self._rules = rules

    # ---- operations ----

    @contextmanager
    def at(self, point: Operation) -> Generator[None]:
        """Inserts ops before another op meanwhile."""
        outer, self.point = self.point, point
        yield
        self.point = outer

    def insert_op(self, op: Operation) -> Sequence[SSAValue]:
        """Inserts an op before `point`, with its location unless it has one, and returns its results."""
        block = self.point.parent
        assert block is not None
        if isinstance(op.location, UnknownLoc):
            op.location = self.point.location
        block.insert_op_before(op, self.point)
        return op.results

    def constant(self, value: float | bool, element_type: Attribute) -> SSAValue:
        """Returns a constant at function entry, made once."""
        key = (value, element_type)
        if key not in self._constants:
            self._constants[key] = self._insert_at_entry(constant(value, element_type))
        return self._constants[key]

    def _insert_at_entry(self, op: Operation) -> SSAValue:
        with self.at(self._entry):
            return self.insert(op)

    # ---- sizes ----

    def _entry_atom(self, atom: Atom) -> SSAValue:
        argument = self.function.body.block.args[atom.argument]
        return argument if atom.kind == "arg" else self.as_index(self.size(argument, atom.dim))

    def size(self, value: SSAValue, dim: int) -> Size:
        """Returns the size of a dim of a tensor value."""
        assert isinstance(value.type, TensorType)
        static = value.type.get_shape()[dim]
        if static != DYNAMIC_INDEX:
            return static
        size = self.known_sizes.get((value, dim))
        if size is None:
            size = self.known_sizes[value, dim] = self._size(value, dim)
        return size

    def count_of(self, actual: SSAValue, bound: Size) -> Size:
        """Returns a size that a call or a branch hands over: a count for what reads it, and none beyond its bound."""
        return self.minimum(self.maximum(actual, 0), bound)

    def sizes(self, value: SSAValue) -> list[Size]:
        """Returns the sizes of a tensor value."""
        assert isinstance(value.type, TensorType)
        return [self.size(value, d) for d in range(value.type.get_num_dims())]

    def _size(self, value: SSAValue, dim: int) -> Size:
        owner = value.owner
        if isinstance(owner, Block):
            return self._argument_size(value, owner, dim)
        source = dim_source(owner, value, dim)
        if isinstance(source, int | SSAValue):
            return source
        if source is not None:
            return self.size(source[0], source[1])
        if isinstance(owner, tensor.CollapseShapeOp):
            product: Size = 1
            for d in reassociation(owner)[dim]:
                with self.at(owner):
                    product = self.mul(product, self.size(owner.src, d))
            return product
        if isinstance(owner, tensor.ReshapeOp):
            return self._shape_element(owner, dim)
        exact = self.size_analysis.dim(value, dim)
        if exact is None:
            raise OpError(owner, f"bufferize: the size of dim {dim} of a result of {owner.name} is not known here")
        return self.entry.value(exact)

    def _shape_element(self, op: tensor.ReshapeOp, dim: int) -> Size:
        source = op.shape.owner
        if isinstance(source, tensor.FromElementsOp):
            element = source.elements[dim]
        else:
            with self.at(op):
                element = self.insert(memref.LoadOp.get(self.memref(op.shape), [self.index(dim)]))
        if isinstance(element.type, IndexType):
            return element
        with self.at(op):
            return self.insert(arith.IndexCastOp(element, INDEX))

    def _argument_size(self, value: SSAValue, block: Block, dim: int) -> Size:
        assert isinstance(value, BlockArgument)
        parent = block.parent_op()
        if parent is self.function:
            return self._insert_at_entry(memref.DimOp(self.memrefs[value], self.index(dim)))
        if isinstance(parent, scf.ForOp):
            return self.size(parent.iter_args[value.index - 1], dim)
        if isinstance(parent, scf.WhileOp):
            if block is parent.before_region.block:
                return self.size(parent.arguments[value.index], dim)
            return self.size(parent.results[value.index], dim)
        raise OpError(self.function, f"bufferize: a tensor argument of a block of {parent} is not supported")

    def memref(self, value: SSAValue) -> SSAValue:
        """Returns the memref of a tensor value; one that was never written is made where it is defined."""
        memref_value = self.memrefs.get(value)
        if memref_value is None:
            owner = value.owner
            assert isinstance(owner, Operation) and self.plan.placed[value].undefined, value
            placed = self.plan.placed[value]
            with self.at(owner):
                if placed.buffer.fresh and placed.buffer.root is owner:
                    memref_value = self.root(placed.buffer)
                else:
                    memref_value = self.cast(self.alloc(self.sizes(value), plain(value.type)), placed.type)
            self.memrefs[value] = memref_value
        return memref_value

    def alloc(self, sizes: Sequence[Size], type_: MemRefType) -> SSAValue:
        """Allocates scratch of the given sizes."""
        dynamic = [self.as_index(s) for s, t in zip(sizes, type_.get_shape(), strict=True) if t == DYNAMIC_INDEX]
        return self.insert(alloc(dynamic, type_))

    def cast(self, value: SSAValue, type_: Attribute) -> SSAValue:
        """Casts a memref to a type; nothing where it has the type."""
        if value.type == type_:
            return value
        assert isinstance(type_, MemRefType)
        return self.insert(memref.CastOp.get(value, type_))

    def root(self, buffer: Buffer) -> SSAValue:
        """Returns the memref of a fresh buffer, with identity layout and the shape of the value that it is made for."""
        root = self._buffers.get(buffer)
        if root is None:
            value = buffer.value
            assert value is not None
            type_ = plain(value.type)
            target = buffer.representative()
            if buffer.alias_of is not None:
                assert buffer.home is not None
                root = self.cast(self.memref(buffer.home), type_)
            elif target.result is not None:
                argument = self.results[target.result]
                bounds = self.bounds.get(buffer)
                if target.reshaped and bounds is None:
                    root = self.compact(argument, self.sizes(value), type_)
                else:
                    root = self.cast(argument, type_)
            else:
                root = self.alloc(self.bounds.get(buffer) or self.sizes(value), type_)
            self._buffers[buffer] = root
        return root

    def compact(self, source: SSAValue, sizes: Sequence[Size], type_: MemRefType) -> SSAValue:
        """Returns the leading part of a memref as a compact array of the given sizes."""
        strides: list[Size] = []
        product: Size = 1
        for position, size in enumerate(reversed(sizes)):
            strides.append(product)
            if position + 1 < len(sizes):
                product = self.mul(product, size)
        static = row_major(type_.get_shape())
        strides = [
            self.as_index(s) if known is None else known for s, known in zip(reversed(strides), static, strict=True)
        ]
        sizes = [self.as_index(s) if t == DYNAMIC_INDEX else t for s, t in zip(sizes, type_.get_shape(), strict=True)]
        return self.insert(memref.ReinterpretCastOp.from_dynamic(source, [0], sizes, strides, type_))

    def copy(self, source: SSAValue, target: SSAValue) -> None:
        """Copies the content of a memref into another one of the same shape."""
        self.insert_op(copy_op(source, target))

    def copy_out(self, pairs: Sequence[tuple[SSAValue, SSAValue]]) -> None:
        """Copies what a function returns to where its caller wants it."""
        for op in self.copy_kernels.copies(self.function, pairs):
            self.insert_op(op)

    def fill(self, scalar: SSAValue, target: SSAValue) -> None:
        """Fills a memref with a scalar."""
        self.insert_op(fill_op(scalar, target))

    def target(self, op: Operation, index: int, result: SSAValue) -> SSAValue:
        """Returns the memref that an op writes for a result, filled with the old content where that is needed."""
        decision = self.plan.decisions[op, index]
        source = decision.source
        assert source is not None
        if decision.in_place:
            target = self.memref(source)
        else:
            target = self.root(self.plan.placed[result].buffer)
            if decision.copy:
                self.copy(self.memref(source), target)
        self.memrefs[result] = target
        return target

    def run(self) -> None:
        """Rewrites the body; the caller changes the signature."""
        self.rewrite_block(self.function.body.block)
        for op in self.dead:
            op.detach()
        for op in self.dead:
            op.drop_all_references()
        for argument in self.dead_arguments:
            argument.block.erase_arg(argument)

    def rewrite_block(self, block: Block) -> None:
        """Rewrites the ops of a block in order."""
        op = block.first_op
        while op is not None:
            following = op.next_op
            self.rewrite(op)
            op = following

    def rewrite(self, op: Operation) -> None:
        """Rewrites an op by its rule; an op without one stays, with the ops inside of it rewritten."""
        rule = self._rules.get(op.name)
        if rule is not None:
            with self.at(op):
                rule(self, op)
        elif op.regions:
            for region in op.regions:
                for block in region.blocks:
                    self.rewrite_block(block)

    def kill(self, op: Operation) -> None:
        """Detaches an op at the end of the walk."""
        self.dead.append(op)

    def replace(self, op: Operation, value: SSAValue) -> None:
        """Replaces the only result of an op."""
        op.results[0].replace_all_uses_with(value)
        self.kill(op)

    def drop_tensor_operands(self, op: Operation) -> None:
        """Removes the operands of tensor type."""
        kept = [v for v in op.operands if not isinstance(v.type, TensorType)]
        if len(kept) != len(op.operands):
            op.operands = kept


Rule = Callable[[Emitter, Any], None]
"""Turns an op of one class into ops on memrefs."""
