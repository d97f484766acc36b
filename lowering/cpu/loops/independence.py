"""What ops of the loops stage read and write, and whether two of them may run at the same time or in another order."""

from __future__ import annotations

from xdsl.dialects import llvm, memref, scf, vector
from xdsl.ir import Operation, SSAValue

from ....dialects.walks import ops_inside
from ....kinds import kind_test
from ....records import record
from ...buffers.apart import apart, computes

_is_read = kind_test(memref.LoadOp, vector.LoadOp, vector.MaskedLoadOp)
_is_write = kind_test(memref.StoreOp)
_is_write_at_base = kind_test(vector.StoreOp, vector.MaskedStoreOp)
_is_structure = kind_test(
    scf.ForOp, scf.IfOp, scf.WhileOp, scf.IndexSwitchOp, scf.ParallelOp, scf.YieldOp, scf.ConditionOp, scf.ReduceOp
)

_FETCH = "llvm.prefetch"


@record
class Effects:
    """The memrefs that an op reads, and those that it writes, also by the ops inside."""

    reads: frozenset[SSAValue]
    writes: frozenset[SSAValue]

    def are_independent_of(self, other: Effects) -> bool:
        """Returns whether neither writes what the other reads or writes, for all that is known of the memory."""
        return all(
            apart(written, touched)
            for effects, others in ((self, other), (other, self))
            for written in effects.writes
            for touched in others.reads | others.writes
        )


def effects_of(op: Operation) -> Effects | None:
    """Returns what an op does to memory; None for what may do more, as calls, assertions and instructions that take an address may.

    Memory on the stack is more, too: one function that does it all would need the stacks of all.
    """
    reads: set[SSAValue] = set()
    writes: set[SSAValue] = set()
    for inner in ops_inside(op):
        if _is_read(inner):
            reads.add(inner.operands[0])
        elif _is_write(inner):
            writes.add(inner.memref)
        elif _is_write_at_base(inner):
            writes.add(inner.base)
        elif not _touches_no_memory(inner):
            return None
    return Effects(frozenset(reads), frozenset(writes))


def _touches_no_memory(op: Operation) -> bool:
    """Returns whether an op, those inside of it apart, reads and writes nothing, and always goes on to the next one."""
    if isinstance(op, llvm.CallIntrinsicOp):
        # On registers alone, or a fetch, which changes nothing that a program sees.
        on_registers = not any(isinstance(operand.type, llvm.LLVMPointerType) for operand in op.operands)
        return (bool(op.results) and bool(op.operands) and on_registers) or op.intrin.data.startswith(_FETCH)
    return _is_structure(op) or computes(op)
