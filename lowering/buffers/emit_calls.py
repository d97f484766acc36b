"""Turns calls and returns into destination-passing style."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    IndexType,
    MemRefType,
    TensorType,
)
from xdsl.ir import Attribute, Operation, SSAValue

from ...dialects.relax.vocabulary.attributes import BORROWED
from ...dialects.upstream.op_error import OpError
from ..emit.constructors import call as call_of
from ..sizes.index_expr import Atom, ExprEmitter
from ..sizes.sizes import ResultDims
from .buffers import plain
from .emit_base import EmitterBase, Size
from .view_types import is_compact


class CallEmitter(EmitterBase):
    """The rules of `func.call` and `func.return`."""

    def call(self, op: func.CallOp) -> None:
        if not any(isinstance(v.type, TensorType) for v in (*op.operands, *op.results)):
            return
        summary = self.callees.get(op.callee.string_value())
        if summary is None:
            raise OpError(op, f"bufferize: @{op.callee.string_value()} is not a function of this module")
        operands = [self._argument(value, op) if isinstance(value.type, TensorType) else value for value in op.operands]
        local = ExprEmitter(lambda new: self.put(new, op), lambda atom: self._call_atom(op, atom))
        if BORROWED.is_on(op):
            self._borrow(op, operands, summary, local)
            return
        types: list[Attribute] = [r.type for r in op.results if not isinstance(r.type, TensorType)]
        pending: list[tuple[SSAValue, int, Size]] = []
        outputs: list[tuple[SSAValue, SSAValue]] = []
        for position, result in enumerate(op.results):
            if not isinstance(result.type, TensorType):
                continue
            bounds: list[Size] = []
            for d, static in enumerate(result.type.get_shape()):
                if static != DYNAMIC_INDEX:
                    bounds.append(static)
                    continue
                dim = summary[position][d]
                exact = self.size_analysis.dim(result, d)
                size = self._entry.value(exact) if exact is not None else local.value(dim.expr)
                bounds.append(size)
                if dim.exact:
                    self._sizes[result, d] = size
                else:
                    pending.append((result, d, size))
            buffer = self.analysis.placed[result].buffer
            if any(p[0] is result for p in pending):
                self._bounds[buffer] = bounds
            target = self.root(buffer, op)
            outputs.append((result, target))
        new = call_of(op.callee, [*operands, *(t for _, t in outputs)], [*types, *([IndexType()] * len(pending))])
        new.attributes.update(op.attributes)
        new.location = op.location
        self.put(new, op)
        scalars = [r for r in op.results if not isinstance(r.type, TensorType)]
        for old, replacement in zip(scalars, new.results, strict=False):
            old.replace_all_uses_with(replacement)
        for (result, d, bound), actual in zip(pending, new.results[len(scalars) :], strict=True):
            self._sizes[result, d] = self._bounded(actual, bound, op)
        for result, target in outputs:
            if any(p[0] is result for p in pending):
                target = self._compact(target, self.sizes(result), plain(result.type), op)
            self.memrefs[result] = target
        self.kill(op)

    def _borrow(self, op: func.CallOp, operands: Sequence[SSAValue], summary: ResultDims, local: ExprEmitter) -> None:
        """Calls a function that returns memory of its own."""
        (result,) = op.results
        assert isinstance(result.type, TensorType)
        for d, static in enumerate(result.type.get_shape()):
            if static == DYNAMIC_INDEX:
                exact = self.size_analysis.dim(result, d)
                expr = summary[0][d].expr
                self._sizes[result, d] = self._entry.value(exact) if exact is not None else local.value(expr)
        new = call_of(op.callee, operands, [plain(result.type)])
        new.attributes.update(op.attributes)
        new.location = op.location
        self.memrefs[result] = self.insert(new, op)
        self.kill(op)

    def _argument(self, value: SSAValue, before: Operation) -> SSAValue:
        """Returns the memref of an argument of a call: compact, so that a bare pointer tells all."""
        argument = self.memref(value)
        assert isinstance(argument.type, MemRefType)
        if is_compact(argument.type):
            return argument
        kept = self._alloc(self.sizes(value), plain(value.type), before)
        self.copy(argument, kept, before)
        return kept

    def _call_atom(self, op: func.CallOp, atom: Atom) -> SSAValue:
        operand = op.operands[atom.argument]
        return operand if atom.kind == "arg" else self.as_index(self.size(operand, atom.dim))

    def return_op(self, op: func.ReturnOp) -> None:
        results = 0
        extra: list[SSAValue] = []
        for i, value in enumerate(op.operands):
            if not isinstance(value.type, TensorType):
                continue
            inexact = [d for d in range(value.type.get_num_dims()) if self.size_analysis.dim(value, d) is None]
            if i not in self.analysis.bound and not self.analysis.placed[value].undefined:
                target = self.results[results]
                if inexact:
                    target = self._compact(target, self.sizes(value), plain(value.type), op)
                self.copy(self.memref(value), target, op)
            extra.extend(self.as_index(self.size(value, d)) for d in inexact)
            results += 1
        self._drop_operands(op)
        op.operands = [*op.operands, *extra]
