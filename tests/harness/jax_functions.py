"""Functions of jax and arguments for them, by what they show of the importer; jax itself is the oracle."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

RNG = np.random.default_rng(7)


def floats(*shape: int) -> Any:
    """Returns random numbers around 0."""
    return RNG.normal(size=shape).astype(np.float32)


def integers(*shape: int, low: int = -9, high: int = 9) -> Any:
    """Returns random integers."""
    return RNG.integers(low, high, shape, dtype=np.int32)


SPECIAL = np.array([0.0, -0.0, 0.3, -0.5, 1e-7, 2.5, -2.5, 88.0, -88.0, np.inf, -np.inf, np.nan], np.float32)
BITS = np.array([0, 1, -1, 7, 31, 32, 33, -(2**31), 2**31 - 1], np.int32)


def conv(lhs: str, rhs: str, out: str, strides: Any, padding: Any, **options: Any) -> Callable[..., Any]:
    """Returns a convolution with dims in any order."""
    return lambda x, w: lax.conv_general_dilated(x, w, strides, padding, dimension_numbers=(lhs, rhs, out), **options)


def loop(x: Any) -> Any:
    """Returns what a loop carries when its condition ends it."""
    return lax.while_loop(lambda s: s[0].sum() < 30, lambda s: (s[0] * 1.5 + 1, s[1] + 1), (jnp.abs(x), 0))


def branches(x: Any, index: Any) -> Any:
    """Returns the result of one of three branches."""
    return lax.switch(index, [lambda y: y + 1, lambda y: y * 2, lambda y: -y], x)


def scanned(x: Any) -> Any:
    """Returns the last state and all states."""
    return lax.scan(lambda state, row: (jnp.tanh(state + row), state * 2), jnp.zeros(x.shape[1]), x)


def attention(q: Any, k: Any, v: Any) -> Any:
    """Returns causal attention."""
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / np.sqrt(q.shape[-1])
    mask = jnp.tril(jnp.ones(scores.shape[-2:], bool))
    return jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(jnp.where(mask, scores, -jnp.inf)), v)


Function = tuple[Callable[..., Any], tuple[Any, ...]]

FUNCTIONS: dict[str, Function] = {
    "softmax": (lambda x: jax.nn.softmax(x @ x.T + 1), (floats(5, 7),)),
    "special": (
        lambda x: (jnp.expm1(x), jnp.log1p(x), jnp.cbrt(x), jnp.sign(x), lax.round(x), jnp.tanh(x)),
        (SPECIAL,),
    ),
    "arc_tangent": (jnp.arctan2, (SPECIAL[:, None], SPECIAL)),
    "bits": (
        lambda a, b: (lax.shift_left(a, b), lax.shift_right_logical(a, b), lax.shift_right_arithmetic(a, b)),
        (*map(np.array, np.broadcast_arrays(BITS[:, None], BITS)),),
    ),
    "bit_counts": (lambda a: (lax.population_count(a), lax.clz(a), ~a), (BITS,)),
    "integer_division": (
        lambda a, b: (lax.div(a, b), lax.rem(a, b), a // b),
        (*map(np.array, np.broadcast_arrays(BITS[:, None], BITS)),),
    ),
    "special_functions": (
        lambda x: (jax.scipy.special.gammaln(x), jax.scipy.special.digamma(x)),
        (np.abs(SPECIAL[:6]) + 1,),
    ),
    "bitcast": (lambda x: (lax.bitcast_convert_type(x, np.int32), lax.bitcast_convert_type(x, np.uint8)), (SPECIAL,)),
    "bitcast_back": (
        lambda x: lax.bitcast_convert_type(x, np.float32),
        (RNG.integers(0, 120, (3, 4), dtype=np.uint8),),
    ),
    "half": (
        lambda x: (x.astype(jnp.bfloat16) * 3, x.astype(jnp.float16) + 1, lax.reduce_precision(x, 5, 3)),
        (SPECIAL,),
    ),
    "dot_batch": (
        lambda a, b: lax.dot_general(a, b, (((2, 0), (1, 3)), ((1,), (0,)))),
        (floats(3, 2, 5), floats(2, 5, 4, 3)),
    ),
    "einsum": (lambda a, b: jnp.einsum("abc,cbd->dab", a, b), (floats(2, 3, 4), floats(4, 3, 5))),
    "dot_integers": (
        lambda a, b: lax.dot(a, b, preferred_element_type=np.int32),
        (integers(3, 4).astype(np.int8), integers(4, 2).astype(np.int8)),
    ),
    "conv": (conv("NHWC", "HWIO", "NHWC", (2, 1), ((1, 2), (0, 1))), (floats(2, 7, 6, 3), floats(3, 2, 3, 4))),
    "conv_groups": (
        conv("NCHW", "OIHW", "NCHW", (1, 1), "SAME", feature_group_count=3),
        (floats(1, 3, 5, 5), floats(6, 1, 3, 3)),
    ),
    "conv_dilated": (
        conv("NCHW", "OIHW", "CNWH", (1, 2), ((2, -1), (1, 1)), lhs_dilation=(2, 3), rhs_dilation=(2, 1)),
        (floats(2, 3, 5, 4), floats(4, 3, 3, 2)),
    ),
    "conv_batch_groups": (
        conv("NWC", "WIO", "NWC", (1,), ((1, 0),), batch_group_count=2),
        (floats(4, 6, 3), floats(2, 3, 4)),
    ),
    "reductions": (
        lambda x: (x.sum(0), x.max((0, 2)), x.min(1), x.prod((0, 1)), x.mean(), (x > 0).any(1), (x > 0).all(2)),
        (floats(3, 4, 5),),
    ),
    "argmax": (lambda x: (jnp.argmax(x, 1), jnp.argmin(x)), (floats(3, 7),)),
    "logical_reduction": (lambda x: lax.reduce(x, np.int32(0), lax.bitwise_xor, (0,)), (integers(5, 3),)),
    "pools": (
        lambda x: (
            lax.reduce_window(x, -np.inf, lax.max, (1, 3, 2), (1, 2, 1), "SAME"),
            lax.reduce_window(x, 0.0, lax.add, (1, 5, 2), (1, 1, 3), ((0, 0), (2, 1), (0, 1)), (1, 2, 1), (1, 1, 2)),
        ),
        (floats(2, 9, 6),),
    ),
    "pool_gradient": (
        jax.grad(lambda x: lax.reduce_window(x, -np.inf, lax.max, (3, 2), (2, 2), "VALID").sum()),
        (floats(7, 6),),
    ),
    "cumulative": (lambda x: (jnp.cumsum(x, 1), lax.cummax(x, 0), lax.cumlogsumexp(x, 1)), (floats(4, 6),)),
    "take": (
        lambda x, i: (x[i], jnp.take(x, i, 1), x[i, i], x.at[:, i].get(mode="fill", fill_value=7)),
        (floats(5, 6), integers(2, 3, low=-7)),
    ),
    "gather_windows": (
        lambda x, i: lax.gather(x, i, lax.GatherDimensionNumbers((1, 2), (1,), (0, 2)), (2, 1, 3), mode="clip"),
        (floats(4, 1, 5), integers(3, 2)),
    ),
    "scatter": (
        lambda x, i, u: (x.at[i].set(u, mode="drop"), x.at[i].add(u), x.at[:, i].mul(2.0)),
        (floats(6, 4), np.array([3, 0, 9, 1], np.int32), floats(4, 4)),
    ),
    "scatter_bits": (lambda x, i: x.at[i].max(i), (integers(6), np.array([3, 0, 3, 1], np.int32))),
    "dynamic_slices": (
        lambda x, i: (
            lax.dynamic_slice(x, (i, i - 2, 0), (2, 2, 4)),
            lax.dynamic_update_slice(x, x[:1, :2] * 2, (i, 1, 0)),
        ),
        (floats(3, 5, 4), np.int32(2)),
    ),
    "pads": (lambda x: lax.pad(x, np.float32(9), ((1, -1, 2), (-2, 3, 0), (0, 0, 1))), (floats(3, 4, 2),)),
    "shapes": (
        lambda x: (x.T.reshape(4, 6), x[::-1, :, 1::2], jnp.concatenate([x, x], 1), jnp.tile(x, (1, 2, 1))),
        (floats(2, 3, 4),),
    ),
    "sorts": (
        lambda x, y: (
            jnp.sort(x, 0),
            jnp.argsort(x, descending=True),
            lax.sort((y, x), num_keys=2),
            jnp.lexsort((x, y)),
        ),
        (floats(4, 6), integers(4, 6, low=0, high=3)),
    ),
    "sort_special": (lambda x: (jnp.sort(x), lax.top_k(x, 4)), (SPECIAL,)),
    "sort_any": (lambda x: lax.sort_key_val(jnp.abs(x) % 3, x), (integers(9),)),
    "loop": (loop, (floats(4),)),
    "branches": (branches, (floats(4), np.int32(1))),
    "branch_outside": (branches, (floats(4), np.int32(7))),
    "scan": (scanned, (floats(5, 3),)),
    "for_loop": (lambda x: lax.fori_loop(0, 5, lambda i, y: y.at[i].set(y[i] + i), x), (floats(6),)),
    "condition": (lambda x: lax.cond(x.sum() > 0, jnp.sin, jnp.cos, x), (floats(3),)),
    "random": (lambda seed: jax.random.uniform(jax.random.key(seed), (3, 5)), (np.uint32(42),)),
    "solve": (
        lambda a, b: lax.linalg.triangular_solve(a, b, left_side=True, lower=True),
        (floats(4, 4) + 4 * np.eye(4, dtype="f"), floats(4, 3)),
    ),
    "cholesky": (lambda a: lax.linalg.cholesky(a @ a.T + 4 * jnp.eye(4)), (floats(4, 4),)),
    "attention": (attention, (floats(2, 4, 2, 3), floats(2, 4, 2, 3), floats(2, 4, 2, 3))),
    "gradient": (jax.grad(lambda x, w: jnp.tanh(x @ w).sum(), (0, 1)), (floats(3, 4), floats(4, 2))),
    "nothing": (lambda x: (x.sum(0), jnp.sort(x), x[:, None] + 1), (floats(0, 3),)),
}
