"""What takes known differences between the reference's graph passes and ours away, so that nothing else can hide behind them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, ModuleOp, StringAttr, i64
from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl_relax.dialects.relax.attrs import ShapeType, dims_of
from xdsl_relax.dialects.relax.function_signature import return_op
from xdsl_relax.dialects.relax.ops.binary import AddOp
from xdsl_relax.dialects.relax.ops.core import ConstantOp, DataflowOp, ShapeOp, TupleGetItemOp, TupleOp
from xdsl_relax.dialects.relax.ops.linear_algebra import MatmulOp
from xdsl_relax.dialects.relax.ops.manipulate import ConcatOp, ExpandDimsOp, PermuteDimsOp, ReshapeOp, SqueezeOp
from xdsl_relax.dialects.relax.ops.unary import NegativeOp
from xdsl_relax.dialects.upstream.func_ops import CallOp
from xdsl_relax.passes.analysis.call_graph import named_functions


def unchanged(module: ModuleOp) -> None:
    """Changes nothing."""


@dataclass(frozen=True)
class Difference:
    """A known difference, and the changes that take it away."""

    given: Callable[[ModuleOp], None] = unchanged
    """Changes the module that both passes get."""
    ours: Callable[[ModuleOp], None] = unchanged
    """Changes the module that our pass gets."""
    results: Callable[[ModuleOp], None] = unchanged
    """Changes both results."""


def constants_as_arguments(module: ModuleOp) -> None:
    """Makes constants arguments where they are weights or biases of products: the reference's patterns match variables only."""
    for function in named_functions(module).values():
        products = [op for op in function.walk() if isinstance(op, MatmulOp)]
        sums = [use.operation for op in products for use in op.result.uses if isinstance(use.operation, AddOp)]
        weights = [
            value
            for value in (*(op.rhs for op in products), *(value for op in sums for value in op.operands))
            if isinstance(value.owner, ConstantOp)
        ]
        for weight in dict.fromkeys(weights):
            block = function.body.block
            constant = weight.owner
            assert isinstance(constant, ConstantOp)
            weight.replace_all_uses_with(block.insert_arg(weight.type, len(block.args)))
            Rewriter.erase_op(constant)
            if function.arg_attrs is not None:
                function.arg_attrs = ArrayAttr([*function.arg_attrs.data, DictionaryAttr({})])
        function.update_function_type()


def biases_last(module: ModuleOp) -> None:
    """Swaps the operands of sums whose second one alone is a product: the reference combines biases that are the second operand."""
    for op in module.walk():
        if isinstance(op, AddOp) and isinstance(op.rhs.owner, MatmulOp) and not isinstance(op.lhs.owner, MatmulOp):
            op.operands = [op.rhs, op.lhs]


def groups_apart(module: ModuleOp) -> None:
    """Gives each group of parallel products a copy of its function in which no others are parallel.

    A pattern of the reference says how many products there are and what follows all of them, not what they read. It matches another group
    with as many products too, and finds none behind a group that cannot be combined.
    """
    for name, function in named_functions(module).items():
        groups = _parallel_products(function)
        if len(groups) < 2 or _calls_of(name, module):
            continue
        for index in range(len(groups)):
            copy = function.clone()
            copy.sym_name = StringAttr(f"{name}_{index}")
            module.body.block.add_op(copy)
            for other in [*_parallel_products(copy)[:index], *_parallel_products(copy)[index + 1 :]]:
                for place, product in enumerate(other):
                    for _ in range(place):
                        own = NegativeOp.build_from(product.lhs)
                        Rewriter.insert_op(own, InsertPoint.before(product))
                        product.operands = [own.result, product.rhs]
        Rewriter.erase_op(function)


def _parallel_products(function: func.FuncOp) -> list[list[MatmulOp]]:
    groups: dict[SSAValue, list[MatmulOp]] = {}
    for op in function.walk():
        if isinstance(op, MatmulOp):
            groups.setdefault(op.lhs, []).append(op)
    return [products for products in groups.values() if len(products) > 1]


def sizes_by_type(module: ModuleOp) -> None:
    """Lets functions take sizes from the types of parameters rather than from the parameters, which then occur once."""
    known = named_functions(module)
    kept: dict[str, list[int]] = {}
    for name, function in known.items():
        block = function.body.block
        types: set[object] = set()
        kept[name] = []
        for arg in list(block.args):
            if isinstance(arg.type, ShapeType) and _calls_of(name, module):
                if arg.first_use is not None:
                    sizes = ShapeOp.build_from(result_types=[arg.type])
                    Rewriter.insert_op(sizes, InsertPoint.at_start(block))
                    arg.replace_all_uses_with(sizes.result)
                if arg.type in types:
                    continue
                types.add(arg.type)
            kept[name].append(arg.index)
        for arg in [arg for arg in block.args if arg.index not in kept[name]][::-1]:
            block.erase_arg(arg)
        if function.arg_attrs is not None:
            function.arg_attrs = ArrayAttr([function.arg_attrs.data[index] for index in kept[name]])
        function.update_function_type()
    for name, indices in kept.items():
        for call in _calls_of(name, module):
            call.operands = [call.operands[index] for index in indices]


def results_by_content(module: ModuleOp) -> None:
    """Sorts the results of functions that return a tuple by how they are computed, and the reading of items with them."""
    known = named_functions(module)
    for name, function in known.items():
        returned = return_op(function).operands
        bundle = returned[0].owner if len(returned) == 1 else None
        calls = _calls_of(name, module)
        items = [use.operation for call in calls for use in call.results[0].uses]
        getters = [item for item in items if isinstance(item, TupleGetItemOp)]
        if not isinstance(bundle, TupleOp) or not calls or len(getters) != len(items):
            continue
        contents = [_content(field, known) for field in bundle.fields]
        order = sorted(range(len(contents)), key=contents.__getitem__)
        sorted_tuple = TupleOp.build_from(*(bundle.fields[index] for index in order))
        Rewriter.replace_op(bundle, sorted_tuple)
        function.update_function_type()
        for call in calls:
            Rewriter.replace_op(call, CallOp(name, call.operands, [sorted_tuple.result.type]))
        for item in getters:
            item.index = IntegerAttr(order.index(item.index.value.data), i64)


def _calls_of(name: str, module: ModuleOp) -> list[func.CallOp]:
    return [op for op in module.walk() if isinstance(op, func.CallOp) and op.callee.string_value() == name]


def _content(value: SSAValue, known: Mapping[str, func.FuncOp]) -> str:
    """Returns a text that says how a value is computed, without the names of functions."""
    owner = value.owner
    if isinstance(value, BlockArgument):
        return f"argument {value.index}"
    assert isinstance(value, OpResult) and isinstance(owner, Operation)
    if isinstance(owner, DataflowOp):
        return _content(owner.output.values[value.index], known)
    said = {name: str(attr) for name, attr in owner.properties.items() if name != "callee"}
    inside: list[str] = []
    if isinstance(owner, func.CallOp):
        callee = known[owner.callee.string_value()]
        inside = [_content(operand, known) for operand in return_op(callee).operands]
    operands = [_content(operand, known) for operand in owner.operands]
    return f"{owner.name}.{value.index} {sorted(said.items())} {inside} {operands} {value.type}"


def is_vector_product(op: Operation) -> bool:
    """Returns whether an op is a product with a vector, for the reference a reduction, for us a contraction."""
    return isinstance(op, MatmulOp) and any(len(dims_of(operand.type) or ()) == 1 for operand in op.operands)


def has_symbolic_layout(op: Operation) -> bool:
    """Returns whether an op rearranges elements by sizes that are no numbers: the reference does not see that each is read once."""
    sizes = dims_of(op.results[0].type) or ()
    return isinstance(op, ConcatOp | ReshapeOp) and any(not isinstance(size, int) for size in sizes)


def moves_nothing(op: Operation) -> bool:
    """Returns whether an op keeps the order of elements, for the reference a broadcast or elementwise, for us a rearrangement."""
    if isinstance(op, PermuteDimsOp):
        return op.axes is not None and [*op.axes.get_values()] == sorted(op.axes.get_values())
    return isinstance(op, ReshapeOp | ExpandDimsOp | SqueezeOp) and not has_symbolic_layout(op)
