"""A program, the function of it that is called, and the arguments of one call or several."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from ...dialects.relax.function_signature import return_op
from ...dialects.relax.ops.core import DataflowOp
from ...interpreter.host.value_types import ShapeValue, TensorValue, TupleValue, UnrankedValue, ValueType
from ...passes.analysis.call_graph import named_functions
from ...records import record
from ..compare import compare
from ..executable.arguments import Argument, Signature
from ..executable.nested_values import is_nested, leaf_values, rebuilt
from ..interpreted import interpret
from ..session import Call, host_call
from ..signatures import signatures

Agrees = Callable[[Sequence[Any], Sequence[Any]], str | None]
"""`agrees(results, expected)` returns what is wrong with results, or `None`."""


@record
class Case:
    """A module, the name of its function, and for each run the arguments, as the function takes them."""

    module: ModuleOp
    entry: str
    runs: tuple[tuple[Any, ...], ...]

    @property
    def function(self) -> func.FuncOp:
        """The function that is called."""
        return named_functions(self.module)[self.entry]

    def clone(self) -> Case:
        """Returns a case whose module may be changed."""
        return replace(self, module=self.module.clone())

    def expected(self) -> list[tuple[Any, ...]]:
        """Returns the results of the interpreter for each run. Raises its errors."""
        call = host_call(interpret(self.module), signatures(self.module))
        return [call(self.entry, *copied(run)) for run in self.runs]


def computations(function: func.FuncOp) -> list[Operation]:
    """Returns the ops of a function but terminators, dataflow blocks and branches as well as what is in them."""
    last = return_op(function)
    terminators = {block.last_op for op in function.walk() for region in op.regions for block in region.blocks}
    return [op for op in function.walk() if op is not function and op is not last and op not in terminators]


def number_of_ops(module: ModuleOp) -> int:
    """Returns how many ops the functions of a module have, those that only structure it left out."""
    ops = [op for function in named_functions(module, declarations=False).values() for op in computations(function)]
    return sum(not isinstance(op, DataflowOp) for op in ops)


def copied(args: Sequence[Any]) -> list[Any]:
    """Returns arguments that a call may overwrite."""
    return [np.array(arg) if isinstance(arg, np.ndarray) else arg for arg in args]


def first_disagreement(results: Sequence[Any], expected: Sequence[Any]) -> str | None:
    """Returns what is wrong with results, as `relax-run --check` sees it; `None` if nothing is."""
    if len(results) != len(expected):
        return f"{len(results)} results, expected {len(expected)}"
    for index, (got, want) in enumerate(zip(results, expected, strict=True)):
        verdict = compare(got, want)
        if not verdict.agrees:
            detail = verdict.reason or f"error {verdict.error:.2g}, tolerance {verdict.tolerance:.2g}"
            return f"result {index}: {detail}"
    return None


def arguments_of(original: Signature, args: Sequence[Any], module: ModuleOp, call: Call) -> Sequence[Any]:
    """Returns the arguments of a function as passes left it: of lifted parameters, a transform makes what it takes."""
    functions = signatures(module)
    function = functions[original.name]
    if function.params_from is None or function.params_from == original.params_from:
        return _taken(function, original.arguments, args)
    source = functions[function.params_from]
    given = args[original.num_input :]
    is_bundle = any(argument.field_names is not None for argument in original.arguments[original.num_input :])
    leaves = given[0] if is_bundle else given
    params = dict(zip((param.label for param in original.params), leaves, strict=True))
    taken = [_as_declared(params[param.label], param.type) for param in source.params]
    made = call(source.name, *source.bundled(taken))
    results = source.flat_results(made)
    if function.params_index is not None:
        results = [results[position] for position in function.params_index]
    inputs = _taken(function, original.inputs, args[: original.num_input])
    return [*inputs, *function.bundled(list(results))]


def _taken(function: Signature, declared: Sequence[Argument], args: Sequence[Any]) -> Sequence[Any]:
    """Returns arguments as a function takes them that has no tuples and shapes left: their leaves."""
    if any(is_nested(argument.type) for argument in function.arguments):
        return args
    pairs = zip(declared, args, strict=True)
    leaves = [leaf for argument, value in pairs for leaf in leaf_values(value, argument.type)]
    return [_as_declared(leaf, argument.type) for leaf, argument in zip(leaves, function.arguments, strict=False)]


def _as_declared(value: Any, value_type: ValueType) -> Any:
    """Returns an array of integers as a type that has the same bits: types of linalg do not say that they are unsigned."""
    if not isinstance(value, np.ndarray) or not isinstance(value_type, TensorValue | UnrankedValue):
        return value
    kinds = {(dtype.kind in "iu", dtype.itemsize) for dtype in (value.dtype, value_type.dtype)}
    return value.view(value_type.dtype) if kinds == {(True, value.dtype.itemsize)} else value


def _leaf_types(value_type: ValueType) -> Iterator[ValueType]:
    """Yields the types of the leaves of a value, those of a shape as its own."""
    if isinstance(value_type, TupleValue):
        for field in value_type.fields:
            yield from _leaf_types(field)
    else:
        yield from [value_type] * (len(value_type.dims) if isinstance(value_type, ShapeValue) else 1)


def results_of(original: Signature, module: ModuleOp, results: Sequence[Any]) -> Sequence[Any]:
    """Returns the results of a function as passes left it in the form that they have in the program."""
    if any(map(is_nested, signatures(module)[original.name].results)):
        return results
    types = chain.from_iterable(map(_leaf_types, original.results))
    remaining = map(_as_declared, results, types)
    return [rebuilt(result, remaining) for result in original.results]
