"""Cases of functions that move elements, and of those that make tensors."""

from __future__ import annotations

from harness.nn_arguments import X, by_torch, floats, indices
from harness.nn_cases import Case

_MANIPULATE = [
    Case("unsqueeze", [X], lambda nn, x: nn.op.unsqueeze(x, 1), lambda x: x[:, None]),
    Case("squeeze", [floats("n", 1)], lambda nn, x: nn.op.squeeze(x), lambda x: x[:, 0]),
    Case("squeeze-all", [floats(1, 4, 1)], lambda nn, x: nn.op.squeeze(x, None), lambda x: x[0, :, 0]),
    Case(
        "concat", [X, floats("n", 2)], lambda nn, x, y: nn.op.concat([x, y], 1), lambda x, y: by_torch("cat")([x, y], 1)
    ),
    Case("split", [floats("n", 6)], lambda nn, x: nn.op.split(x, [1, 3], axis=1), lambda x: x.split([1, 2, 3], 1)),
    Case("split-1", [X], lambda nn, x: nn.op.split(x, 1), lambda x: (x,), differs="TVM returns a tensor, no tuple"),
    Case("chunk", [floats("n", 6)], lambda nn, x: nn.op.chunk(x, 3, dim=1), lambda x: x.chunk(3, 1)),
    Case("broadcast_to", [floats(4)], lambda nn, x: nn.op.broadcast_to(x, [2, 3, 4]), lambda x: x.expand(2, 3, 4)),
    Case("permute_dims", [floats("n", 2, 4)], lambda nn, x: nn.op.permute_dims(x), lambda x: x.permute(2, 1, 0)),
    Case("permute", [floats("n", 2, 4)], lambda nn, x: nn.op.permute(x, [1, 0, 2]), lambda x: x.permute(1, 0, 2)),
    Case(
        "reshape",
        [floats("n", 2, 6)],
        lambda nn, x: nn.op.reshape(x, [x.shape[0], 3, 4]),
        lambda x: x.reshape(-1, 3, 4),
    ),
    Case(
        "reshape-rest", [floats("n", 2, 6)], lambda nn, x: nn.op.reshape(x, [0, -1, 3]), lambda x: x.reshape(3, -1, 3)
    ),
    Case("repeat", [X], lambda nn, x: nn.op.repeat(x, 3, axis=1), lambda x: x.repeat_interleave(3, 1)),
    Case("repeat-flat", [X], lambda nn, x: nn.op.repeat(x, 2), lambda x: x.repeat_interleave(2)),
    Case("take", [X, indices(3, 2, 2)], lambda nn, x, i: nn.op.take(x, i, axis=0), lambda x, i: x[i]),
    Case(
        "take-flat",
        [floats(7), indices(7, "n", dtype="int32")],
        lambda nn, x, i: nn.op.take(x, i),
        lambda x, i: x[i.long()],
    ),
    Case(
        "pad",
        [X],
        lambda nn, x: nn.op.pad(x, [0, 1, 2, 3], value=1.5),
        lambda x: by_torch("pad")(x, (2, 3, 0, 1), value=1.5),
    ),
    Case("triu", [floats(2, 4, 5)], lambda nn, x: nn.op.triu(x, 1), lambda x: x.triu(1)),
]

_CREATE = [
    Case(
        "arange",
        [],
        lambda nn: nn.op.arange(2, 11, 3, "int32"),
        lambda: by_torch("arange")(2, 11, 3),
        dtypes=["float32"],
    ),
    Case(
        "arange-symbols",
        [X],
        lambda nn, x: nn.op.arange(0, x.shape[0], 1, "int32"),
        lambda x: by_torch("arange")(3),
        dtypes=["float32"],
    ),
    Case("arange-end", [], lambda nn: nn.op.arange(4), lambda: by_torch("arange")(4.0), dtypes=["float32"]),
    Case("full", [X], lambda nn, x: nn.op.full([x.shape[0], 2], 1.5, x.dtype), lambda x: x.new_full((3, 2), 1.5)),
    Case("full-tensor", [floats()], lambda nn, x: nn.op.full([3, 2], x, x.dtype), lambda x: x.expand(3, 2)),
    Case("zeros", [X], lambda nn, x: nn.op.zeros([2, x.shape[0]], x.dtype), lambda x: x.new_zeros(2, 3)),
    Case("ones", [X], lambda nn, x: nn.op.ones([2, x.shape[0]], x.dtype), lambda x: x.new_ones(2, 3)),
    Case("empty", [], lambda nn: nn.op.empty([2, 3], "float32"), None, differs="TVM allocates", dtypes=["float32"]),
]

CASES = [*_MANIPULATE, *_CREATE]
