"""Shape inputs: what sizes and plans of a function may depend on, and the functions of them that stages leave for each other."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, MemRefType, TensorType
from xdsl.ir import Attribute, Block, SSAValue

from ...dialects.relax.vocabulary.attributes import DIMS, RESULT, WORKSPACE
from ...dialects.upstream.op_error import OpError
from ...kinds import kind_test
from ..sizes.index_expr import Atom, Expr, argument_dim, argument_value
from ..sizes.sizes import SizeAnalysis

_is_index = kind_test(IndexType)
_is_sized = kind_test(TensorType, MemRefType)


def shape_inputs(inputs: list[Attribute]) -> list[tuple[int, int]]:
    """Returns the (argument, dim) pairs that a plan may depend on; dim -1 is the value of an `index` argument."""
    pairs: list[tuple[int, int]] = []
    for position, type_ in enumerate(inputs):
        if _is_index(type_):
            pairs.append((position, -1))
        elif _is_sized(type_):
            pairs.extend((position, d) for d, size in enumerate(type_.get_shape()) if size == DYNAMIC_INDEX)
    return pairs


def input_atoms(block: Block, inputs: list[tuple[int, int]]) -> dict[str, SSAValue]:
    """Returns the block arguments of a function of shape inputs, by the key of the atom that they stand for."""
    return {
        Atom("arg", (position,), True).key if d < 0 else Atom("dim", (position, d), True).key: arg
        for (position, d), arg in zip(inputs, block.args, strict=True)
    }


def input_types(function: func.FuncOp) -> list[Attribute]:
    """Returns the types of the arguments that are neither results nor a workspace."""
    return [
        type_
        for position, type_ in enumerate(function.function_type.inputs.data)
        if not RESULT.is_on_argument(function, position) and not WORKSPACE.is_on_argument(function, position)
    ]


def result_arguments(function: func.FuncOp, dims: func.FuncOp | None) -> dict[tuple[int, int], Expr]:
    """Returns the dynamic dims of the result arguments, as the function of result dims tells them, if there is one."""
    if dims is None:
        return {}
    inputs = shape_inputs(input_types(function))
    values = iter(dims_of_results(dims, function, inputs))
    return {
        (position, d): next(values)
        for position, type_ in enumerate(function.function_type.inputs.data)
        if isinstance(type_, MemRefType) and RESULT.is_on_argument(function, position)
        for d, size in enumerate(type_.get_shape())
        if size == DYNAMIC_INDEX
    }


def dims_of_results(dims: func.FuncOp, function: func.FuncOp, inputs: Sequence[tuple[int, int]]) -> list[Expr]:
    """Returns what a function of shape inputs returns, in terms of the arguments of the function that it belongs to."""
    analysis = SizeAnalysis(dims, {})
    terminator = dims.body.block.last_op
    assert terminator is not None

    def value_of(atom: Atom) -> Expr:
        position = atom.args[0]
        assert isinstance(position, int)
        argument, dim = inputs[position]
        if dim < 0:
            return argument_value(argument, DIMS.is_on_argument(function, argument))
        return argument_dim(argument, dim)

    results: list[Expr] = []
    for value in terminator.operands:
        expr = analysis.value(value)
        replaced = None if expr is None else expr.substitute(value_of)
        if replaced is None:
            raise OpError(dims, f"@{dims.sym_name.data} is not index arithmetic on its arguments")
        results.append(replaced)
    return results
