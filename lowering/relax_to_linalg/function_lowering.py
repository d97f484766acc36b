"""The walk of `relax-to-linalg` through one function: structure, calls and control flow; ops are lowered by the rules of their families."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FunctionType,
    IndexType,
    SymbolRefAttr,
    TensorType,
    TupleType,
    UnrealizedConversionCastOp,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint
from xdsl.utils.exceptions import PassFailedException

from ...dialects.relax.attrs import HOST, ObjectType, ShapeType, dims_of, vdevice_of
from ...dialects.relax.base import RelaxOp
from ...dialects.relax.dense import resolved
from ...dialects.relax.ops import core
from ...dialects.relax.size_limits import FunctionLimits
from ...dialects.relax.symbol_ranges import declared_ranges
from ...dialects.symbolic.expressions import Symbol
from ...dialects.upstream.op_error import OpError
from ...passes.rewriting.kernel_functions import is_kernel
from ...records import record
from ..emit.constructors import call
from .builder import LinalgBuilder, LoweringError
from .constant_copies import ConstantCopies
from .converted_types import converted, converted_all, device_attributes, grouped
from .match_cast import check_tensor_of_object, match_cast
from .ops.rules import all_rules
from .packed import PackedDeclarations, PackedOp, result_dims
from .size_checks import SizeChecks


@record
class ModuleState:
    """What the functions of a module share while they are lowered."""

    packed: PackedDeclarations
    copies: ConstantCopies
    functions: Mapping[str, func.FuncOp]
    """The functions as they were before."""
    signatures: Mapping[str, FunctionType]
    """The types of the functions after conversion."""
    limits: FunctionLimits
    """The sizes that must be in range."""


class FunctionLowering:
    """Lowers the body of one function: `values` holds what stands for each relax value, `b` is where the lowering stands."""

    def __init__(self, source: func.FuncOp, target: Block, module: ModuleState):
        self.name = source.sym_name.data
        self.is_kernel = is_kernel(source)
        self.module = module
        self.values: dict[SSAValue, list[SSAValue]] = {}
        self.checks = SizeChecks(self.name, LinalgBuilder(InsertPoint.at_end(target), {}, declared_ranges(source)))
        self._bind(source.body.block.args, target.args)
        for arg in source.body.block.args:
            self._define_symbols(arg.type, self.values[arg])
        self._at_entry = frozenset(self.b.symbols)
        """What arguments define, of which sizes are checked before the function is called."""

    @property
    def b(self) -> LinalgBuilder:
        """The builder, at the end of the block that is being lowered."""
        return self.checks.b

    def lower_block(self, block: Block) -> list[SSAValue]:
        """Lowers the ops of a block and returns the lowered operands of its terminator."""
        for op in block.ops:
            if isinstance(op, func.ReturnOp | core.OutputOp | scf.YieldOp | scf.ConditionOp):
                return self._lowered(op.operands)
            try:
                if not self.is_kernel:
                    self.checks.check_limits(op, self.module.limits.of_op(op), self._at_entry)
                with self.b.located(op.location):
                    self._bind(op.results, self._lower(op))
            except LoweringError as error:
                raise OpError(op, f"{op.name} cannot be lowered to linalg: {error}") from None
        raise PassFailedException(f"relax-to-linalg: @{self.name} has a block without a terminator")

    def _lower(self, op: Operation) -> Sequence[SSAValue]:
        """Returns the lowered results of an op, one for each leaf of their types."""
        match op:
            case func.CallOp():
                # First, as almost all are: each class costs a look.
                return self._call(op)
            case core.DataflowOp():
                return self.lower_block(op.body.block)
            case core.TupleOp() | core.StopLiftParamsOp() | UnrealizedConversionCastOp():
                return self._lowered(op.operands)
            case core.TupleGetItemOp():
                return self._tuple_get_item(op)
            case core.ShapeOp():
                assert isinstance(op.result.type, ShapeType)
                return [self.b.as_index(self.b.size(dim)) for dim in op.result.type.data]
            case core.ConstantOp():
                return self._constant(op)
            case core.MatchCastOp():
                return self._match_cast(op)
            case core.KillObjectOp():
                return ()  # Memory is planned by the last use of each value, and what Python lends is given back after it.
            case core.CallPackedOp() if op.callee.data == "vm.builtin.tuple_reset_item":
                return ()  # Tuples are gone, there is nothing to release.
            case core.PythonCallOp() | core.NullValueOp():
                assert isinstance(op, PackedOp)
                self.checks.check_op(op, self._operand_size(op))
                return self._call_packed(op)
            case scf.IfOp() | scf.ForOp() | scf.WhileOp() | scf.IndexSwitchOp():
                return self._control_flow(op)
            case RelaxOp():
                self.checks.check_op(op, self._operand_size(op))
                return self._relax_op(op)
            case _:
                return self._foreign(op)

    # ---- values ----

    def _lowered(self, values: Iterable[SSAValue]) -> list[SSAValue]:
        return [leaf for value in values for leaf in self.values[value]]

    def _bind(self, values: Sequence[SSAValue], leaves: Iterable[SSAValue]) -> None:
        self.values.update(zip(values, grouped(leaves, [value.type for value in values]), strict=True))

    def _operand_size(self, op: Operation) -> Callable[[int, int], SSAValue]:
        return lambda operand, axis: self.b.as_index(self.b.dim(self.values[op.operands[operand]][0], axis))

    def _define_symbols(self, value_type: Attribute, values: Sequence[SSAValue]) -> None:
        """Defines the symbols that stand alone in the type of an argument; the first argument that has one defines it."""
        # Invariant: a symbol is defined once, so that every later size that it names is checked against the first.
        match value_type:
            case TupleType():
                for field, leaves in zip(value_type.types, grouped(values, value_type.types), strict=True):
                    self._define_symbols(field, leaves)
            case ShapeType():
                for dim, value in zip(value_type.data, values, strict=True):
                    if isinstance(dim, Symbol):
                        self.b.symbols.setdefault(dim.name, value)
            case TensorType():
                for axis, dim in enumerate(dims_of(value_type) or ()):
                    if isinstance(dim, Symbol) and dim.name not in self.b.symbols:
                        self.b.symbols[dim.name] = self.b.as_index(self.b.dim(values[0], axis))
            case _:
                pass

    # ---- ops ----

    def _tuple_get_item(self, op: core.TupleGetItemOp) -> list[SSAValue]:
        assert isinstance(op.tuple_value.type, TupleType)
        return grouped(self.values[op.tuple_value], op.tuple_value.type.types)[op.index.value.data]

    def _constant(self, op: core.ConstantOp) -> list[SSAValue]:
        value = self.b.insert(arith.ConstantOp(_signless_dense(op)))
        vdevice = vdevice_of(op.result.type)
        # In a kernel it is part of the code that the device runs.
        if vdevice is not None and vdevice != HOST and not self.is_kernel:
            kernel = SymbolRefAttr(self.module.copies.kernel(value.type, vdevice))
            value = self.b.insert(call(kernel, [value], [value.type]))
        return [value]

    def _match_cast(self, op: core.MatchCastOp) -> Sequence[SSAValue]:
        if isinstance(op.input.type, ObjectType):
            check_tensor_of_object(op, self.b.symbols.keys())
            return self._call_packed(op)
        return match_cast(op, self.values[op.input], self.checks)

    def _call_packed(self, op: PackedOp) -> Sequence[SSAValue]:
        """Calls the declaration; the sizes of the dynamic dims of the results follow the arguments."""
        dynamic = [dim for result in op.results for dim in result_dims(result.type) if not isinstance(dim, int)]
        operands = [*self._lowered(op.operands), *(self.b.as_index(self.b.size(dim)) for dim in dynamic)]
        arguments = device_attributes([*(operand.type for operand in op.operands), *([IndexType()] * len(dynamic))])
        devices = arguments, device_attributes([result.type for result in op.results])
        return self.b.insert_op(self.module.packed.call(op, operands, converted_all(op.result_types), devices))

    def _call(self, op: func.CallOp) -> list[SSAValue]:
        """Calls a function of the module; it may know less about static sizes than this function does."""
        callee = op.callee.string_value()
        signature = self.module.signatures[callee]
        self.checks.check_call(op, self.module.functions[callee], self._operand_size(op))
        operands = map(self.b.refined, self._lowered(op.operands), signature.inputs)
        results = self.b.insert_op(call(op.callee, list(operands), signature.outputs.data))
        return [*map(self.b.refined, results, converted_all(op.result_types))]

    def _relax_op(self, op: RelaxOp) -> list[SSAValue]:
        """Lowers an op by its rule, which reads shape operands off their types; results get the static dims of their types."""
        rule = all_rules().get(type(op))
        if rule is None:
            raise LoweringError("there is no rule for it")
        operands = self._lowered(operand for operand in op.operands if not isinstance(operand.type, ShapeType))
        return [*map(self.b.refined, rule(op, operands, self.b), converted_all(op.result_types))]

    def _control_flow(self, op: scf.IfOp | scf.ForOp | scf.WhileOp | scf.IndexSwitchOp) -> Sequence[SSAValue]:
        """Lowers a branch or a loop; what it carries and yields is converted like arguments and results."""
        results = converted_all(op.result_types)
        # The body of a `while` yields what its condition takes.
        yielded = converted_all(op.before_region.block.arg_types) if isinstance(op, scf.WhileOp) else results
        lowered = type(op).create(
            regions=[self._region(region, results, yielded) for region in op.regions],
            operands=self._lowered(op.operands),
            result_types=results,
            properties=dict(op.properties),
            attributes=dict(op.attributes),
            location=op.location,
        )
        return self.b.insert_op(lowered)

    def _region(self, source: Region, results: Sequence[Attribute], yielded: Sequence[Attribute]) -> Region:
        """Returns a lowered region of a branch or a loop: a condition passes on `results`, every other terminator `yielded`."""
        if not source.blocks:
            return Region()
        block = Block(arg_types=converted_all(source.block.arg_types))
        self._bind(source.block.args, block.args)
        outer, self.checks = self.checks, self.checks.nested(self.b.nested(block))
        values = self.lower_block(source.block)
        if isinstance(source.block.last_op, scf.ConditionOp):
            self.b.insert_op(scf.ConditionOp(values[0], *map(self.b.refined, values[1:], results)))
        else:
            self.b.insert_op(scf.YieldOp(*map(self.b.refined, values, yielded)))
        self.checks = outer
        return Region(block)

    def _foreign(self, op: Operation) -> Sequence[SSAValue]:
        """Copies an op of another dialect, with what is inside of it."""
        inside = list(op.walk())
        if op.regions and any(isinstance(inner, RelaxOp) for inner in inside):
            raise LoweringError("relax ops inside of it are not supported")
        used = {operand for inner in inside for operand in inner.operands if operand in self.values}
        return self.b.insert_op(op.clone({value: self.values[value][0] for value in used}))


def _signless_dense(op: core.ConstantOp) -> DenseIntOrFPElementsAttr[Any]:
    result_type = cast(Any, converted(op.result.type)[0])
    return DenseIntOrFPElementsAttr(result_type, resolved(op.value).data)
