"""Interpreter rules of the program's structure: constants, tuples, shape values, casts, packed calls."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from xdsl.dialects.builtin import TensorType, TupleType, UnrankedTensorType
from xdsl.ir import Attribute, Operation

from ...dialects.relax.attrs import ObjectType, ShapeType, dims_of
from ...dialects.relax.dense import dense_to_numpy
from ...dialects.relax.ops import core
from ...dialects.relax.vocabulary.attributes import OPAQUE
from ...dialects.upstream.positions import located
from ..host.errors import put_in_front
from ..host.packed_functions import invoke_closure, packed_function, packed_result, require_written
from ..rule import Bindings, Rules, result_dtype


def _constant(op: core.ConstantOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    return [dense_to_numpy(op.value)]


def _match_cast(op: core.MatchCastOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    bindings.match("match_cast", args[0], op.result.type)
    return [args[0]]


def _shape(op: core.ShapeOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    return [bindings.dims(op.result.type.data)]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownArgumentType]


def _packed(op: core.CallPackedOp | core.CallDPSPackedOp) -> Callable[..., Any]:
    """Returns the function that an op calls; the error if there is none lists all that the program lacks."""

    def wanted() -> dict[str, str]:
        program = op.get_toplevel_object()
        assert isinstance(program, Operation)
        calls = [call for call in program.walk() if isinstance(call, core.CallPackedOp | core.CallDPSPackedOp)]
        return {call.callee.data: OPAQUE.of(call) or "" for call in calls}

    return packed_function(op.callee.data, wanted)


def _converted(op: core.PythonCallOp, args: Sequence[Any]) -> list[Any]:
    """Returns the operands of a call of Python as it gets them: numbers for scalars."""
    return [_plain(value.type, arg) for value, arg in zip(op.args, args, strict=True)]


def _plain(value_type: Attribute, arg: Any) -> Any:
    match value_type:
        case TupleType():
            return tuple(_plain(field, item) for field, item in zip(value_type.types.data, arg, strict=True))
        case TensorType() | UnrankedTensorType() | ShapeType() | ObjectType():
            return arg
        case _:
            return arg.item() if isinstance(arg, np.generic | np.ndarray) else arg


@contextmanager
def _located(op: Operation) -> Generator[None]:
    """Puts where an op stands in the source in front of the errors of what it calls."""
    try:
        yield
    except Exception as error:
        put_in_front(error, located(op.location, ""))
        raise


def _call_packed(op: core.CallPackedOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    written = op.written()
    given = [
        arg.copy() if operand in written and isinstance(arg, np.ndarray) else arg
        for operand, arg in zip(op.args, args, strict=True)
    ]
    with _located(op):
        result = _packed(op)(*op.passed(_converted(op, given)))
        if not op.results:
            return []
        results = list(result) if isinstance(result, tuple | list) and len(op.results) != 1 else [result]
        for index, (value, returned) in enumerate(zip(op.results, results, strict=False)):
            if isinstance(value.type, TensorType):
                packed_result(returned, result_dtype(op, index))
    return results


def _invoke_closure(
    op: core.InvokeClosureOp | core.InvokePureClosureOp, args: Sequence[Any], bindings: Bindings
) -> list[Any]:
    closure, *rest = args
    with _located(op):
        result = invoke_closure(closure, *op.passed(_converted(op, rest)))
    if not op.results:
        return []
    return list(result) if isinstance(result, tuple | list) and len(op.results) != 1 else [result]


def _call_dps_packed(op: core.CallDPSPackedOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    outputs = [
        np.empty(bindings.dims(dims_of(result.type) or ()), result_dtype(op, index))
        for index, result in enumerate(op.results)
    ]
    with _located(op):
        require_written(_packed(op)(*op.passed(_converted(op, args)), *outputs), outputs)
    return outputs


RULES: Rules = {
    core.ConstantOp: _constant,
    core.MatchCastOp: _match_cast,
    core.TupleOp: lambda op, args, bindings: [tuple(args)],
    core.TupleGetItemOp: lambda op, args, bindings: [args[0][op.index.value.data]],
    core.ShapeOp: _shape,
    core.NullValueOp: lambda op, args, bindings: [None],
    core.CallPackedOp: _call_packed,
    core.CallDPSPackedOp: _call_dps_packed,
    core.StopLiftParamsOp: lambda op, args, bindings: list(args),
    core.InvokeClosureOp: _invoke_closure,
    core.InvokePureClosureOp: _invoke_closure,
    core.KillObjectOp: lambda op, args, bindings: [],
}
