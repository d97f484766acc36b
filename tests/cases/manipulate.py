"""Cases of shape manipulation; the oracle is torch where it has the op, else numpy on indices."""

from __future__ import annotations

import numpy as np
from harness.op_cases import FLOATS, Arg, Case
from xdsl.dialects.builtin import bf16, f16, f32, f64, i1, i8, i16, i32, i64
from xdsl.ir import Attribute
from xdsl_relax.dialects.relax.dtypes import ALL, ui8, ui64
from xdsl_relax.dialects.relax.ops import manipulate as m


def on_torch(function):
    """Returns a function of torch tensors as a function of numpy arrays; other arguments stay."""

    def call(*args):
        import torch

        results = function(torch, *(torch.from_numpy(arg) if isinstance(arg, np.ndarray) else arg for arg in args))
        return tuple(result.numpy() for result in results) if isinstance(results, tuple | list) else results.numpy()

    return call


def shape(*dims):
    """Returns a shape operand."""
    return Arg(dims, shape_value=True)


def reshape(name, source, target, **sizes):
    return Case(
        f"reshape-{name}",
        m.ReshapeOp,
        [Arg(source), shape(*target)],
        on_torch(lambda t, x, s: x.reshape(s)),
        sizes=sizes,
    )


def pad(name, dims, widths, mode, element: Attribute = f32, value=None, **sizes):
    """Pads dim by dim with an index computed one element at a time."""

    def oracle(x):
        for axis, (before, after) in enumerate(zip(widths[::2], widths[1::2], strict=True)):
            rows = list(np.moveaxis(x, axis, 0))
            size = len(rows)
            out = []
            for index in range(-before, size + after):
                if 0 <= index < size:
                    out.append(rows[index])
                elif mode == "constant":
                    out.append(np.full(np.delete(x.shape, axis), 0 if value is None else value, x.dtype))
                elif mode == "replicate":
                    out.append(rows[0] if index < 0 else rows[-1])
                elif mode == "circular":
                    out.append(rows[index % size])
                else:
                    out.append(rows[-index if index < 0 else 2 * size - 2 - index])
            x = np.moveaxis(np.stack(out), 0, axis)
        return x

    attrs = {"pad_width": widths, "pad_mode": mode, "pad_value": value}
    return Case(f"pad-{name}", m.PadOp, [Arg(dims, element)], oracle, attrs, sizes)


def _permuted(axes):
    return on_torch(lambda t, x: x.permute(axes))


CASES = (
    *(Case(f"permute-{e}", m.PermuteDimsOp, [Arg((2, "n", 3), e)], _permuted((2, 0, 1)), {"axes": [2, 0, 1]}, {"n": 5})
      for e in ALL),
    Case("permute-reverse", m.PermuteDimsOp, [Arg((2, 3, 4))], _permuted((2, 1, 0))),
    Case("permute-empty", m.PermuteDimsOp, [Arg(("n", 3))], _permuted((1, 0)), {"axes": [-1, 0]}, {"n": 0}),
    reshape("join", ("n", 4, 8), ("n", 32), n=3),
    reshape("cut", ("n", 32), ("n", 4, 8), n=3),
    reshape("one", ("n",), ("n", 1), n=1),
    reshape("same", (2, 3), (2, 3)),
    reshape("regroup", (4, 6), (3, 8)),
    reshape("regroup-symbolic", ("n", 4, 6), ("n", 3, 8), n=2),
    reshape("ones", (1, 4, 1), (4, 1, 1, 1)),
    reshape("swap", ("n", "m"), ("m", "n"), n=3, m=4),
    reshape("rest", ("n", 4, 8), (-1, 8), n=3),
    reshape("rest-static", (4, 6), (3, -1, 2)),
    reshape("scalar", (1, 1), ()),
    reshape("from-scalar", (), (1, 1)),
    reshape("empty", (0, 3), (5, 0)),
    reshape("empty-symbolic", ("n", 4), (4, "n"), n=0),
    Case("reshape-unknown", m.ReshapeOp, [Arg(("n", 4)), shape("a", "b")],
         on_torch(lambda t, x, s: x.reshape(s)), sizes={"n": 3, "a": 2, "b": 6}),
    Case("reshape-unknown-empty", m.ReshapeOp, [Arg(("n", 4)), shape("a")], lambda x, s: np.zeros(0), sizes={"n": 0, "a": 0}),
    *(Case(f"flatten-{e}", m.FlattenOp, [Arg((2, "n", 3), e)], np.ravel, sizes={"n": 5}) for e in (f32, i8, i1, bf16)),
    Case("flatten-scalar", m.FlattenOp, [Arg(())], np.ravel),
    Case("expand_dims", m.ExpandDimsOp, [Arg(("n", 3))], on_torch(lambda t, x: x[None, :, None, :, None]),
         {"axis": [0, -1, 2]}, {"n": 2}),
    Case("expand_dims-scalar", m.ExpandDimsOp, [Arg((), i64)], lambda x: x.reshape(1, 1), {"axis": [0, 1]}),
    Case("squeeze", m.SqueezeOp, [Arg((1, "n", 1, 3, 1))], lambda x: x[0, :, 0, :, 0], sizes={"n": 2}),
    Case("squeeze-axis", m.SqueezeOp, [Arg((1, "n", 1))], lambda x: x[0], {"axis": [0]}, {"n": 2}),
    Case("squeeze-all", m.SqueezeOp, [Arg((1, 1))], lambda x: x[0, 0], {"axis": [0, -1]}),
    *(Case(f"concat-{e}", m.ConcatOp, [Arg((2, "n"), e), Arg((2, 3), e), Arg((2, "n"), e)],
           lambda *xs: np.concatenate(xs, 1), {"axis": -1}, {"n": 4}) for e in ALL),
    Case("concat-rows", m.ConcatOp, [Arg(("n", 3)), Arg(("m", 3))], on_torch(lambda t, *xs: t.cat(xs)),
         sizes={"n": 0, "m": 2}),
    Case("concat-columns", m.ConcatOp, [Arg((200, 33)), Arg((200, 64)), Arg((200, 40))],
         on_torch(lambda t, *xs: t.cat(xs, -1)), {"axis": -1}),
    Case("concat-one", m.ConcatOp, [Arg((3,))], lambda x: x),
    Case("stack", m.StackOp, [Arg(("n", 3))] * 3, on_torch(lambda t, *xs: t.stack(xs)), sizes={"n": 2}),
    Case("stack-last", m.StackOp, [Arg((2, 3), f16)] * 2, on_torch(lambda t, *xs: t.stack(xs, -1)), {"axis": -1}),
    Case("stack-scalars", m.StackOp, [Arg((), i32)] * 2, lambda a, b: np.stack([a, b])),
    Case("split", m.SplitOp, [Arg((7, 2))], on_torch(lambda t, x: t.split(x, 3)), {"sections": 3}),
    Case("split-symbolic", m.SplitOp, [Arg((2, "n"))], on_torch(lambda t, x: t.split(x, 2, 1)),
         {"sections": 4, "axis": 1}, {"n": 7}),
    Case("split-short", m.SplitOp, [Arg(("n",))], lambda x: (x[:1], x[1:2], x[2:], x[2:]), {"sections": 4}, {"n": 2}),
    Case("split-exact", m.SplitOp, [Arg(("n", 6), i8)], lambda x: np.split(x, 3, 1), {"sections": 3, "axis": -1},
         {"n": 2}),
    Case("split-indices", m.SplitOp, [Arg((7,))], lambda x: np.split(x, [2, 2, 5]), {"indices": [2, 2, 5]}),
    Case("split-indices-symbolic", m.SplitOp, [Arg(("n", 2), f64)], lambda x: np.split(x, [2, 9]),
         {"indices": [2, 9]}, {"n": 5}),
    *(Case(f"broadcast_to-{e}", m.BroadcastToOp, [Arg((3, 1), e), shape("n", 3, 4)], np.broadcast_to, sizes={"n": 2})
      for e in (*FLOATS, i64, ui8, i1)),
    Case("broadcast_to-symbolic", m.BroadcastToOp, [Arg(("n",)), shape(2, "n")], np.broadcast_to, sizes={"n": 3}),
    Case("broadcast_to-scalar", m.BroadcastToOp, [Arg(()), shape("n")], np.broadcast_to, sizes={"n": 0}),
    *(Case(f"collapse_sum_to-{e}", m.CollapseSumToOp, [Arg(("n", 2, 3), e), shape(2, 1)],
           lambda x, s: x.sum((0, 2)).reshape(2, 1), sizes={"n": 4}) for e in (*FLOATS, i8, i64, ui8)),
    Case("collapse_sum_to-all", m.CollapseSumToOp, [Arg((2, 3)), shape()], lambda x, s: x.sum()),
    Case("collapse_sum_to-none", m.CollapseSumToOp, [Arg((2, "n")), shape(2, "n")], lambda x, s: x, sizes={"n": 3}),
    *(Case(f"repeat-{e}", m.RepeatOp, [Arg((2, "n"), e)], lambda x: np.repeat(x, 3, 1), {"repeats": 3, "axis": 1},
           {"n": 2}) for e in ALL),
    Case("repeat-flat", m.RepeatOp, [Arg((2, 3))], on_torch(lambda t, x: x.repeat_interleave(2)), {"repeats": 2}),
    Case("repeat-none", m.RepeatOp, [Arg((2, 3))], lambda x: x[:0], {"repeats": 0, "axis": 0}),
    Case("repeat-scalar", m.RepeatOp, [Arg(())], lambda x: np.repeat(x, 2), {"repeats": 2}),
    Case("tile", m.TileOp, [Arg(("n", 3))], on_torch(lambda t, x: x.tile((2, 1, 2))), {"repeats": [2, 1, 2]}, {"n": 2}),
    Case("tile-short", m.TileOp, [Arg((2, 2, 3), i16)], lambda x: np.tile(x, (2,)), {"repeats": [2]}),
    Case("tile-none", m.TileOp, [Arg((2,))], lambda x: x, {"repeats": []}),
    *(Case(f"flip-{e}", m.FlipOp, [Arg((2, "n"), e)], on_torch(lambda t, x: x.flip(1)), {"axis": -1}, {"n": 3})
      for e in (*FLOATS, i64, ui64, i1)),
    Case("flip-empty", m.FlipOp, [Arg(("n",))], lambda x: x, {"axis": 0}, {"n": 0}),
    Case("meshgrid", m.MeshgridOp, [Arg(("n",)), Arg((2,)), Arg((4,))],
         on_torch(lambda t, *xs: t.meshgrid(*xs, indexing="ij")), sizes={"n": 3}),
    Case("meshgrid-xy", m.MeshgridOp, [Arg(("n",)), Arg((2,)), Arg((4,))],
         on_torch(lambda t, *xs: t.meshgrid(*xs, indexing="xy")), {"indexing": "xy"}, {"n": 3}),
    Case("meshgrid-one", m.MeshgridOp, [Arg((), i32)], lambda x: x.reshape(1), {"indexing": "xy"}),
    pad("constant", ("n", 3), [1, 2, 0, 1], "constant", n=2),
    pad("value", (2, "n"), [1, 0, 0, 2], "constant", i32, -3.0, n=0),
    pad("none", (2, 2), [0, 0, 0, 0], "constant", f16),
    *(pad(f"constant-{e}", (2, 2), [1, 0, 0, 1], "constant", e, 1.0) for e in (f64, bf16, i8, ui8, i64)),
    pad("reflect", ("n", 3), [2, 1, 0, 2], "reflect", n=3),
    pad("replicate", ("n", 3), [2, 3, 1, 0], "replicate", n=1),
    pad("circular", ("n", 3), [2, 1, 3, 0], "circular", n=2),
    pad("reflect-bf16", (4,), [3, 3], "reflect", bf16),
)  # fmt: skip
