"""Turns the tensors of one function into memrefs, following a `BufferAnalysis`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xdsl.dialects import arith, func, scf, tensor
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Operation, SSAValue

from ..sizes.sizes import ResultDims, SizeAnalysis
from .analysis import BufferAnalysis
from .constants import GlobalConstants
from .emit_calls import CallEmitter
from .emit_control_flow import ControlFlowEmitter
from .emit_tensor_ops import TensorOpEmitter


class FunctionEmitter(TensorOpEmitter, ControlFlowEmitter, CallEmitter):
    """Rewrites the body of a function."""

    def __init__(
        self,
        function: func.FuncOp,
        analysis: BufferAnalysis,
        sizes: SizeAnalysis,
        callees: dict[str, ResultDims],
        constants: GlobalConstants,
        arguments: dict[SSAValue, SSAValue],
        results: Sequence[SSAValue],
    ):
        super().__init__(function, analysis, sizes, callees, constants, arguments, results)
        handlers: dict[type[Operation], Callable[[Any], None]] = {
            linalg.GenericOp: self.generic,
            linalg.FillOp: self.fill_op,
            tensor.InsertOp: self.insert_op,
            tensor.InsertSliceOp: self.insert_slice,
            tensor.EmptyOp: self.empty,
            tensor.ExtractOp: self.extract,
            tensor.DimOp: self.dim,
            tensor.ExtractSliceOp: self.slice,
            tensor.CastOp: self.cast,
            tensor.CollapseShapeOp: self.reshape,
            tensor.ExpandShapeOp: self.reshape,
            tensor.ReshapeOp: self.reshape,
            tensor.FromElementsOp: self.from_elements,
            tensor.SplatOp: self.splat,
            arith.ConstantOp: self.constant,
            arith.SelectOp: self.select,
            scf.ForOp: self.for_op,
            scf.WhileOp: self.while_op,
            scf.IfOp: self.branches,
            scf.IndexSwitchOp: self.branches,
            func.CallOp: self.call,
            func.ReturnOp: self.return_op,
        }
        # By name: a subclass of an op is handled as the op.
        self.handlers = {op.name: handler for op, handler in handlers.items()}
