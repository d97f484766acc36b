"""The pass `relax-to-linalg`: functions, structure and symbols; ops are lowered by the rules of their families."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any, cast

import numpy as np
from xdsl.context import Context
from xdsl.dialects import arith, cf, func, scf, tensor
from xdsl.dialects.builtin import (
    ArrayAttr,
    BytesAttr,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    FunctionType,
    IndexType,
    ModuleOp,
    SymbolRefAttr,
    TensorType,
    TupleType,
    UnrankedTensorType,
    UnrealizedConversionCastOp,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import SymbolTable
from xdsl.utils.exceptions import PassFailedException

from ...dialects.relax.attrs import HOST, ObjectType, ShapeType, dims_of, vdevice_of
from ...dialects.relax.base import RelaxOp
from ...dialects.relax.calls import call_symbols
from ...dialects.relax.dense import dense_to_numpy
from ...dialects.relax.function_signature import is_result_bundled
from ...dialects.relax.ops import core
from ...dialects.relax.program import uses_relax
from ...dialects.relax.symbol_ranges import declared_ranges
from ...dialects.relax.type_dims import used_symbols
from ...dialects.relax.vocabulary.attributes import DIMS, NUM_INPUT, PARAMS_FROM, PARAMS_INDEX, VDEVICE
from ...dialects.relax.vocabulary.symbols import SymbolNames
from ...dialects.symbolic.conditions import Condition, SizeContext
from ...dialects.symbolic.expressions import Dim, Leaf, Symbol, equal
from ...dialects.upstream.op_error import OpError
from ...passes.rewriting.kernel_functions import is_kernel
from ..emit.constructors import call
from .builder import LinalgBuilder, LoweringError, signless
from .constant_copies import ConstantCopies
from .ops.rules import all_rules
from .packed import HANDLE, PackedDeclarations, PackedOp, result_dims


@lru_cache(maxsize=4096)
def converted(value_type: Attribute) -> Sequence[Attribute]:
    """Returns the types that stand for a relax type: a shape is one `index` per dim, a tuple its leaves, an object a handle."""
    match value_type:
        case TensorType():
            return [TensorType(signless(value_type.element_type), value_type.get_shape())]
        case UnrankedTensorType():
            raise LoweringError(f"the rank of {value_type} is unknown; give it with relax.match_cast")
        case ShapeType():
            return [IndexType()] * len(value_type.data)
        case TupleType():
            return [leaf for field in value_type.types.data for leaf in converted(field)]
        case ObjectType():
            return [HANDLE]
        case _:
            return [signless(value_type)]


def leaf_attributes(value_type: Attribute) -> list[dict[str, Attribute]]:
    """Returns, for each converted value, its attributes `relax.dims` and `relax.vdevice`, if it has them."""
    match value_type:
        case TensorType():
            dims = dims_of(value_type) or ()
            named = any(dim is not None and not isinstance(dim, int) for dim in dims)
            return [{**(DIMS.entry(dims) if named else {}), **device_attribute(value_type)}]
        case ShapeType():
            return [DIMS.entry((dim,)) for dim in value_type.data]
        case TupleType():
            return [attributes for field in value_type.types.data for attributes in leaf_attributes(field)]
        case _:
            return [{}]


def device_attribute(value_type: Attribute) -> dict[str, Attribute]:
    """Returns the attribute `relax.vdevice` of a tensor type that names another device than the host."""
    vdevice = vdevice_of(value_type)
    return {} if vdevice is None or vdevice == HOST else VDEVICE.entry(vdevice.label)


def device_attributes(value_types: Sequence[Attribute]) -> ArrayAttr[DictionaryAttr] | None:
    """Returns the attributes `relax.vdevice` of the leaves of some types; `None` if none has one."""
    entries = [
        {key: value for key, value in entry.items() if key == VDEVICE.name}
        for value_type in value_types
        for entry in leaf_attributes(value_type)
    ]
    return ArrayAttr(DictionaryAttr(entry) for entry in entries) if any(entries) else None


class FunctionLowering:
    """Lowers the body of one function."""

    def __init__(
        self,
        source: func.FuncOp,
        target: Block,
        packed: PackedDeclarations,
        copies: ConstantCopies,
        signatures: Mapping[str, FunctionType],
        callees: Mapping[str, func.FuncOp],
    ):
        self.name = source.sym_name.data
        self.is_kernel = is_kernel(source)
        self.packed = packed
        self.copies = copies
        self.signatures = signatures
        self.callees = callees
        self.values: dict[SSAValue, list[SSAValue]] = {}
        self.checked: set[Condition] = set()
        """What has been asserted where the lowering stands."""
        self.b = LinalgBuilder(InsertPoint.at_end(target), {}, declared_ranges(source))
        remaining = iter(target.args)
        for arg in source.body.block.args:
            self.values[arg] = [*islice(remaining, len(converted(arg.type)))]
        for arg in source.body.block.args:
            self.define_symbols(arg.type, self.values[arg])

    def define_symbols(self, value_type: Attribute, values: Sequence[SSAValue]) -> None:
        """Defines the symbols that stand alone in a type, where they are not defined yet."""
        if isinstance(value_type, TupleType):
            rest = list(values)
            for field in value_type.types.data:
                count = len(converted(field))
                self.define_symbols(field, rest[:count])
                rest = rest[count:]
        elif isinstance(value_type, ShapeType):
            for dim, value in zip(value_type.data, values, strict=True):
                if isinstance(dim, Symbol):
                    self.b.symbols.setdefault(dim.name, value)
        elif isinstance(value_type, TensorType):
            for axis, dim in enumerate(dims_of(value_type) or ()):
                if isinstance(dim, Symbol) and dim.name not in self.b.symbols:
                    self.b.symbols[dim.name] = self.b.as_index(self.b.dim(values[0], axis))

    def operands(self, op: Operation) -> list[SSAValue]:
        """Returns the lowered operands; shape values are left out for relax ops, which read them off the types."""
        return [value for operand in op.operands for value in self.values[operand]]

    def lower_block(self, block: Block) -> list[SSAValue]:
        """Lowers the ops of a block and returns the lowered operands of its terminator."""
        for op in block.ops:
            if isinstance(op, func.ReturnOp | core.OutputOp | scf.YieldOp | scf.ConditionOp):
                return self.operands(op)
            try:
                self.lower(op)
            except LoweringError as error:
                raise OpError(op, f"{op.name} cannot be lowered to linalg: {error}") from None
        raise PassFailedException(f"relax-to-linalg: @{self.name} has a block without a terminator")

    def lower(self, op: Operation) -> None:
        match op:
            case core.DataflowOp():
                self._bind(op, self.lower_block(op.body.block))
            case core.TupleOp():
                self._bind(op, self.operands(op))
            case core.TupleGetItemOp():
                self._tuple_get_item(op)
            case core.ShapeOp():
                assert isinstance(op.result.type, ShapeType)
                self._bind(op, [self.b.as_index(self.b.size(dim)) for dim in op.result.type.data])
            case core.ConstantOp():
                self._constant(op)
            case core.MatchCastOp():
                self._match_cast(op)
            case core.StopLiftParamsOp():
                self._bind(op, self.operands(op))
            case UnrealizedConversionCastOp():
                self._bind(op, self.operands(op))
            case core.KillObjectOp():
                pass  # The arena is planned by the last use of each value already, and so is what Python lends.
            case core.CallPackedOp() if op.callee.data == "vm.builtin.tuple_reset_item":
                pass  # Tuples are gone, there is nothing to release.
            case core.CallPackedOp() | core.CallDPSPackedOp() | core.InvokeClosureOp() | core.InvokePureClosureOp():
                self._check_sizes(op)
                self._call_packed(op)
            case func.CallOp():
                self._call(op)
            case scf.IfOp() | scf.ForOp() | scf.WhileOp() | scf.IndexSwitchOp():
                self._control_flow(op)
            case RelaxOp():
                self._check_sizes(op)
                self._relax_op(op)
            case _:
                self._foreign(op)

    def _check_sizes(self, op: RelaxOp) -> None:
        """Asserts what the constraints of an op leave to run time, each once."""
        for condition in op.conditions():
            own = condition.operand_dims
            if condition in self.checked or not self.b.symbols.keys() >= condition.symbols:
                continue
            if not own:
                self.checked.add(condition)
            sizes: dict[Leaf, SSAValue] = {
                dim: self.b.as_index(self.b.dim(self.values[op.operands[dim.operand]][0], dim.axis)) for dim in own
            }
            lhs, rhs = (self.b.emit_size(size, sizes) for size in (condition.lhs, condition.rhs))
            holds = self.b.insert(arith.CmpiOp(lhs, rhs, "eq" if condition.relation == "==" else "sge"))
            self.b.insert_op(cf.AssertOp(holds, str(OpError(op, f"{op.name}: expected {condition}"))))

    def _call(self, op: func.CallOp) -> None:
        """Calls a function of the module; it may know less about static sizes than this function does."""
        signature = self.signatures[op.callee.string_value()]
        self._check_ranges(op)
        operands = list(map(self.refined, self.operands(op), signature.inputs))
        results = self.b.insert_op(call(op.callee, operands, signature.outputs.data))
        expected = [leaf for result in op.results for leaf in converted(result.type)]
        self._bind(op, list(map(self.refined, results, expected)))

    def _check_ranges(self, op: func.CallOp) -> None:
        """Asserts that the sizes of a call are in the ranges that the callee declares, where this function's own do not prove it."""
        callee = self.callees[op.callee.string_value()]
        ranges = declared_ranges(callee)
        if not ranges:
            return
        names = call_symbols(callee.function_type.inputs.data, [value.type for value in op.operands], self.b.ranges)
        context = SizeContext(self.b.ranges)
        for name, (low, high) in ranges.intervals.items():
            context.is_below(names.get(name), low or 0)
            context.is_below(high, names.get(name))
        for condition in context.conditions:
            lhs, rhs = (self.b.as_index(self.b.size(size)) for size in (condition.lhs, condition.rhs))
            holds = self.b.insert(arith.CmpiOp(lhs, rhs, "sge"))
            self.b.insert_op(cf.AssertOp(holds, str(OpError(op, f"call of {op.callee}: expected {condition}"))))

    def _check_range(self, name: str, size: SSAValue) -> None:
        """Asserts that a size that is new is in the range that the function declares for its symbol."""
        if name not in self.b.ranges.intervals:
            return
        low, high = self.b.ranges.intervals[name]
        message = f"{self.name}: match_cast: expected {self.b.ranges.text(name)}"
        for bound, predicate in ((low or None, "sge"), (high, "sle")):
            if bound is not None:
                holds = self.b.insert(arith.CmpiOp(size, self.b.index(bound), predicate))
                self.b.insert_op(cf.AssertOp(holds, message))

    def _constant(self, op: core.ConstantOp) -> None:
        value = self.b.insert(arith.ConstantOp(_signless_dense(op)))
        vdevice = vdevice_of(op.result.type)
        # In a kernel it is part of the code that the device runs.
        if vdevice is not None and vdevice != HOST and not self.is_kernel:
            value = self.b.insert(call(SymbolRefAttr(self.copies.kernel(value.type, vdevice)), [value], [value.type]))
        self._bind(op, [value])

    def _call_packed(self, op: PackedOp) -> None:
        """Calls the declaration; the sizes of the dynamic dims of the results follow the arguments."""
        results = [leaf for result in op.results for leaf in converted(result.type)]
        dynamic = [dim for result in op.results for dim in result_dims(result.type) if not isinstance(dim, int)]
        operands = [*self.operands(op), *(self.b.as_index(self.b.size(dim)) for dim in dynamic)]
        arguments = device_attributes([*(operand.type for operand in op.operands), *([IndexType()] * len(dynamic))])
        devices = arguments, device_attributes([result.type for result in op.results])
        self._bind(op, self.b.insert_op(self.packed.call(op, operands, results, devices)))

    def _bind(self, op: Operation, values: Sequence[SSAValue]) -> None:
        remaining = list(values)
        for result in op.results:
            count = len(converted(result.type))
            self.values[result] = remaining[:count]
            remaining = remaining[count:]

    def _relax_op(self, op: RelaxOp) -> None:
        rule = all_rules().get(type(op))
        if rule is None:
            raise LoweringError("there is no rule for it")
        operands = [
            value
            for operand in op.operands
            if not isinstance(operand.type, ShapeType)
            for value in self.values[operand]
        ]
        results = list(rule(op, operands, self.b))
        for index, result in enumerate(op.results):
            expected = converted(result.type)
            if len(expected) == 1 and isinstance(expected[0], TensorType) and index < len(results):
                results[index] = self.refined(results[index], expected[0])
        self._bind(op, results)

    def refined(self, value: SSAValue, expected: Attribute) -> SSAValue:
        """Returns a tensor with the static dims that its relax type promises; anything else as it is."""
        if value.type == expected or not isinstance(expected, TensorType):
            return value
        return self.b.insert(tensor.CastOp(value, expected))

    def _tuple_get_item(self, op: core.TupleGetItemOp) -> None:
        assert isinstance(op.tuple_value.type, TupleType)
        fields = op.tuple_value.type.types.data
        index = op.index.value.data
        start = sum(len(converted(field)) for field in fields[:index])
        self.values[op.result] = self.values[op.tuple_value][start : start + len(converted(fields[index]))]

    def _tensor_of_object(self, op: core.MatchCastOp) -> None:
        unknown = sorted(used_symbols(op.result.type) - self.b.symbols.keys())
        if unknown or not isinstance(op.result.type, TensorType) or None in (dims_of(op.result.type) or ()):
            raise LoweringError(
                f"it must make an object a tensor of known sizes, got {op.result.type}: memory is planned before the object is "
                "there (relax-bind-symbolic-vars makes symbols sizes)"
            )
        self._call_packed(op)

    def _match_cast(self, op: core.MatchCastOp) -> None:
        source, target = op.input.type, op.result.type
        if isinstance(source, ObjectType):
            self._tensor_of_object(op)
            return
        values = self.values[op.input]
        if isinstance(target, ShapeType) and isinstance(source, ShapeType):
            sizes: list[SSAValue] = list(values)
            known: Sequence[Dim] = source.data
            dims: Sequence[Dim] = target.data
        elif isinstance(target, TensorType) and isinstance(values[0].type, TensorType):
            dims = dims_of(target) or ()
            known = dims_of(source) or (None,) * len(dims)
            sizes = [self.b.as_index(self.b.dim(values[0], axis)) for axis in range(len(dims))]
        else:
            self.values[op.result] = values
            return
        for dim, size in zip(dims, sizes, strict=True):
            if isinstance(dim, Symbol) and dim.name not in self.b.symbols:
                self.b.symbols[dim.name] = size
                self._check_range(dim.name, size)
        for axis, (dim, size, before) in enumerate(zip(dims, sizes, known, strict=True)):
            if dim is None or equal(dim, before, self.b.ranges) is True:
                continue
            if isinstance(dim, Symbol) and self.b.symbols[dim.name] is size:
                continue
            expected = self.b.as_index(self.b.size(dim))
            holds = self.b.insert(arith.CmpiOp(size, expected, "eq"))
            self.b.insert_op(cf.AssertOp(holds, f"{self.name}: match_cast dim {axis}: expected {dim}"))
        if isinstance(target, TensorType):
            values = [self.refined(values[0], converted(target)[0])]  # pyright: ignore[reportArgumentType]
        self.values[op.result] = list(values)

    def _control_flow(self, op: scf.IfOp | scf.ForOp | scf.WhileOp | scf.IndexSwitchOp) -> None:
        """Lowers a branch or a loop; what it carries and yields is converted like arguments and results."""
        outer, checked = self.b, self.checked
        results = [leaf for result in op.results for leaf in converted(result.type)]
        regions: list[Region] = []
        for region in op.regions:
            regions.append(Region())
            if not region.blocks:
                continue
            block = Block(arg_types=[leaf for arg in region.block.args for leaf in converted(arg.type)])
            regions[-1].add_block(block)
            remaining = iter(block.args)
            for arg in region.block.args:
                self.values[arg] = [*islice(remaining, len(converted(arg.type)))]
            self.b, self.checked = outer.nested(block), set(checked)
            values = self.lower_block(region.block)
            if isinstance(region.block.last_op, scf.ConditionOp):
                self.b.insert_op(scf.ConditionOp(values[0], *map(self.refined, values[1:], results)))
                continue
            # The body of a `while` yields what its condition takes.
            types = [arg.type for arg in regions[0].block.args] if isinstance(op, scf.WhileOp) else results
            self.b.insert_op(scf.YieldOp(*map(self.refined, values, types)))
        self.b, self.checked = outer, checked
        lowered = type(op).create(
            operands=self.operands(op),
            result_types=results,
            properties=dict(op.properties),
            attributes=dict(op.attributes),
            regions=regions,
            location=op.location,
        )
        self._bind(op, self.b.insert_op(lowered))

    def _foreign(self, op: Operation) -> None:
        if op.regions and any(isinstance(inner, RelaxOp) for inner in op.walk()):
            raise LoweringError("relax ops inside of it are not supported")
        mapper = {operand: self.values[operand][0] for operand in op.operands}
        for inner in op.walk():
            for operand in inner.operands:
                if operand in self.values:
                    mapper[operand] = self.values[operand][0]
        clone = op.clone(mapper)
        self._bind(op, self.b.insert_op(clone))


def _signless_dense(op: core.ConstantOp) -> DenseIntOrFPElementsAttr[Any]:
    result_type = converted(op.result.type)[0]
    if isinstance(op.value, DenseIntOrFPElementsAttr):
        return DenseIntOrFPElementsAttr(cast(Any, result_type), op.value.data)
    data = np.ascontiguousarray(dense_to_numpy(op.value)).tobytes()
    return DenseIntOrFPElementsAttr(cast(Any, result_type), BytesAttr(data))


@dataclass(frozen=True)
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
        symbols = SymbolNames(op)
        packed, copies = PackedDeclarations(symbols), ConstantCopies(symbols)
        functions = [source for source in op.body.block.ops if isinstance(source, func.FuncOp)]
        signatures = {source.sym_name.data: source.function_type for source in functions}
        relax = {source.sym_name.data for source in functions if uses_relax(source)}
        sources = [source for source in functions if source.sym_name.data in relax or _calls(source, relax)]
        signatures |= {source.sym_name.data: _converted_signature(source) for source in sources}
        callees = {function.sym_name.data: function for function in functions}
        lowered = [_lower_function(function, packed, copies, signatures, callees) for function in sources]
        for function, replacement in zip(sources, lowered, strict=True):
            op.body.block.insert_op_after(replacement, function)
            Rewriter.erase_op(function, safe_erase=False)
        for added in (*packed.declarations.values(), *copies.functions):
            op.body.block.add_op(added)


def _calls(function: func.FuncOp, names: Container[str]) -> bool:
    return any(isinstance(op, func.CallOp) and op.callee.string_value() in names for op in function.walk())


def _converted_signature(source: func.FuncOp) -> FunctionType:
    """Returns the type of a function after conversion."""
    try:
        inputs = [leaf for type_ in source.function_type.inputs for leaf in converted(type_)]
        return FunctionType.from_lists(
            inputs, [leaf for type_ in source.function_type.outputs for leaf in converted(type_)]
        )
    except LoweringError as error:
        raise OpError(source, f"@{source.sym_name.data} cannot be lowered to linalg: {error}") from None


def _lower_function(
    source: func.FuncOp,
    packed: PackedDeclarations,
    copies: ConstantCopies,
    signatures: Mapping[str, FunctionType],
    callees: Mapping[str, func.FuncOp],
) -> func.FuncOp:
    inputs = source.function_type.inputs.data
    function_type = signatures[source.sym_name.data]
    attributes = [
        {**given.data, **added}
        for given, type_ in zip(_arg_attributes(source), inputs, strict=True)
        for added in leaf_attributes(type_)
    ]
    block = Block(arg_types=function_type.inputs.data)
    for new, old in zip(block.args, (arg for arg in source.body.block.args for _ in converted(arg.type)), strict=True):
        new.name_hint = old.name_hint
    target = func.FuncOp(
        source.sym_name.data,
        function_type,
        Region(block),
        source.sym_visibility,
        arg_attrs=ArrayAttr(DictionaryAttr(entry) for entry in attributes) if any(attributes) else None,
        res_attrs=device_attributes(source.function_type.outputs.data),
    )
    target.attributes.update(source.attributes)
    num_input = NUM_INPUT.of(source)
    if num_input is not None:
        NUM_INPUT.set(target, sum(len(converted(value_type)) for value_type in inputs[:num_input]))
    params_index = PARAMS_INDEX.of(source)
    if params_index is not None:
        PARAMS_INDEX.set(target, _leaf_indices(source, params_index))
    lowering = FunctionLowering(source, block, packed, copies, signatures, callees)
    results = lowering.lower_block(source.body.block)
    results = [
        lowering.refined(value, expected) for value, expected in zip(results, function_type.outputs.data, strict=True)
    ]
    lowering.b.insert_op(func.ReturnOp(*results))
    packed.release_after_last_use(target)
    return target


def _leaf_indices(source: func.FuncOp, indices: Sequence[int]) -> tuple[int, ...]:
    """Returns which leaves of a transform's results feed a function's parameters, from which results do."""
    name = PARAMS_FROM.of(source)
    transform = None if name is None else SymbolTable.lookup_symbol(source, name)
    if not isinstance(transform, func.FuncOp):
        raise OpError(source, f"{PARAMS_INDEX} needs a function that {PARAMS_FROM} names, got {name}")
    outputs = transform.function_type.outputs.data
    if is_result_bundled(transform) and isinstance(outputs[0], TupleType):
        outputs = outputs[0].types.data
    counts = [len(converted(type_)) for type_ in outputs]
    starts = [sum(counts[:index]) for index in range(len(counts))]
    return tuple(starts[index] + leaf for index in indices for leaf in range(counts[index]))


def _arg_attributes(function: func.FuncOp) -> Sequence[DictionaryAttr]:
    if function.arg_attrs is None:
        return [DictionaryAttr({}) for _ in function.function_type.inputs.data]
    return function.arg_attrs.data
