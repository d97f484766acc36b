"""The pass `relax-canonicalize-bindings`."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.context import Context
from xdsl.dialects import func, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter
from xdsl.utils.exceptions import PassFailedException

from ...dialects.relax.attrs import type_dims
from ...dialects.relax.base import RelaxOp
from ...dialects.relax.function_signature import functions
from ...dialects.relax.ops.core import DataflowOp, MatchCastOp, TupleGetItemOp, TupleOp
from ...dialects.relax.type_dims import defined_symbols, map_dims
from ...dialects.symbolic.expressions import Dim, Symbol, equal, substitute, symbols
from ...dialects.walks import inner_blocks
from ..analysis.symbol_map import symbols_in
from ..rewriting.dataflow_blocks import add_outputs, keep_outputs, merge_outputs
from ..rewriting.value_types import cast_operands, retype
from .infer_shapes import infer_again

FIRST_CARRIED = 3
"""The operands of `scf.for` in front of the carried ones: bounds and step."""

Equalities = dict[str, Dim]
"""What symbols are equal to from here on."""


class Canonicalizer:
    """Canonicalizes one function."""

    def __init__(self, function: func.FuncOp) -> None:
        self.function = function
        self.defined: set[str] = set().union(*(defined_symbols(arg.type) for arg in function.body.block.args))

        self.original_types: dict[SSAValue, Attribute] = {}

    def run(self) -> None:
        """Rewrites the body; the type of the function stays."""
        self._block(self.function.body.block, {})

    def _block(self, block: Block, equalities: Equalities) -> None:
        for op in list(block.ops):
            if isinstance(op, func.ReturnOp | scf.YieldOp | scf.ConditionOp | scf.ForOp | scf.WhileOp | func.CallOp):
                self._restore(op)
            if isinstance(op, DataflowOp):
                self._block(op.body.block, equalities)
                self._outputs(op, equalities)
            elif op.regions:
                for inner in inner_blocks(op):
                    # What a branch learns holds in it alone.
                    self._block(inner, dict(equalities))
            elif isinstance(op, RelaxOp):
                self._op(op, equalities)

    def _op(self, op: RelaxOp, equalities: Equalities) -> None:
        for result in op.results:
            self._retype(result, equalities)
        match op:
            case MatchCastOp():
                self._match_cast(op, equalities)
            case TupleGetItemOp() if isinstance(op.tuple_value.owner, TupleOp):
                _replace(op, op.tuple_value.owner.fields[op.index.value.data])
            case TupleOp():
                source = _source_tuple(op)
                if source is not None and source.type == op.result.type:
                    _replace(op, source)
            case _:
                pass

    def _retype(self, value: SSAValue, equalities: Mapping[str, Dim]) -> None:
        if any(name in equalities for name in symbols_in(value.type)):
            self.original_types.setdefault(value, value.type)
            retype(value, map_dims(value.type, lambda dim: substitute(dim, equalities)))

    def _match_cast(self, op: MatchCastOp, equalities: Equalities) -> None:
        source, target = list(type_dims(op.input.type)), list(type_dims(op.result.type))
        if len(source) == len(target):
            for source_dim, target_dim in zip(source, target, strict=True):
                self._learn(source_dim, target_dim, equalities)
            self._retype(op.result, equalities)
        self.defined |= defined_symbols(op.result.type)
        if op.result.type == op.input.type:
            _replace(op, op.input)

    def _learn(self, source: Dim, target: Dim, equalities: Equalities) -> None:
        """Takes from a cast, which says that two dims are equal, what a symbol is."""
        # An equality defines at most one symbol, in terms of defined ones: the target if it is new, else the source.
        source, target = substitute(source, equalities), substitute(target, equalities)
        if source is None or target is None or source == target:
            return
        if equal(source, target) is False:
            raise PassFailedException(f"relax.match_cast asserts {target} of a dim that is {source}")
        if isinstance(target, Symbol) and target.name not in self.defined:
            self._set(target.name, source, equalities)
        elif isinstance(source, Symbol) and source.name not in symbols(target) and set(symbols(target)) <= self.defined:
            self._set(source.name, target, equalities)

    def _set(self, name: str, dim: Dim, equalities: Equalities) -> None:
        for symbol, value in equalities.items():
            equalities[symbol] = substitute(value, {name: dim})
        equalities[name] = dim

    def _outputs(self, op: DataflowOp, equalities: Equalities) -> None:
        """Reads values past the block where they come from outside, and drops the outputs that nothing reads."""
        for result, value in zip(op.outputs, op.output.values, strict=True):
            if result.type != value.type:
                self.original_types.setdefault(result, result.type)
                retype(result, value.type)
        merge_outputs(op)
        op = self._take_fields(op)
        keep_outputs(op, [result.first_use is not None for result in op.outputs])

    def _take_fields(self, op: DataflowOp) -> DataflowOp:
        """Makes tuple fields that are read outside of a block outputs of it; returns the block, rebuilt if there are any."""
        items = [item for pair in zip(op.outputs, op.output.values, strict=True) for item in _items(*pair)]
        inner = op.body.block
        inner_fields = [
            field for _, field in items if isinstance(field.owner, Operation) and field.owner.parent is inner
        ]
        values: dict[SSAValue, SSAValue] = {}
        if inner_fields:
            fields = list(dict.fromkeys(inner_fields))
            values = dict(zip(fields, add_outputs(op, fields), strict=True))
            rebuilt = values[fields[0]].owner
            assert isinstance(rebuilt, DataflowOp)
            op = rebuilt
        for item, field in items:
            value = values.get(field, field)
            if value.type != item.result.type:
                self.original_types.setdefault(value, item.result.type)
            _replace(item, value)
        return op

    def _restore(self, op: Operation) -> None:
        """Casts operands back to the types that the other side expects."""
        cast_operands(op, [self._expected(op, index, operand) for index, operand in enumerate(op.operands)])

    def _expected(self, op: Operation, index: int, operand: SSAValue) -> Attribute:
        if isinstance(op, func.ReturnOp):
            return self.function.function_type.outputs.data[index]
        # Results and block arguments of control flow keep their types.
        parent = op.parent_op()
        match op, parent:
            case scf.ForOp(), _ if index >= FIRST_CARRIED:
                return op.results[index - FIRST_CARRIED].type
            case scf.WhileOp(), _:
                return op.before_region.block.args[index].type
            case scf.ConditionOp(), scf.WhileOp() if index > 0:
                return parent.after_region.block.args[index - 1].type
            case scf.YieldOp(), scf.WhileOp():
                return parent.before_region.block.args[index].type
            case scf.YieldOp(), scf.IfOp() | scf.ForOp() | scf.IndexSwitchOp():
                return parent.results[index].type
            case _:
                return self.original_types.get(operand, operand.type)


def _replace(op: Operation, value: SSAValue) -> None:
    op.results[0].replace_all_uses_with(value)
    Rewriter.erase_op(op)


def _source_tuple(op: TupleOp) -> SSAValue | None:
    """Returns the tuple whose fields an op takes, all and in order; `None` if there is none."""
    source: SSAValue | None = None
    for index, value in enumerate(op.fields):
        owner = value.owner
        if not isinstance(owner, TupleGetItemOp) or owner.index.value.data != index:
            return None
        if source is not None and owner.tuple_value is not source:
            return None
        source = owner.tuple_value
    return source


def _items(result: SSAValue, value: SSAValue) -> list[tuple[TupleGetItemOp, SSAValue]]:
    """Returns the ops outside of a dataflow block that read a field of a tuple built inside of it, each with that field."""
    if not isinstance(value.owner, TupleOp):
        return []
    items = [use.operation for use in result.uses if isinstance(use.operation, TupleGetItemOp)]
    return [(item, value.owner.fields[item.index.value.data]) for item in items]


def canonicalize(function: func.FuncOp) -> None:
    """Canonicalizes the bindings of one function."""
    Canonicalizer(function).run()


class CanonicalizeBindingsPass(ModulePass):
    """Follows what casts say about symbols, and removes bindings that only give a value another name.

    ```mlir
    %c = relax.match_cast %x : (tensor<?xf32, #relax.sym<n>>) -> tensor<4xf32>
    %y = relax.add %x, %x : (tensor<?xf32, #relax.sym<n>>, ...) -> tensor<?xf32, #relax.sym<n>>
    %t = relax.tuple %y, %c : ...
    %z = relax.tuple_get_item %t {index = 0 : i64} : ...
    ```
    becomes
    ```mlir
    %c = relax.match_cast %x : (tensor<?xf32, #relax.sym<n>>) -> tensor<4xf32>
    %z = relax.add %x, %x : (tensor<?xf32, #relax.sym<n>>, ...) -> tensor<4xf32>
    ```

    A symbol that a cast equates with something known is replaced by it in the types that follow, in a branch for that branch only; values
    that leave the function, a branch, or go to a callee are cast back. A contradiction is an error. Casts to the type that a value has,
    fields of a tuple that is built here, tuples of all fields of a tuple, and outputs that a dataflow block takes from outside, has already
    or that nothing reads disappear. *Requires* valid IR. *Leaves* the types of functions.
    """

    name = "relax-canonicalize-bindings"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions(op):
            canonicalize(function)
        infer_again(op, functions(op))
