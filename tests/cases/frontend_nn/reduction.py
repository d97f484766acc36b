"""Cases of functions along axes."""

from __future__ import annotations

from harness.nn_arguments import X, booleans
from harness.nn_cases import Case

CASES = [
    Case(
        "sum",
        [X],
        lambda nn, x: (nn.op.sum(x), nn.op.sum(x, [0, 1], True), nn.op.sum(x, -1)),
        lambda x: (x.sum(), x.sum((0, 1), True), x.sum(-1)),
    ),
    Case("max", [X], lambda nn, x: (nn.op.max(x), nn.op.max(x, 1, True)), lambda x: (x.amax(), x.amax(1, True))),
    Case("min", [X], lambda nn, x: (nn.op.min(x), nn.op.min(x, 1, True)), lambda x: (x.amin(), x.amin(1, True))),
    Case(
        "cumsum",
        [X],
        lambda nn, x: (nn.op.cumsum(x), nn.op.cumsum(x, 1)),
        lambda x: (x.reshape(-1).cumsum(0), x.cumsum(1)),
    ),
    Case(
        "cumsum-exclusive",
        [booleans(4, 3)],
        lambda nn, x: nn.op.cumsum(x, 1, "int32", True),
        lambda x: x.long().cumsum(1) - x.long(),
        dtypes=["float32"],
    ),
    Case(
        "sort",
        [X],
        lambda nn, x: (nn.op.sort(x), nn.op.sort(x, 0, descending=True)),
        lambda x: (x.sort().values, x.sort(0, descending=True).values),
    ),
    Case(
        "argsort",
        [X],
        lambda nn, x: nn.op.argsort(x, descending=True),
        lambda x: x.argsort(descending=True, stable=True),
    ),
    Case("topk", [X], lambda nn, x: nn.op.topk(x, 2), lambda x: tuple(x.topk(2))),
    Case(
        "topk-smallest",
        [X],
        lambda nn, x: nn.op.topk(x, 1, ret_type="values", largest=False),
        lambda x: x.topk(1, largest=False).values,
    ),
    Case("topk-indices", [X], lambda nn, x: nn.op.topk(x, 3, 1, "indices", dtype="int64"), lambda x: x.topk(3).indices),
]
