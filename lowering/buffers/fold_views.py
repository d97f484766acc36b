"""The pass `fold-views`: kernels read slices of tensors, and reshaped ones, where these lie."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.context import Context
from xdsl.dialects import arith, func, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, ModuleOp, StringAttr, TensorType
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from ...dialects.relax.function_signature import (
    Attributes,
    argument_attributes,
    result_attributes,
    return_op,
    update_signature,
)
from ...dialects.relax.vocabulary.attributes import DIMS, PRIMITIVE, RUNTIME_FUNCTION, VDEVICE
from ...dialects.relax.vocabulary.symbols import SymbolNames
from ...dialects.upstream.block_arguments import append_arguments, arrange_arguments
from ...dialects.upstream.func_ops import CallOp
from ...dialects.walks import enclosing_function, ops_inside
from ...passes.analysis.remarks import WHOLE, Topic, function_of, is_recording, named_op, remark
from .donations import declared_donations, possible_donations

_SIZES = (tensor.DimOp, arith.ConstantOp, arith.AddiOp, arith.SubiOp, arith.MuliOp, arith.MinSIOp, arith.MaxSIOp)
_VIEWS = (tensor.ExtractSliceOp, tensor.CastOp, tensor.CollapseShapeOp, tensor.ExpandShapeOp)


class FoldViewsPass(ModulePass):
    """Makes kernels that take a slice, or reshape, part of the kernels that read it.

    ```mlir
    %s = func.call @strided_slice(%cache, %n) : (tensor<1x?x8x64xf32>, index) -> tensor<1x?x8x64xf32>
    %o = func.call @attention(%q, %s) : ...
    ```
    becomes
    ```mlir
    %o = func.call @fused_strided_slice_attention(%q, %cache, %n) : ...
    ```
    where the kernel begins with the `tensor.extract_slice` of `@strided_slice`, which is no copy there.

    Before: the linalg stage. After: the same. A kernel that takes slices of whole rows, or reshapes, is still called for a reader that is
    no kernel called in the same block, and where its operand may be overwritten before the reader is called: by a kernel that updates an
    argument, or for a caller that gives memory away.
    """

    name = "fold-views"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = {f.sym_name.data: f for f in op.body.block.ops if isinstance(f, func.FuncOp)}
        kernels = {
            name: f for name, f in functions.items() if PRIMITIVE.is_on(f) and f.body.blocks and not _has_device(f)
        }
        views = {name for name, kernel in kernels.items() if _is_view(kernel)}
        if not views:
            return
        releases = {name for name, f in functions.items() if RUNTIME_FUNCTION.of(f) == "release"}
        folding = _Folding(SymbolNames(op), kernels, views, releases)
        for function in functions.values():
            if not PRIMITIVE.is_on(function):
                for block in function.walk_blocks():
                    folding.fold(block)
        called = {call.callee.string_value() for call in ops_inside(op) if isinstance(call, func.CallOp)}
        for name in folding.replaced - called:
            Rewriter.erase_op(functions[name])


class _Folding:
    """Replaces calls; `replaced` has the kernels that may have no caller any more."""

    def __init__(self, names: SymbolNames, kernels: Mapping[str, func.FuncOp], views: set[str], releases: set[str]):
        self.names = names
        self.kernels = dict(kernels)
        self.views = views
        self.releases = releases
        self.replaced: set[str] = set()
        self._merged: dict[tuple[str, tuple[tuple[int, str], ...]], func.FuncOp] = {}

    def fold(self, block: Block) -> None:
        """Replaces the calls of a block that read views, then drops the views that nothing reads any more."""
        position = {op: number for number, op in enumerate(block.ops)}
        taken: dict[SSAValue, func.CallOp] = {}
        for call in [op for op in block.ops if isinstance(op, func.CallOp)]:
            name = call.callee.string_value()
            if name in self.views:
                taken[call.results[0]] = call
            elif name in self.kernels:
                folded = {
                    index: taken[value]
                    for index, value in enumerate(call.operands)
                    if value in taken and not self._may_change(taken[value], call, position)
                }
                if folded:
                    self._replace(call, folded, position)
        for result, view in taken.items():
            if result.first_use is None:
                self.replaced.add(view.callee.string_value())
                Rewriter.erase_op(view)

    def _replace(self, call: func.CallOp, folded: Mapping[int, func.CallOp], position: dict[Operation, int]) -> None:
        operands = [
            operand
            for index, value in enumerate(call.operands)
            for operand in (folded[index].operands if index in folded else (value,))
        ]
        kernel = self._kernel(call.callee.string_value(), folded)
        new = CallOp(kernel.sym_name.data, operands, call.result_types)
        new.attributes, new.location = dict(call.attributes), call.location
        self.replaced.add(call.callee.string_value())
        position[new] = position[call]
        Rewriter.replace_op(call, new)
        if is_recording():
            old, made = call.callee.string_value(), kernel.sym_name.data
            text = f"@{old} becomes @{made}, which takes views of operands itself"
            remark(Topic.KERNEL, function_of(new), new.location, text, kernel=made, member=WHOLE)
        for view in folded.values():
            if is_recording():
                text = f"{named_op(view)} is no copy: {named_op(new)} reads its operand where it lies"
                remark(Topic.LOOPS, function_of(new), view.location, text, others=[new.location])
            for source in view.operands:
                self._release_after(source, new, position)

    def _may_change(self, view: func.CallOp, reader: func.CallOp, position: Mapping[Operation, int]) -> bool:
        """Returns whether what a view is taken of may be overwritten before it is read, or by the reader itself."""
        for source in view.operands:
            if isinstance(source.type, TensorType):
                for use in source.uses:
                    user = use.operation
                    is_between = position[view] < position.get(user, position[reader]) < position[reader]
                    if user is not reader and not is_between:
                        continue
                    if not isinstance(user, func.CallOp) or self._may_update(user, source.type):
                        return True
        return False

    def _may_update(self, call: func.CallOp, operand: TensorType) -> bool:
        """Returns whether a call may compute a result in the memory of an operand of a type: that of a result, and it is asked for."""
        if operand not in call.result_types:
            return False
        kernel = self.kernels.get(call.callee.string_value())
        return kernel is None or bool(possible_donations(kernel, {}) or declared_donations(enclosing_function(call)))

    def _release_after(self, source: SSAValue, reader: func.CallOp, position: dict[Operation, int]) -> None:
        """Moves what gives back the memory of a value behind a call that reads it now."""
        for use in [*source.uses]:
            user, block = use.operation, reader.parent
            if isinstance(user, func.CallOp) and user.callee.string_value() in self.releases:
                assert block is not None and user.parent is block
                if position[user] < position[reader]:
                    user.detach()
                    block.insert_op_after(user, reader)
                    position[user] = position[reader]

    def _kernel(self, name: str, folded: Mapping[int, func.CallOp]) -> func.FuncOp:
        """Returns the kernel that takes views of its arguments itself, made once for the same kernels."""
        key = (name, tuple((index, view.callee.string_value()) for index, view in folded.items()))
        if key not in self._merged:
            views = {index: self.kernels[view] for index, view in key[1]}
            kernel = _with_views(self.kernels[name], views)
            stems = dict.fromkeys((*(view for _, view in key[1]), name))
            fused = "_".join(stem.removeprefix("fused_") for stem in stems)
            kernel.sym_name = StringAttr(self.names.fresh(f"fused_{fused}"))
            Rewriter.insert_op(kernel, InsertPoint.after(self.kernels[name]))
            self._merged[key] = kernel
        return self._merged[key]


def _with_views(kernel: func.FuncOp, views: Mapping[int, func.FuncOp]) -> func.FuncOp:
    """Returns a copy of a kernel that has, in the place of some arguments, those of kernels that take views, and takes these views."""
    copy = kernel.clone()
    block = copy.body.block
    first = block.first_op
    assert first is not None
    arguments: list[BlockArgument] = []
    attributes: list[Attributes] = []
    for argument, entry in zip(block.args, argument_attributes(kernel), strict=True):
        view = views.get(argument.index)
        if view is None:
            arguments.append(argument)
            attributes.append(entry)
            continue
        added = append_arguments(block, view.function_type.inputs.data)
        mapping: dict[SSAValue, SSAValue] = dict(zip(view.body.block.args, added, strict=True))
        for source, value in zip(view.body.block.args, added, strict=True):
            value.name_hint = source.name_hint
        for op in view.body.block.ops:
            if op is not return_op(view):
                block.insert_op_before(op.clone(mapping), first)
        argument.replace_all_uses_with(mapping[return_op(view).operands[0]])
        arguments.extend(added)
        # The symbols of the two kernels are strangers: what is left of them is which arguments are sizes.
        attributes.extend(
            DIMS.entry((None,)) if isinstance(value.type, IndexType) and DIMS.is_on(given) else {}
            for value, given in zip(added, argument_attributes(view), strict=True)
        )
    arrange_arguments(block, arguments)
    update_signature(copy, attributes)
    return copy


def _is_view(kernel: func.FuncOp) -> bool:
    """Returns whether a kernel takes a slice of whole rows, or reshapes, and does nothing else."""
    if len(kernel.function_type.outputs) != 1 or len(kernel.body.blocks) != 1:
        return False
    *ops, _ = kernel.body.block.ops
    slices = [op for op in ops if isinstance(op, tensor.ExtractSliceOp)]
    is_known = all(isinstance(op, (*_SIZES, *_VIEWS)) for op in ops)
    return is_known and any(isinstance(op, _VIEWS) for op in ops) and all(map(_has_whole_rows, slices))


def _has_whole_rows(op: tensor.ExtractSliceOp) -> bool:
    assert isinstance(op.source.type, TensorType)
    strides, sizes = op.static_strides.get_values(), op.static_sizes.get_values()
    return all(stride == 1 for stride in strides) and sizes[-1] == op.source.type.get_shape()[-1] != DYNAMIC_INDEX


def _has_device(kernel: func.FuncOp) -> bool:
    return any(VDEVICE.is_on(entry) for entry in (*argument_attributes(kernel), *result_attributes(kernel)))
