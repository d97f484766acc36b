"""The paged cache of keys and values as models see it: an object that attention of every layer appends to and reads."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np

from ....dialects.relax.attrs import ObjectType
from ....interpreter.host.rope import RopeMode
from ..annotations import checked
from ..errors import ModelError
from ..marks import ARGUMENT
from ..python_calls import call_python
from ..symbols import IntExpr
from ..tensor import Object, Tensor, tensor_type

PREFIX = "vm.builtin.attention_kv_cache_"


class PagedKVCache(Object):
    """A cache of the keys and values of all layers, for sequences that are added, forked and rolled back between calls.

    At run time it is a `PagedCache`: `begin_forward(sequences, lengths)` before a call, `end_forward()` after it. Tensors of a pass have
    the tokens of its sequences one behind the other in their first two dims, `[1, tokens, ...]` or `[sequences, 1, ...]`.
    """

    @classmethod
    @checked
    def create(
        cls,
        *,
        max_batch_size: IntExpr,
        max_total_seq_len: IntExpr,
        prefill_chunk_size: IntExpr,
        page_size: IntExpr,
        support_sliding_window: IntExpr = 0,
        num_hidden_layers: int,
        num_attention_heads: int,
        num_key_value_heads: int,
        qk_head_dim: int,
        v_head_dim: int | None = None,
        attn_kind: str | Sequence[str] = "mha",
        rope_mode: RopeMode | int = RopeMode.NORMAL,
        rope_scale: float = 1.0,
        rope_theta: float = 10000.0,
        rope_scaling: Mapping[str, Any] | None = None,
        rope_ext_factors: Sequence[float] | None = None,
        rotary_dim: int | None = None,
        sliding_window: int = 1024,
        dtype: str = "float32",
        name: str = "paged_kv_cache",
    ) -> Self:
        """Returns a new, empty cache.

        `attn_kind` is "mha", "mla" (multi-head latent attention), or a list with one of these or "mha_sliding" for each layer.
        """
        settings = {
            "attn_kind": attn_kind if isinstance(attn_kind, str) else list(attn_kind),
            "num_hidden_layers": num_hidden_layers,
            "num_attention_heads": num_attention_heads,
            "num_key_value_heads": num_key_value_heads,
            "qk_head_dim": qk_head_dim,
            "v_head_dim": qk_head_dim if v_head_dim is None else v_head_dim,
            "rope_mode": int(_rope_mode(rope_mode)),
            "rope_scale": rope_scale,
            "rope_theta": rope_theta,
            "rope_scaling": dict(rope_scaling or {}),
            "rotary_dim": qk_head_dim if rotary_dim is None else rotary_dim,
            "sliding_window": sliding_window,
            "dtype": dtype,
        }
        sizes = (max_batch_size, max_total_seq_len, prefill_chunk_size, page_size, support_sliding_window)
        factors = Tensor.from_const(np.asarray(rope_ext_factors or (), np.float32))
        try:
            text = json.dumps(settings)
        except (TypeError, ValueError) as error:
            raise ModelError(f"PagedKVCache.create: expected settings that JSON has: {error}") from None
        arguments = [sizes, factors, text]
        return cls(call_python("nn.llm.create_paged_kv_cache", arguments, [ObjectType()], name=name))

    @classmethod
    @checked
    def create_generic(
        cls,
        attn_kind: str | Sequence[str],
        max_batch_size: IntExpr,
        max_total_seq_len: IntExpr,
        prefill_chunk_size: IntExpr,
        page_size: IntExpr,
        support_sliding_window: IntExpr,
        num_hidden_layers: int,
        num_attention_heads: int,
        num_key_value_heads: int,
        qk_head_dim: int,
        v_head_dim: int,
        rope_mode: RopeMode | int,
        rope_scale: float,
        rope_theta: float,
        dtype: str,
        mla_original_qk_head_dim: int = 0,
        mla_original_v_head_dim: int = 0,
        rotary_dim: int | None = None,
        rope_scaling: Mapping[str, Any] | None = None,
        rope_ext_factors: Sequence[float] | None = None,
        layer_partition: Sequence[int] | None = None,
        enable_disaggregation: bool = False,
        name: str = "paged_kv_cache",
        *,
        sliding_window: int = 1024,
    ) -> Self:
        """Returns a new, empty cache, asked for as models of MLC-LLM do: "mla" has one head of keys.

        Raises `ModelError` for layers in several partitions, and for a cache that several machines share.
        """
        _require_one_machine(layer_partition, num_hidden_layers, enable_disaggregation)
        return cls.create(
            max_batch_size=max_batch_size,
            max_total_seq_len=max_total_seq_len,
            prefill_chunk_size=prefill_chunk_size,
            page_size=page_size,
            support_sliding_window=support_sliding_window,
            num_hidden_layers=num_hidden_layers,
            num_attention_heads=num_attention_heads,
            num_key_value_heads=1 if attn_kind == "mla" else num_key_value_heads,
            qk_head_dim=qk_head_dim,
            v_head_dim=v_head_dim,
            attn_kind=attn_kind,
            rope_mode=rope_mode,
            rope_scale=rope_scale,
            rope_theta=rope_theta,
            rope_scaling=rope_scaling,
            rope_ext_factors=rope_ext_factors,
            rotary_dim=rotary_dim,
            sliding_window=sliding_window,
            dtype=dtype,
            name=name,
        )

    @checked
    def attention_with_fused_qkv(self, layer_id: int, qkv: Tensor, num_qo_heads: int, sm_scale: float) -> Tensor:
        """Appends keys and values and returns causal attention, `[b, s, num_qo_heads, dims]`.

        `qkv` is `[b, s, num_qo_heads + 2 num_kv_heads, dims]`: queries, keys, values, not rotated yet.
        """
        b, s, heads, dims = qkv.shape
        (output,) = self._attention(
            "attention_with_fused_qkv", layer_id, sm_scale, [qkv.reshape(b * s, heads, dims)], [num_qo_heads, dims]
        )
        return output.reshape(b, s, num_qo_heads, dims)

    @checked
    def self_attention(self, layer_id: int, q: Tensor, k: Tensor, v: Tensor, sm_scale: float) -> tuple[Tensor, Tensor]:
        """Returns causal attention of the tokens of a pass among themselves, and the logarithm (base 2) of its sums."""
        b, s, heads, _ = q.shape
        flat = [states.reshape(b * s, *states.shape[2:]) for states in (q, k, v)]
        outputs = self._attention("self_attention", layer_id, sm_scale, flat, [heads, v.shape[3]], has_sums=True)
        return outputs[0].reshape(b, s, heads, v.shape[3]), outputs[1].reshape(b, s, heads)

    @checked
    def cross_attention(self, layer_id: int, q: Tensor, v_head_dim: int, sm_scale: float) -> tuple[Tensor, Tensor]:
        """Returns attention to what was stored before this pass, and the logarithm (base 2) of its sums."""
        b, s, heads, dims = q.shape
        flat = [q.reshape(b * s, heads, dims)]
        outputs = self._attention("cross_attention", layer_id, sm_scale, flat, [heads, v_head_dim], has_sums=True)
        return outputs[0].reshape(b, s, heads, v_head_dim), outputs[1].reshape(b, s, heads)

    @checked
    def append_mla_kv(self, layer_id: int, kv: Tensor) -> PagedKVCache:
        """Appends the compressed keys of a pass, `[b, s, 1, dims]`, and returns the cache."""
        b, s, _, dims = kv.shape
        arguments = [self, layer_id, kv.reshape(b * s, dims)]
        return PagedKVCache(call_python(f"{PREFIX}append_mla_kv", arguments, [ObjectType()], name="paged_kv_cache"))

    @checked
    def merge_attn_output_inplace(
        self, o_self_attn: Tensor, lse_self_attn: Tensor, o_cross_attn: Tensor, lse_cross_attn: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Returns attention to the keys of both, and the logarithm of the sums."""
        b, s, heads, dims = o_self_attn.shape
        states = [
            o_self_attn.reshape(b * s, heads, dims),
            lse_self_attn.reshape(b * s, heads),
            o_cross_attn.reshape(b * s, heads, dims),
            lse_cross_attn.reshape(b * s, heads),
        ]
        types = [state.value.type for state in states[:2]]
        results = call_python(f"{PREFIX}merge_attn_output_inplace", [self, *states], types, name="merged")
        output, sums = map(Tensor, results)
        return output.reshape(b, s, heads, dims), sums.reshape(b, s, heads)

    @checked
    def get_query_positions(self, total_length: IntExpr) -> Tensor:
        """Returns the position of each token of the pass in its sequence, int32."""
        result = tensor_type([total_length], "int32", ARGUMENT, "get_query_positions")
        callee = f"{PREFIX}get_query_positions"
        return Tensor(call_python(callee, [self], [result], name="query_positions"))

    def _attention(
        self,
        function: str,
        layer_id: int,
        sm_scale: float,
        states: Sequence[Tensor],
        heads_and_dims: Sequence[IntExpr],
        has_sums: bool = False,
    ) -> tuple[Tensor, ...]:
        """Calls a function of the cache on tensors `[tokens, heads, dims]`; it writes its result, and the sums in float32."""
        tokens = states[0].shape[0]
        types = [tensor_type([tokens, *heads_and_dims], states[0].dtype, ARGUMENT, function)]
        if has_sums:
            types.append(tensor_type([tokens, heads_and_dims[0]], "float32", ARGUMENT, function))
        arguments = [self, layer_id, float(sm_scale), *states]
        results = call_python(f"{PREFIX}{function}", arguments, types, op="call_dps_packed", name="attention")
        return tuple(map(Tensor, results if has_sums else (results,)))


class TIRPagedKVCache(PagedKVCache):
    """A cache with the constructor of TVM's class of that name, whose target and kernels are those of the call of `jit`."""

    @checked
    def __init__(
        self,
        attn_kind: str | Sequence[str],
        max_batch_size: IntExpr,
        max_total_seq_len: IntExpr,
        prefill_chunk_size: IntExpr,
        page_size: IntExpr,
        support_sliding_window: IntExpr,
        layer_partition: Sequence[int],
        num_hidden_layers: int,
        num_attention_heads: int,
        num_key_value_heads: int,
        qk_head_dim: int,
        v_head_dim: int,
        mla_original_qk_head_dim: int,
        mla_original_v_head_dim: int,
        rope_mode: RopeMode | int,
        rope_scale: float,
        rope_theta: float,
        rope_scaling: Mapping[str, Any],
        rope_ext_factors: Sequence[float] | np.ndarray | int,
        rotary_dim: int,
        enable_disaggregation: bool,
        dtype: str,
        target: Any = None,
        name: str = "paged_kv_cache",
        *,
        layer_sliding_window_size: int = 1024,
    ) -> None:
        made = PagedKVCache.create_generic(
            attn_kind,
            max_batch_size,
            max_total_seq_len,
            prefill_chunk_size,
            page_size,
            support_sliding_window,
            num_hidden_layers,
            num_attention_heads,
            num_key_value_heads,
            qk_head_dim,
            v_head_dim,
            rope_mode,
            rope_scale,
            rope_theta,
            dtype,
            rotary_dim=rotary_dim,
            rope_scaling=rope_scaling,
            # TVM's way to say that there are no factors is the number 0.
            rope_ext_factors=None if isinstance(rope_ext_factors, int) else [float(f) for f in rope_ext_factors],
            layer_partition=layer_partition,
            enable_disaggregation=enable_disaggregation,
            name=name,
            sliding_window=layer_sliding_window_size,
        )
        super().__init__(made.value)


def _rope_mode(mode: int) -> RopeMode:
    """Returns the mode of a number, which may be of an enumeration of the model's file."""
    if mode not in list(RopeMode):
        known = ", ".join(f"{item.name} ({int(item)})" for item in RopeMode)
        raise ModelError(f"PagedKVCache: expected rope_mode to be {known}, got {mode}")
    return RopeMode(mode)


def _require_one_machine(layer_partition: Sequence[int] | None, layers: int, is_disaggregated: bool) -> None:
    """Raises `ModelError` for a cache whose layers lie on several machines."""
    if layer_partition is not None and list(layer_partition) != [0, layers]:
        raise ModelError(
            f"PagedKVCache: expected all layers in one partition, [0, {layers}], got {list(layer_partition)}"
        )
    if is_disaggregated:
        raise ModelError("PagedKVCache: expected enable_disaggregation=False, a cache is on one machine")
