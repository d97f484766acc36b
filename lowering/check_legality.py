"""What each stage may leave behind, and the pass `check-legality` that ends each stage."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import MemRefType, ModuleOp, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, Region
from xdsl.utils.exceptions import PassFailedException

from ..dialects.relax.base import RelaxOp
from ..dialects.relax.function_signature import functions
from ..dialects.relax.vocabulary.attributes import PACKED, RUNTIME_FUNCTION
from ..dialects.upstream.known_elements import verify_known_elements
from ..dialects.upstream.op_error import OpError, refuse
from ..dialects.walks import ops_inside
from ..passes.analysis.call_graph import own_references
from ..passes.fusion.fuse_ops import STRUCTURAL
from ..passes.options import PassWithOptions
from ..passes.rewriting.kernel_functions import is_kernel

_LINALG = frozenset(("builtin", "func", "linalg", "tensor", "arith", "math", "scf", "cf"))
_LOOPS = frozenset(("builtin", "func", "scf", "memref", "vector", "arith", "math", "cf"))

ALLOWED_DIALECTS: Mapping[str, frozenset[str]] = {
    "linalg": _LINALG,
    "fuse": _LINALG,
    "buffers": frozenset(("builtin", "func", "linalg", "memref", "arith", "math", "scf", "cf")),
    "loops": _LOOPS | {"llvm"},
    "llvm": frozenset(("builtin", "llvm")),
}

_TRANSFERS = frozenset(("vector.transfer_read", "vector.transfer_write"))
"""Vectors of tensors, by which lowerings say what registers hold."""

ALLOWED_OPS: Mapping[str, frozenset[str]] = {
    "linalg": _TRANSFERS,
    "fuse": _TRANSFERS,
    "buffers": frozenset(("vector.load", "vector.store")),
}

FORBIDDEN_OPS: Mapping[str, frozenset[str]] = {
    "buffers": frozenset(("memref.alloc", "memref.dealloc")),
    "loops": frozenset(("memref.alloc", "memref.dealloc", "scf.parallel")),
}

FORBIDDEN_TYPES: Mapping[str, type[Attribute]] = {
    "buffers": TensorType,
    "loops": TensorType,
    "llvm": MemRefType,
}


PAST_LINALG = (
    "the program is past the stage linalg: programs enter as relax or as linalg on tensors; one that goes on from later is lowered "
    "by the passes that follow, such as linalg-to-loops (docs/schedules.md)"
)


_BRANCHES = "{} is not supported, expected a function of one block with scf.if, scf.for, scf.while or scf.index_switch"


def verify_blocks(module: ModuleOp) -> None:
    """Raises `OpError` for functions of several blocks, at the branches between these if there are some; passes take functions of one."""
    problems: list[tuple[Operation, str]] = []
    for function in module.body.block.ops:
        if isinstance(function, FuncOp):
            for op in ops_inside(function):
                for region in op.regions:
                    problems += _branches(op, region)
    refuse(problems)


def _branches(op: Operation, region: Region) -> list[tuple[Operation, str]]:
    """Returns the branches between the blocks of a region, or the op that it belongs to where no branch leads to its other blocks."""
    if len(region.blocks) < 2:
        return []
    ends = [end for block in region.blocks if (end := block.last_op) is not None and end.successors]
    count = len(region.blocks)
    return [(end, _BRANCHES.format(end.name)) for end in ends] or [
        (op, _BRANCHES.format(f"{op.name} of {count} blocks"))
    ]


def verify_enters(module: ModuleOp) -> None:
    """Raises `OpError` for a program with branches, or of a stage behind linalg, with functions on buffers or of the llvm dialect."""
    verify_blocks(module)
    for op in module.body.block.ops:
        on_buffers = isinstance(op, FuncOp) and any(isinstance(kind, MemRefType) for kind in op.function_type.inputs)
        if on_buffers or op.dialect_name() in ("memref", "llvm"):
            raise OpError(op, PAST_LINALG)


def verify_callees(module: ModuleOp) -> None:
    """Raises `OpError` for the mentions of functions without a body, which nothing defines where the program runs.

    Those that stand for functions of Python say so by their attributes.
    """
    missing = {
        op.sym_name.data
        for op in module.body.block.ops
        if isinstance(op, FuncOp) and op.is_declaration and not (PACKED.is_on(op) or RUNTIME_FUNCTION.is_on(op))
    }
    if not missing:
        return
    refuse(
        [
            (op, f"@{name} has no body, expected a function that the program defines, or relax.call_packed")
            for function in functions(module)
            for op in ops_inside(function)
            for name in own_references(op)
            if name in missing
        ]
    )


def verify_legality(module: ModuleOp, stage: str) -> None:
    """Raises `OpError` for what a stage must not leave behind, all of it."""
    if stage == "graph":
        verify_known_elements(module)
        _verify_kernels(module)
        return
    dialects = ALLOWED_DIALECTS.get(stage)
    if dialects is None:
        raise PassFailedException(f"check-legality: no stage {stage!r}; there are graph, {', '.join(ALLOWED_DIALECTS)}")
    allowed, forbidden = ALLOWED_OPS.get(stage, frozenset()), FORBIDDEN_OPS.get(stage, frozenset())
    forbidden_type = FORBIDDEN_TYPES.get(stage)
    ops = ops_inside(module)
    # Ops have few names and values few classes: each op is looked at only where one of these should not be there.
    illegal = {
        name
        for name, op in {op.name: op for op in ops}.items()
        if (op.dialect_name() not in dialects and name not in allowed) or name in forbidden
    }
    has_forbidden = forbidden_type is not None and any(
        issubclass(kind, forbidden_type) for kind in {type(result.type) for op in ops for result in op.results}
    )
    if not illegal and not has_forbidden:
        return
    problems: list[tuple[Operation, str]] = []
    for op in ops:
        if op.name in illegal:
            problems.append((op, f"{op.name} is left after the stage {stage}"))
        elif forbidden_type is not None and any(isinstance(result.type, forbidden_type) for result in op.results):
            problems.append((op, f"{op.name} has a {forbidden_type.name} after the stage {stage}"))
    refuse(problems)


def _verify_kernels(module: ModuleOp) -> None:
    """Raises `OpError` for the ops that compute something outside of a kernel, or that have no lowering of their own."""
    problems: list[tuple[Operation, str]] = []
    for function in functions(module):
        for op in ops_inside(function):
            if not isinstance(op, RelaxOp):
                continue
            if op.name.startswith("relax.qnn."):
                problems.append((op, f"{op.name} is left after the stage graph"))
            elif not is_kernel(function) and op.name not in STRUCTURAL:
                problems.append((op, f"{op.name} is left outside of kernels after the stage graph"))
    refuse(problems)


@dataclass(frozen=True)
class CheckLegalityPass(PassWithOptions):
    """Refuses what a stage must not leave behind: ops of another dialect, or of a type that should be gone. Changes nothing.

    After `graph` a relax op that computes a tensor stands in a kernel. *Requires* the option `stage`: graph, linalg, fuse, buffers, loops
    or llvm (see docs/stages.md).
    """

    name = "check-legality"

    stage: str
    """The stage that has run: graph, linalg, fuse, buffers, loops or llvm."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.stage == "linalg":
            verify_enters(op)
        verify_legality(op, self.stage)
