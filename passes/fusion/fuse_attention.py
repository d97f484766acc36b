"""The pass `relax-fuse-attention`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import AnyFloat, ModuleOp, TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from ...dialects.relax.attrs import dims_of, element_type_of
from ...dialects.relax.base import RelaxOp, normalized_axis
from ...dialects.relax.fusion_pattern import FusionPattern
from ...dialects.relax.ops.core import DataflowOp
from ...dialects.relax.ops.linear_algebra import EinsumOp, MatmulOp
from ...dialects.relax.ops.nn.softmax import SoftmaxOp
from ...dialects.relax.vocabulary.attributes import CALL_OP_PATTERN
from ...dialects.symbolic.expressions import shapes_equal
from ...dialects.walks import ops_inside
from ...records import record
from ..analysis.op_pattern import op_pattern
from ..analysis.remarks import Topic, function_of, is_recording, named_op, remark
from ..rewriting.kernel_functions import KernelFunctions, graph_functions
from .causal_masks import with_causal_condition

_PRODUCTS = MatmulOp | EinsumOp

MOST_OPS = 64
"""Ops that are looked at before a product, of which attention has some ten: a product behind many others is not searched to their first."""


class FuseAttentionPass(ModulePass):
    """Groups a product, the softmax of its rows, and the product of that into one kernel, with what is element-wise in between.

    ```mlir
    %s = relax.matmul %q, %k : ...
    %m = relax.add %s, %mask : ...
    %p = relax.nn.softmax %m : ...
    %o = relax.matmul %p, %v : ...
    ```
    becomes
    ```mlir
    func.func private @fused_matmul_add_softmax_matmul(%q: ..., %k: ..., %mask: ..., %v: ...) attributes {relax.primitive}
    %o = func.call @fused_matmul_add_softmax_matmul(%q, %k, %mask, %v) {op_pattern = 4} : ...
    ```

    so that it may be computed for some rows at a time (`tile-attention`). A mask in front of the softmax that is a triangle of constants
    becomes a `relax.where` marked `relax.weightless` (`causal_masks.py`). A single row stays as it is. A remark says what keeps a product
    apart that reads the softmax of another one. *Requires* `relax-infer-shapes` and dataflow blocks. *Leaves* kernels that `relax-fuse-ops`
    fuses further, as it fuses a product.
    """

    name = "relax-fuse-attention"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        kernels = KernelFunctions(op)
        for function in graph_functions(op):
            for dataflow in [inner for inner in ops_inside(function) if isinstance(inner, DataflowOp)]:
                for product in [each for each in dataflow.body.block.ops if _is_product(each)]:
                    obstacles: list[_Obstacle] = []
                    group = _group(product, obstacles)
                    if group is not None:
                        call = kernels.outline(with_causal_condition(group))
                        CALL_OP_PATTERN.set(call, int(FusionPattern.OUT_ELEM_WISE_FUSABLE))
                    elif is_recording():
                        _remark_on_obstacle(product, obstacles)


@record
class _Obstacle:
    """An op that ends the search for the product of scores."""

    ops: Sequence[Operation]
    """The op, its reader, and so on until the second product."""
    reason: str
    """Why it is none of the ops between two products, nor the first of these."""


def _group(second: Operation, obstacles: list[_Obstacle]) -> list[Operation] | None:
    """Returns the ops from the product of scores to that of their softmax; `None` where there are none.

    Appends to `obstacles` where the search for them ended.
    """
    reader: dict[Operation, Operation] = {}
    pending: list[tuple[SSAValue, Operation]] = [(second.operands[0], second)]
    while pending and len(reader) < MOST_OPS:
        value, user = pending.pop()
        op = value.owner
        if not isinstance(op, RelaxOp) or op in reader:
            continue
        reader[op] = user
        reason = _refusal(value, user, second)
        if not reason and not _is_product(op):
            # Any operand may be made of the scores, such as the second one of a `where`.
            pending += [(operand, op) for operand in reversed(op.operands)]
            continue
        if not reason:
            group = _between(op, second, reader)
            reason = _refusal_of_scores(value, group)
            leak = next((each for each in group[:-1] if _is_read_outside(each, group)), None)
            if not reason and leak is None:
                return group
            op, reason = (op, reason) if leak is None else (leak, "has readers beside these")
        obstacles.append(_Obstacle(_path(op, second, reader), reason))
    return None


def _between(first: Operation, last: Operation, reader: Mapping[Operation, Operation]) -> list[Operation]:
    """Returns an op and those that are made of its result, of the ones that have a reader and the last one, each behind what it reads."""
    made, pending = {first, last}, [first]
    while pending:
        users = {use.operation for use in pending.pop().results[0].uses}
        new = [user for user in users if user in reader and user not in made]
        made.update(new)
        pending += new
    order: dict[Operation, None] = {}

    def visit(op: Operation) -> None:
        if op not in made or op in order:
            return
        for operand in op.operands:
            if isinstance(operand.owner, Operation):
                visit(operand.owner)
        order[op] = None

    visit(last)
    return [*order]


def _is_read_outside(op: Operation, group: Sequence[Operation]) -> bool:
    """Returns whether others than the ops of a group read what one of them makes, or the last of them as another operand than the first."""
    last = group[-1]
    return any(use.operation not in group or (use.operation is last and use.index != 0) for use in op.results[0].uses)


def _refusal_of_scores(scores: SSAValue, group: Sequence[Operation]) -> str:
    """Returns why the product that makes scores does not belong to the ops behind it; nothing where it does."""
    softmaxes = sum(isinstance(each, SoftmaxOp) for each in group)
    return _no_rows(scores) if softmaxes == 1 else f"has {softmaxes} softmaxes behind it, want 1"


def _refusal(value: SSAValue, user: Operation, last: Operation) -> str:
    """Returns why the op that makes a value does not belong to the ops from its user to the last one; nothing where it may."""
    op = value.owner
    assert isinstance(op, RelaxOp)
    if op.parent is not user.parent:
        return "is in another block"
    if len(op.results) != 1:
        return f"has {len(op.results)} results, want 1"
    if user is not last and not _same_shape(value, user.results[0]):
        return f"has another shape than {named_op(user)}"
    if isinstance(op, _PRODUCTS | SoftmaxOp) and not _may_be_fused(op):
        return f"has an op_pattern of {op_pattern(op)}, want {FusionPattern.OUT_ELEM_WISE_FUSABLE}"
    if _is_product(op):
        return ""
    if isinstance(op, SoftmaxOp):
        return "" if _is_of_rows(op) else "is not that of the last axis"
    return "" if op_pattern(op) == FusionPattern.ELEM_WISE else "is not element-wise"


def _remark_on_obstacle(second: Operation, obstacles: Sequence[_Obstacle]) -> None:
    """Records what keeps a product from being grouped, if it reads the softmax of what another one makes."""
    for obstacle in obstacles:
        first, *others = obstacle.ops
        softmaxes = [op for op in (*_sources(first), *others) if isinstance(op, SoftmaxOp)]
        if any(isinstance(op, _PRODUCTS) for softmax in softmaxes for op in _sources(softmax)):
            reason = f"{named_op(first)} {obstacle.reason}"
            text = f"{named_op(second)} is not grouped with the softmax before it, as attention: {reason}"
            remark(Topic.FUSION, function_of(second), [op.location for op in obstacle.ops], text)
            return


def _sources(op: Operation) -> Iterator[RelaxOp]:
    """Yields an op and those before it of which its result is made, up to products and the like."""
    pending, seen = [op], set[Operation]()
    while pending:
        current = pending.pop()
        if current in seen or not isinstance(current, RelaxOp):
            continue
        seen.add(current)
        yield current
        if isinstance(current, SoftmaxOp) or current.FUSION_PATTERN < FusionPattern.OUT_ELEM_WISE_FUSABLE:
            pending += [operand.owner for operand in current.operands if isinstance(operand.owner, Operation)]


def _path(first: Operation, last: Operation, reader: Mapping[Operation, Operation]) -> list[Operation]:
    """Returns an op, its reader, and so on until the last one."""
    path = [first]
    while path[-1] is not last:
        path.append(reader[path[-1]])
    return path


def _no_rows(scores: SSAValue) -> str:
    """Returns why scores are not floats of more than a single row; nothing where they are."""
    shape, kind = dims_of(scores.type), element_type_of(scores.type)
    if shape is None or len(shape) < 2:
        return "makes no rows"
    if shape[-2] == 1:
        return "makes a single row"
    return "" if isinstance(kind, AnyFloat) else f"makes elements of {kind}, want floats"


def _same_shape(value: SSAValue, other: SSAValue) -> bool:
    if not isinstance(value.type, TensorType) or not isinstance(other.type, TensorType):
        return False
    shape, wanted = dims_of(value.type), dims_of(other.type)
    return shape is not None and wanted is not None and shapes_equal(shape, wanted)


def _is_product(op: Operation) -> bool:
    """Returns whether an op multiplies two tensors; `relax-read-transposed-operands` makes some of these `einsum`."""
    is_matmul = isinstance(op, MatmulOp) or (isinstance(op, EinsumOp) and len(op.tensors) == 2)
    return is_matmul and _may_be_fused(op)


def _is_of_rows(op: SoftmaxOp) -> bool:
    shape = dims_of(op.results[0].type)
    return shape is not None and normalized_axis(op.prop("axis", -1), len(shape), "softmax_c2") == len(shape) - 1


def _may_be_fused(op: Operation) -> bool:
    """Returns whether no attribute says that a product or softmax is of another kind of pattern, such as opaque."""
    return op_pattern(op) == FusionPattern.OUT_ELEM_WISE_FUSABLE
