"""The pass `shape-functions`: for each public function, the sizes of its results and the checks of its arguments."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from xdsl.context import Context
from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    FunctionType,
    IndexType,
    MemRefType,
    ModuleOp,
    i64,
)
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.rewriter import InsertPoint

from ...dialects.new_op import new_op
from ...dialects.relax.function_signature import is_private
from ...dialects.relax.symbol_ranges import declared_ranges
from ...dialects.relax.vocabulary.attributes import (
    CHECKS,
    DIMS,
    RESULT,
    RESULT_DIMS_OF,
    SHAPE_FUNCTION_OF,
    SIZE_LIMITS,
    WORKSPACE,
    WORKSPACE_OF,
)
from ...dialects.relax.vocabulary.symbols import SHAPE_FUNCTION, SymbolNames
from ...dialects.symbolic.expressions import Known, Leaf, Symbol
from ...dialects.symbolic.limits import Check, SizeLimit, strongest
from ...dialects.symbolic.order import clamped
from ...dialects.upstream.op_error import OpError
from ...passes.options import PassWithOptions
from ..emit.constructors import INDEX, converted, load
from ..emit.emitter import Index
from ..emit.op_builder import OpBuilder
from ..sizes.emit_range_checks import RangeCheckEmitter
from ..sizes.emit_sizes import SizeEmitter
from ..sizes.index_expr import Atom, Expr, ExprEmitter, argument_dim, const, maximum
from .shape_inputs import dims_of_results, shape_inputs
from .shape_tables import TABLE, ShapeTables
from .workspace_bytes import byte_width

Key: TypeAlias = "tuple[int, int]"


class ShapeFunctionsPass(PassWithOptions):
    """Adds a shape function for each public function, with `relax.checks`; see docs/stages.md, "buffers".

    ```mlir
    func.func @f(%x: memref<4xf32>, %0: memref<4xf32> {relax.result})
    ```
    becomes
    ```mlir
    func.func @f(%x: memref<4xf32>, %0: memref<4xf32> {relax.result})
    func.func @f.shape(%in: memref<?xi64>, %out: memref<?xi64>) -> i64
        attributes {relax.shape_function_of = @f, relax.checks = [...]}
    ```

    Before: bufferized functions with a planned arena, and the functions of result dims that `bufferize` left. After: a function
    with `relax.shape_function_of = @f` for each public `@f`, which reads every dim of the arguments, writes every dim of
    the results and the workspace bytes, and returns 1 + the index of the first violated check, or 0; the functions of
    result dims are gone.
    """

    name = "shape-functions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        block = op.body.block
        functions = {f.sym_name.data: f for f in block.ops if isinstance(f, func.FuncOp)}
        symbols = SymbolNames(op)
        present = SHAPE_FUNCTION_OF.owners(functions.values())
        result_dims = RESULT_DIMS_OF.owners(functions.values())
        workspaces = WORKSPACE_OF.owners(functions.values())
        for name, function in functions.items():
            if is_private(function) or not function.body.blocks or SHAPE_FUNCTION_OF.is_on(function) or name in present:
                continue
            builder = _ShapeFunction(function, symbols, result_dims.get(name), workspaces.get(name))
            block.insert_op_after(builder.build(), function)
            block.insert_ops_before(builder.tables.globals, function)
        for function in result_dims.values():
            function.detach()
            function.erase()


class _ShapeFunction:
    """Builds one shape function."""

    def __init__(
        self,
        function: func.FuncOp,
        symbols: SymbolNames,
        result_dims: func.FuncOp | None,
        workspace: func.FuncOp | None,
    ):
        self.function = function
        self.symbol_names = symbols
        self.result_dims = result_dims
        self.workspace = workspace
        self.name = function.sym_name.data
        memory = MemRefType(i64, [DYNAMIC_INDEX])
        self.block = Block(arg_types=[memory, memory])
        self.block.args[0].name_hint, self.block.args[1].name_hint = "in", "out"
        self.inputs: list[Attribute] = []
        self.outputs: list[MemRefType] = []
        for position, type_ in enumerate(function.function_type.inputs.data):
            if RESULT.is_on_argument(function, position):
                assert isinstance(type_, MemRefType)
                self.outputs.append(type_)
            elif not WORKSPACE.is_on_argument(function, position):
                self.inputs.append(type_)
        self.places: dict[Key, int] = {}
        self._loaded: dict[Key, SSAValue] = {}
        self.symbols: dict[str, Key] = {}
        self._same: dict[Key, Key] = {}
        """Dims that a check says are equal to another one, which is used in their place: behind a violated check sizes do not matter."""
        self.b = OpBuilder(InsertPoint.at_end(self.block))
        self.tables = ShapeTables(self.b, self.name, symbols, *self.block.args)
        self._divisors: list[SSAValue] = []
        self._expected = SizeEmitter(
            self.b.insert, self.b.index, self._leaf, lambda divisor, size: self._divisors.append(divisor)
        )
        self._result_emitter = ExprEmitter(self.b.insert_op, self._atom)
        self._result_dims: list[list[Known]] = []

    def load(self, key: Key) -> SSAValue:
        """Returns the size of a dim of an argument, or with dim -1 the value of an `index` argument."""
        if key not in self._loaded:
            loaded = self.b.insert(load(self.block.args[0], [self.b.index(self.places[key])]))
            self._loaded[key] = self.b.insert(converted(arith.IndexCastOp, loaded, INDEX))
        return self._loaded[key]

    def build(self) -> func.FuncOp:
        """Returns the finished function."""
        self._number_places()
        checks, status = self._checks()
        limits = SIZE_LIMITS.of(self.function) or ()
        checker = RangeCheckEmitter(self.b.insert, self._leaf)
        fits = [checker.holds(limit) for limit in limits]
        sizes, workspaces = self._result_sizes(), self._workspaces()
        fits.extend(self._memory_fits(workspaces))
        status = self._first_violated(status, len(checks), fits)
        self._write([*sizes, *workspaces])
        self.b.insert_op(func.ReturnOp(status))
        types = FunctionType.from_lists([a.type for a in self.block.args], [i64])
        function = func.FuncOp(self.symbol_names.fresh(SHAPE_FUNCTION.format(self.name)), types, Region(self.block))
        SHAPE_FUNCTION_OF.set(function, self.name)
        CHECKS.set(function, tuple(checks))
        if limits:
            SIZE_LIMITS.set(function, limits)
        return function

    def _write(self, sizes: Sequence[Index]) -> None:
        """Writes the dims of the results and the bytes of the workspaces."""
        is_static = [isinstance(size, int) for size in sizes]
        if sum(is_static) >= TABLE:
            self.tables.write([size if isinstance(size, int) else 0 for size in sizes])
        else:
            is_static = [False] * len(sizes)
        cast: dict[Index, SSAValue] = {}
        for position, size in enumerate(sizes):
            if is_static[position]:
                continue
            if size not in cast:
                cast[size] = self.b.insert(converted(arith.IndexCastOp, self.b.as_index(size), i64))
            self.b.insert_op(new_op(memref.StoreOp, [cast[size], self.block.args[1], self.b.index(position)]))

    def _memory_fits(self, workspaces: Sequence[Index]) -> list[SSAValue]:
        """Returns whether the bytes of results and workspaces fit, where they depend on sizes that arguments do not prove to fit."""
        checks = self._result_emitter.range_checks
        given = [
            SizeLimit("", byte_width(type_.element_type), self._argument_dims(position, type_))
            for position, type_ in enumerate(self.inputs)
            if isinstance(type_, MemRefType)
        ]
        results = [
            SizeLimit("", byte_width(type_.element_type), tuple(dims))
            for type_, dims in zip(self.outputs, self._result_dims, strict=True)
            if not all(isinstance(dim, int) for dim in dims)
        ]
        conditions = [checks.holds(limit) for limit in strongest(results, given)]
        if self.workspace is not None:
            conditions += [self.b.compare("sge", size, self.b.index(0)) for size in workspaces]
        return [checks.all(conditions)] if conditions else []

    def _argument_dims(self, position: int, type_: MemRefType) -> tuple[Known, ...]:
        return tuple(
            argument_dim(*self._same.get((position, d), (position, d))).size if size == DYNAMIC_INDEX else size
            for d, size in enumerate(type_.get_shape())
        )

    def _first_violated(self, status: SSAValue, before: int, holds: Sequence[SSAValue]) -> SSAValue:
        """Returns the status of a call, with that of the first condition that does not hold where it was 0."""
        if not holds:
            return status
        later = passed = self.b.constant(0, i64)
        for number in range(len(holds), 0, -1):
            later = self.b.select(holds[number - 1], later, self.b.constant(before + number, i64))
        return self.b.select(self.b.compare("eq", status, passed), later, status)

    def _number_places(self) -> None:
        for position, type_ in enumerate(self.inputs):
            if isinstance(type_, MemRefType):
                for d in range(type_.get_num_dims()):
                    self.places[position, d] = len(self.places)
        for position, type_ in enumerate(self.inputs):
            if isinstance(type_, IndexType):
                self.places[position, -1] = len(self.places)

    def _expectations(self) -> list[Check]:
        """Returns what each dim must be; a static one that also has an expression comes twice."""
        expectations: list[Check] = []
        for position, type_ in enumerate(self.inputs):
            declared = DIMS.of_argument(self.function, position)
            shape = _shape(type_)
            if declared is not None and len(declared) != len(shape):
                raise OpError(
                    self.function,
                    f"shape-functions: @{self.name}: {DIMS} of argument {position} has {len(declared)} entries, "
                    f"expected {len(shape)}",
                )
            for axis, size in enumerate(shape):
                dim = None if declared is None else declared[axis]
                if size != DYNAMIC_INDEX:
                    expectations.append(Check(position, axis, size))
                if dim is not None and dim != size:
                    expectations.append(Check(position, axis, dim))
        return expectations

    def _key(self, position: int, dim: int) -> Key:
        return (position, dim if isinstance(self.inputs[position], MemRefType) else -1)

    def _checks(self) -> tuple[Sequence[Check], SSAValue]:
        """Finds the definitions of symbols, and compares everything else."""
        expectations = self._expectations()
        defining: dict[Check, None] = {}
        for check in expectations:
            if isinstance(check.expected, Symbol) and check.expected.name not in self.symbols:
                self.symbols[check.expected.name] = self._key(check.argument, check.axis)
                defining[check] = None
        rest = [check for check in expectations if check not in defining]
        rest.extend(self._range_checks(defining))
        static = [check for check in rest if isinstance(check.expected, int)]
        equal = [check for check in rest if isinstance(check.expected, Symbol)]
        for check in equal:
            key, same = self._key(check.argument, check.axis), self._defining(check)
            if key[1] >= 0 and same[1] >= 0:
                self._same[key] = same
        # Tables come first in the order of checks, as loops know the numbers of their rows only then.
        static, equal = (table if len(table) >= TABLE else [] for table in (static, equal))
        tables = {*static, *equal}
        rest = [check for check in rest if check not in tables]
        violated = [self._is_violated(check) for check in rest]
        status = self.b.constant(0, i64)
        for number in range(len(violated), 0, -1):
            status = self.b.select(
                violated[number - 1], self.b.constant(len(static) + len(equal) + number, i64), status
            )
        if equal:
            others = [self.places[self._defining(check)] for check in equal]
            status = self.tables.first_unequal(self._places(equal), others, len(static), status)
        if static:
            sizes = [check.expected for check in static if isinstance(check.expected, int)]
            status = self.tables.first_other_size(self._places(static), sizes, 0, status)
        return (*static, *equal, *rest), status

    def _places(self, checks: Iterable[Check]) -> list[int]:
        return [self.places[self._key(check.argument, check.axis)] for check in checks]

    def _defining(self, check: Check) -> Key:
        """Returns the dim that defines the symbol that a check expects."""
        assert isinstance(check.expected, Symbol)
        return self._key_of(check.expected)

    def _is_violated(self, check: Check) -> SSAValue:
        """Returns whether a size is not as expected, or a divisor in what is expected is not positive."""
        self._divisors.clear()
        actual, expected = self.load(self._key(check.argument, check.axis)), self._expected.value(check.expected)
        violated = self.b.compare("ne", actual, expected)
        for divisor in self._divisors:
            violated = self.b.insert(arith.OrIOp(violated, self.b.compare("slt", divisor, self.b.index(1))))
        return violated

    def _range_checks(self, defining: Iterable[Check]) -> list[Check]:
        """Returns a check for each symbol that may be out of its range: clamped to the range, its size must stay as it is.

        A dim of a tensor is never negative, an `index` argument may be.
        """
        ranges = declared_ranges(self.function)
        return [
            Check(check.argument, check.axis, held)
            for check in defining
            if isinstance(check.expected, Symbol)
            and (held := clamped(check.expected, ranges, isinstance(self.inputs[check.argument], IndexType)))
            != check.expected
        ]

    def _leaf(self, leaf: Leaf) -> SSAValue:
        assert isinstance(leaf, Symbol)
        return self.load(self._key_of(leaf))

    def _key_of(self, symbol: Symbol) -> Key:
        key = self.symbols.get(symbol.name)
        if key is None:
            raise OpError(
                self.function, f"shape-functions: @{self.name}: no dim of an argument defines the symbol {symbol.name}"
            )
        return key

    def _shape_inputs(self) -> list[Key]:
        """Returns what functions of shape inputs get: of dims that are equal the first one."""
        return [self._same.get(key, key) for key in shape_inputs(self.inputs)]

    def _result_sizes(self) -> list[Index]:
        inputs = self._shape_inputs()
        dims = self.result_dims
        values = iter(dims_of_results(dims, self.function, inputs) if dims is not None else ())
        # The function itself refuses a negative size.
        self._result_dims = [
            [maximum(next(values), const(0)).size if size == DYNAMIC_INDEX else size for size in type_.get_shape()]
            for type_ in self.outputs
        ]
        return [
            dim if isinstance(dim, int) else self._result_emitter.value(Expr(dim))
            for dims in self._result_dims
            for dim in dims
        ]

    def _atom(self, atom: Atom) -> SSAValue:
        position = atom.args[0]
        dim = -1 if atom.kind == "arg" else atom.args[1]
        assert isinstance(position, int) and isinstance(dim, int)
        return self.load((position, dim))

    def _workspaces(self) -> Sequence[Index]:
        """Returns the bytes of each workspace, 0 if there is none."""
        function = self.workspace
        if function is None:
            return [0]
        operands = [self.load(key) for key in self._shape_inputs()]
        return self.b.insert_op(func.CallOp(function.sym_name.data, operands, function.function_type.outputs.data))


def _shape(type_: Attribute) -> Sequence[int]:
    """Returns the dims that a caller passes for an argument: an `index` is one that is dynamic."""
    if isinstance(type_, MemRefType):
        return type_.get_shape()
    return (DYNAMIC_INDEX,) if isinstance(type_, IndexType) else ()
