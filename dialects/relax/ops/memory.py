"""Explicit memory: storages, tensors in them, calls that write their results into tensors, and the end of both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects import func
from xdsl.dialects.builtin import FixedBitwidthType, FlatSymbolRefAttrConstr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def, traits_def, var_operand_def
from xdsl.traits import MemoryAllocEffect, MemoryFreeEffect, MemoryReadEffect, MemoryWriteEffect, SymbolTable
from xdsl.utils.exceptions import VerifyException

from ...symbolic.conditions import SizeContext
from ...symbolic.expressions import Dim, product
from ..attrs import ObjectType, tensor_type
from ..base import DTYPE, I64, SHAPE, STRING, TENSOR, RelaxOp, fail, shape_value
from ..calls import verify_call
from ..dtypes import ALL
from ..element_rules import require_element
from ..fusion_pattern import FusionPattern
from ..symbol_ranges import ranges_at

GLOBAL = "global"
"""The memory scope of plain memory."""


def element_bytes(element_type: Attribute) -> int:
    """Returns the bytes of an element in memory; `i1` takes one."""
    assert isinstance(element_type, FixedBitwidthType)
    return -(-element_type.bitwidth // 8)


def tensor_bytes(dims: Sequence[Dim], element_type: Attribute) -> Dim:
    """Returns the bytes of a tensor."""
    return product([element_bytes(element_type), *dims])


def is_storage(value: SSAValue) -> bool:
    """Returns whether a value is the result of `relax.memory.alloc_storage`."""
    return isinstance(value.owner, AllocStorageOp)


def _allocated(constraint: str, shape: SSAValue, dtype: Attribute) -> list[Attribute]:
    sizes = shape_value(shape)
    if any(size is None for size in sizes):
        fail(constraint, f"every size must be known, got {shape.type}")
    return [tensor_type(sizes, require_element(dtype, ALL, constraint))]


@irdl_op_definition
class BuiltinAllocTensorOp(RelaxOp):
    """Allocates a tensor, with undefined contents, in memory of its own: what `relax-static-plan-memory` starts from.

    alloc_tensor_c1: every size is known, and the dtype is an element type.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.OPAQUE
    name = "relax.builtin.alloc_tensor"
    shape = operand_def(SHAPE)
    dtype = prop_def(DTYPE)
    runtime_device_index = opt_prop_def(I64)
    storage_scope = opt_prop_def(STRING)
    result = result_def(TENSOR)
    traits = traits_def(MemoryAllocEffect())

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        return _allocated("alloc_tensor_c1", self.shape, self.dtype)


@irdl_op_definition
class AllocStorageOp(RelaxOp):
    """Allocates a piece of memory that tensors are placed in by `relax.memory.alloc_tensor`; `size` is its bytes, as a shape of one dim.

    alloc_storage_c1: the size is one known dim.
    alloc_storage_c2: the dtype is an element type.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.OPAQUE
    name = "relax.memory.alloc_storage"
    size = operand_def(SHAPE)
    virtual_device_index = opt_prop_def(I64)
    storage_scope = opt_prop_def(STRING)
    dtype = prop_def(DTYPE)
    result = result_def(ObjectType)
    traits = traits_def(MemoryAllocEffect())

    @property
    def bytes(self) -> Dim:
        """The size in bytes."""
        return shape_value(self.size)[0]

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        sizes = shape_value(self.size)
        if len(sizes) != 1 or sizes[0] is None:
            fail("alloc_storage_c1", f"the size must be one known dim, got {self.size.type}")
        require_element(self.dtype, ALL, "alloc_storage_c2")
        return [ObjectType()]


@irdl_op_definition
class AllocTensorOp(RelaxOp):
    """Places a tensor, with undefined contents, in a storage, `offset` bytes from its start. Tensors in one storage share its memory.

    alloc_tensor_c1: every size is known, and the dtype is an element type.
    alloc_tensor_c2: the storage is the result of `relax.memory.alloc_storage`.
    alloc_tensor_c3: the tensor lies inside of the storage, as far as the sizes are numbers.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.OPAQUE
    name = "relax.memory.alloc_tensor"
    storage = operand_def(ObjectType)
    shape = operand_def(SHAPE)
    offset = opt_prop_def(I64)
    dtype = prop_def(DTYPE)
    runtime_device_index = opt_prop_def(I64)
    result = result_def(TENSOR)
    traits = traits_def(MemoryAllocEffect())

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        result = _allocated("alloc_tensor_c1", self.shape, self.dtype)
        owner = self.storage.owner
        if not isinstance(owner, AllocStorageOp):
            fail("alloc_tensor_c2", "the storage must be the result of relax.memory.alloc_storage")
        offset: int = self.prop("offset", 0)
        if offset < 0:
            fail("alloc_tensor_c3", f"the offset must not be negative, got {offset}")
        needed, given = tensor_bytes(shape_value(self.shape), self.dtype), owner.bytes
        if isinstance(needed, int) and isinstance(given, int) and offset + needed > given:
            fail("alloc_tensor_c3", f"the tensor ends at byte {offset + needed}, the storage has {given} bytes")
        return result


@irdl_op_definition
class KillTensorOp(RelaxOp):
    """Ends the life of a tensor: it is not read after this."""

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.OPAQUE
    name = "relax.memory.kill_tensor"
    tensor = operand_def(TENSOR)
    traits = traits_def(MemoryFreeEffect())

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        return []


@irdl_op_definition
class KillStorageOp(RelaxOp):
    """Ends the life of a storage: no tensor is placed in it after this. Its memory lives on in the tensors that are in it.

    kill_storage_c1: the storage is the result of `relax.memory.alloc_storage`.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.OPAQUE
    name = "relax.memory.kill_storage"
    storage = operand_def(ObjectType)
    traits = traits_def(MemoryFreeEffect())

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        if not is_storage(self.storage):
            fail("kill_storage_c1", "the storage must be the result of relax.memory.alloc_storage")
        return []


@irdl_op_definition
class CallDPSOp(RelaxOp):
    """Calls a kernel in destination-passing style: its results are written to the last operands, `num_outputs` tensors (default: 1).

    call_dps_c1: the callee is a function of the module.
    call_dps_c2: the operands are arguments of the callee, then one tensor for each of its results, of their types.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.OPAQUE
    name = "relax.call_dps"
    args = var_operand_def()
    callee = prop_def(FlatSymbolRefAttrConstr)
    num_outputs = opt_prop_def(I64)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    @property
    def inputs(self) -> tuple[SSAValue, ...]:
        """The arguments of the callee."""
        return tuple(self.args[: len(self.args) - self.prop("num_outputs", 1)])

    @property
    def outputs(self) -> tuple[SSAValue, ...]:
        """The tensors that the results are written to."""
        return tuple(self.args[len(self.inputs) :])

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        return []

    def verify_(self) -> None:
        super().verify_()
        if not _is_in_module(self):
            return
        name = self.callee.string_value()
        callee = SymbolTable.lookup_symbol(self, self.callee)
        if not isinstance(callee, func.FuncOp):
            fail("call_dps_c1", f"there is no function @{name}")
        inputs, outputs = ([value.type for value in values] for values in (self.inputs, self.outputs))
        try:
            verify_call(callee.function_type, inputs, outputs, ranges_at(self))
        except VerifyException as error:
            fail("call_dps_c2", f"call of @{name}: {error}")


def _is_in_module(op: Operation) -> bool:
    parent: Operation | None = op
    while parent is not None and not parent.has_trait(SymbolTable):
        parent = parent.parent_op()
    return parent is not None
