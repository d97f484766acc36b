"""Writes the transform function that a plan describes, and removes from each function what moved into it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import (
    FunctionType,
    StringAttr,
    TupleType,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import Rewriter

from ...dialects.relax.attrs import ShapeType
from ...dialects.relax.function_signature import (
    Attributes,
    argument_attributes,
    fresh,
    identifier,
    insert_argument,
    result_attributes,
    return_op,
    update_signature,
)
from ...dialects.relax.ops.core import (
    DataflowOp,
    MatchCastOp,
    OutputOp,
    ShapeOp,
    StopLiftParamsOp,
    TupleGetItemOp,
    TupleOp,
)
from ...dialects.relax.type_dims import defined_symbols, used_symbols
from ...dialects.relax.vocabulary.attributes import (
    NAME,
    NAMES,
    NUM_INPUT,
    PARAMS_FROM,
    PARAMS_INDEX,
    STOP_LIFT_PARAMS,
    TRANSFORM,
)
from ...dialects.upstream.block_arguments import append_arguments, erase_arguments
from ...dialects.walks import ops_inside
from ..analysis.symbol_map import local_dim
from ..rewriting.dataflow_blocks import keep_outputs
from ..rewriting.value_types import cast_before
from .lift_analysis import Id, View, Weight
from .lift_plan import Plan, parameter_types

DIMS = "vars_from_compile_time_params"


def labels(plan: Plan) -> dict[Id, str]:
    """Returns the external name of each output: that of a weight, the binding's name in the text, else one of op and weight."""
    names: dict[Id, str] = {}
    taken: set[str] = {DIMS}
    for output in plan.outputs:
        binding = plan.analysis.producers.get(output)
        if binding is None:
            weight = plan.analysis.weights[output]
            stem = weight.name or weight.hint or f"param_{output}"
        else:
            index = binding.results.index(output)
            hints = [op.results[index].name_hint for ops in binding.ops.values() for op in ops]
            first = plan.analysis.weights[min(binding.weights)]
            derived = f"{first.name or first.hint or 'param'}.{binding.op.name.rpartition('.')[2]}"
            stem = next((hint for hint in hints if hint is not None), derived)
        names[output] = fresh(stem, taken)
        taken.add(names[output])
    return names


def source_weights(source: func.FuncOp, parameters: Sequence[Attribute]) -> list[Weight]:
    """Returns the results of a transform that there is already, as the weights of a further one.

    A single tuple counts as its fields, unless it has a name of its own or is the one parameter of a function with such `parameters`.
    """
    types = list(source.function_type.outputs.data)
    names = [NAME.of(entry) for entry in result_attributes(source)]
    bundled = NAMES.of(result_attributes(source)[0]) if len(types) == 1 else None
    if (
        len(types) == 1
        and isinstance(types[0], TupleType)
        and (bundled is not None or (names == [None] and [*map(type, parameters)] != [TupleType]))
    ):
        types = list(types[0].types.data)
        names = [None] * len(types) if bundled is None else list(bundled)
    return [
        Weight(value_type, name, identifier(name) if name else None)
        for value_type, name in zip(types, names, strict=True)
    ]


def new_transform(plan: Plan, name: str) -> func.FuncOp:
    """Returns a function that takes the weights and returns them as they are."""
    types = [weight.type for weight in plan.analysis.weights]
    block = Block(arg_types=types)
    attributes: list[Attributes] = []
    for arg, weight in zip(block.args, plan.analysis.weights, strict=True):
        arg.name_hint = weight.hint
        attributes.append(NAME.entry(weight.name) if weight.name is not None else {})
    block.add_op(func.ReturnOp(*block.args))
    function = func.FuncOp(name, FunctionType.from_lists(types, types), Region(block))
    update_signature(function, attributes)
    NUM_INPUT.set(function, 0)
    TRANSFORM.set(function)
    return function


def extend_transform(plan: Plan, function: func.FuncOp, names: Mapping[Id, str]) -> None:
    """Makes a transform whose results are the plan's weights return the plan's outputs."""
    block = function.body.block
    last = return_op(function)
    inner, inside = _open_dataflow(block)
    weights = [inside.get(value, value) for value in last.operands]
    is_tuple = len(weights) == 1 and isinstance(weights[0].type, TupleType)
    bundled = is_tuple and [weight.type for weight in plan.analysis.weights] != [weights[0].type]
    if bundled:
        weights = _fields(weights[0], inner)
    # Bindings come after those whose results they read, so `values` has all their operands.
    values: dict[Id, SSAValue] = dict(enumerate(weights))
    for binding in plan.needed():
        op = binding.op
        copy = type(op).create(
            operands=[values[value_id] for value_id in binding.operands],
            properties=op.properties,
            attributes=op.attributes,
            result_types=binding.types,
        )
        copy.location = op.location
        inner.add_op(copy)
        for value_id, new, old in zip(binding.results, copy.results, op.results, strict=True):
            new.name_hint = old.name_hint
            values[value_id] = new
    results = [values[value_id] for value_id in plan.outputs]
    attributes: list[Attributes] = [NAME.entry(names[value_id]) for value_id in plan.outputs]
    if plan.dims:
        shape = ShapeOp.build_from(result_types=[ShapeType(tuple(plan.dims))])
        inner.add_op(shape)
        results.insert(0, shape.result)
        attributes.insert(0, NAME.entry(DIMS))
    if bundled:
        bundle = TupleOp.build_from(*results)
        inner.add_op(bundle)
        results = [bundle.result]
        attributes = [NAMES.entry(tuple(NAME.of(entry) or "" for entry in attributes))]
    last.operands = _close_dataflow(block, inner, results)
    update_signature(function, None, attributes)


def _fields(value: SSAValue, block: Block) -> list[SSAValue]:
    if isinstance(value.owner, TupleOp):
        return list(value.owner.fields)
    assert isinstance(value.type, TupleType)
    items = [TupleGetItemOp.build_from(value, index=index) for index in range(len(value.type.types))]
    block.add_ops(items)
    return [item.result for item in items]


def _open_dataflow(block: Block) -> tuple[Block, dict[SSAValue, SSAValue]]:
    """Returns a block for the ops of the transform, and the values in it of the results of its former dataflow block."""
    inner = Block()
    body = list(block.ops)[:-1]
    if len(body) != 1 or not isinstance(body[0], DataflowOp):
        return inner, {}
    old = body[0]
    inside: dict[SSAValue, SSAValue] = dict(zip(old.outputs, old.output.values, strict=True))
    for op in list(old.body.block.ops):
        op.detach()
        if isinstance(op, OutputOp):
            op.drop_all_references()
        else:
            inner.add_op(op)
    for outside, value in inside.items():
        outside.replace_all_uses_with(value)
    old.detach()
    old.drop_all_references()
    return inner, inside


def _close_dataflow(block: Block, inner: Block, results: Sequence[SSAValue]) -> list[SSAValue]:
    """Puts the ops that the results need into a dataflow block before the terminator; returns the results as they are outside."""
    leaving = [
        value for value in dict.fromkeys(results) if isinstance(value.owner, Operation) and value.owner.parent is inner
    ]
    output = OutputOp(*leaving)
    last = block.last_op
    assert last is not None
    last.operands = [
        value for value in last.operands if not (isinstance(value.owner, Operation) and value.owner.parent is inner)
    ]
    inner.add_op(output)
    # From the last to the first, so that what only an erased op has read goes too; `used` holds the symbols in what stays behind an op.
    used: set[str] = set()
    for op in reversed(list(inner.ops)):
        defines = isinstance(op, MatchCastOp) and defined_symbols(op.result.type) & used
        if op.results and not defines and all(result.first_use is None for result in op.results):
            Rewriter.erase_op(op)
        else:
            used |= set[str]().union(*(used_symbols(result.type) for result in op.results))
    if not leaving and inner.first_op is output:
        return list(results)
    dataflow = DataflowOp(inner, [value.type for value in leaving])
    block.insert_op_before(dataflow, last)
    outside = dict(zip(leaving, dataflow.outputs, strict=True))
    for value, result in outside.items():
        result.name_hint = value.name_hint
    return [outside.get(value, value) for value in results]


def rewrite_function(plan: Plan, view: View, transform: str, names: Mapping[Id, str]) -> None:
    """Replaces the parameters of a function by the outputs of the transform that it takes, and erases what has moved."""
    function, block = view.function, view.function.body.block
    old_parameters = list(view.parameters)
    attributes = argument_attributes(function)
    count = len(view.inputs)
    kept = dict(zip(view.weights, zip(old_parameters, attributes[count:], strict=True), strict=True))
    attributes = attributes[:count]
    replacement: dict[SSAValue, SSAValue] = {}
    stopped = _stopped(view)
    local: dict[Id, list[SSAValue]] = {}
    for value, value_id in [*zip(old_parameters, view.weights, strict=True), *_moved_results(plan, view)]:
        local.setdefault(value_id, []).append(value)
    types = parameter_types(plan, view)
    if plan.takes_dims[view.name]:
        insert_argument(block, len(block.args), _local_shape(view, plan), DIMS)
        attributes.append(NAME.entry(DIMS))
    taken = append_arguments(block, types)
    for value_id, argument in zip(plan.takes[view.name], taken, strict=True):
        own_values = local.get(value_id, [])
        hint = next((value.name_hint for value in own_values if value.name_hint is not None), None)
        argument.name_hint = hint or identifier(names[value_id])
        entry = dict(kept[value_id][1]) if value_id in kept else {}
        entry.setdefault(NAME.name, StringAttr(names[value_id]))
        if value_id in stopped:
            entry |= STOP_LIFT_PARAMS.entry()
        attributes.append(entry)
        replacement |= dict.fromkeys(own_values, argument)
    _remove(plan, view, old_parameters, replacement)
    erase_arguments(block, old_parameters)
    update_signature(function, attributes)
    PARAMS_FROM.set(function, transform)
    _set_params_index(plan, view)


def _stopped(view: View) -> set[Id]:
    """Returns the values of the transform from which nothing more is to be lifted in this function."""
    stopped = {view.weights[position] for position in view.stopped}
    for op in ops_inside(view.function):
        if isinstance(op, StopLiftParamsOp) and op.x in view.values:
            stopped.add(view.values[op.x])
    return stopped


def _moved_results(plan: Plan, view: View) -> list[tuple[SSAValue, Id]]:
    return [
        pair
        for op, binding in view.bindings.items()
        if binding in plan.moved
        for pair in zip(op.results, binding.results, strict=True)
    ]


def _local_shape(view: View, plan: Plan) -> Attribute:
    taken = set(view.symbols.names) | view.run_time_symbols
    dims = [local_dim(view.symbols, dim) for dim in plan.dims]
    if all(dim is not None for dim in dims):
        return ShapeType(tuple(dims))
    return view.symbols.local_type(ShapeType(tuple(plan.dims)), taken)


def _remove(plan: Plan, view: View, parameters: Sequence[SSAValue], replacement: dict[SSAValue, SSAValue]) -> None:
    for op in ops_inside(view.function):
        if isinstance(op, StopLiftParamsOp):
            op.result.replace_all_uses_with(op.x)
            Rewriter.erase_op(op)
    blocks = [op for op in ops_inside(view.function) if isinstance(op, DataflowOp)]
    dataflows = [block for block in blocks if block.parent is view.function.body.block]
    gone: set[SSAValue] = {*parameters, *(value for value, _ in _moved_results(plan, view))}
    for dataflow in dataflows:
        for result, value in zip(dataflow.outputs, dataflow.output.values, strict=True):
            if value in gone:
                gone.add(result)
                if value in replacement:
                    replacement[result] = _of_type(replacement[value], result, dataflow)
    # What only an unread result of a block in a loop or branch reads is read by nobody.
    for block in reversed(blocks):
        if block.parent is not view.function.body.block:
            pairs = zip(block.outputs, block.output.values, strict=True)
            keep_outputs(block, [result.first_use is not None or value not in gone for result, value in pairs])
    for old, new in replacement.items():
        old.replace_all_uses_with(new)
    leaving = [op for op, binding in view.bindings.items() if binding in plan.moved]
    # Ops that leave lose their operands first, so that they can be erased in any order.
    for op in leaving:
        op.operands = []
    for dataflow in reversed(dataflows):
        keep_outputs(dataflow, [result not in gone for result in dataflow.outputs])
    for op in leaving:
        Rewriter.erase_op(op)
    for dataflow in [op for op in view.function.body.block.ops if isinstance(op, DataflowOp)]:
        keep_outputs(dataflow, [True] * len(dataflow.outputs))
    for op in plan.dropped[view.name]:
        if all(result.first_use is None for result in op.results):
            Rewriter.erase_op(op)


def _of_type(value: SSAValue, result: SSAValue, dataflow: DataflowOp) -> SSAValue:
    """Returns a value as the result of a dataflow block that it replaces, which may say more or less of its sizes."""
    if value.type == result.type or result.first_use is None:
        return value
    return cast_before(dataflow, value, result.type)


def _set_params_index(plan: Plan, view: View) -> None:
    start = 1 if plan.dims else 0
    position = {output: start + index for index, output in enumerate(plan.outputs)}
    taken = [0] if plan.takes_dims[view.name] else []
    taken += [position[output] for output in plan.takes[view.name]]
    if taken == list(range(start + len(plan.outputs))):
        PARAMS_INDEX.clear(view.function)
    else:
        PARAMS_INDEX.set(view.function, tuple(taken))
