"""The packed functions of the paged cache, by which programs make one, append to it and attend to it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, cast

import numpy as np

from .attention import merged
from .errors import ArgumentError
from .paged_cache import PagedCache
from .pages import CacheError
from .rope import Rope, RopeMode

Array = np.ndarray[Any, np.dtype[Any]]


def create(sizes: tuple[int, ...], rope_factors: Array, settings: str) -> PagedCache:
    """Returns an empty cache.

    `sizes` are those that only run time knows: the number of sequences, the tokens of all of them, the tokens of one pass, the tokens of a
    page, and whether windows slide. `settings` is JSON; `rope_factors` is empty without extension factors.
    """
    max_batch_size, max_total_length, prefill_chunk_size, page_size, _ = sizes
    given = cast(dict[str, Any], json.loads(settings))
    mode = RopeMode(given["rope_mode"])
    return PagedCache(
        max_batch_size=max_batch_size,
        max_total_length=max_total_length,
        page_size=page_size,
        layers=given["num_hidden_layers"],
        heads=given["num_attention_heads"],
        key_value_heads=given["num_key_value_heads"],
        key_dim=given["qk_head_dim"],
        value_dim=given["v_head_dim"],
        rope_mode=mode,
        rope=None if mode == RopeMode.NONE else _rope(given, rope_factors),
        kind=given["attn_kind"],
        dtype=_float_dtype(given["dtype"]),
        sliding_window=given["sliding_window"],
        prefill_chunk_size=prefill_chunk_size,
    )


def _rope(given: Mapping[str, Any], rope_factors: Array) -> Rope:
    factors = tuple(float(factor) for factor in rope_factors) or None
    try:
        return Rope(given["rotary_dim"], given["rope_theta"], given["rope_scale"], given["rope_scaling"], factors)
    except ValueError as error:
        raise CacheError(f"rotary position embedding: {error}") from None


def _float_dtype(name: str) -> Any:
    """Returns the dtype in which keys and values are kept; bfloat16 as float32, which holds its values."""
    if name not in ("float16", "bfloat16", "float32", "float64"):
        raise CacheError(f"expected a dtype of floats for keys and values, got {name!r}")
    return np.dtype(np.float32 if name == "bfloat16" else name)


def _cache(value: Any) -> PagedCache:
    if not isinstance(value, PagedCache):
        raise ArgumentError(f"expected a paged cache, got {type(value).__name__}")
    return value


def _attention_with_fused_qkv(cache: Any, layer: int, sm_scale: float, qkv: Array, output: Array) -> None:
    output[...] = _cache(cache).attention_with_fused_qkv(layer, sm_scale, qkv)


def _self_attention(
    cache: Any, layer: int, sm_scale: float, q: Array, k: Array, v: Array, output: Array, logarithms: Array
) -> None:
    output[...], logarithms[...] = _cache(cache).self_attention(layer, sm_scale, q, k, v)


def _cross_attention(cache: Any, layer: int, sm_scale: float, q: Array, output: Array, logarithms: Array) -> None:
    output[...], logarithms[...] = _cache(cache).cross_attention(layer, sm_scale, q)


def _append_mla_kv(cache: Any, layer: int, kv: Array) -> PagedCache:
    _cache(cache).append_mla(layer, kv)
    return cache


def _merge(cache: Any, output: Array, logarithms: Array, other: Array, other_logarithms: Array) -> tuple[Array, Array]:
    mixed, combined = merged(output, logarithms, other, other_logarithms)
    return mixed.astype(output.dtype), combined


PAGED_CACHE: Mapping[str, Callable[..., Any]] = {
    "nn.llm.create_paged_kv_cache": create,
    "vm.builtin.attention_kv_cache_attention_with_fused_qkv": _attention_with_fused_qkv,
    "vm.builtin.attention_kv_cache_self_attention": _self_attention,
    "vm.builtin.attention_kv_cache_cross_attention": _cross_attention,
    "vm.builtin.attention_kv_cache_append_mla_kv": _append_mla_kv,
    "vm.builtin.attention_kv_cache_merge_attn_output_inplace": _merge,
    "vm.builtin.attention_kv_cache_get_query_positions": lambda cache: _cache(cache).query_positions(),
}
"""The packed functions, by name."""
