"""Cases of reading and writing by index; oracles are numpy or torch, or loops over single elements."""

from __future__ import annotations

import numpy as np
from harness.op_cases import FLOATS, Arg, Case
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, bf16, f16, f32, i1, i8, i16, i32, i64
from xdsl.ir import Attribute
from xdsl_relax.dialects.relax.dtypes import ALL, INTEGERS, ui8, ui32
from xdsl_relax.dialects.relax.ops import indexing as ix

from cases.manipulate import on_torch, shape

END = 2**63 - 1


def indices(dims, low, high, element: Attribute = i64):
    """Returns an operand of random indices in `[low, high)`."""
    return Arg(dims, element, lambda rng, sizes: rng.integers(low, high, sizes))


def exactly(values, element: Attribute = i64):
    """Returns an operand with these values."""
    return Arg(np.shape(values), element, lambda rng, sizes: np.array(values))


def sliced(name, dims, axes, begin, end, strides=None, element: Attribute = f32, sizes=None, **more):
    def oracle(x, *bounds):
        index = [slice(None)] * x.ndim
        starts, stops = bounds or (begin, end)
        for axis, start, stop, step in zip(axes, starts, stops, strides or [1] * len(axes), strict=True):
            index[axis] = slice(start, stop, step)
        return x[tuple(index)]

    named = any(isinstance(bound, str) for bound in (*begin, *end))
    args = [Arg(dims, element), *([shape(*begin), shape(*end)] if named else [])]
    attrs = {"axes": axes, "strides": strides, **more}
    if not named:
        attrs |= {"begin": begin, "end": end}
    return Case(f"strided_slice-{name}", ix.StridedSliceOp, args, oracle, attrs, sizes or {})


def dynamic(name, dims, begin, end, strides, **sizes):
    def oracle(x, *bounds):
        return x[tuple(slice(*map(int, bound)) for bound in zip(*bounds, strict=True))]

    args = [Arg(dims), exactly(begin), exactly(end), exactly(strides)]
    return Case(f"dynamic_strided_slice-{name}", ix.DynamicStridedSliceOp, args, oracle, sizes=sizes)


_REDUCE = {"update": lambda a, b: b, "add": np.add, "mul": np.multiply, "min": np.minimum, "max": np.maximum}


def _scatter_elements(axis, reduction):
    def oracle(data, index, updates):
        out = data.copy()
        for position in np.ndindex(index.shape):
            place = list(position)
            place[axis] = index[position]
            if -out.shape[axis] <= place[axis] < out.shape[axis]:
                out[tuple(place)] = _REDUCE[reduction](out[tuple(place)], updates[position])
        return out

    return oracle


def _scatter_nd(reduction):
    def oracle(data, index, updates):
        out = data.copy()
        for position in np.ndindex(index.shape[:-1]):
            place = tuple(index[position])
            if all(-size <= i < size for i, size in zip(place, out.shape, strict=False)):
                out[place] = _REDUCE[reduction](out[place], updates[position])
        return out

    return oracle


def _gather_nd(batch):
    def oracle(data, index):
        out = np.empty((*index.shape[:-1], *data.shape[batch + index.shape[-1] :]))
        for position in np.ndindex(index.shape[:-1]):
            out[position] = data[(*position[:batch], *index[position])]
        return out

    return oracle


def _slice_scatter(axis, start, stop, step=1):
    return on_torch(lambda t, x, src: x.slice_scatter(src, axis, start, stop, step))


def _one_hot(depth, axis, on=1, off=0):
    return lambda x: np.where(np.moveaxis(x[..., None] == np.arange(depth), -1, axis), on, off)


CASES = (
    *(Case(f"take-{e}", ix.TakeOp, [Arg((5, 2), e), indices((3,), 0, 5)], lambda x, i: x[i], {"axis": 0}) for e in ALL),
    *(Case(f"take-by-{e}", ix.TakeOp, [Arg((2, 5, 2)), indices((3, "n"), 0, 5, e)], lambda x, i: x[:, i],
           {"axis": 1}, {"n": 2}) for e in INTEGERS),
    *(Case(f"take-rows-{e}", ix.TakeOp, [Arg((5, "n"), e), indices((7,), -5, 5)], lambda x, i: x[i], {"axis": 0},
           {"n": 37}) for e in ALL),
    *(Case(f"take-whole-{e}", ix.TakeOp, [Arg((256,), element), indices((3, "n"), low, high, e)], lambda x, i: x[i],
           sizes={"n": 131}) for e, low, high in ((i8, -128, 128), (ui8, 0, 256)) for element in (ui8, i32)),
    Case("take-whole-rows", ix.TakeOp, [Arg((256, 67)), indices((40,), -128, 128, i8)], lambda x, i: x[i], {"axis": 0}),
    Case("take-middle-rows", ix.TakeOp, [Arg((3, 5, 67), f16), indices((2, 3), -5, 5)], lambda x, i: x[:, i], {"axis": 1}),
    Case("take-rows-nan", ix.TakeOp, [Arg((5, 67)), exactly([4, 5, -1])],
         lambda x, i: np.stack([x[4], [np.nan] * 67, [np.nan] * 67]), {"axis": 0, "mode": "nan"}),
    Case("take-vector", ix.TakeOp, [Arg((5,)), indices((), -5, 5)], lambda x, i: x[i]),
    *(
        Case(f"take-of-scalar-{mode}", ix.TakeOp, [Arg(()), exactly([0, 1, -1])], lambda x, i, values=values: x * values,
             {"mode": mode})
        for mode, values in (("fast", [1, 1, 1]), ("clip", [1, 1, 1]), ("wrap", [1, 1, 1]), ("nan", [1, np.nan, np.nan]))
    ),
    Case("take-of-scalar-by-scalar", ix.TakeOp, [Arg((), i32), indices((), 0, 1)], lambda x, i: x),
    Case("take-fast", ix.TakeOp, [Arg(("n", 2)), exactly([-4, -3, 0, 2, 3, 99])], lambda x, i: x[[0, 0, 0, 2, 2, 2]],
         {"axis": 0}, {"n": 3}),
    Case("take-clip", ix.TakeOp, [Arg((3,), i32), exactly([-4, -1, 2, 9], i32)], lambda x, i: x[[0, 0, 2, 2]],
         {"mode": "clip"}),
    Case("take-wrap", ix.TakeOp, [Arg((3, 2)), exactly([-4, -1, 2, 9])], lambda x, i: x[:, [0, 1, 0, 1]],
         {"mode": "wrap", "axis": -1}),
    Case("take-nan", ix.TakeOp, [Arg((3, 2), f16), exactly([-1, 2, 3, 0])],
         lambda x, i: np.stack([[np.nan] * 2, x[2], [np.nan] * 2, x[0]]), {"mode": "nan", "axis": 0}),
    Case("take-empty", ix.TakeOp, [Arg(("n", 2)), exactly([0, 5])], lambda x, i: np.zeros((2, 2)), {"axis": 0},
         {"n": 0}),
    Case("take-empty-nan", ix.TakeOp, [Arg(("n",)), exactly([0, 5])], lambda x, i: np.full(2, np.nan), {"mode": "nan"},
         {"n": 0}),
    Case("take-none", ix.TakeOp, [Arg((4, 2)), Arg((0,), i64)], lambda x, i: x[:0], {"axis": 0}),
    *(sliced(f"{e}", (6, 5), [0, 1], [1, -4], [5, -1], [2, 1], e) for e in ALL),
    sliced("symbolic", ("n", 3), [0], [2], [END], sizes={"n": 5}),
    sliced("symbolic-short", ("n", 3), [0], [2], [END], sizes={"n": 1}),
    sliced("symbolic-tail", ("n", "m"), [0, 1], [-3, 1], [END, -1], sizes={"n": 2, "m": 6}),
    sliced("symbolic-step", ("n",), [0], [1], [9], [3], sizes={"n": 8}),
    sliced("backwards", ("n", 4), [0, 1], [-1, 3], [-(2**63), 0], [-2, -1], sizes={"n": 5}),
    sliced("backwards-static", (5, 4), [0, 1], [-1, 3], [-9, 0], [-2, -1]),
    sliced("backwards-empty", ("n",), [0], [-1], [-9], [-1], sizes={"n": 0}),
    sliced("huge", ("n", 4), [0, 1], [END, -(2**63)], [-9, -(2**63)], sizes={"n": 5}),
    sliced("huge-inbound", ("n", 4), [0, 1], [-(2**63), END], [END, -(2**63)], [1, -1], sizes={"n": 5}, assume_inbound=True),
    sliced("named", ("m", 4), [0], ["a"], ["b"], sizes={"m": 6, "a": 2, "b": 5}),
    sliced("named-over", ("m", 4), [0], ["a"], ["b"], sizes={"m": 4, "a": 2, "b": 9}),
    sliced("inbound", ("m", 4), [0], ["a"], ["b"], sizes={"m": 6, "a": 2, "b": 5}, assume_inbound=True),
    sliced("inbound-known", (6, 4), [0, 1], [1, -2], [5, END], [2, 1], assume_inbound=True),
    Case("strided_slice-inbound-broken", ix.StridedSliceOp, [Arg(("m",)), shape("a"), shape("b")],
         lambda x, a, b: x[[2, 3, 3, 3]], {"axes": [0], "assume_inbound": True}, {"m": 4, "a": 2, "b": 6}),
    Case("strided_slice-inbound-empty", ix.StridedSliceOp, [Arg(("m", 2)), shape("a"), shape("b")],
         lambda x, a, b: np.zeros((4, 2)), {"axes": [0], "assume_inbound": True}, {"m": 0, "a": 2, "b": 6}),
    sliced("none", (2, 2), [], [], []),
    dynamic("forward", ("n", 4), [1, -3], [9, -1], [1, 2], n=5),
    dynamic("backward", ("n", 4), [-1, 3], [-9, 0], [-2, -1], n=5),
    dynamic("empty", ("n", 4), [3, 0], [1, 4], [1, 1], n=5),
    dynamic("extreme", ("n", 4), [-(2**40), 2**40], [2**40, -(2**40)], [2**62, -(2**63)], n=5),
    Case("gather_elements", ix.GatherElementsOp, [Arg((4, "n")), indices((3, "n"), -4, 4)],
         on_torch(lambda t, x, i: x.gather(0, i % 4)), sizes={"n": 3}),
    Case("gather_elements-last", ix.GatherElementsOp, [Arg((4, 5), i8), indices((3, 2), 0, 5, i32)],
         lambda x, i: np.take_along_axis(x[:3], i, 1), {"axis": -1}),
    Case("gather_elements-out", ix.GatherElementsOp, [Arg((3,), bf16), exactly([-9, 9], i16)], lambda x, i: x[[0, 2]]),
    Case("gather_elements-empty", ix.GatherElementsOp, [Arg(("n",)), exactly([0, 1])], lambda x, i: np.zeros(2),
         sizes={"n": 0}),
    Case("gather_nd", ix.GatherNDOp, [Arg((4, "n", 3)), indices((2, 5, 2), -2, 2)], _gather_nd(0), sizes={"n": 2}),
    Case("gather_nd-all", ix.GatherNDOp, [Arg((4, 3), i32), indices(("n", 2), 0, 3, i32)], _gather_nd(0),
         sizes={"n": 4}),
    Case("gather_nd-batch", ix.GatherNDOp, [Arg(("n", 4, 3)), indices(("n", 5, 1), 0, 4, ui8)], _gather_nd(1),
         {"batch_dims": 1}, {"n": 2}),
    Case("gather_nd-out", ix.GatherNDOp, [Arg((4,)), exactly([[-9], [9]])], lambda x, i: x[[0, 3]]),
    *(Case(f"scatter_elements-{e}-{r}", ix.ScatterElementsOp, [Arg((3, 4), e), indices((2, 3), -5, 6), Arg((2, 3), e)],
           _scatter_elements(1, r), {"axis": 1, "reduction": r}, tolerance=3e-2 if e == bf16 else None)
      for e in (*FLOATS, i8, i64, ui8) for r in (("update",) if e in (f16, ui8) else _REDUCE)),
    Case("scatter_elements-i1", ix.ScatterElementsOp, [Arg((3,), i1), indices((2,), 0, 3), Arg((2,), i1)],
         _scatter_elements(0, "update")),
    Case("scatter_elements-symbolic", ix.ScatterElementsOp,
         [Arg(("n", "m")), indices(("k", "m"), 0, 4, i32), Arg(("k", "m"))], _scatter_elements(0, "add"),
         {"reduction": "add"}, {"n": 4, "m": 2, "k": 3}),
    Case("scatter_elements-empty", ix.ScatterElementsOp, [Arg(("n",)), indices((3,), 0, 4), Arg((3,))],
         lambda x, i, u: x, sizes={"n": 0}),
    *(Case(f"scatter_nd-{r}", ix.ScatterNDOp, [Arg(("n", 4, 2)), indices((3, 2), -3, 4), Arg((3, 2))], _scatter_nd(r),
           {"reduction": r}, {"n": 3}) for r in _REDUCE),
    Case("scatter_nd-element", ix.ScatterNDOp, [Arg((5,), i16), indices((4, 1), 0, 9, ui32), Arg((4,), i16)],
         _scatter_nd("update")),
    Case("scatter_nd-empty", ix.ScatterNDOp, [Arg(("n", 2)), indices((3, 1), 0, 4), Arg((3, 2))], lambda x, i, u: x,
         sizes={"n": 0}),
    Case("index_tensor", ix.IndexTensorOp, [Arg((4, 5, "n")), indices((3, 1), -4, 4), indices((2,), 0, 5)],
         lambda x, i, j: x[i, j], sizes={"n": 2}),
    Case("index_tensor-one", ix.IndexTensorOp, [Arg((4, 5), i8), indices((2, 2), 0, 4, i32)], lambda x, i: x[i]),
    Case("index_tensor-scalar", ix.IndexTensorOp, [Arg((4, 5)), indices((), -4, 4), indices((), 0, 5)], lambda x, i, j: x[i, j]),
    Case("slice_scatter", ix.SliceScatterOp, [Arg(("n", 6)), Arg(("n", 2))], _slice_scatter(1, 1, 5, 2),
         {"axis": 1, "start": 1, "end": 5, "step": 2}, {"n": 3}),
    Case("slice_scatter-tail", ix.SliceScatterOp, [Arg((5,), i32), Arg((2,), i32)], _slice_scatter(0, 3, 5),
         {"start": -2, "end": END}),
    Case("slice_scatter-named", ix.SliceScatterOp, [Arg((8, 2)), Arg((3, 2)), shape("a"), shape("b")],
         lambda x, s, a, b: np.concatenate([x[:2], s, x[5:]]), sizes={"a": 2, "b": 5}),
    Case("one_hot", ix.OneHotOp, [indices((2, "n"), -1, 5)], _one_hot(4, -1),
         {"on_value": FloatAttr(1.0, f32), "off_value": FloatAttr(0.0, f32), "depth": 4}, {"n": 3}),
    Case("one_hot-middle", ix.OneHotOp, [indices((2, 3), 0, 3, ui8)], _one_hot(3, 1, 7, -2),
         {"on_value": IntegerAttr(7, i8), "off_value": IntegerAttr(-2, i8), "depth": 3, "axis": 1}),
    Case("one_hot-scalar", ix.OneHotOp, [Arg((), i32)], _one_hot(3, 0),
         {"on_value": FloatAttr(1.0, bf16), "off_value": FloatAttr(0.0, bf16), "depth": 3, "axis": 0}),
)  # fmt: skip
