"""The pass `convert-to-llvm`: functions, globals and the C entries of a module."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import repeat
from typing import Literal

from xdsl.context import Context
from xdsl.dialects import cf, func, llvm, memref, scf
from xdsl.dialects.builtin import (
    ArrayAttr,
    BytesAttr,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    MemRefType,
    ModuleOp,
    StringAttr,
    TensorType,
    UnitAttr,
    i1,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from ...dialects.new_op import new_op
from ...dialects.relax.function_signature import is_private
from ...dialects.relax.vocabulary.attributes import (
    ASSERTED_VALUES,
    ASSERTIONS,
    DATA,
    MAY_ALIAS,
    NO_INLINE,
    PRIMITIVE,
    SHAPE_FUNCTION_OF,
    WORKSPACE_OF,
)
from ...dialects.relax.vocabulary.symbols import ENTRY, RENAMED, SymbolNames
from ...dialects.upstream.op_error import OpError
from ...dialects.walks import ops_inside
from ...kinds import kind_test
from ...passes.options import PassWithOptions
from ...targets.cpu import BUFFER_ALIGNMENT
from . import arith_ops, assertions, calls, loops, memref_ops, vector_ops
from .bf16_bits import bf16_to_bits
from .builder import FunctionBuilder, Linear
from .calls import argument_types
from .entries import Frame, Loader, build_entry, entry_of, left_as_it_is
from .function import Assertion, Descriptor, FunctionLowering, Handler, Looks, ModuleState, Signature
from .interruption import look_for_signals
from .names import is_library_name
from .types import PTR, LoweringError, byte_size, convert_type, memory_type

INLINE_CONSTANT_BYTES = 64 * 1024
"""Larger constants become external symbols, whose data stays in the attribute `relax.data` of the global."""


HANDLERS: dict[str, Handler] = {
    **arith_ops.HANDLERS,
    **memref_ops.HANDLERS,
    **vector_ops.HANDLERS,
    **loops.HANDLERS,
    **calls.HANDLERS,
    **assertions.HANDLERS,
}

_MOST_LOADS = 2
"""The uses of an argument for which its pointer is loaded each time."""

_NOALIAS = DictionaryAttr({"llvm.noalias": UnitAttr()})
_PLAIN = DictionaryAttr({})
_CCC = llvm.CallingConventionAttr("ccc")
_INTERNAL, _EXTERNAL = llvm.LinkageAttr("internal"), llvm.LinkageAttr("external")


@dataclass(frozen=True)
class ConvertToLLVMPass(PassWithOptions):
    """Converts `func`, `scf`, `memref`, `vector`, `arith`, `math` and `cf.assert` to the `llvm` dialect.

    ```mlir
    func.func @f(%a: memref<4xf32>, %i: index) -> f32 {
      %v = memref.load %a[%i] : memref<4xf32>
      return %v : f32
    ```
    becomes
    ```mlir
    llvm.func internal @f(%0: !llvm.ptr {llvm.noalias}, %1: i64) -> f32 attributes {no_unwind} {
      %2 = llvm.getelementptr %0[%1] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %3 = llvm.load %2 {alignment = 4 : i64} : !llvm.ptr -> f32
      llvm.return %3 : f32
    ```

    Before: a module at the loops stage; parallel loops are outlined. After: `llvm` alone. A memref argument is a
    `noalias` pointer (unless it carries `relax.may_alias`) followed by its dynamic sizes. Functions that may fail an
    assertion return a status first, and take the words of the call last. With a counter, which tells when it is time, so do those that
    call kernels: before each, of many before each n-th, they look for signals. With `bf16=bits` values of bf16 are integers of 16 bits, for
    targets that have no other form of them. With `stores=parts` a known number of lanes of a vector is stored as parts whose sizes are
    powers of two, for targets whose masked stores take long. Each public function gets a C entry (`relax.entry_of`), or
    is converted to one where it calls others and none calls it; shape functions are exported as they are. Workspace functions that
    nothing calls are left out.
    """

    name = "convert-to-llvm"

    counter: Literal["none", "cycles", "ticks"] = "none"
    """What tells calls that it is time to look for signals: the cycles or the ticks that the processor counts; `none`: they do not look."""
    bf16: Literal["float", "bits"] = "float"
    """What values of bf16 are: floats of LLVM, or integers of 16 bits, for targets that have no other form of them."""
    stores: Literal["masked", "parts"] = "masked"
    """How a known number of lanes of a vector is stored: by a mask, or as parts whose sizes are powers of two."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        # The walk makes no garbage in cycles, and the collector would visit each new operation many times.
        enabled = gc.isenabled()
        gc.disable()
        try:
            _convert_module(op, self.counter, self.stores)
            if self.bf16 == "bits":
                bf16_to_bits(op)
        finally:
            if enabled:
                gc.enable()


def _convert_module(module: ModuleOp, counter: str, stores: str) -> None:
    block = module.body.block
    state = ModuleState({}, {}, [], SymbolNames(module), splits_stores=stores == "parts")
    given = zip(ASSERTIONS.of(module) or (), ASSERTED_VALUES.of(module) or (), strict=False)
    state.assertions.extend(Assertion(message, names) for message, names in given)
    functions = {op.sym_name.data: op for op in block.ops if isinstance(op, func.FuncOp)}
    kept = [op for op in block.ops if op.name.startswith("llvm.")]
    converted = _convert_globals(block, state)
    callers = _callers(functions)
    failing = _functions_that_may_fail(functions, callers, counter != "none")
    if counter != "none":
        converted.append(look_for_signals(state, counter))
    # A body needs the signatures of the functions that it calls.
    state.signatures.update(
        {name: _signature(function, failing, state.symbols) for name, function in functions.items()}
    )
    entries: list[Operation] = []
    for name, function in functions.items():
        if name not in callers and WORKSPACE_OF.is_on(function) and is_private(function):
            # Whoever calls the kernel knows the bytes.
            continue
        try:
            if name not in callers and _has_entry(function, state.signatures[name]) and _calls_kernels(function):
                entries.append(_convert_to_entry(function, state))
                continue
            converted.append(_convert_function(function, state.signatures[name], state))
            if _has_entry(function, state.signatures[name]):
                entries.append(build_entry(function, state.signatures[name], _entry_name(function, state)))
        except LoweringError as error:
            raise OpError(function, f"{error} (in function @{name})") from None
    declared = {op.sym_name.data for op in (*kept, *converted) if isinstance(op, llvm.FuncOp)}
    for name, type_ in state.declarations.items():
        if name not in declared:
            converted.append(llvm.FuncOp(name, type_, llvm.LinkageAttr("external")))
    for op in list(block.ops):
        if op not in kept:
            block.detach_op(op)
    block.add_ops([*converted, *state.outlined, *entries])
    if state.assertions:
        ASSERTIONS.set(module, tuple(assertion.message for assertion in state.assertions))
        ASSERTED_VALUES.set(module, tuple(assertion.values for assertion in state.assertions))


def _convert_globals(block: Block, state: ModuleState) -> list[Operation]:
    """Returns the constants of a module, converted; raises `OpError` for any other op that is neither a function nor of llvm."""
    converted: list[Operation] = []
    for op in block.ops:
        if isinstance(op, memref.GlobalOp):
            name = op.sym_name.data
            state.globals[name] = name if isinstance(op.initial_value, UnitAttr) else _own_name(name, state.symbols)
            converted.append(_convert_global(op, StringAttr(state.globals[name])))
        elif not isinstance(op, func.FuncOp) and not op.name.startswith("llvm."):
            raise OpError(op, f"convert-to-llvm: {op.name} is not allowed at the top of a module")
    return converted


def _has_entry(function: func.FuncOp, signature: Signature) -> bool:
    """Returns whether C calls a function: a public one with a body."""
    return signature.internal and not is_private(function) and bool(function.body.blocks)


def _entry_name(function: func.FuncOp, state: ModuleState) -> str:
    return _own_name(state.symbols.fresh(ENTRY.format(function.sym_name.data)), state.symbols)


def _convert_to_entry(function: func.FuncOp, state: ModuleState) -> llvm.FuncOp:
    """Converts a function that C alone calls, and that calls kernels: the hundreds of arguments of a model are loaded where they go."""
    name = _entry_name(function, state)
    frame = Frame(function)
    low = FunctionLowering(state, Signature(name, [], status=True, internal=False), frame.builder, HANDLERS)
    low.store_results = frame.store_results
    for source, load_argument in zip(function.body.block.args, frame.arguments(), strict=True):
        if not isinstance(source.type, MemRefType):
            low.set(source, *load_argument())
        elif _is_lent(source, function.body.block):
            low.lent[source] = partial(_loaded, low, source.type, load_argument)
        else:
            low.memrefs[source] = _loaded(low, source.type, load_argument)
    _lower_body(low, function)
    entry = entry_of(function, frame, name)
    return left_as_it_is(entry) if _only_calls(function) else entry


def _is_lent(argument: SSAValue, block: Block) -> bool:
    """Returns whether an argument is used so seldom that its pointer is loaded each time, rather than kept for the whole call."""
    return argument.uses.get_length() <= _MOST_LOADS and all(use.operation.parent is block for use in argument.uses)


def _loaded(low: FunctionLowering, type_: MemRefType[Attribute], load_argument: Loader) -> Descriptor:
    return _described(low, type_, iter(load_argument()))


def _own_name(name: str, symbols: SymbolNames) -> str:
    """Returns the name that a symbol of the module has in LLVM IR: its own, or a new one where that belongs to a library."""
    return symbols.fresh(RENAMED.format(name)) if is_library_name(name) else name


_ASSERTION = "cf.assert "
"""A name that no function has."""

_OF_COPIES = frozenset(("vector.load", "vector.store", "memref.load", "memref.store", "scf.yield"))
"""The ops of a loop that copies."""

_is_call = kind_test(func.CallOp)
_is_call_or_assertion = kind_test(func.CallOp, cf.AssertOp)


def _callers(functions: Mapping[str, func.FuncOp]) -> dict[str, set[str]]:
    """Returns which functions call each function that is called, and as those of the name `_ASSERTION` which assert something."""
    callers: dict[str, set[str]] = {}
    for name, function in functions.items():
        for op in filter(_is_call_or_assertion, ops_inside(function)):
            callee = op.callee.string_value() if _is_call(op) else _ASSERTION
            callers.setdefault(callee, set()).add(name)
    return callers


def _functions_that_may_fail(
    functions: Mapping[str, func.FuncOp], callers: Mapping[str, set[str]], can_be_interrupted: bool
) -> set[str]:
    """Returns the functions that may return a status other than 0: of an assertion, or of a signal that they look for before a kernel."""
    # Invariant: `failing` has the functions that fail by themselves, then, as `pending` is worked off, those that call them.
    failing = set(callers.get(_ASSERTION, ()))
    kernels = {name for name, function in functions.items() if PRIMITIVE.is_on(function)}
    if can_be_interrupted:
        failing.update(*(callers.get(kernel, set()) - kernels for kernel in kernels))
    pending = list(failing)
    while pending:
        for caller in callers.get(pending.pop(), ()):
            if caller not in failing:
                failing.add(caller)
                pending.append(caller)
    return failing


def _signature(function: func.FuncOp, failing: set[str], symbols: SymbolNames) -> Signature:
    name = function.sym_name.data
    external = not function.body.blocks
    shape = SHAPE_FUNCTION_OF.is_on(function) and not external
    # Only a declaration returns a memref, one of static sizes or of sizes that it was given.
    results = [PTR if isinstance(t, MemRefType) else convert_type(t) for t in function.function_type.outputs.data]
    if shape:
        if name in failing or len(results) != 1:
            raise LoweringError(f"convert-to-llvm: shape function @{name} must return one i64 and cannot assert")
    new_name = name if external else _own_name(name, symbols)
    return Signature(
        new_name,
        results,
        name in failing,
        internal=not external and not shape,
        shape_entry=shape,
        kernel=PRIMITIVE.is_on(function),
    )


def _convert_function(function: func.FuncOp, signature: Signature, state: ModuleState) -> llvm.FuncOp:
    # Invariant: `attributes` has an entry for each LLVM argument; the pointer, which is the first of a memref, may be `noalias`.
    inputs: list[Attribute] = []
    attributes: list[DictionaryAttr] = []
    for position, type_ in enumerate(function.function_type.inputs.data):
        expanded = argument_types(type_)
        if signature.shape_entry:
            expanded = expanded[:1]
        inputs.extend(expanded)
        plain = not isinstance(type_, MemRefType) or MAY_ALIAS.is_on_argument(function, position)
        attributes.extend([_PLAIN if plain else _NOALIAS, *([_PLAIN] * (len(expanded) - 1))])
    if signature.status:
        inputs.append(PTR)
        attributes.append(_PLAIN)
    type_ = llvm.LLVMFunctionType(inputs, signature.return_type)
    properties: dict[str, Attribute] = {
        "no_unwind": UnitAttr(),
        "sym_name": StringAttr(signature.name),
        "function_type": type_,
        "CConv": _CCC,
        "linkage": _INTERNAL if signature.internal else _EXTERNAL,
    }
    if any(a.data for a in attributes) and signature.internal:
        properties["arg_attrs"] = ArrayAttr(attributes)
    if NO_INLINE.is_on(function):
        properties["no_inline"] = UnitAttr()
    if not function.body.blocks:
        return new_op(llvm.FuncOp, properties=properties, regions=[Region()])
    entry = Block(arg_types=inputs)
    region = Region(entry)
    low = FunctionLowering(state, signature, FunctionBuilder(region, entry), HANDLERS)
    _bind_arguments(low, function, entry)
    _lower_body(low, function)
    converted = new_op(llvm.FuncOp, properties=properties, regions=[region])
    owner = SHAPE_FUNCTION_OF.of(function)
    if owner is not None:
        SHAPE_FUNCTION_OF.set(converted, owner)
    runs_once = owner is not None or WORKSPACE_OF.is_on(function) or _only_calls(function)
    return left_as_it_is(converted) if runs_once else converted


def _lower_body(low: FunctionLowering, function: func.FuncOp) -> None:
    if len(function.body.blocks) != 1:
        raise LoweringError("convert-to-llvm: the body has more than one block")
    if not low.signature.kernel and low.module.interruption is not None:
        low.looks = Looks(function.body.block, _kernel_calls(function.body.block, low.module))
    low.lower_block(function.body.block)
    low.finish()


def _kernel_calls(block: Block, state: ModuleState) -> int:
    """Returns how many kernels are called in a block, those in loops and branches left out."""
    callees = [op.callee.string_value() for op in block.ops if isinstance(op, func.CallOp)]
    return sum(name in state.signatures and state.signatures[name].kernel for name in callees)


def _calls_kernels(function: func.FuncOp) -> bool:
    """Returns whether a function calls others, as those do that call the kernels of a model."""
    return not PRIMITIVE.is_on(function) and any(map(_is_call, function.body.block.ops))


def _only_calls(function: func.FuncOp) -> bool:
    """Returns whether a function calls others and has no loop of its own but copies, which are as fast as memory in any code."""
    return _calls_kernels(function) and all(not op.regions or _is_copy(op) for op in function.body.block.ops)


def _is_copy(op: Operation) -> bool:
    """Returns whether an op is a loop that only loads and stores."""
    return isinstance(op, scf.ForOp) and all(each.name in _OF_COPIES for each in op.body.block.ops)


def _bind_arguments(low: FunctionLowering, function: func.FuncOp, entry: Block) -> None:
    arguments = iter(entry.args)
    for source in function.body.block.args:
        if isinstance(source.type, MemRefType):
            low.memrefs[source] = _described(low, source.type, arguments)
        else:
            low.set(source, next(arguments))


def _described(low: FunctionLowering, type_: MemRefType[Attribute], values: Iterator[SSAValue]) -> Descriptor:
    """Returns a memref with the identity layout from its pointer and its dynamic sizes."""
    pointer = next(values)
    # The caller of a shape function knows how much it reads, so that a size is never used there.
    sizes = repeat(Linear(-1)) if low.signature.shape_entry else map(low.builder.opaque, values)
    return memref_ops.compact_memref(low, pointer, type_, sizes)


def _convert_global(op: memref.GlobalOp, name: StringAttr) -> llvm.GlobalOp:
    type_ = op.type
    count = 1
    for size in type_.get_shape():
        count *= size
    element = memory_type(type_.element_type)
    alignment = max(BUFFER_ALIGNMENT, op.alignment.value.data if op.alignment is not None else 0)
    array = llvm.LLVMArrayType(count, element)
    value = op.initial_value
    if not isinstance(value, DenseIntOrFPElementsAttr):
        is_constant = op.constant is not None
        return llvm.GlobalOp(array, name, "external", constant=is_constant, alignment=alignment)
    flat = DenseIntOrFPElementsAttr(
        TensorType(element, [count]),  # pyright: ignore
        _constant_bytes(value, type_.element_type, count),
    )
    if count * byte_size(type_.element_type) > INLINE_CONSTANT_BYTES:
        converted = llvm.GlobalOp(array, name, "external", constant=True, alignment=alignment)
        DATA.set(converted, flat)
        return converted
    return llvm.GlobalOp(array, name, "internal", constant=True, value=flat, alignment=alignment)


def _constant_bytes(value: DenseIntOrFPElementsAttr, element: Attribute, count: int) -> BytesAttr:
    """Returns the elements as they lie in memory; a splat is spread."""
    if element == i1:
        bits: Iterable[int] = (int(bool(b)) for b in value.get_values())
        return BytesAttr(bytes(bits))
    size = byte_size(element)
    data = value.data.data
    if len(data) == size and count != 1:
        data = data * count
    if len(data) != size * count:
        raise LoweringError(f"convert-to-llvm: constant of {count} x {element} has {len(data)} bytes")
    return BytesAttr(data)
