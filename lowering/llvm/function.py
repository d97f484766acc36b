"""The state of lowering one function, and the walk over its blocks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IndexType, IntegerType, VectorType, i64
from xdsl.ir import Attribute, Block, Operation, SSAValue

from ...dialects.new_op import new_op
from ...dialects.relax.vocabulary.symbols import SymbolNames
from ...dialects.upstream.op_error import OpError
from ...passes.analysis.attribute_table import AttributeTable
from ...records import record
from .builder import FunctionBuilder, Linear, i64_array, integer_attr
from .memref_form import MemRefForm, memref_forms
from .types import LoweringError


@record(frozen=False)
class Signature:
    """How a function of the loops stage is called once it is llvm."""

    name: str
    result_types: list[Attribute]
    status: bool
    internal: bool
    shape_entry: bool = False
    kernel: bool = False

    @property
    def returned(self) -> list[Attribute]:
        """The values returned, the status first."""
        return [i64, *self.result_types] if self.status else self.result_types

    @property
    def return_type(self) -> Attribute | None:
        returned = self.returned
        if not returned:
            return None
        return returned[0] if len(returned) == 1 else llvm.LLVMStructType.from_type_list(returned)


@record
class Assertion:
    """What is said when an assertion fails."""

    message: str
    values: tuple[str, ...]
    """What the values are called that follow the message."""


@record(frozen=False)
class ModuleState:
    """What functions share: signatures, messages of assertions, declarations that are needed."""

    signatures: dict[str, Signature]
    globals: dict[str, str]
    """The name in LLVM IR of each global."""
    assertions: list[Assertion]
    symbols: SymbolNames
    num_threads: int = 0
    interruption: str | None = None
    """The function that looks for signals before each kernel, where calls can be interrupted."""
    splits_stores: bool = False
    """Whether the first lanes of a vector, if their number is known, are stored in parts."""
    declarations: dict[str, llvm.LLVMFunctionType] = field(default_factory=dict[str, llvm.LLVMFunctionType])
    outlined: list[Operation] = field(default_factory=list[Operation])
    thunks: dict[str, str] = field(default_factory=dict[str, str])
    form_of: AttributeTable[MemRefForm] = field(default_factory=memref_forms)

    def assertion(self, message: str, values: tuple[str, ...] = ()) -> int:
        """Returns the status of a failed assertion with this message, which shows values of these names."""
        assertion = Assertion(message, values)
        if assertion not in self.assertions:
            self.assertions.append(assertion)
        return 1 + self.assertions.index(assertion)

    def declare(self, name: str, inputs: Sequence[Attribute], output: Attribute | None) -> None:
        self.declarations.setdefault(name, llvm.LLVMFunctionType(list(inputs), output))


class Looks:
    """Which kernels a function looks for signals before: every one, or of many that it calls one after the other each n-th.

    A call of more than `MOST_LOOKS` kernels looks half as often at least, which is often enough for whoever waits for it, and its code
    grows less with the layers of a model.
    """

    MOST_LOOKS = 64

    def __init__(self, block: Block, calls: int):
        self._block = block
        self._stride = -(-calls // self.MOST_LOOKS)
        self._met = 0

    def before(self, call: Operation) -> bool:
        """Returns whether to look before a call, asked in order; in a loop or a branch always."""
        if call.parent is not self._block:
            return True
        self._met += 1
        return (self._met - 1) % self._stride == 0


@record(frozen=False)
class Descriptor:
    """A memref: the address of its first element, and its sizes and strides in elements."""

    pointer: SSAValue
    element: Attribute
    sizes: list[Linear]
    strides: list[Linear]


def scaled(a: Linear, b: Linear) -> Linear | None:
    """Returns a product that needs no code, or None."""
    if not a.terms:
        return Linear(a.constant * b.constant, tuple((v, f * a.constant) for v, f in b.terms))
    if not b.terms:
        return scaled(b, a)
    return None


Handler = Callable[["FunctionLowering", Operation], None]


class FunctionLowering:
    """Lowers one function by one walk: registers in `values`, indices in `indices`, memrefs in `memrefs`."""

    def __init__(
        self, module: ModuleState, signature: Signature, builder: FunctionBuilder, handlers: dict[str, Handler]
    ):
        self.module = module
        self.signature = signature
        self.builder = builder
        self.handlers = handlers
        self.values: dict[SSAValue, SSAValue] = {}
        self.indices: dict[SSAValue, Linear] = {}
        self.memrefs: dict[SSAValue, Descriptor] = {}
        self.lent: dict[SSAValue, Callable[[], Descriptor]] = {}
        """Memrefs whose pointer is loaded where it is needed."""
        self.store_results: Callable[[Sequence[SSAValue]], None] | None = None
        """What becomes of results that are not returned."""
        self.splats: dict[SSAValue, int | float] = {}
        self.fail_block: Block | None = None
        self.looks: Looks | None = None
        """Where the function looks for signals, if it does."""

    # ---- values ----

    def value(self, source: SSAValue) -> SSAValue:
        """Returns the register that holds a scalar or vector."""
        value = self.values.get(source)
        if value is not None:
            return value
        linear = self.indices.get(source)
        if linear is not None:
            return self.builder.materialize(linear)
        if source in self.memrefs or source in self.lent:
            raise LoweringError(f"convert-to-llvm: a memref ({source.type}) is used as a value")
        raise LoweringError(f"convert-to-llvm: no value for {source} of type {source.type}")

    def index(self, source: SSAValue) -> Linear:
        """Returns an index value in linear form."""
        linear = self.indices.get(source)
        if linear is None:
            linear = self.indices[source] = self.builder.opaque(self.values[source])
        return linear

    def memref(self, source: SSAValue) -> Descriptor:
        descriptor = self.memrefs.get(source)
        if descriptor is None and source in self.lent:
            return self.lent[source]()
        if descriptor is None:
            raise LoweringError(
                f"convert-to-llvm: the memref of type {source.type} comes from an operation that is not allowed here"
            )
        return descriptor

    def set(self, source: SSAValue, value: SSAValue) -> None:
        """Binds a source value to a register."""
        if isinstance(source.type, IndexType):
            self.indices[source] = self.builder.opaque(value)
        else:
            self.values[source] = value

    def constant_int(self, source: SSAValue) -> int | None:
        """Returns the integer that a source value is, where that is known."""
        linear = self.indices.get(source)
        if linear is not None:
            return linear.constant if not linear.terms else None
        splat = self.splats.get(source)
        return splat if isinstance(splat, int) else None

    # ---- walk ----

    def lower_block(self, block: Block) -> None:
        """Lowers all operations of a block but `scf.yield`-like terminators, whose owner reads their operands."""
        handlers, outer = self.handlers, self.builder.location
        for op in block.ops:
            self.builder.location = op.location
            handler = handlers.get(op.name)
            if handler is None:
                raise OpError(op, f"convert-to-llvm: {op.name} is not allowed at the loops stage")
            try:
                handler(self, op)
            except LoweringError as error:
                raise OpError(op, f"{error} (in {op.name})") from None
        self.builder.location = outer

    def fail_if(self, failed: SSAValue, status: SSAValue, values: Sequence[SSAValue] = ()) -> None:
        """Leaves the function with a status when a bit is set; the values (i64) are written into the words of the call."""
        builder = self.builder
        if self.fail_block is None:
            self.fail_block = builder.new_block((i64,))
        go_on = builder.new_block()
        if not values:
            builder.cond_branch(failed, self.fail_block, (status,), go_on, ())
            builder.resume(go_on)
            return
        # Before the branch, as what follows may use the addresses as well.
        places = [builder.offset_pointer(self.words, Linear(index), i64) for index in range(len(values))]
        report = builder.new_block()
        builder.cond_branch(failed, report, (), go_on, ())
        builder.resume(report)
        for value, place in zip(values, places, strict=True):
            properties = {"ordering": integer_attr(0), "alignment": integer_attr(8)}
            builder.append(new_op(llvm.StoreOp, operands=(value, place), properties=properties))
        builder.branch(self.fail_block, (status,))
        builder.resume(go_on)

    @property
    def words(self) -> SSAValue:
        """The words of the call, the last argument of a function that returns a status."""
        assert self.signature.status
        return self.builder.entry.args[-1]

    def emit_return(self, values: Sequence[SSAValue]) -> None:
        """Returns the status (0) and the values, or stores these."""
        if self.store_results is not None:
            self.store_results(values)
            values = ()
        returned = [self.builder.int_constant(0), *values] if self.signature.status else list(values)
        self._return(returned)

    def _return(self, values: Sequence[SSAValue]) -> None:
        builder = self.builder
        if len(values) > 1:
            type_ = self.signature.return_type
            assert type_ is not None
            packed = builder.poison(type_)
            for position, value in enumerate(values):
                packed = builder.emit(
                    llvm.InsertValueOp,
                    (packed, value),
                    type_,
                    {"position": i64_array(position)},
                )
            values = [packed]
        builder.append(new_op(llvm.ReturnOp, operands=values))

    def finish(self) -> None:
        """Completes the exit for failed assertions and the start of the function."""
        if self.fail_block is not None:
            self.builder.resume(self.fail_block)
            zeros = [zero(self.builder, t) for t in self.signature.result_types]
            self._return([self.fail_block.args[0], *zeros])
        self.builder.finish()


def zero(builder: FunctionBuilder, type_: Attribute) -> SSAValue:
    """Returns the zero of a scalar or vector type."""
    if type_.name == "llvm.ptr":
        return builder.head_op(new_op(llvm.ZeroOp, result_types=(type_,)))
    element = type_.element_type if isinstance(type_, VectorType) else type_
    if isinstance(element, IntegerType):
        return builder.int_constant(0, type_)
    return builder.float_constant(0.0, type_)
