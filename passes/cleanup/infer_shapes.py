"""The pass `relax-infer-shapes`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce

from xdsl.context import Context
from xdsl.dialects import func, scf
from xdsl.dialects.builtin import FunctionType, ModuleOp, TensorType, TupleType, UnrankedTensorType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import VerifyException

from ...dialects.relax.attrs import UNKNOWN, ShapeType, dims_of, element_type_of, tensor_type, type_dims, vdevice_of
from ...dialects.relax.base import RelaxOp
from ...dialects.relax.calls import call_result_types
from ...dialects.relax.function_signature import argument_attributes, declared_type, fresh, functions
from ...dialects.relax.ops.core import DataflowOp, MatchCastOp
from ...dialects.relax.program import uses_relax
from ...dialects.relax.symbol_ranges import declared_ranges, ranges_at
from ...dialects.relax.type_dims import defined_symbols, map_dims, tuple_type, used_symbols
from ...dialects.relax.unknown_elements import is_tensor, is_unknown, with_element
from ...dialects.symbolic.conditions import SizeContext
from ...dialects.symbolic.expressions import Dim, Symbol, symbols
from ...kinds import kind_test
from ..analysis.call_graph import called_functions
from ..rewriting.value_types import cast_operands, retype

_is_relax = kind_test(RelaxOp)
_has_own_rule = kind_test(DataflowOp, MatchCastOp)
_keeps_types = kind_test(scf.IfOp, scf.IndexSwitchOp, scf.ForOp, scf.WhileOp, func.CallOp)
"""Ops whose results, operands or what they yield may have to be cast to a type."""


def merged_dims(declared: Sequence[Dim] | None, inferred: Sequence[Dim] | None) -> Sequence[Dim] | None:
    """Returns the dims that say most: a known dim over an unknown one, a number over a symbol."""
    if declared is None or inferred is None:
        return inferred if declared is None else declared
    return [b if a is None or isinstance(b, int) else a for a, b in zip(declared, inferred, strict=True)]


def merged(declared: Attribute, inferred: Attribute) -> Attribute:
    """Returns the type that says most of two compatible ones."""
    # Invariant: both have one kind and structure, and what only one of them says is in the result.
    if declared == inferred:
        return declared
    if isinstance(declared, TensorType | UnrankedTensorType) and isinstance(inferred, TensorType | UnrankedTensorType):
        dims = merged_dims(dims_of(declared), dims_of(inferred))
        element_type = element_type_of(inferred if is_unknown(declared) else declared)
        return tensor_type(dims, element_type, vdevice_of(declared) or vdevice_of(inferred))
    if isinstance(declared, ShapeType) and isinstance(inferred, ShapeType):
        return ShapeType(tuple(merged_dims(declared.data, inferred.data) or ()))
    if isinstance(declared, TupleType) and isinstance(inferred, TupleType):
        return tuple_type(merged(*pair) for pair in zip(declared.types.data, inferred.types.data, strict=True))
    return declared


class _Inference:
    """Derives the types of what a function computes.

    A tensor that a loop carries keeps its size, so it has the type that it starts with; a dim is unknown there only where what the body
    yields provably has another one. Then the body is typed anew, until nothing changes. Types are taken from the declared
    ones and from operands alone, never from an earlier attempt.
    """

    def __init__(self, function: func.FuncOp, signatures: Mapping[str, FunctionType]):
        self.signatures = signatures
        self.context = SizeContext(declared_ranges(function))
        self.block = function.body.block
        self.defined = set[str]().union(*(defined_symbols(arg.type) for arg in self.block.args))
        """The symbols that are defined where inference stands."""
        self.declared: dict[SSAValue, Attribute] = {}
        self.carried: dict[Operation, list[Attribute]] = {}
        """What is known of what each loop carries; from attempt to attempt it only gets less, so their number is that of the dims."""

    def run(self) -> None:
        """Types all values, then casts what does not have the type that is asked for."""
        self._infer_block(self.block)
        for op in [op for op in self.block.walk() if _keeps_types(op)]:
            match op:
                case scf.IfOp() | scf.IndexSwitchOp():
                    for region in op.regions:
                        _cast_end(region, op.result_types)
                case scf.ForOp():
                    _cast_start(op, op.result_types)
                    _cast_end(op.body, op.result_types)
                case scf.WhileOp():
                    carried = [arg.type for arg in op.before_region.block.args]
                    _cast_start(op, carried)
                    _cast_end(op.before_region, op.result_types, skipped=1)
                    _cast_end(op.after_region, carried)
                case func.CallOp() if self._call_types(op) is None:
                    cast_operands(op, [self._declared(operand) for operand in op.operands])
                case _:
                    pass

    def _declared(self, value: SSAValue) -> Attribute:
        """Returns the type that a value had before."""
        return self.declared.setdefault(value, value.type)

    def _set(self, value: SSAValue, inferred: Attribute) -> None:
        """Gives a value the type that says most."""
        retype(value, merged(self._declared(value), inferred))

    def _infer_block(self, block: Block) -> None:
        # Operands come before their readers, so one walk in order sees types that are final for this attempt.
        for op in list(block.ops):
            if _is_relax(op) and not _has_own_rule(op):
                for result, inferred in zip(op.results, op.inferred_types(), strict=True):
                    self._set(result, inferred)
                continue
            match op:
                case DataflowOp():
                    self._infer_block(op.body.block)
                    for result, value in zip(op.outputs, op.output.values, strict=True):
                        self._set(result, value.type)
                case scf.IfOp() | scf.IndexSwitchOp():
                    self._infer_branches(op)
                case scf.ForOp():
                    self._infer_for(op)
                case scf.WhileOp():
                    self._infer_while(op)
                case func.CallOp():
                    for result, inferred in zip(op.results, self._call_types(op) or op.result_types, strict=True):
                        self._set(result, inferred)
                case MatchCastOp():
                    if is_unknown(op.result.type) and is_tensor(op.input.type):
                        self._set(op.result, with_element(op.result.type, element_type_of(op.input.type)))
                    self.defined |= defined_symbols(op.result.type)
                case _:
                    pass

    def _call_types(self, op: func.CallOp) -> Sequence[Attribute] | None:
        """Returns the types of the results of a call, `None` where the types of its operands do not fit."""
        signature = self.signatures.get(op.callee.string_value())
        if signature is None:
            return op.result_types
        for operand in op.operands:
            self._declared(operand)
        try:
            return call_result_types(signature, [operand.type for operand in op.operands], ranges_at(op))
        except VerifyException:
            return None

    def _region(self, region: Region, arguments: Sequence[SSAValue], types: Sequence[Attribute]) -> list[Attribute]:
        """Types a region, some of whose arguments have these types; returns those that its terminator has, as they are seen outside."""
        for argument, carried in zip(arguments, types, strict=True):
            retype(argument, carried)
        outside = set(self.defined)
        self._infer_block(region.block)
        self.defined = outside
        end = region.block.last_op
        assert end is not None
        return [map_dims(operand.type, self._visible) for operand in end.operands]

    def _visible(self, dim: Dim) -> Dim:
        return dim if dim is None or self.defined.issuperset(symbols(dim)) else None

    def _infer_branches(self, op: scf.IfOp | scf.IndexSwitchOp) -> None:
        yielded = [self._region(region, (), ()) for region in op.regions if region.blocks]
        for result, (first, *others) in zip(op.results, zip(*yielded, strict=True), strict=True):
            self._set(result, reduce(self._common, others, first))

    def _start(self, op: Operation, results: Sequence[SSAValue], initial: Sequence[SSAValue]) -> list[Attribute]:
        """Returns the types that a loop carries in its first attempt."""
        start = [merged(self._declared(result), value.type) for result, value in zip(results, initial, strict=True)]
        return [self._kept(*pair) for pair in zip(start, self.carried.get(op, start), strict=True)]

    def _kept(self, carried: Attribute, yielded: Attribute) -> Attribute:
        """Returns what a loop carries: sizes of tensors stay unless they provably differ, entries of a shape where they provably do not."""
        return self._common(carried, yielded, sizes_stay=True)

    def _common(self, a: Attribute, b: Attribute, sizes_stay: bool = False) -> Attribute:
        """Returns the first of two types of one structure, without the dims of which the second one says something else."""
        if isinstance(a, TupleType) and isinstance(b, TupleType):
            return tuple_type(self._common(*pair, sizes_stay) for pair in zip(a.types.data, b.types.data, strict=True))
        if is_tensor(a) and element_type_of(a) != element_type_of(b):
            a, b = (with_element(item, UNKNOWN) for item in (a, b))
        if isinstance(a, UnrankedTensorType) or isinstance(b, UnrankedTensorType):
            return b if isinstance(b, UnrankedTensorType) else a
        agreeing = (True, None) if sizes_stay and not isinstance(a, ShapeType) else (True,)
        others = iter(type_dims(b))
        return map_dims(a, lambda dim: dim if self.context.equal(dim, next(others)) in agreeing else None)

    def _infer_for(self, op: scf.ForOp) -> None:
        arguments = op.body.block.args[1:]
        carried = self._start(op, arguments, op.iter_args)
        while (kept := self._after(carried, self._region(op.body, arguments, carried), arguments)) != carried:
            carried = kept
        self.carried[op] = carried
        self._retype_results(op, carried)

    def _infer_while(self, op: scf.WhileOp) -> None:
        before, after = op.before_region.block.args, op.after_region.block.args
        carried = self._start(op, before, op.arguments)
        while True:
            _, *passed = self._region(op.before_region, before, carried)
            passed = [merged(self._declared(value), given) for value, given in zip(op.res, passed, strict=True)]
            kept = self._after(carried, self._region(op.after_region, after, passed), before)
            if kept == carried:
                break
            carried = kept
        self.carried[op] = carried
        self._retype_results(op, passed)

    def _retype_results(self, loop: Operation, types: Sequence[Attribute]) -> None:
        """Gives what a loop yields its types; a callee may rely on those of before."""
        for result, result_type in zip(loop.results, types, strict=True):
            self._declared(result)
            retype(result, result_type)

    def _after(
        self, carried: Sequence[Attribute], yielded: Sequence[Attribute], arguments: Sequence[SSAValue]
    ) -> list[Attribute]:
        """Returns what a loop carries once it is known what its body yields."""
        return [
            merged(self._declared(argument), self._kept(*pair))
            for argument, pair in zip(arguments, zip(carried, yielded, strict=True), strict=True)
        ]


def _cast_start(loop: Operation, types: Sequence[Attribute]) -> None:
    """Gives the last operands of a loop, which it starts with, the types that it carries."""
    bounds = len(loop.operands) - len(types)
    cast_operands(loop, [*(operand.type for operand in loop.operands[:bounds]), *types])


def _cast_end(region: Region, types: Sequence[Attribute], skipped: int = 0) -> None:
    """Gives the operands of a terminator, but for some at the front, the types that are asked for."""
    end = region.block.last_op if region.blocks else None
    if end is not None:
        cast_operands(end, [*(operand.type for operand in end.operands[:skipped]), *types])


def _named(tensor: TensorType[Attribute], stem: str, taken: set[str]) -> Attribute:
    """Returns a tensor type with a new symbol for each unknown dim; adds their names to those that are taken."""
    dims: list[Dim] = []
    for axis, dim in enumerate(dims_of(tensor) or ()):
        if dim is None:
            dim = Symbol(fresh(f"{stem}_{axis}", taken))
            taken.add(dim.name)
        dims.append(dim)
    return tensor_type(dims, tensor.element_type, vdevice_of(tensor))


def infer_function(function: func.FuncOp, signatures: Mapping[str, FunctionType]) -> None:
    """Names the unknown dims of the arguments of a function, unless it is called, and derives all types from those of the arguments."""
    context = SizeContext(declared_ranges(function))
    if context.ranges:
        _simplify_dims(function, context)
    if function.sym_name.data not in signatures:
        taken = set[str]().union(*map(used_symbols, function.function_type.inputs))
        entries = argument_attributes(function)
        for index, (arg, entry) in enumerate(zip(function.body.block.args, entries, strict=True)):
            retype(arg, map_dims(declared_type(arg.type, entry), context.simplify))
            if isinstance(arg.type, TensorType) and None in (dims_of(arg.type) or ()):
                retype(arg, _named(arg.type, arg.name_hint or f"arg{index}", taken))
    refine_types(function, signatures, context)


def refine_types(function: func.FuncOp, signatures: Mapping[str, FunctionType], context: SizeContext) -> None:
    """Derives the types of what a function computes from those of its arguments; those of its results too, unless it is called."""
    block = function.body.block
    _Inference(function, signatures).run()
    terminator = block.last_op
    assert terminator is not None
    if function.sym_name.data in signatures:
        cast_operands(terminator, function.function_type.outputs.data)
        return
    declared = [map_dims(output, context.simplify) for output in function.function_type.outputs]
    outputs = [
        merged(declared_type, value.type) for declared_type, value in zip(declared, terminator.operands, strict=True)
    ]
    function.function_type = FunctionType.from_lists([arg.type for arg in block.args], outputs)


def infer_again(module: ModuleOp, changed: Iterable[func.FuncOp]) -> None:
    """Derives the types of what functions compute after a pass has changed them."""
    signatures = called_signatures(module)
    for function in changed:
        if function.body.blocks and uses_relax(function):
            refine_types(function, signatures, SizeContext(declared_ranges(function)))


def called_signatures(module: ModuleOp) -> dict[str, FunctionType]:
    """Returns the types of the functions that are called, by name; these types stay."""
    called = called_functions(module)
    return {
        function.sym_name.data: function.function_type
        for function in module.body.block.ops
        if isinstance(function, func.FuncOp) and function.sym_name.data in called
    }


def _simplify_dims(function: func.FuncOp, context: SizeContext) -> None:
    """Simplifies the dims of all values made in a function by the ranges that it declares."""
    for op in function.body.block.walk():
        for value in (*op.results, *(arg for region in op.regions for block in region.blocks for arg in block.args)):
            retype(value, map_dims(value.type, context.simplify))


class InferShapesPass(ModulePass):
    """Re-derives result types from operand types, in order, and names the unknown dims of arguments.

    ```mlir
    func.func @f(%x: tensor<?x4xf32>) -> tensor<?x?xf32> {
      %y = relax.nn.relu %x : (tensor<?x4xf32>) -> tensor<?x?xf32>
    ```
    becomes
    ```mlir
    func.func @f(%x: tensor<?x4xf32, #relax.sym<x_0>>) -> tensor<?x4xf32, #relax.sym<x_0>> {
      %y = relax.nn.relu %x : (tensor<?x4xf32, #relax.sym<x_0>>) -> tensor<?x4xf32, #relax.sym<x_0>>
    ```

    *Requires* valid IR. *Leaves* types that say at least as much as before; `relax.match_cast` keeps the type it asserts.
    The ranges that a function declares for its symbols simplify dims: `min(512, n)` is `n` where n <= 512.
    Functions that are called keep their types; where what is known beyond the declared types does not fit a callee, a
    `relax.match_cast` forgets it.
    """

    name = "relax-infer-shapes"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        signatures = called_signatures(op)
        for function in functions(op):
            if uses_relax(function):
                infer_function(function, signatures)
