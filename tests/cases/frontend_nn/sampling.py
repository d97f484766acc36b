"""Cases of drawn indices, and of operations of several ranks."""

from __future__ import annotations

from typing import Any

from harness.nn_arguments import X, indices, probabilities, uniform
from harness.nn_cases import Case


def _drawn(prob: Any, uniform: Any, rows: Any = None) -> Any:
    sums = prob.cumsum(1) if rows is None else prob.cumsum(1)[rows[:, 0]]
    return ((sums > uniform).double().argmax(1, keepdim=True)).long()


def _kept(row: Any, top_p: Any, top_k: Any) -> int:
    """Returns how many of the first elements of a row stay: at least one, at most `top_k`, up to that at which the sum is `top_p`."""
    total = 0.0
    for count, probability in enumerate(row.tolist(), 1):
        total += probability
        if total >= float(top_p) or count >= int(top_k):
            return count
    return len(row)


def _nucleus(prob: Any, index: Any, top_p: Any, top_k: Any, uniform: Any, rows: Any = None) -> Any:
    import torch

    drawn = []
    for place, number in enumerate(uniform[:, 0]):
        row = place if rows is None else int(rows[place, 0])
        kept = prob[row, : _kept(prob[row], top_p[row], top_k[row])]
        above = (kept / kept.sum()).cumsum(0) > number
        drawn.append(index[row, int(above.int().argmax())])
    return torch.stack(drawn)[:, None]


def _renormalized(prob: Any, ordered: Any, top_p: Any, top_k: Any) -> Any:
    import torch

    cutoffs = [ordered[row, _kept(ordered[row], top_p[row], top_k[row]) - 1] for row in range(len(prob))]
    kept = torch.where(prob >= torch.stack(cutoffs)[:, None], prob, 0.0)
    return kept / kept.sum(1, keepdim=True)


_SORTED = [probabilities(4, 7, descending=True), indices(7, 4, 7), uniform(4, 1), indices(7, 4, 1)]
KERNELS = "TVM calls kernels of its own"
_F32: dict[str, Any] = {"differs": KERNELS, "dtypes": ["float32"]}
_SAMPLING = [
    Case(
        "multinomial",
        [probabilities(4, 7), uniform(4, 1)],
        lambda nn, *args: nn.op.multinomial_from_uniform(*args),
        _drawn,
        differs="multinomial_from_uniform is an op of Relax",
        dtypes=["float32"],
    ),
    Case(
        "multinomial-rows",
        [probabilities("n", 7), uniform("m", 1), indices(3, "m", 1)],
        lambda nn, *args: nn.op.multinomial_from_uniform(*args, dtype="int32"),
        _drawn,
        differs="multinomial_from_uniform is an op of Relax",
        dtypes=["float32"],
    ),
    Case(
        "sample_top_p_top_k",
        [*_SORTED, uniform(4, 1)],
        lambda nn, *args: nn.op.sample_top_p_top_k_from_sorted_prob(*args),
        _nucleus,
        **_F32,
    ),
    Case(
        "sample_top_p_top_k-rows",
        [*_SORTED, uniform("m", 1), indices(4, "m", 1)],
        lambda nn, *args: nn.op.sample_top_p_top_k_from_sorted_prob(*args),
        _nucleus,
        **_F32,
    ),
    Case(
        "renormalize_top_p_top_k",
        [probabilities(4, 7), *_SORTED[2:]],
        lambda nn, prob, p, k: nn.op.renormalize_top_p_top_k_prob(prob, nn.op.sort(prob, descending=True), p, k),
        lambda prob, p, k: _renormalized(prob, prob.sort(descending=True).values, p, k),
        **_F32,
    ),
]

_COLLECTIVE = [
    Case("ccl_allreduce", [X], lambda nn, x: nn.op.ccl_allreduce(x), lambda x: x),
    Case("ccl_allgather", [X], lambda nn, x: nn.op.ccl_allgather(x, 1), lambda x: x),
    Case("ccl_broadcast", [X], lambda nn, x: nn.op.ccl_broadcast_from_worker0(x), lambda x: x),
]

CASES = [*_SAMPLING, *_COLLECTIVE]
