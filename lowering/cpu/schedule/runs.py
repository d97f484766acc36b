"""Runs: `linalg` ops of a block between which nothing but addresses is computed, so that they may share loops."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import func, memref, scf
from xdsl.ir import Block, Operation, Region

from ....kinds import kind_test
from ....records import record
from ...sizes.op_sizes import VIEWS


@record
class Run:
    """`linalg` ops of a block that only address computations separate."""

    ops: list[Operation]
    block: Block
    in_parallel: bool


def runs_of(function: func.FuncOp) -> Iterator[list[Run]]:
    """Yields the runs of each block of a function, inner blocks first."""
    yield from _runs_in(function.body, False)


def _runs_in(region: Region, in_parallel: bool) -> Iterator[list[Run]]:
    # Invariant: the last run is the one that the next `linalg` op belongs to; any op that may touch a buffer starts another.
    for block in region.blocks:
        for op in list(block.ops):
            if not op.name.startswith("linalg."):
                for inner in op.regions:
                    yield from _runs_in(inner, in_parallel or isinstance(op, scf.ParallelOp))
        ops: list[Operation] = []
        runs = [Run(ops, block, in_parallel)]
        for op in block.ops:
            if op.name.startswith("linalg."):
                runs[-1].ops.append(op)
            elif op.regions or not _is_address_computation(op):
                runs.append(Run([], block, in_parallel))
        yield [run for run in runs if run.ops]


def _is_address_computation(op: Operation) -> bool:
    """Returns whether an operation neither reads nor writes a buffer."""
    return op.dialect_name() in ("arith", "math") or _is_address(op)


_is_address = kind_test(*VIEWS, memref.DimOp, memref.GetGlobalOp, memref.AllocaOp)
