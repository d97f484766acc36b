"""`func.call` and `func.return`; a call marked `relax.parallel` becomes a parallel region of the OpenMP runtime."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects import func, llvm
from xdsl.dialects.builtin import DYNAMIC_INDEX, IntegerAttr, MemRefType, i32, i64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from ...dialects.relax.vocabulary.attributes import ITERATIONS_PER_THREAD, PARALLEL
from ...dialects.relax.vocabulary.call_words import VALUES
from ...dialects.relax.vocabulary.symbols import THREAD
from ...dialects.upstream.llvm_ops import AtomicRMWOp
from ...targets.cpu import BUFFER_ALIGNMENT
from .builder import FunctionBuilder, Linear, i64_array
from .function import FunctionLowering, Handler, ModuleState, Signature
from .memref_ops import compact_memref, load, store
from .types import PTR, LoweringError, byte_size, convert_type, is_identity

_ARGUMENTS = 2
"""Where arguments start in the structure of a parallel region."""


def argument_types(type_: Attribute) -> list[Attribute]:
    """Returns what an argument of a type becomes: a memref is its pointer, then its dynamic sizes."""
    if isinstance(type_, MemRefType):
        if not is_identity(type_):
            raise _not_compact(type_)
        return [PTR, *(i64 for s in type_.get_shape() if s == DYNAMIC_INDEX)]
    return [convert_type(type_)]


def _not_compact(type_: Attribute) -> LoweringError:
    return LoweringError(f"convert-to-llvm: {type_} crosses a function boundary without the identity layout")


def _arguments(low: FunctionLowering, operands: Sequence[SSAValue]) -> list[SSAValue]:
    values: list[SSAValue] = []
    for operand in operands:
        type_ = operand.type
        if not isinstance(type_, MemRefType):
            values.append(low.value(operand))
            continue
        form = low.module.form_of(type_)
        if not form.is_compact:
            raise _not_compact(type_)
        desc = low.memref(operand)
        values.append(desc.pointer)
        if form.open_sizes:
            sizes = zip(form.shape, desc.sizes, strict=True)
            values.extend(low.builder.materialize(size) for static, size in sizes if static == DYNAMIC_INDEX)
    return values


def unpack(builder: FunctionBuilder, signature: Signature, returned: SSAValue | None) -> list[SSAValue]:
    """Returns the values that a call returned, the status first where there is one."""
    types = signature.returned
    if returned is None:
        return []
    if len(types) == 1:
        return [returned]
    return [
        builder.emit(llvm.ExtractValueOp, (returned,), type_, {"position": i64_array(position)})
        for position, type_ in enumerate(types)
    ]


def _call(low: FunctionLowering, op: Operation) -> None:
    call = cast(func.CallOp, op)
    name = call.callee.string_value()
    signature = low.module.signatures.get(name)
    if signature is None:
        raise LoweringError(f"convert-to-llvm: there is no function @{name}")
    arguments = _arguments(low, op.operands)
    if signature.kernel and low.looks is not None and low.module.interruption is not None and low.looks.before(op):
        status = cast(SSAValue, low.builder.call(low.module.interruption, (low.words,), i64))
        low.fail_if(low.builder.compare(1, status, low.builder.int_constant(0)), status)
    if signature.status:
        arguments.append(low.words)
    if PARALLEL.is_on(op):
        _fork(low, signature, arguments, op)
        return
    returned = low.builder.call(signature.name, arguments, signature.return_type)
    _bind(low, op, signature, returned)


def _bind(low: FunctionLowering, op: Operation, signature: Signature, returned: SSAValue | None) -> None:
    values = unpack(low.builder, signature, returned)
    if signature.status:
        status, *values = values
        failed = low.builder.compare(1, status, low.builder.int_constant(0))
        low.fail_if(failed, status)
    for result, value in zip(op.results, values, strict=True):
        if isinstance(result.type, MemRefType):
            _bind_borrowed(low, op, result, value)
        else:
            low.set(result, value)


def _bind_borrowed(low: FunctionLowering, op: Operation, result: SSAValue, pointer: SSAValue) -> None:
    """Binds memory that a function of another language returned; its dynamic sizes are the last operands."""
    dynamic = op.operands[len(op.operands) - low.module.form_of(result.type).open_sizes :]
    low.memrefs[result] = compact_memref(low, pointer, result.type, map(low.index, dynamic))


def _return(low: FunctionLowering, op: Operation) -> None:
    if any(isinstance(o.type, MemRefType) for o in op.operands):
        raise LoweringError("convert-to-llvm: a memref is returned")
    low.emit_return([low.value(o) for o in op.operands])


def _fork(low: FunctionLowering, signature: Signature, arguments: list[SSAValue], op: Operation) -> None:
    """Runs ranges on the threads of the OpenMP runtime, or here where they are not enough for two of them.

    Each thread takes one contiguous chunk of each range.
    """
    builder = low.builder
    if signature.result_types:
        raise LoweringError(f"convert-to-llvm: parallel @{signature.name} has results")
    shares = _shares(low, op)
    if PARALLEL.of(op) == 1 or (not shares.terms and shares.constant < 2):
        _bind(low, op, signature, builder.call(signature.name, arguments, signature.return_type))
        return
    merge = builder.new_block((i64,))
    fork = builder.new_block()
    alone = builder.new_block()
    few = builder.compare(2, builder.materialize(shares), builder.int_constant(2))
    anchor = builder.cond_branch(few, alone, (), fork, ())

    builder.enter(anchor, alone)
    returned = builder.call(signature.name, arguments, signature.return_type)
    builder.branch(merge, (returned if returned is not None else builder.int_constant(0),))
    builder.leave()

    builder.enter(anchor, fork)
    builder.branch(merge, (_run_team(low, signature, arguments, shares, op),))
    builder.leave()

    builder.resume(merge)
    if signature.status:
        low.fail_if(builder.compare(1, merge.args[0], builder.int_constant(0)), merge.args[0])


def _iterations_per_thread(op: Operation) -> tuple[int, ...]:
    """Returns for each range of a marked call the iterations that are worth a thread."""
    worth = ITERATIONS_PER_THREAD.of(op) or (1,)
    if min(worth) < 1:
        raise LoweringError(f"convert-to-llvm: {ITERATIONS_PER_THREAD}: found {min(worth)}, required 1 or more")
    return worth


def _shares(low: FunctionLowering, op: Operation) -> Linear:
    """Returns how many threads the ranges of a marked call are worth."""
    builder, worth = low.builder, _iterations_per_thread(op)
    if 2 * len(worth) > len(op.operands):
        raise LoweringError(
            f"convert-to-llvm: {len(worth)} ranges: found {len(op.operands)} operands, required {2 * len(worth)}"
        )
    total = Linear(0)
    for position, least in enumerate(worth):
        begin, end = map(low.index, op.operands[2 * position : 2 * position + 2])
        length = builder.linear_add(end, begin, -1)
        if not length.terms:
            length = Linear(length.constant // least)
        elif least > 1:
            length = builder.opaque(builder.pure(llvm.UDivOp, builder.materialize(length), builder.int_constant(least)))
        total = builder.linear_add(total, length)
    return total


def _run_team(
    low: FunctionLowering, signature: Signature, arguments: Sequence[SSAValue], shares: Linear, op: Operation
) -> SSAValue:
    """Emits the parallel region and returns its status.

    The arguments travel in a structure on the stack: the status, whether a thread has taken its place, then the arguments.
    """
    builder = low.builder
    threads, worth = PARALLEL.of(op) or 0, _iterations_per_thread(op)
    struct = llvm.LLVMStructType.from_type_list([i64, i64, *(a.type for a in arguments)])
    data = builder.alloca(None, struct, BUFFER_ALIGNMENT)
    for position in range(_ARGUMENTS):
        store(builder, builder.int_constant(0), _field(builder, data, struct, position), 8)
    for position, argument in enumerate(arguments, _ARGUMENTS):
        store(builder, argument, _field(builder, data, struct, position), byte_size(argument.type))
    thunk = _thunk(low.module, signature, struct, len(worth))
    entry = builder.head_op(llvm.AddressOfOp(thunk, llvm.LLVMPointerType()))
    low.module.declare("GOMP_parallel", (PTR, PTR, i32, i32), None)
    count = builder.int_constant(threads, i32)
    if max(worth) > 1:
        count = _team(low, shares, threads)
    builder.call("GOMP_parallel", (entry, data, count, builder.int_constant(0, i32)), None)
    return load(builder, _field(builder, data, struct, 0), i64, 8)


def _team(low: FunctionLowering, shares: Linear, threads: int) -> SSAValue:
    """Returns the number of threads (i32) that have a share each, at most `threads` or what the runtime allows."""
    builder = low.builder
    if threads:
        most = builder.int_constant(threads)
    else:
        low.module.declare("omp_get_max_threads", (), i32)
        most = builder.emit(llvm.SExtOp, (cast(SSAValue, builder.call("omp_get_max_threads", (), i32)),), i64)
    return builder.emit(llvm.TruncOp, (builder.unary_intrinsic("smin", (builder.materialize(shares), most)),), i32)


def _field(builder: FunctionBuilder, data: SSAValue, struct: Attribute, position: int) -> SSAValue:
    gep = llvm.GEPOp(data, [0, position], struct)
    builder.append(gep)
    return gep.result


def _thunk(module: ModuleState, signature: Signature, struct: llvm.LLVMStructType, ranges: int) -> str:
    """Returns the function that each thread runs: `void(ptr)`, made once per body."""
    symbol = module.thunks.get(signature.name)
    if symbol is not None:
        return symbol
    name = module.thunks[signature.name] = module.symbols.fresh(THREAD.format(signature.name))
    module.declare("omp_get_thread_num", (), i32)
    module.declare("omp_get_num_threads", (), i32)
    entry = Block(arg_types=(PTR,))
    region = Region(entry)
    builder = FunctionBuilder(region, entry)
    (data,) = entry.args
    values = [
        load(builder, _field(builder, data, struct, position), type_, byte_size(type_))
        for position, type_ in enumerate(struct.types.data)
        if position >= _ARGUMENTS
    ]
    number, count = (
        builder.emit(llvm.SExtOp, (cast(SSAValue, builder.call(callee, (), i32)),), i64)
        for callee in ("omp_get_thread_num", "omp_get_num_threads")
    )
    chunks = _chunks(builder, values[: 2 * ranges], number, count)
    done = builder.new_block()
    if signature.status:
        _report(builder, signature, [*chunks, *values[2 * ranges :]], data, struct, done)
    else:
        builder.call(signature.name, [*chunks, *values[2 * ranges :]], None)
    builder.branch(done)
    builder.resume(done)
    builder.append(llvm.ReturnOp.create())
    builder.finish()
    module.outlined.append(
        llvm.FuncOp(name, llvm.LLVMFunctionType([PTR], None), llvm.LinkageAttr("internal"), body=region)
    )
    return name


def _chunks(builder: FunctionBuilder, bounds: Sequence[SSAValue], number: SSAValue, count: SSAValue) -> list[SSAValue]:
    """Returns the bounds of the chunks of ranges that a thread takes, one chunk of each range.

    Chunks differ by at most one iteration. Those that have one more begin at the thread behind the last that had one more of the range
    before, so that what threads take in all differs by at most one iteration as well.
    """
    chunks: list[SSAValue] = []
    for position in range(0, len(bounds), 2):
        begin, end = bounds[position : position + 2]
        length = builder.emit(llvm.SubOp, (end, begin), i64)
        share = builder.emit(llvm.UDivOp, (length, count), i64)
        extra = builder.emit(llvm.URemOp, (length, count), i64)
        longer = builder.compare(2, number, extra)
        before = builder.unary_intrinsic("smin", (number, extra))
        start = builder.emit(llvm.AddOp, (builder.emit(llvm.MulOp, (number, share), i64), before), i64)
        start = builder.emit(llvm.AddOp, (begin, start), i64)
        size = builder.emit(llvm.AddOp, (share, builder.emit(llvm.ZExtOp, (longer,), i64)), i64)
        chunks += [start, builder.emit(llvm.AddOp, (start, size), i64)]
        if position + 2 < len(bounds):
            # The number less the extra ones, or where that is negative, and huge without a sign, as many more as there are threads.
            moved = builder.emit(llvm.SubOp, (number, extra), i64)
            number = builder.unary_intrinsic("umin", (moved, builder.emit(llvm.AddOp, (moved, count), i64)))
    return chunks


def _report(
    builder: FunctionBuilder,
    signature: Signature,
    arguments: Sequence[SSAValue],
    data: SSAValue,
    struct: Attribute,
    done: Block,
) -> None:
    """Calls the body of a thread; of threads that fail, the first writes its status, and its values into the words of the call."""
    *taken, words = arguments
    own = builder.alloca(None, llvm.LLVMArrayType(VALUES, i64), 8)
    status = builder.call(signature.name, [*taken, own], signature.return_type)
    assert status is not None
    failed, first = builder.new_block(), builder.new_block()
    flag = _field(builder, data, struct, 1)
    builder.cond_branch(builder.compare(1, status, builder.int_constant(0)), failed, (), done, ())
    builder.resume(failed)
    before = builder.emit(
        AtomicRMWOp,
        (flag, builder.int_constant(1)),
        i64,
        {"bin_op": IntegerAttr(0, i64), "ordering": IntegerAttr(2, i64)},
    )
    builder.cond_branch(builder.compare(0, before, builder.int_constant(0)), first, (), done, ())
    builder.resume(first)
    store(builder, status, _field(builder, data, struct, 0), 8)
    for index in range(VALUES):
        value = load(builder, builder.offset_pointer(own, Linear(index), i64), i64, 8)
        store(builder, value, builder.offset_pointer(words, Linear(index), i64), 8)


def _as_it_is(low: FunctionLowering, op: Operation) -> None:
    """Emits instructions of a processor, which a schedule has chosen, or the address that they take."""
    types = [convert_type(result.type) for result in op.results]
    new = type(op).create(
        operands=[low.value(o) for o in op.operands], result_types=types, properties=dict(op.properties)
    )
    low.builder.append(new)
    for old, value in zip(op.results, new.results, strict=True):
        low.values[old] = value


HANDLERS: dict[str, Handler] = {
    "func.call": _call,
    "func.return": _return,
    "llvm.atomicrmw": _as_it_is,
    "llvm.call_intrinsic": _as_it_is,
    "llvm.inline_asm": _as_it_is,
    "llvm.inttoptr": _as_it_is,
}
