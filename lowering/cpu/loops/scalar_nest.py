"""The schedule for anything: scalar loops over all dims, outputs carried through the reduction loops."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from .builder import Index, LoopBuilder
from .iteration import Nest, with_dim
from .parallel import cost_of_point, inside, outer_loops
from .payload import emit_payload

SCALAR = 8
"""How much more work a point is than a lane of a vector."""


def emit_scalar(builder: LoopBuilder, nest: Nest, fixed: Sequence[Index] = ()) -> None:
    """Emits the loops; the order of the dims is that of the nest, parallel dims outermost. Its first dims have the given
    values already."""
    outer = [d for d in range(len(fixed), nest.rank()) if nest.parallel[d]]
    inner = [d for d in range(nest.rank()) if not nest.parallel[d]]
    carried = not any(set(inner) & o.dims() for o in nest.outputs)
    work = SCALAR * cost_of_point(nest) * inside([nest.sizes[d] for d in inner])
    depth, share = (0, 0) if fixed or builder.in_parallel else outer_loops([nest.sizes[d] for d in outer], work)

    def at_parallel(first: Sequence[Index]) -> None:
        builder.nest([nest.sizes[d] for d in outer[depth:]], lambda rest: at_point([*first, *rest]))

    def at_point(indices: list[Index]) -> None:
        dims: list[Index] = [*fixed, *([0] * (nest.rank() - len(fixed)))]
        for d, index in zip(outer, indices, strict=True):
            dims[d] = index
        if carried and inner:
            initial = [builder.load(o.value, _at(builder, o.exprs, dims)) for o in nest.outputs]
            for output, value in zip(nest.outputs, reduce(0, dims, initial), strict=True):
                builder.store(value, output.value, _at(builder, output.exprs, dims))
        else:
            everywhere(0, dims)

    def reduce(level: int, dims: list[Index], accumulators: Sequence[SSAValue]) -> Sequence[SSAValue]:
        if level == len(inner):
            return point(dims, accumulators)

        def body(index: Index, values: Sequence[SSAValue]) -> Sequence[SSAValue]:
            return reduce(level + 1, with_dim(dims, inner[level], index), values)

        return builder.loop(0, nest.sizes[inner[level]], 1, accumulators, body)

    def everywhere(level: int, dims: list[Index]) -> None:
        if level < len(inner):
            dim = inner[level]
            builder.plain_loop(0, nest.sizes[dim], 1, lambda i: everywhere(level + 1, with_dim(dims, dim, i)))
            return
        present = [
            builder.load(o.value, _at(builder, o.exprs, dims)) if nest.reads_output(k) else None
            for k, o in enumerate(nest.outputs)
        ]
        for output, value in zip(nest.outputs, point(dims, present), strict=True):
            builder.store(value, output.value, _at(builder, output.exprs, dims))

    def point(dims: list[Index], present: Sequence[SSAValue | None]) -> list[SSAValue]:
        arguments: dict[SSAValue, SSAValue] = {}
        for arg, access in zip(nest.body.args, nest.inputs, strict=False):
            if arg.uses:
                at = _at(builder, access.exprs, dims)
                arguments[arg] = builder.load(access.value, at) if access.is_memref else access.value
        for k, value in enumerate(present):
            if value is not None:
                arguments[nest.output_arg(k)] = value
        return emit_payload(builder, nest, arguments, dims)

    builder.nest([nest.sizes[d] for d in outer[:depth]], at_parallel, share)


def _at(builder: LoopBuilder, exprs: Sequence[object], dims: Sequence[Index]) -> list[Index]:
    return [builder.affine(e, dims) for e in exprs]  # pyright: ignore[reportArgumentType]
