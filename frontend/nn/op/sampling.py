"""Indices drawn from rows of probabilities by uniform numbers, and rows cut to their most probable part.

`top_p` `[batch, 1]` is the share of a row's probability that is kept, `top_k` `[batch, 1]` how many of its elements at most. What is
kept of a sorted row are the elements up to the first whose running sum reaches `top_p`, or up to element `top_k`.
"""

from __future__ import annotations

from ..annotations import checked
from ..errors import ModelError
from ..tensor import Tensor, apply
from .elementwise import astype, divide, greater_equal, less, less_equal, maximum, minimum, where
from .manipulate import reshape, take
from .reduction import cumsum, sum


@checked
def multinomial_from_uniform(
    prob: Tensor,
    uniform_sample: Tensor,
    sample_indices: Tensor | None = None,
    dtype: str = "int64",
    name: str = "multinomial_from_uniform",
) -> Tensor:
    """Returns for each uniform number the first index at which the running sum of a row exceeds it: `[n, 1]`.

    The row is that of the number, or the one that `sample_indices` `[n, 1]` names.
    """
    sums = _drawn_from(cumsum(prob, axis=1), uniform_sample, sample_indices)
    return astype(_first_above(sums, uniform_sample), dtype, name=name)


@checked
def sample_top_p_top_k_from_sorted_prob(
    sorted_prob: Tensor,
    sorted_index: Tensor,
    top_p: Tensor,
    top_k: Tensor,
    uniform_sample: Tensor,
    sample_indices: Tensor | None = None,
) -> Tensor:
    """Returns an index for each uniform number, drawn from what is kept of a row of descending probabilities: `[n, 1]`.

    `sorted_index` is the index of each probability before the rows were sorted. The row is that of the number, or the one that
    `sample_indices` `[n, 1]` names.
    """
    sums = cumsum(sorted_prob, axis=1)
    kept = divide(sums, _at(sums, _last_kept(sums, top_p, top_k), "kept"), name="kept_cumsum")
    place = _first_above(_drawn_from(kept, uniform_sample, sample_indices), uniform_sample)
    return _at(_drawn_from(sorted_index, uniform_sample, sample_indices), place, "get_index_from_sorted")


@checked
def renormalize_top_p_top_k_prob(prob: Tensor, sorted_prob: Tensor, top_p: Tensor, top_k: Tensor) -> Tensor:
    """Returns rows of probabilities with zeros for what is not kept, so that each row's sum is 1.

    `sorted_prob` has the rows in descending order; a probability equal to the last that is kept stays too.
    """
    last = _last_kept(cumsum(sorted_prob, axis=1), top_p, top_k)
    cutoff = _at(sorted_prob, last, "get_renorm_cutoff")
    nothing = Tensor.from_scalar(0, prob.dtype)
    kept = where(greater_equal(prob, cutoff), prob, nothing, name="filter_with_top_p_top_k")
    return kept / sum(kept, axis=1, keepdims=True)


def _drawn_from(rows: Tensor, uniform_sample: Tensor, sample_indices: Tensor | None) -> Tensor:
    """Returns the row that each uniform number is for."""
    if rows.ndim != 2 or uniform_sample.ndim != 2:
        raise ModelError(f"expected rows and uniform numbers of rank 2, got {rows!r} and {uniform_sample!r}")
    if sample_indices is None:
        if rows.shape[0] != uniform_sample.shape[0]:
            counts = f"{uniform_sample.shape[0]} for {rows.shape[0]}"
            raise ModelError(
                f"expected as many uniform numbers as rows where there are no sample_indices, got {counts}"
            )
        return rows
    if sample_indices.shape != uniform_sample.shape:
        expected = f"sample_indices of the shape {uniform_sample.shape} of uniform_sample"
        raise ModelError(f"expected {expected}, got {sample_indices.shape}")
    return take(rows, reshape(sample_indices, [-1], name="sample_indices"), axis=0)


def _last_kept(sums: Tensor, top_p: Tensor, top_k: Tensor) -> Tensor:
    """Returns the place of the last element of each row that is kept."""
    below = _count(less(_but_last(sums), top_p), top_k.dtype)
    return maximum(minimum(below, top_k - 1), Tensor.from_scalar(0, top_k.dtype), name="last_kept")


def _first_above(sums: Tensor, uniform_sample: Tensor) -> Tensor:
    """Returns the place of the first running sum above a number, or the last place."""
    return _count(less_equal(_but_last(sums), uniform_sample), "int64")


def _but_last(rows: Tensor) -> Tensor:
    return apply("strided_slice", rows, axes=[1], begin=[0], end=[-1], name="strided_slice")


def _count(condition: Tensor, dtype: str) -> Tensor:
    return sum(astype(condition, dtype), axis=1, keepdims=True, name="count")


def _at(rows: Tensor, places: Tensor, name: str) -> Tensor:
    """Returns the element of each row at a place."""
    return apply("gather_elements", rows, places, axis=1, name=name)
