"""Decides for each tensor value which buffer holds it, and which ops may overwrite a buffer in place."""

from __future__ import annotations

from xdsl.dialects import arith, func, scf, tensor
from xdsl.dialects.builtin import (
    TensorType,
)
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Operation

from ...dialects.relax.vocabulary.attributes import BORROWED
from ...dialects.upstream.op_error import OpError
from ..sizes.sizes import SizeAnalysis
from .analysis_control_flow import ControlFlowAnalysis
from .analysis_tensor_ops import TensorOpAnalysis
from .buffers import Buffer, plain


class BufferAnalysis(TensorOpAnalysis, ControlFlowAnalysis):
    """Assigns buffers in one walk in execution order; see docs/stages.md, "buffers"."""

    def __init__(self, function: func.FuncOp, sizes: SizeAnalysis):
        super().__init__(function, sizes)
        self._block(function.body.block)

    def visit(self, op: Operation) -> None:
        match op:
            case linalg.GenericOp():
                self._generic(op)
            case linalg.FillOp():
                self._write(op, len(op.inputs), op.results[0] if op.results else None, reads_old=False)
            case tensor.InsertOp():
                self._write(op, 1, op.result)
            case tensor.InsertSliceOp():
                self._insert_slice(op)
            case tensor.EmptyOp():
                # A buffer that parts are written into one by one is there from the start.
                parts = any(isinstance(use.operation, tensor.ExtractSliceOp) for use in op.tensor.uses)
                self.fresh(op.tensor, op).undefined = not parts
            case tensor.ExtractSliceOp():
                self._slice(op)
            case tensor.CastOp():
                self._cast(op)
            case tensor.CollapseShapeOp() | tensor.ExpandShapeOp() | tensor.ReshapeOp():
                self._reshape(op)
            case tensor.FromElementsOp() | tensor.SplatOp():
                self.fresh(op.result, op)
            case arith.ConstantOp():
                if isinstance(op.result.type, TensorType):
                    self._constant(op)
            case arith.SelectOp():
                if isinstance(op.result.type, TensorType):
                    if isinstance(op.cond.type, TensorType):
                        raise OpError(op, "bufferize: arith.select by element is not linalg (run generalize-linalg)")
                    self.fresh(op.result, op)
            case scf.ForOp():
                self._for(op)
            case scf.WhileOp():
                self._while(op)
            case scf.IfOp() | scf.IndexSwitchOp():
                self._branches(op)
            case func.CallOp() if BORROWED.is_on(op):
                self.place(op.results[0], Buffer(False, op, False), plain(op.results[0].type))
            case func.CallOp():
                for result in op.results:
                    if isinstance(result.type, TensorType):
                        exact = all(self.sizes.dim(result, d) is not None for d in range(result.type.get_num_dims()))
                        self.fresh(result, op).buffer.bounded = not exact
            case func.ReturnOp():
                self._return(op)
            case tensor.DimOp() | tensor.ExtractOp() | scf.YieldOp() | scf.ConditionOp():
                pass
            case _:
                if any(isinstance(v.type, TensorType) for v in (*op.operands, *op.results)):
                    raise OpError(op, f"bufferize: {op.name} on tensors is not supported")
                for region in op.regions:
                    for block in region.blocks:
                        self._block(block)
