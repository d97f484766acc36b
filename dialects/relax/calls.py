"""Calls between functions: symbols belong to a function, so caller and callee may name the same size differently.

A parameter `tensor<?x8xf32, #relax.sym<n>>` takes an operand `tensor<?x8xf32, #relax.sym<2 * k>>`; in this call `n` is `2 * k`, also
in the types of the results. A further operand of `m` rows where `n` are expected is taken if `m` is `2 * k` at run time.
`dialects/upstream/func_ops.py` is the `func.call` that follows this rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from weakref import WeakKeyDictionary

from xdsl.dialects import func
from xdsl.dialects.builtin import FunctionType, ModuleOp, TensorType
from xdsl.ir import Attribute, Operation
from xdsl.traits import SymbolTable
from xdsl.utils.exceptions import VerifyException

from ..symbolic.conditions import SizeContext
from ..symbolic.expressions import Dim, Symbol, equal, substitute, symbols
from ..symbolic.order import NO_RANGES, Ranges
from .attrs import ShapeType, type_dims
from .base import with_operand_dims
from .program import is_relax_type
from .symbol_ranges import declared_ranges, ranges_at
from .type_dims import defined_symbols, map_dims, used_symbols


class _Functions:
    """The functions of modules by name: a walk over the module for each call would take quadratic time."""

    def __init__(self) -> None:
        self._tables: WeakKeyDictionary[Operation, dict[str, Operation]] = WeakKeyDictionary()

    def lookup(self, call: func.CallOp) -> Operation | None:
        """Returns what a call names, `None` if there is no such symbol."""
        module: Operation | None = call
        while module is not None and not isinstance(module, ModuleOp):
            module = module.parent_op()
        if module is None or call.callee.nested_references.data:
            return SymbolTable.lookup_symbol(call, call.callee)
        name = call.callee.root_reference.data
        known = self._tables.get(module, {}).get(name)
        # Functions may have been erased, replaced or renamed since.
        if isinstance(known, func.FuncOp) and known.parent_op() is module and known.sym_name.data == name:
            return known
        functions = (op for op in module.body.ops if isinstance(op, func.FuncOp))
        table = self._tables[module] = {op.sym_name.data: op for op in functions}
        return table.get(name) or SymbolTable.lookup_symbol(call, call.callee)


_FUNCTIONS = _Functions()


def call_symbols(
    inputs: Sequence[Attribute], operands: Sequence[Attribute], ranges: Ranges = NO_RANGES
) -> dict[str, Dim]:
    """Returns what each symbol of a callee is in its caller, from the types of the parameters and the operands.

    A dim that the caller does not know is `None`; `ranges` are those of the caller's symbols. Raises `VerifyException` if an
    operand never fits. Whether others fit is left to run time, see `call_sizes`.
    """
    names = _bound(inputs, operands)
    _require_fit(inputs, operands, names, SizeContext(ranges))
    return names


def call_sizes(
    inputs: Sequence[Attribute], operands: Sequence[Attribute], ranges: Ranges = NO_RANGES
) -> tuple[dict[str, Dim], SizeContext]:
    """Returns what each symbol of a callee is in its caller, and in a context the conditions on sizes that a call leaves to run time.

    For an unknown dim of an operand stands an `OperandDim`.
    """
    context = SizeContext(ranges)
    named = [with_operand_dims(operand, position) for position, operand in enumerate(operands)]
    names = _bound(inputs, named)
    _require_fit(inputs, named, names, context)
    return names, context


def _bound(inputs: Sequence[Attribute], operands: Sequence[Attribute]) -> dict[str, Dim]:
    """Returns what the symbols of a callee are that stand alone in a parameter: the first size that the caller knows."""
    if len(inputs) != len(operands):
        raise VerifyException(f"expected {len(inputs)} operands, got {len(operands)}")
    names: dict[str, Dim] = {}
    for position, (expected, given) in enumerate(zip(inputs, operands, strict=True)):
        if not _same_structure(expected, given):
            raise VerifyException(f"operand {position}: expected {expected}, got {given}")
        for dim, actual in zip(type_dims(expected), type_dims(given), strict=True):
            if isinstance(dim, Symbol) and names.get(dim.name) is None:
                names[dim.name] = actual
    return names


def _require_fit(
    inputs: Sequence[Attribute], operands: Sequence[Attribute], names: dict[str, Dim], context: SizeContext
) -> None:
    """Raises `VerifyException` for an operand that never fits; that sizes of tensors and shapes agree may be left to run time."""
    # Invariant: a size that no check could read at run time, of a tuple or an unknown entry of a shape, agrees provably, or is the first
    # that its symbol stands for.
    first: set[str] = set()
    for position, (expected, given) in enumerate(zip(inputs, operands, strict=True)):
        for dim, actual in zip(type_dims(expected), type_dims(given), strict=True):
            if dim is None:
                continue
            if isinstance(dim, Symbol) and actual is None and names[dim.name] is None and dim.name not in first:
                first.add(dim.name)
                continue
            wanted = in_caller(dim, names)
            readable = isinstance(expected, TensorType) or (isinstance(expected, ShapeType) and actual is not None)
            fits = not context.differ(wanted, actual) if readable else context.equal(wanted, actual) is True
            if not fits:
                raise VerifyException(
                    f"operand {position}: expected {_meaning(dim, names)} where the operand has "
                    f"{'an unknown dim' if actual is None else actual}: expected {expected}, got {given}"
                )


def in_caller(dim: Dim, names: dict[str, Dim]) -> Dim:
    """Returns a dim of the callee in terms of the caller, `None` if the caller cannot tell."""
    return substitute(dim, names) if set(symbols(dim)) <= names.keys() else None


def _meaning(dim: Dim, names: dict[str, Dim]) -> str:
    if isinstance(dim, int):
        return str(dim)
    given = ", ".join(f"{name} is {'unknown' if names.get(name) is None else names[name]}" for name in symbols(dim))
    return f"{dim} ({given})"


def _same_structure(expected: Attribute, given: Attribute) -> bool:
    """Returns whether two types agree in all but their dims; those that are not of relax only must be equal."""
    if expected == given:
        return True
    if not (is_relax_type(expected) or is_relax_type(given)):
        return False
    return map_dims(expected, lambda _: None) == map_dims(given, lambda _: None)


def call_result_types(
    signature: FunctionType, operands: Sequence[Attribute], ranges: Ranges = NO_RANGES
) -> tuple[Attribute, ...]:
    """Returns the result types of a call in terms of the caller; see `call_symbols`."""
    names = call_symbols(signature.inputs.data, operands, ranges)
    return tuple(
        map_dims(output, lambda dim: in_caller(dim, names)) if used_symbols(output) else output
        for output in signature.outputs
    )


def verify_call(
    signature: FunctionType,
    operands: Sequence[Attribute],
    results: Sequence[Attribute],
    ranges: Ranges = NO_RANGES,
) -> None:
    """Checks that a call fits its callee; a result may say less about its dims than the callee does.

    Raises `VerifyException` with the found and the required type.
    """
    inputs, outputs = signature.inputs.data, signature.outputs.data
    if inputs == tuple(operands) and outputs == tuple(results) and not _own_symbols(signature):
        return
    inferred = call_result_types(signature, operands, ranges)
    if len(inferred) != len(results):
        raise VerifyException(f"expected {len(inferred)} results, got {len(results)}")
    for position, (expected, declared) in enumerate(zip(inferred, results, strict=True)):
        agrees = _same_structure(expected, declared) and all(
            declared_dim is None or equal(dim, declared_dim, ranges) is True
            for dim, declared_dim in zip(type_dims(expected), type_dims(declared), strict=True)
        )
        if not agrees:
            raise VerifyException(f"result {position}: expected {expected}, got {declared}")


def _own_symbols(signature: FunctionType) -> bool:
    """Returns whether a result has a symbol that the parameters do not define: no name of the caller stands for it."""
    used = set[str]().union(*map(used_symbols, signature.outputs))
    return bool(used) and not used <= set[str]().union(*map(defined_symbols, signature.inputs))


def verify_call_op(op: func.CallOp) -> None:
    """Checks that a call fits its callee, whose symbols it binds. Raises `VerifyException` with the found and the required type."""
    callee = _FUNCTIONS.lookup(op)
    if callee is None:
        raise VerifyException(f"'{op.callee}' could not be found in symbol table")
    if not isinstance(callee, func.FuncOp):
        raise VerifyException(f"'{op.callee}' does not reference a valid function")
    try:
        ranges = ranges_at(op)
        operands = [operand.type for operand in op.operands]
        verify_call(callee.function_type, operands, [result.type for result in op.results], ranges)
        _verify_ranges(callee, operands, ranges)
    except VerifyException as error:
        raise VerifyException(f"call of {op.callee}: {error}") from None


def _verify_ranges(callee: func.FuncOp, operands: Sequence[Attribute], ranges: Ranges) -> None:
    """Refuses a call with a size that is never in the range that the callee declares; `ranges` are those of the caller."""
    declared = declared_ranges(callee)
    if not declared:
        return
    context = SizeContext(ranges)
    for name, dim in call_symbols(callee.function_type.inputs.data, operands, ranges).items():
        low, high = declared.intervals.get(name, (None, None))
        if context.is_below(dim, low) or context.is_below(high, dim):
            raise VerifyException(f"expected {declared.text(name)}, got {dim}")
