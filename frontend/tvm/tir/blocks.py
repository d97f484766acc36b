"""Perfect nests of loops around one block as `linalg.generic`.

A block whose stores each write every element of a buffer once (or, along its reduction axes, combine into it) is one op. The elements
that it reads at affine places are operands, others are read by `tensor.extract` in the body. What initializes a reduction comes before, as
`linalg.fill` where it is a constant.
"""

# TVM declares few of its types.
# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tvm_ffi import structural_equal
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr, AffineMap

from ....lowering.emit.tensor_builder import PARALLEL, REDUCTION, ScalarBuilder, Size
from ..diagnostics import Unsupported
from ..types import key
from .affine import all_affine
from .expressions import Expressions, element_type
from .kernel import Kernel
from .nodes import expressions_in, is_true, is_zero, kind, loads_in, operands, operator_name

_ITERATORS: Mapping[int, IteratorTypeAttr] = {0: PARALLEL, 2: REDUCTION}


class NotPerfect(Exception):
    """A nest that is not one `linalg.generic`."""


@dataclass
class _Operand:
    """Elements that are read at the same place: a tensor with the place as affine expressions."""

    buffer: Any
    exprs: tuple[AffineExpr, ...]
    loads: list[int] = field(default_factory=list[int])


def emit_nest(kernel: Kernel, loop: Any) -> None:
    """Emits a nest of loops around one block; raises `NotPerfect`, with nothing emitted, if it is not one."""
    # Everything is checked before the first op is emitted.
    ranges: dict[int, Any] = {}
    while kind(loop) == "For":
        if not is_zero(loop.min) or loop.thread_binding is not None or loop.step is not None:
            raise NotPerfect("a loop that does not count from 0 by 1")
        ranges[key(loop.loop_var)] = loop.extent
        loop = loop.body
    if kind(loop) != "SBlockRealize" or not is_true(loop.predicate):
        raise NotPerfect("not a block")
    block = loop.block
    if len(block.alloc_buffers) or len(block.match_buffers):
        raise NotPerfect("a block with buffers of its own")
    _check_bindings(kernel, block, loop.iter_values, ranges)
    nests: list[_Nest] = []
    if block.init is not None:
        nests.append(_Nest(kernel, [axis for axis in block.iter_vars if axis.iter_type == 0], _flat(block.init)))
    nests.append(_Nest(kernel, list(block.iter_vars), _flat(block.body)))
    for nest in nests:
        nest.emit()


def _check_bindings(kernel: Kernel, block: Any, values: Sequence[Any], ranges: dict[int, Any]) -> None:
    """Checks that each axis of the block is one of the loops, and each loop an axis."""
    for axis, value in zip(block.iter_vars, values, strict=True):
        if axis.iter_type not in _ITERATORS or not is_zero(axis.dom.min):
            raise NotPerfect("an axis that is neither spatial nor a reduction")
        extent = ranges.pop(key(value), 1) if kind(value) == "Var" else 1
        if kind(value) != "Var" and not is_zero(value):
            raise NotPerfect("an axis that is not a loop")
        if not kernel.bounds.equal(extent, axis.dom.extent):
            raise NotPerfect("an axis that is not the whole loop")
    if ranges:
        raise NotPerfect("a loop that is no axis")


class _Nest:
    """Stores, for all values of some axes."""

    def __init__(self, kernel: Kernel, axes: Sequence[Any], statements: Sequence[Any]):
        self.kernel = kernel
        self.axes = axes
        self.statements = statements
        self.stores = [store for store in statements if kind(store) == "BufferStore"]
        self.written = {key(store.buffer): store for store in self.stores}
        self.places: dict[int, AffineExpr] = {
            name: AffineConstantExpr(size) for name, size in kernel.variables.items() if isinstance(size, int)
        }
        for position, axis in enumerate(axes):
            self.places[key(axis.var)] = AffineDimExpr(position)
            kernel.bounds.bind(axis.var, axis.dom.min, axis.dom.extent)
        self.inputs: list[_Operand] = []
        self.accumulators: dict[int, int] = {}
        """Loads of the buffers that are written: the output that holds the element, by load."""
        self.used: set[int] = set()
        """The variables that the body needs as values."""
        self._check_stores()
        seen: set[int] = set()
        for statement in statements:
            self._collect(statement.value, seen, sure=True)

    def emit(self) -> None:
        """Emits the op, or a fill for each store if all are of constants."""
        if len(self.stores) == len(self.statements) and all(map(self._is_constant, self.stores)):
            for store in self.stores:
                value = self.kernel.expressions().value(store.value)
                self.kernel.tensors[key(store.buffer)] = self.kernel.b.fill(value, self.kernel.sizes(store.buffer))
        else:
            self._generic()

    def _is_constant(self, store: Any) -> bool:
        """Returns whether what is stored is the same everywhere."""
        axes = {key(axis.var) for axis in self.axes}
        return not any(kind(e) == "TensorLoad" or key(e) in axes for e in expressions_in(store.value))

    def _check_stores(self) -> None:
        # Each element of a buffer is written once, at the position of the loops, or combined with itself over reduced axes.
        if not self.stores or len(self.written) != len(self.stores):
            raise NotPerfect("a buffer that is written twice")
        reduced = {index for index, axis in enumerate(self.axes) if axis.iter_type == 2}
        stored: set[int] = set()
        for statement in self.statements:
            if any(key(load.source) in stored for load in loads_in(statement.value)):
                raise NotPerfect("an element that is read after it was written")
            if kind(statement) == "BufferStore":
                stored.add(key(statement.buffer))
        for store in self.stores:
            exprs = self._place(store.buffer, store.indices)
            dims = [expr.position for expr in exprs if isinstance(expr, AffineDimExpr)]
            missing = {*range(len(self.axes))} - {*dims} - reduced
            if len(dims) != len({*dims}) or {*dims} & reduced or not all(map(self._is_unit, missing)):
                raise NotPerfect("elements that are not written once")
            for expr, size in zip(exprs, store.buffer.ty.shape, strict=True):
                extent = self.axes[expr.position].dom.extent if isinstance(expr, AffineDimExpr) else 1
                if not isinstance(expr, AffineDimExpr) and expr != AffineConstantExpr(0):
                    raise NotPerfect("an element at a computed place is written")
                if not self.kernel.bounds.equal(extent, size):
                    raise NotPerfect("a buffer that is written in part")
            combines = any(
                key(load.source) == key(store.buffer) for other in self.statements for load in loads_in(other.value)
            )
            if reduced and not combines:
                raise NotPerfect("a reduction that does not combine")

    def _is_unit(self, position: int) -> bool:
        return self.kernel.bounds.equal(self.axes[position].dom.extent, 1)

    def _place(self, buffer: Any, indices: Sequence[Any]) -> tuple[AffineExpr, ...]:
        exprs = all_affine(indices, self.places)
        if exprs is None:
            raise NotPerfect(f"buffer {buffer.name} is written at a place that is not affine")
        return exprs

    # What the body reads.

    def _collect(self, expression: Any, seen: set[int], sure: bool) -> None:
        """Notes operands and variables of an expression; one that is not `sure` to be evaluated may read out of bounds."""
        # What is read at an affine position, certainly or inside the bounds, is an operand: nothing inside of it is looked at.
        name = kind(expression)
        if name == "Var":
            self.used.add(key(expression))
        if key(expression) in seen and not (sure and name == "TensorLoad"):
            return
        seen.add(key(expression))
        if name == "TensorLoad" and self._is_operand(expression, sure):
            return
        condition = expression.condition if name == "Select" else None
        if name == "Call" and operator_name(expression) == "if_then_else":
            condition = expression.args[0]
        if name in ("And", "Or"):
            condition = expression.a
        for part in operands(expression):
            self._collect(part, seen, sure and (condition is None or key(part) == key(condition)))

    def _is_operand(self, load: Any, sure: bool) -> bool:
        store = self.written.get(key(load.source))
        if store is not None:
            if not structural_equal(list(load.indices), list(store.indices)):
                raise NotPerfect("another element of the buffer that is written is read")
            self.accumulators[key(load)] = self.stores.index(store)
            return True
        exprs = all_affine(load.indices, self.places)
        if exprs is None or not (sure or self.kernel.bounds.inside(load)):
            return False
        for operand in self.inputs:
            if key(operand.buffer) == key(load.source) and operand.exprs == exprs:
                operand.loads.append(key(load))
                return True
        self.inputs.append(_Operand(load.source, exprs, [key(load)]))
        return True

    # Emission.

    def _output(self, position: int, store: Any) -> SSAValue:
        """Returns what an output holds before: the buffer if it is updated, nothing if it is only written."""
        if position in self.accumulators.values():
            return self._tensor(store.buffer)
        return self.kernel.empty(store.buffer)

    def _tensor(self, buffer: Any) -> SSAValue:
        tensor = self.kernel.tensors.get(key(buffer))
        if tensor is None:
            raise Unsupported(f"buffer {buffer.name} is read before it is written")
        return tensor

    def _generic(self) -> None:
        kernel, rank = self.kernel, len(self.axes)
        outputs = [self._output(position, store) for position, store in enumerate(self.stores)]
        inputs = [self._read(operand) for operand in self.inputs]
        exprs = [operand.exprs for operand in self.inputs]
        exprs += [self._place(store.buffer, store.indices) for store in self.stores]
        told = {expr.position for access in exprs for expr in access if isinstance(expr, AffineDimExpr)}
        untold = [position for position in range(rank) if position not in told]
        if untold:
            # As for pooling upstream: an operand that is there for its shape.
            shape = [kernel.size(self.axes[position].dom.extent) for position in untold]
            inputs.append(kernel.b.empty(shape, element_type(self.stores[0].value)))
            exprs.insert(len(self.inputs), tuple(AffineDimExpr(position) for position in untold))
        maps = [AffineMap(rank, 0, access) for access in exprs]
        iterators = [_ITERATORS[axis.iter_type] for axis in self.axes]
        results = kernel.b.generic(inputs, outputs, maps, iterators, lambda s, args: self._body(s, args, len(inputs)))
        for store, result in zip(self.stores, results, strict=True):
            kernel.tensors[key(store.buffer)] = result

    def _body(self, s: ScalarBuilder, args: Sequence[SSAValue], first_output: int) -> list[SSAValue]:
        variables = dict(self.kernel.variables)
        for position, axis in enumerate(self.axes):
            if key(axis.var) in self.used:
                variables[key(axis.var)] = s.iteration(position)
        loaded = {load: arg for operand, arg in zip(self.inputs, args) for load in operand.loads}
        loaded |= {load: args[first_output + output] for load, output in self.accumulators.items()}
        expressions = Expressions(s, self.kernel.bounds, variables, self.kernel.tensors, loaded)
        yielded: dict[int, SSAValue] = {}
        for statement in self.statements:
            if kind(statement) == "Bind":
                expressions.bind(statement.var, statement.value)
            else:
                yielded[key(statement.buffer)] = expressions.value(statement.value)
        return [yielded[key(store.buffer)] for store in self.stores]

    def _read(self, operand: _Operand) -> SSAValue:
        """Returns the tensor of an operand; one that is read in part along a loop is cut to the size of the loop."""
        value = self._tensor(operand.buffer)
        sizes: list[Size] = self.kernel.sizes(operand.buffer)
        cut = False
        for position, (expr, size) in enumerate(zip(operand.exprs, operand.buffer.ty.shape, strict=True)):
            if isinstance(expr, AffineDimExpr):
                extent = self.axes[expr.position].dom.extent
                if not self.kernel.bounds.equal(extent, size):
                    sizes[position], cut = self.kernel.size(extent), True
        if not cut:
            return value
        return self.kernel.b.extract_slice(value, [0] * len(sizes), sizes, [1] * len(sizes))


def _flat(statement: Any) -> list[Any]:
    """Returns the stores and bindings that a statement is a sequence of."""
    if kind(statement) == "SeqStmt":
        return [leaf for part in statement.seq for leaf in _flat(part)]
    if kind(statement) not in ("BufferStore", "Bind"):
        raise NotPerfect(f"a statement that is neither a store nor a binding ({kind(statement)})")
    return [statement]
