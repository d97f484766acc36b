"""Recipes of ops: each takes a scope, picks operands and attributes, and adds one op or a few."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from xdsl.dialects.builtin import FloatAttr, IntegerAttr, IntegerType, f16, f32, f64, i1, i8, i32, i64
from xdsl_relax.dialects.relax import ops_of
from xdsl_relax.dialects.relax.attrs import ShapeType
from xdsl_relax.dialects.relax.base import RelaxOp
from xdsl_relax.dialects.relax.dtypes import ALL, FLOATS, INTEGERS, NUMERIC, SIGNED, is_float, ui8
from xdsl_relax.dialects.relax.ops import (
    binary,
    core,
    create,
    data_dependent,
    indexing,
    linear_algebra,
    manipulate,
    reduction,
    scan,
    shape,
    sorting,
    unary,
)
from xdsl_relax.dialects.relax.ops.nn import activation as nn_activation
from xdsl_relax.dialects.relax.ops.nn import norm as nn_norm
from xdsl_relax.dialects.relax.ops.nn import softmax as nn_softmax
from xdsl_relax.dialects.symbolic.expressions import Symbol, apply, product

from .scope import Scope, Value

Recipe = Callable[[Scope], Any]


def relax_ops_of(family: ModuleType) -> list[type[RelaxOp]]:
    """Returns the ops of a family of which results are inferred."""
    return [op for op in ops_of(family) if issubclass(op, RelaxOp)]


UNARY = [op for op in relax_ops_of(unary) if op not in (unary.ClipOp, unary.AsTypeOp)]
BINARY = [op for op in ops_of(binary) if issubclass(op, binary.BinaryOp)]
ACTIVATIONS = [op for op in relax_ops_of(nn_activation) if op is not nn_activation.PReluOp]
REDUCTIONS = [op for op in relax_ops_of(reduction) if not issubclass(op, reduction.ArgReductionOp)]
ARG_REDUCTIONS = [op for op in ops_of(reduction) if issubclass(op, reduction.ArgReductionOp)]


def maybe(s: Scope, value: Any, chance: float = 0.5) -> Any:
    """Returns the value, or `None`, which leaves an attribute out."""
    return value if s.rng.random() < chance else None


def axis_of(s: Scope, value: Value) -> int:
    """Returns an axis, counted from either end."""
    return s.rng.randrange(-value.rank, value.rank)


def axes_of(s: Scope, value: Value) -> list[int] | None:
    """Returns some axes; `None` stands for all."""
    chosen = s.rng.sample(range(value.rank), s.rng.randint(0, value.rank)) if value.rank else []
    return [axis - value.rank if s.rng.random() < 0.5 else axis for axis in chosen] or None


def unary_op(s: Scope) -> Any:
    op = s.rng.choice(UNARY + ACTIVATIONS)
    x = s.want(getattr(op, "ACCEPTED", FLOATS))
    return x and s.apply_single(op, x)


def clip(s: Scope) -> Any:
    x = s.want(NUMERIC)
    if x is None:
        return None
    low = s.rng.randint(-3, 2)
    return s.apply_single(unary.ClipOp, x, min=low, max=low + s.rng.randint(-1, 5))


def astype(s: Scope) -> Any:
    x = s.want(ALL)
    return x and s.apply_single(unary.AsTypeOp, x, dtype=s.rng.choice(ALL))


def partner(s: Scope, x: Value, elements: Any = None) -> Value | None:
    """Returns a tensor that broadcasts with another one."""
    element = elements or x.element
    for _ in range(4):
        other = s.pick(element)
        if other is not None and _broadcasts(x, other):
            return other
    dims = [1 if s.rng.random() < 0.25 else dim for dim in x.dims]
    if None in dims:
        return s.tensor([], element)
    return s.tensor(dims[s.rng.choice((0, 0, 0, 1, len(dims))) :], element)


def _broadcasts(a: Value, b: Value) -> bool:
    pairs = zip(reversed(a.dims), reversed(b.dims), strict=False)
    return all(x == y or x == 1 or y == 1 for x, y in pairs)


def binary_op(s: Scope) -> Any:
    op = s.rng.choice(BINARY)
    x = s.want(op.ACCEPTED)
    if x is None:
        return None
    pair = [x, partner(s, x)]
    s.rng.shuffle(pair)
    return s.apply_single(op, *pair)


ARITHMETIC = (binary.AddOp, binary.SubtractOp, binary.MultiplyOp, binary.MaximumOp, binary.DivideOp)


def arithmetic(s: Scope) -> Any:
    x = s.want(NUMERIC)
    if x is None:
        return None
    pair = [x, partner(s, x)]
    s.rng.shuffle(pair)
    return s.apply_single(s.rng.choice(ARITHMETIC), *pair)


def of_domain(s: Scope) -> Any:
    """An op that takes positive numbers, or those between -1 and 1."""
    x = s.want(FLOATS)
    if x is None:
        return None
    if s.rng.random() < 0.5:
        x = s.apply_single(s.rng.choice((unary.ExpOp, unary.SigmoidOp, nn_activation.SoftplusOp)), x)
        ops = (unary.LogOp, unary.SqrtOp, unary.RsqrtOp)
    else:
        x = s.apply_single(s.rng.choice((unary.TanhOp, unary.SinOp, unary.ErfOp)), x)
        ops = (unary.AcosOp, unary.AsinOp, unary.AtanhOp)
    return s.apply_single(s.rng.choice(ops), x)


def where(s: Scope) -> Any:
    x = s.want(ALL)
    if x is None:
        return None
    condition = partner(s, x, i1)
    return s.apply_single(binary.WhereOp, condition, x, partner(s, x))


def permute(s: Scope) -> Any:
    x = s.want(ALL, rank=2)
    if x is None:
        return None
    axes = s.rng.sample(range(x.rank), x.rank)
    return s.apply_single(manipulate.PermuteDimsOp, x, axes=maybe(s, axes, 0.8))


def shape_value(s: Scope, *dims: Any) -> Value | None:
    """Returns a shape value of known dims."""
    if None in dims:
        return None
    results = s.add(core.ShapeOp.create(result_types=[ShapeType(tuple(dims))]))
    return results[0] if results else None


def reshape(s: Scope) -> Any:
    x = s.want(ALL)
    if x is None:
        return None
    dims = list(x.dims)
    if s.rng.random() < 0.15:
        return s.apply_single(manipulate.FlattenOp, x)
    if len(dims) > 1 and s.rng.random() < 0.5:
        place = s.rng.randrange(len(dims) - 1)
        if None not in dims[place : place + 2]:
            dims[place : place + 2] = [product(dims[place : place + 2])]
    elif dims:
        place = s.rng.randrange(len(dims))
        size = dims[place]
        if isinstance(size, int):
            factors = [f for f in range(1, size + 1) if size % f == 0]
            if factors:
                factor = s.rng.choice(factors)
                dims[place : place + 1] = [factor, size // factor]
        elif size is not None:
            dims[place : place + 1] = [size, 1]
    if dims and s.rng.random() < 0.3 and 0 not in dims:
        dims[s.rng.randrange(len(dims))] = -1
    return s.apply_single(manipulate.ReshapeOp, x, shape_value(s, *dims))


def reshape_like(s: Scope) -> Any:
    x, other = s.want(ALL), s.want(ALL)
    if x is None or other is None:
        return None
    target = s.apply_single(shape.ShapeOfOp, other)
    return s.apply_single(
        s.rng.choice((manipulate.ReshapeOp, manipulate.BroadcastToOp, manipulate.CollapseSumToOp)), x, target
    )


def expand_dims(s: Scope) -> Any:
    x = s.want(ALL)
    if x is None or x.rank > 4:
        return None
    count = s.rng.choice((1, 1, 2))
    return s.apply_single(manipulate.ExpandDimsOp, x, axis=s.rng.sample(range(x.rank + count), count))


def squeeze(s: Scope) -> Any:
    candidates = [value for value in s.tensors() if 1 in value.dims]
    return s.apply_single(manipulate.SqueezeOp, s.rng.choice(candidates)) if candidates else None


def concat(s: Scope) -> Any:
    x = s.want(ALL, rank=1)
    if x is None:
        return None
    axis = axis_of(s, x)
    parts = [x]
    for _ in range(s.rng.choice((1, 1, 2))):
        same = [v for v in s.tensors(x.element) if v.rank == x.rank and _agree_but(x, v, axis % x.rank)]
        parts.append(s.rng.choice(same) if same else x)
    return s.apply_single(manipulate.ConcatOp, *parts, axis=axis)


def _agree_but(a: Value, b: Value, axis: int) -> bool:
    return all(x == y and x is not None for i, (x, y) in enumerate(zip(a.dims, b.dims, strict=True)) if i != axis)


def stack(s: Scope) -> Any:
    x = s.want(ALL)
    if x is None or x.rank > 4:
        return None
    same = [v for v in s.tensors() if v.ssa.type == x.ssa.type]
    parts = [x, *(s.rng.choice(same or [x]) for _ in range(s.rng.choice((0, 1, 2))))]
    return s.apply_single(manipulate.StackOp, *parts, axis=s.rng.randint(-x.rank - 1, x.rank))


def split(s: Scope) -> Any:
    x = s.want(ALL, rank=1)
    if x is None:
        return None
    if s.rng.random() < 0.5:
        return s.apply(manipulate.SplitOp, x, sections=s.rng.randint(1, 4), axis=axis_of(s, x))
    indices = sorted(s.rng.randint(0, 8) for _ in range(s.rng.randint(1, 3)))
    return s.apply(manipulate.SplitOp, x, indices=indices, axis=axis_of(s, x))


def broadcast_to(s: Scope) -> Any:
    x = s.want(ALL)
    if x is None or x.rank > 4:
        return None
    dims = [s.dim() if dim == 1 and s.rng.random() < 0.5 else dim for dim in x.dims]
    known = [Symbol(name) for name in s.defined()]
    dims = [*(s.rng.choice([2, 3, *known]) for _ in range(s.rng.choice((0, 1)))), *dims]
    return s.apply_single(manipulate.BroadcastToOp, x, shape_value(s, *_in_scope(s, dims)))


def _in_scope(s: Scope, dims: Any) -> list[Any]:
    """Replaces symbols that nothing defines by a number."""
    return [2 if isinstance(dim, Symbol) and dim.name not in s.defined() else dim for dim in dims]


def repeat(s: Scope) -> Any:
    x = s.want(ALL, rank=1)
    if x is None:
        return None
    kind = s.rng.random()
    if kind < 0.35:
        return s.apply_single(
            manipulate.RepeatOp, x, repeats=s.rng.choice((0, 1, 2, 3)), axis=maybe(s, axis_of(s, x), 0.8)
        )
    if kind < 0.65:
        return s.apply_single(
            manipulate.TileOp, x, repeats=[s.rng.choice((1, 1, 2, 3)) for _ in range(s.rng.randint(1, x.rank + 1))]
        )
    return s.apply_single(manipulate.FlipOp, x, axis=axis_of(s, x))


def pad(s: Scope) -> Any:
    x = s.want(NUMERIC)
    if x is None:
        return None
    widths = [s.rng.choice((0, 0, 1, 2)) for _ in range(2 * x.rank)]
    mode = s.rng.choice((None, "constant", "reflect", "replicate", "circular"))
    return s.apply_single(manipulate.PadOp, x, pad_width=widths, pad_mode=mode, pad_value=maybe(s, 2.0))


def meshgrid(s: Scope) -> Any:
    x = s.want(ALL)
    if x is None or x.rank > 1:
        return None
    same = [v for v in s.tensors(x.element) if v.rank <= 1]
    parts = [x, *(s.rng.choice(same) for _ in range(s.rng.choice((1, 2))))]
    return s.apply(manipulate.MeshgridOp, *parts, indexing=s.rng.choice((None, "ij", "xy")))


def indices(s: Scope, size: int, dims: Any) -> Value | None:
    """Returns a tensor of indices, mostly in range."""
    top = max(size, 1) + (s.rng.random() < 0.2)
    return s.tensor(
        dims,
        s.rng.choice((i64, i64, i32, i8, ui8)),
        lambda rng, shape: rng.integers(-top if s.rng.random() < 0.2 else 0, top, shape),
    )


def take(s: Scope) -> Any:
    x = s.want(ALL, rank=1)
    if x is None:
        return None
    axis = axis_of(s, x)
    dims = [s.dim() for _ in range(s.rng.choice((0, 1, 1, 2)))]
    places = s.pick(*INTEGERS) if s.rng.random() < 0.3 else indices(s, min(d.shape[axis] for d in x.data), dims)
    if places is None or places.rank + x.rank > 6:
        return None
    modes = (None, None, "fast", "clip", "wrap") + (("nan",) if is_float(x.element) else ())
    return s.apply_single(indexing.TakeOp, x, places, axis=axis, mode=s.rng.choice(modes))


def strided_slice(s: Scope) -> Any:
    x = s.want(ALL, rank=1)
    if x is None:
        return None
    axes = s.rng.sample(range(x.rank), s.rng.randint(1, x.rank))
    strides = [s.rng.choice((1, 1, 1, 2, 3, -1, -2)) for _ in axes]
    begin, end = [], []
    for stride in strides:
        low, high = s.rng.randint(-3, 5), s.rng.choice((3, 7, 20, 2**62, -1, -2))
        begin.append(low if stride > 0 else high)
        end.append(high if stride > 0 else s.rng.choice((low, -(2**62))))
    return s.apply_single(indexing.StridedSliceOp, x, axes=axes, begin=begin, end=end, strides=maybe(s, strides, 0.7))


def dynamic_slice(s: Scope) -> Any:
    x = s.want(ALL, rank=1)
    if x is None:
        return None
    entries = [
        s.tensor([x.rank], i64, lambda rng, shape, choices=choices: rng.choice(choices, shape))
        for choices in ([0, 0, 1, -2], [3, 9, -1, 100], [1, 1, 2])
    ]
    return s.apply_single(indexing.DynamicStridedSliceOp, x, *entries)


def gather(s: Scope) -> Any:
    x = s.want(ALL, rank=1)
    if x is None:
        return None
    axis = axis_of(s, x)
    size = min(d.shape[axis] for d in x.data)
    kind = s.rng.random()
    if kind < 0.4:
        dims = [s.dim() if i == axis % x.rank else dim for i, dim in enumerate(x.dims)]
        return None if None in dims else s.apply_single(indexing.GatherElementsOp, x, indices(s, size, dims), axis=axis)
    if kind < 0.7:
        return s.apply_single(indexing.GatherNDOp, x, indices(s, size, [s.dim(), s.rng.randint(1, x.rank)]))
    places = [indices(s, size, [s.dim()][: s.rng.choice((0, 1))]) for _ in range(s.rng.randint(1, x.rank))]
    return s.apply_single(indexing.IndexTensorOp, x, *places)


def scatter(s: Scope) -> Any:
    x = s.want(ALL, rank=1)
    if x is None or None in x.dims:
        return None
    axis = axis_of(s, x)
    size = min(d.shape[axis] for d in x.data)
    how = "update" if x.element == i1 else s.rng.choice((None, "update", "add", "mul", "min", "max"))
    kind = s.rng.random()
    if kind < 0.4:
        dims = [s.rng.randint(0, 4) if i == axis % x.rank else dim for i, dim in enumerate(x.dims)]
        places = indices(s, size, dims)
        return s.apply_single(
            indexing.ScatterElementsOp, x, places, s.tensor(dims, x.element), axis=axis, reduction=how
        )
    if kind < 0.7:
        count, depth = s.rng.randint(0, 4), s.rng.randint(1, x.rank)
        updates = s.tensor([count, *x.dims[depth:]], x.element)
        return s.apply_single(indexing.ScatterNDOp, x, indices(s, size, [count, depth]), updates, reduction=how)
    start, count, step = s.rng.randint(0, 2), s.rng.randint(0, 3), s.rng.choice((1, 1, 2))
    dims = [count if i == axis % x.rank else dim for i, dim in enumerate(x.dims)]
    end = start + step * count
    return s.apply_single(
        indexing.SliceScatterOp, x, s.tensor(dims, x.element), axis=axis, start=start, end=end, step=step
    )


def one_hot(s: Scope) -> Any:
    x = s.want(INTEGERS)
    if x is None or x.rank > 4:
        return None
    element = s.rng.choice((f32, f64, f16, i8, i32, i64))
    on, off = (
        (IntegerAttr(3, element), IntegerAttr(0, element))
        if isinstance(element, IntegerType)
        else (FloatAttr(1.0, element), FloatAttr(-0.5, element))
    )
    return s.apply_single(
        indexing.OneHotOp,
        x,
        on_value=on,
        off_value=off,
        depth=s.rng.randint(1, 6),
        axis=maybe(s, s.rng.randint(-1, x.rank)),
    )


def reduce(s: Scope) -> Any:
    op = s.rng.choice(REDUCTIONS)
    x = s.want(FLOATS if issubclass(op, reduction.FloatReductionOp) else NUMERIC)
    return x and s.apply_single(op, x, axis=axes_of(s, x), keepdims=maybe(s, s.rng.random() < 0.5))


def arg_reduce(s: Scope) -> Any:
    x = s.want(NUMERIC, rank=1)
    return x and s.apply_single(
        s.rng.choice(ARG_REDUCTIONS), x, axis=maybe(s, axis_of(s, x), 0.8), keepdims=maybe(s, s.rng.random() < 0.5)
    )


def scan_op(s: Scope) -> Any:
    x = s.want(NUMERIC)
    if x is None:
        return None
    axis = axis_of(s, x) if x.rank and s.rng.random() < 0.8 else None
    dtype = maybe(s, s.rng.choice(NUMERIC), 0.3)
    return s.apply_single(
        s.rng.choice(relax_ops_of(scan)), x, axis=axis, dtype=dtype, exclusive=maybe(s, s.rng.random() < 0.5)
    )


def sort(s: Scope) -> Any:
    x = s.want(ALL, rank=1)
    if x is None:
        return None
    axis = maybe(s, axis_of(s, x), 0.7)
    kind = s.rng.random()
    if kind < 0.35:
        return s.apply_single(sorting.SortOp, x, axis=axis, descending=maybe(s, s.rng.random() < 0.5))
    dtype = maybe(s, s.rng.choice(SIGNED), 0.5)
    if kind < 0.65:
        return s.apply_single(sorting.ArgsortOp, x, axis=axis, descending=maybe(s, s.rng.random() < 0.5), dtype=dtype)
    ret = s.rng.choice((None, "both", "values", "indices"))
    return s.apply(
        sorting.TopKOp,
        x,
        k=maybe(s, s.rng.randint(0, 5)),
        axis=axis,
        ret_type=ret,
        largest=maybe(s, s.rng.random() < 0.5),
        dtype=dtype,
    )


def softmax(s: Scope) -> Any:
    x = s.want(FLOATS, rank=1)
    return x and s.apply_single(
        s.rng.choice((nn_softmax.SoftmaxOp, nn_softmax.LogSoftmaxOp)), x, axis=maybe(s, axis_of(s, x), 0.7)
    )


def norm(s: Scope) -> Any:
    x = s.want(FLOATS, rank=1)
    if x is None:
        return None
    count = s.rng.randint(1, x.rank)
    dims = list(x.dims[-count:])
    if None in dims:
        return None
    weight = s.tensor(dims, x.element)
    epsilon = maybe(s, 1e-3)
    axes = list(range(-count, 0))
    if s.rng.random() < 0.5:
        return s.apply_single(nn_norm.RMSNormOp, x, weight, axes=axes, epsilon=epsilon)
    return s.apply_single(nn_norm.LayerNormOp, x, weight, s.tensor(dims, x.element), axes=axes, epsilon=epsilon,
                 center=maybe(s, s.rng.random() < 0.5), scale=maybe(s, s.rng.random() < 0.5))  # fmt: skip


def batch_norm(s: Scope) -> Any:
    x = s.want(FLOATS, rank=2)
    if x is None or None in x.dims:
        return None
    axis = s.rng.randrange(x.rank)
    created = [s.tensor([x.dims[axis]], x.element, lambda rng, shape: rng.uniform(0.3, 2, shape)) for _ in range(4)]
    vectors = [vector for vector in created if vector is not None]
    if len(vectors) < len(created):
        return None
    training = maybe(s, s.rng.random() < 0.5)
    return s.apply(nn_norm.BatchNormOp, x, *vectors, axis=axis, epsilon=1e-3, training=training)


def dropout(s: Scope) -> Any:
    x = s.want(FLOATS)
    return x and s.apply(nn_softmax.DropoutOp, x, rate=maybe(s, 0.25))


def matmul(s: Scope) -> Any:
    x = s.want(NUMERIC, rank=1)
    if x is None or x.dims[-1] is None:
        return None
    k = x.dims[-1]
    same = [v for v in s.tensors(x.element) if v.rank and (v.dims[-2:-1] or v.dims[-1:]) == (k,)]
    if same and s.rng.random() < 0.4:
        other = s.rng.choice(same)
    else:
        batch = [dim for dim in x.dims[:-2]] if s.rng.random() < 0.3 and None not in x.dims[:-2] else []
        other = s.tensor([*batch, k, *([s.dim()] if batch or s.rng.random() < 0.85 else [])], x.element)
    out = maybe(s, s.rng.choice(NUMERIC), 0.2)
    return s.apply_single(linear_algebra.MatmulOp, x, other, out_dtype=out)


def linear(s: Scope) -> Any:
    x = s.want(NUMERIC, rank=1)
    if x is None or x.dims[-1] is None:
        return None
    n = s.dim()
    weight = s.tensor([n, x.dims[-1]], x.element)
    bias = [s.tensor([n], x.element)] if s.rng.random() < 0.6 else []
    return s.apply_single(linear_algebra.LinearOp, x, weight, *bias)


def einsum(s: Scope) -> Any:
    x = s.want(NUMERIC, rank=1)
    if x is None or None in x.dims or x.rank > 4:
        return None
    letters = "abcd"[: x.rank]
    operands, terms = [x], [letters]
    for _ in range(s.rng.choice((0, 1, 1, 2))):
        used = s.rng.sample(range(x.rank), s.rng.randint(1, x.rank))
        extra = s.rng.choice(("", "", "x"))
        size = [next((o.dims[t.index("x")] for o, t in zip(operands, terms, strict=True) if "x" in t), 3)] * len(extra)
        operand = s.tensor([*(x.dims[i] for i in used), *size], x.element)
        if operand is None:
            return None
        operands.append(operand)
        terms.append("".join(letters[i] for i in used) + extra)
    labels = sorted(set("".join(terms)))
    kept = s.rng.sample(labels, s.rng.randint(0, len(labels)))
    return s.apply_single(linear_algebra.EinsumOp, *operands, subscripts=f"{','.join(terms)}->{''.join(kept)}")


def outer(s: Scope) -> Any:
    vectors = [v for v in s.tensors(*NUMERIC) if v.rank == 1]
    if not vectors:
        return None
    x = s.rng.choice(vectors)
    return s.apply_single(linear_algebra.OuterOp, x, s.rng.choice([v for v in vectors if v.element == x.element]))


def fill_like(s: Scope) -> Any:
    x = s.want(ALL)
    if x is None:
        return None
    dtype = maybe(s, s.rng.choice(ALL))
    kind = s.rng.random()
    if kind < 0.5:
        return s.apply_single(s.rng.choice((create.ZerosLikeOp, create.OnesLikeOp)), x, dtype=dtype)
    scalar = s.tensor([], s.rng.choice(ALL))
    return s.apply_single(create.FullLikeOp, x, scalar, dtype=dtype)


def creation(s: Scope) -> Any:
    dims = _in_scope(s, [s.dim() for _ in range(s.rng.randint(0, 2))])
    kind = s.rng.random()
    if kind < 0.2:
        return s.apply_single(
            s.rng.choice((create.ZerosOp, create.OnesOp)), shape_value(s, *dims), dtype=s.rng.choice(ALL)
        )
    if kind < 0.4:
        return s.apply_single(
            create.FullOp, shape_value(s, *dims), s.tensor([], s.rng.choice(ALL)), dtype=maybe(s, s.rng.choice(ALL))
        )
    if kind < 0.55:
        return s.apply_single(
            create.EyeOp,
            shape_value(s, *[*dims, 3, 4][:2]),
            k=maybe(s, s.rng.randint(-2, 2)),
            dtype=maybe(s, s.rng.choice(ALL)),
        )
    if kind < 0.75:
        bounds = shape_value(s, s.rng.randint(0, 3), [*dims, 9][0], s.rng.choice((1, 1, 2)))
        return s.apply_single(create.ArangeOp, bounds, dtype=maybe(s, s.rng.choice(NUMERIC)))
    start = s.rng.choice((0, 1, -3, 0.5))
    return s.apply_single(
        create.ArangeOp,
        start=start,
        end=start + s.rng.randint(0, 20),
        step=type(start)(s.rng.choice((1, 2))),
        dtype=maybe(s, s.rng.choice(FLOATS)),
    )


def triangle(s: Scope) -> Any:
    x = s.want(ALL, rank=2)
    return x and s.apply_single(s.rng.choice((create.TrilOp, create.TriuOp)), x, k=maybe(s, s.rng.randint(-2, 2)))


def shape_ops(s: Scope) -> Any:
    x = s.want(ALL)
    if x is None or None in x.dims:
        return None
    if s.rng.random() < 0.5:
        sizes = s.apply_single(shape.ShapeOfOp, x)
    else:
        sizes = shape_value(s, *(apply(s.rng.choice("+*"), dim, s.rng.randint(1, 3)) for dim in x.dims))
    if x.rank and s.rng.random() < 0.5:
        return s.apply_single(
            shape.SymbolValueOp,
            sizes,
            index=s.rng.randrange(x.rank),
            dtype=maybe(s, s.rng.choice((f32, f64, i32, i64))),
        )
    return s.apply_single(shape.ShapeToTensorOp, sizes)


def nonzero(s: Scope) -> Any:
    x = s.want(ALL)
    return x and s.apply_single(data_dependent.NonzeroOp, x)


def unique(s: Scope) -> Any:
    x = s.want(ALL)
    if x is None:
        return None
    flags = {name: maybe(s, True) for name in ("return_index", "return_inverse", "return_counts")}
    axis = axis_of(s, x) if x.rank and s.rng.random() < 0.4 else None
    return s.apply(data_dependent.UniqueOp, x, axis=axis, sorted=maybe(s, s.rng.random() < 0.5), **flags)


def stop_lift(s: Scope) -> Any:
    x = s.want(ALL)
    return x and s.apply_single(core.StopLiftParamsOp, x)


RECIPES: list[tuple[float, Recipe]] = [
    (8, unary_op),
    (2, clip),
    (4, astype),
    (8, binary_op),
    (12, arithmetic),
    (3, of_domain),
    (3, where),
    (4, permute),
    (4, reshape),
    (2, reshape_like),
    (2, expand_dims),
    (1, squeeze),
    (3, concat),
    (2, stack),
    (3, split),
    (3, broadcast_to),
    (4, repeat),
    (2, pad),
    (1, meshgrid),
    (3, take),
    (3, strided_slice),
    (1, dynamic_slice),
    (2, gather),
    (3, scatter),
    (1, one_hot),
    (6, reduce),
    (2, arg_reduce),
    (3, scan_op),
    (2, sort),
    (3, softmax),
    (3, norm),
    (2, batch_norm),
    (1, dropout),
    (6, matmul),
    (4, linear),
    (3, einsum),
    (1, outer),
    (1, fill_like),
    (2, creation),
    (2, triangle),
    (2, shape_ops),
    (0.7, nonzero),
    (0.7, unique),
    (0.5, stop_lift),
]


def is_boolean(value: Value) -> bool:
    """Returns whether a tensor is one of `i1`."""
    return value.is_tensor and isinstance(value.element, IntegerType) and value.element == i1
