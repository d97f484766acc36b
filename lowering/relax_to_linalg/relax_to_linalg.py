"""The pass `relax-to-linalg`: which functions are lowered, and their signatures; `function_lowering.py` lowers a body."""

from __future__ import annotations

from collections.abc import Container, Sequence

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import FunctionType, ModuleOp, TupleType
from xdsl.ir import Attribute, Block, Region
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter
from xdsl.traits import SymbolTable

from ...dialects.relax.function_signature import (
    Attributes,
    argument_attributes,
    attribute_array,
    flat_types,
    is_private,
    is_result_bundled,
    return_op,
)
from ...dialects.relax.program import uses_relax
from ...dialects.relax.size_limits import FunctionLimits
from ...dialects.relax.vocabulary.attributes import DONATE, NUM_INPUT, PARAMS_FROM, PARAMS_INDEX, SIZE_LIMITS
from ...dialects.relax.vocabulary.symbols import SymbolNames
from ...dialects.upstream.op_error import OpError
from ...dialects.walks import ops_inside
from .constant_copies import ConstantCopies
from .converted_types import converted_all, converted_signature, device_attributes, grouped, leaf_attributes
from .function_lowering import FunctionLowering, ModuleState
from .packed import PackedDeclarations


class RelaxToLinalgPass(ModulePass):
    """Lowers relax ops to linalg on tensors.

    ```mlir
    %y = relax.add %a, %b : (tensor<?xf32, #relax.sym<n>>, tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>>
    ```
    becomes
    ```mlir
    %e = tensor.empty(%n) : tensor<?xf32>
    %y = linalg.generic {...} ins(%a, %b : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) { arith.addf }
    ```

    *Requires* known ranks, and result dims that follow from the symbols in scope (run `relax-infer-shapes` before).
    *Leaves* the linalg stage of docs/stages.md; dataflow blocks, tuples and shape values are gone.
    """

    name = "relax-to-linalg"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        names = SymbolNames(op)
        functions = {source.sym_name.data: source for source in op.body.block.ops if isinstance(source, func.FuncOp)}
        relax = {name for name, source in functions.items() if uses_relax(source)}
        sources = [source for name, source in functions.items() if name in relax or _calls(source, relax)]
        signatures = {name: source.function_type for name, source in functions.items()}
        signatures |= {source.sym_name.data: converted_signature(source) for source in sources}
        module = ModuleState(
            PackedDeclarations(names), ConstantCopies(names), functions, signatures, FunctionLimits(functions)
        )
        lowered = [_lower_function(source, module) for source in sources]
        for source, replacement in zip(sources, lowered, strict=True):
            op.body.block.insert_op_after(replacement, source)
            Rewriter.erase_op(source, safe_erase=False)
        for added in (*module.packed.declarations.values(), *module.copies.functions):
            op.body.block.add_op(added)


def _calls(function: func.FuncOp, names: Container[str]) -> bool:
    return any(isinstance(op, func.CallOp) and op.callee.string_value() in names for op in ops_inside(function))


def _lower_function(source: func.FuncOp, module: ModuleState) -> func.FuncOp:
    function_type = module.signatures[source.sym_name.data]
    block = Block(arg_types=function_type.inputs.data)
    target = _empty_function(source, function_type, Region(block))
    at_entry = () if is_private(source) else module.limits.at_entry(source)
    if at_entry:
        SIZE_LIMITS.set(target, at_entry)
    lowering = FunctionLowering(source, block, module)
    results = lowering.lower_block(source.body.block)
    with lowering.b.located(return_op(source).location):
        lowering.b.insert_op(func.ReturnOp(*map(lowering.b.refined, results, function_type.outputs)))
    module.packed.release_after_last_use(target)
    return target


def _empty_function(source: func.FuncOp, function_type: FunctionType, body: Region) -> func.FuncOp:
    """Returns a function with the attributes of the source; attributes that count arguments or results count their leaves."""
    inputs = source.function_type.inputs.data
    attributes = [
        {**{name: attr for name, attr in given.items() if name != DONATE.name}, **added, **donated}
        for given, value_type in zip(argument_attributes(source), inputs, strict=True)
        for added, donated in zip(leaf_attributes(value_type), _donations(source, given, value_type), strict=True)
    ]
    for arg, leaves in zip(source.body.block.args, grouped(body.block.args, inputs), strict=True):
        for leaf in leaves:
            leaf.name_hint = arg.name_hint
    target = func.FuncOp(
        source.sym_name.data,
        function_type,
        body,
        source.sym_visibility,
        arg_attrs=attribute_array(attributes),
        res_attrs=device_attributes(source.function_type.outputs.data),
    )
    target.attributes.update(source.attributes)
    num_input = NUM_INPUT.of(source)
    if num_input is not None:
        NUM_INPUT.set(target, len(converted_all(inputs[:num_input])))
    params_index = PARAMS_INDEX.of(source)
    if params_index is not None:
        PARAMS_INDEX.set(target, _leaf_indices(source, params_index))
    return target


def _donations(source: func.FuncOp, given: Attributes, value_type: Attribute) -> list[Attributes]:
    """Returns the attribute `relax.donate` of each converted value of an argument that has it, counting converted results."""
    fields, results = flat_types([value_type]), DONATE.of(given)
    if results is None:
        return [{} for field in fields for _ in leaf_attributes(field)]
    outputs = flat_types(source.function_type.outputs)
    return [
        {} if result is None else DONATE.entry((len(converted_all(outputs[:result])),))
        for field, result in zip(fields, results, strict=True)
        for _ in leaf_attributes(field)
    ]


def _leaf_indices(source: func.FuncOp, indices: Sequence[int]) -> tuple[int, ...]:
    """Returns the leaves of a transform's results that feed the parameters of a function; `indices` are the results that do."""
    name = PARAMS_FROM.of(source)
    transform = None if name is None else SymbolTable.lookup_symbol(source, name)
    if not isinstance(transform, func.FuncOp):
        raise OpError(source, f"{PARAMS_INDEX} needs a function that {PARAMS_FROM} names, got {name}")
    outputs = transform.function_type.outputs.data
    if is_result_bundled(transform) and isinstance(outputs[0], TupleType):
        outputs = outputs[0].types.data
    leaves = grouped(range(len(converted_all(outputs))), outputs)
    return tuple(leaf for index in indices for leaf in leaves[index])
