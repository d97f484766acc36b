"""The pass `bufferize`: every function of a module, callees first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    FunctionType,
    IndexType,
    ModuleOp,
    StringAttr,
    TensorType,
)
from xdsl.ir import Attribute, Block, Region

from ...dialects.relax.function_signature import argument_attributes, attribute_array, result_attributes
from ...dialects.relax.vocabulary.attributes import ACTUAL_DIMS, BORROWED, DONATE, RESULT, RESULT_DIMS_OF, UPDATED
from ...dialects.relax.vocabulary.symbols import RESULT_DIMS, SymbolNames
from ...dialects.upstream.block_arguments import append_arguments, arrange_arguments
from ...dialects.upstream.op_error import OpError
from ...dialects.walks import ops_inside
from ...passes.options import PassWithOptions
from ..sizes.index_expr import ExprEmitter, argument_value, const
from ..sizes.size_rules import ResultDim, ResultDims
from ..sizes.sizes import SizeAnalysis
from .analysis import plan_buffers
from .buffer_plan import BufferPlan
from .buffers import plain
from .call_order import callees_first
from .constants import GlobalConstants
from .copy_kernels import CopyKernels
from .donations import Donations, declared_donations, possible_donations, wanted_donations
from .emit import RULES
from .emitter import Emitter
from .shape_inputs import input_atoms, shape_inputs
from .slice_destinations import write_into_slices


class BufferizePass(PassWithOptions):
    """Turns tensors into memrefs, in destination-passing style.

    ```mlir
    func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
      %e = tensor.empty() : tensor<4xf32>
      %y = linalg.generic {...} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) { ... } -> tensor<4xf32>
      return %y : tensor<4xf32>
    ```
    becomes
    ```mlir
    func.func @f(%x: memref<4xf32>, %0: memref<4xf32> {relax.result}) {
      linalg.generic {...} ins(%x : memref<4xf32>) outs(%0 : memref<4xf32>) { ... }
      return
    ```

    Before: `func`, `linalg.generic`, `linalg.fill`, `tensor`, `arith`, `math`, `scf`, `cf.assert` on tensors. After: the
    same on memrefs; a tensor result is a further argument (`relax.result`); scratch is `memref.alloc` (`plan-arena`
    replaces it). A destination is overwritten in place where nobody needs its old content; an element-wise op may
    overwrite an input; the result argument is used as the buffer of what is returned wherever possible. No memref is a
    block argument, an `scf` result or a function result. Also leaves a private function with
    `relax.result_dims_of = @f` for each function `@f` with dynamic results.
    """

    name = "bufferize"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        bufferize_module(op)


def bufferize_module(module: ModuleOp) -> None:
    """Bufferizes all the functions of a module."""
    # Invariant: `callees` has the result dims of every function that a body calls when its turn comes.
    functions = {f.sym_name.data: f for f in module.body.block.ops if isinstance(f, func.FuncOp)}
    constants, copy_kernels = GlobalConstants(module), CopyKernels(module)
    callees: dict[str, ResultDims] = {}
    donations: dict[str, Donations] = {}
    wanted = wanted_donations(function for function in functions.values() if function.body.blocks)
    shape_functions: list[tuple[func.FuncOp, func.FuncOp]] = []
    for function in callees_first(functions):
        if not _has_tensors(function):
            callees[function.sym_name.data] = [[] for _ in function.function_type.outputs.data]
            continue
        if not function.body.blocks:
            callees[function.sym_name.data] = declared_dims(function)
            _change_signature(function, [], {})
            continue
        sizes = SizeAnalysis(function, callees)
        summary = result_dims(function, sizes)
        name = function.sym_name.data
        callees[name] = summary
        write_into_slices(function)
        plan = _plan(function, sizes, wanted.get(name, {}), donations)
        donations[name] = plan.donations
        dims = _dims_function(function, summary, plan.donations)
        if dims is not None:
            shape_functions.append((function, dims))
        _bufferize_function(function, plan, sizes, callees, constants, copy_kernels, summary)
    symbols = SymbolNames(module)
    for function, dims in shape_functions:
        dims.sym_name = StringAttr(symbols.fresh(RESULT_DIMS.format(function.sym_name.data)))
        module.body.block.insert_op_after(dims, function)
    first = module.body.block.first_op
    if constants.ops and first is not None:
        module.body.block.insert_ops_before(constants.ops, first)
    module.body.block.add_ops(copy_kernels.functions)


def _plan(
    function: func.FuncOp, sizes: SizeAnalysis, wanted: Donations, callees: Mapping[str, Donations]
) -> BufferPlan:
    """Returns the plan of a function with all its donations; raises `OpError` where a declared one cannot be."""
    declared = declared_donations(function)
    possible = {
        result: argument
        for result, argument in possible_donations(function, wanted).items()
        if result not in declared and argument not in declared.values()
    }
    plan = plan_buffers(function, sizes, {**possible, **declared}, callees)
    if plan.refused:
        kept = {result: argument for result, argument in possible.items() if result not in plan.refused}
        plan = plan_buffers(function, sizes, {**kept, **declared}, callees)
    for error in plan.refused.values():
        raise error
    return plan


def _has_tensors(function: func.FuncOp) -> bool:
    """Returns whether a function takes, makes or returns a tensor."""
    signature = (*function.function_type.inputs, *function.function_type.outputs)
    types = chain(signature, (result.type for op in ops_inside(function) for result in op.results))
    return any(isinstance(type_, TensorType) for type_ in types)


def declared_dims(function: func.FuncOp) -> ResultDims:
    """Returns the result sizes of a declaration: its last arguments are the dynamic ones, of type `index`, in order."""
    types = function.function_type.outputs.data
    shapes = [type_.get_shape() if isinstance(type_, TensorType) else () for type_ in types]
    dynamic = sum(shape.count(DYNAMIC_INDEX) for shape in shapes)
    inputs = function.function_type.inputs.data
    sizes = range(len(inputs) - dynamic, len(inputs))
    if any(position < 0 or not isinstance(inputs[position], IndexType) for position in sizes):
        raise OpError(function, f"bufferize: @{function.sym_name.data} has no body to tell the size of its results")
    remaining = iter(sizes)
    return [
        [
            ResultDim(argument_value(next(remaining), True) if size == DYNAMIC_INDEX else const(size), True)
            for size in shape
        ]
        for shape in shapes
    ]


def result_dims(function: func.FuncOp, sizes: SizeAnalysis) -> ResultDims:
    terminator = function.body.block.last_op
    if not isinstance(terminator, func.ReturnOp) or len(function.body.blocks) != 1:
        raise OpError(function, f"bufferize: the body of @{function.sym_name.data} is not one block with a return")
    summary: ResultDims = []
    for position, value in enumerate(terminator.operands):
        dims: list[ResultDim] = []
        if isinstance(value.type, TensorType):
            for d in range(value.type.get_num_dims()):
                exact = sizes.dim(value, d)
                upper = exact if exact is not None else sizes.dim(value, d, exact=False)
                if upper is None:
                    raise OpError(
                        function,
                        f"bufferize: @{function.sym_name.data}: dim {d} of result {position} depends on data and has no "
                        "upper bound (arith.minsi %size, %bound)",
                    )
                dims.append(ResultDim(upper, exact is not None))
        summary.append(dims)
    return summary


def _dims_function(function: func.FuncOp, summary: ResultDims, donations: Donations) -> func.FuncOp | None:
    outputs = function.function_type.outputs.data
    wanted = [
        dim.expr
        for position, (type_, dims) in enumerate(zip(outputs, summary, strict=True))
        if isinstance(type_, TensorType) and position not in donations
        for size, dim in zip(type_.get_shape(), dims, strict=True)
        if size == DYNAMIC_INDEX
    ]
    if not wanted:
        return None
    inputs = shape_inputs(list(function.function_type.inputs.data))
    block = Block(arg_types=[IndexType()] * len(inputs))
    atoms = input_atoms(block, inputs)
    emitter = ExprEmitter(block.add_op, lambda atom: atoms[atom.key])
    values = [emitter.value(e) for e in wanted]
    block.add_op(func.ReturnOp(*values))
    types = FunctionType.from_lists([IndexType()] * len(inputs), [IndexType()] * len(values))
    dims = func.FuncOp(RESULT_DIMS, types, Region(block), StringAttr("private"))
    RESULT_DIMS_OF.set(dims, function.sym_name.data)
    return dims


def _bufferize_function(
    function: func.FuncOp,
    plan: BufferPlan,
    sizes: SizeAnalysis,
    callees: dict[str, ResultDims],
    constants: GlobalConstants,
    copy_kernels: CopyKernels,
    summary: ResultDims,
) -> None:
    block = function.body.block
    tensors = [a for a in block.args if isinstance(a.type, TensorType)]
    outputs = [
        (position, type_)
        for position, type_ in enumerate(function.function_type.outputs.data)
        if isinstance(type_, TensorType) and position not in plan.donations
    ]
    # The new arguments go to the end at first: positions of the old ones must not change during the walk.
    originals = block.args
    memrefs = dict(zip(tensors, append_arguments(block, [plain(a.type) for a in tensors]), strict=True))
    results = append_arguments(block, [plain(type_) for _, type_ in outputs])
    sizes.stand_ins = {memref: tensor.index for tensor, memref in memrefs.items()}
    Emitter(function, plan, sizes, callees, constants, copy_kernels, {**memrefs}, results, RULES).run()
    for tensor, memref in memrefs.items():
        memref.name_hint = tensor.name_hint
    arrange_arguments(block, [*(memrefs.get(a, a) for a in originals), *results])
    actual = [
        (number, axis)
        for number, (position, _) in enumerate(outputs)
        for axis, dim in enumerate(summary[position])
        if not dim.exact
    ]
    _change_signature(function, actual, plan.donations)


def _change_signature(function: func.FuncOp, actual: Sequence[tuple[int, int]], donations: Donations) -> None:
    """Declares memrefs for tensors, a further argument for each tensor result that is not donated to, and a further result for each
    actual dim.

    A function that lends its result returns it.
    """
    inputs, outputs = function.function_type.inputs.data, function.function_type.outputs.data
    if BORROWED.is_on(function):
        function.function_type = FunctionType.from_lists(list(map(_buffer_type, inputs)), list(map(plain, outputs)))
        return
    arguments = list(zip(inputs, argument_attributes(function), strict=True))
    for position in donations.values():
        entry = arguments[position][1]
        entry.pop(DONATE.name, None)
        entry |= UPDATED.entry()
    results: list[tuple[Attribute, dict[str, Attribute]]] = []
    for position, (type_, entry) in enumerate(zip(outputs, result_attributes(function), strict=True)):
        if not isinstance(type_, TensorType):
            results.append((type_, entry))
        elif position not in donations:
            arguments.append((type_, {**entry, **RESULT.entry()}))
    results.extend((IndexType(), {}) for _ in actual)
    function.arg_attrs = attribute_array([entry for _, entry in arguments])
    function.res_attrs = attribute_array([entry for _, entry in results])
    function.function_type = FunctionType.from_lists(
        [_buffer_type(type_) for type_, _ in arguments], [type_ for type_, _ in results]
    )
    if actual:
        ACTUAL_DIMS.set(function, tuple(actual))


def _buffer_type(type_: Attribute) -> Attribute:
    return plain(type_) if isinstance(type_, TensorType) else type_
