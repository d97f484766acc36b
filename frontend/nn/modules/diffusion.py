"""Embeddings of diffusion steps, and the attention of their networks."""

from __future__ import annotations

from typing import Any

from .. import op
from ..annotations import checked
from ..containers import ModuleList
from ..errors import ModelError
from ..module import Module
from ..tensor import Tensor
from .activation import SiLU
from .linear import Linear
from .norm import GroupNorm


class Timesteps(Module):
    """Sines and cosines of steps, see `op.get_timestep_embedding`."""

    @checked
    def __init__(self, num_channels: int, flip_sin_to_cos: bool = False, downscale_freq_shift: float = 1):
        self.num_channels = num_channels
        self.flip_sin_to_cos = flip_sin_to_cos
        self.downscale_freq_shift = downscale_freq_shift

    @checked
    def forward(self, x: Tensor) -> Tensor:
        """Returns `[n, num_channels]` for steps `[n]`."""
        return op.get_timestep_embedding(x, self.num_channels, self.flip_sin_to_cos, self.downscale_freq_shift)


class TimestepEmbedding(Module):
    """Two linear layers with a SiLU between them, for embeddings of steps."""

    @checked
    def __init__(
        self,
        in_channels: int,
        time_embed_dim: int,
        act_fn: str = "silu",
        out_dim: int | None = None,
        post_act_fn: str | None = None,
        cond_proj_dim: int | None = None,
    ):
        for argument, activation in (("act_fn", act_fn), ("post_act_fn", post_act_fn or "silu")):
            if activation != "silu":
                raise ModelError(f"expected {argument} to be 'silu', got {activation!r}")
        self.linear_1 = Linear(in_channels, time_embed_dim)
        self.cond_proj = None if cond_proj_dim is None else Linear(cond_proj_dim, in_channels, bias=False)
        self.act = SiLU()
        self.linear_2 = Linear(time_embed_dim, time_embed_dim if out_dim is None else out_dim)
        self.post_act = None if post_act_fn is None else SiLU()

    @checked
    def forward(self, sample: Tensor, condition: Tensor | None = None) -> Tensor:
        """Returns the layers' result for embeddings, plus a projection of the condition if there is one."""
        if condition is not None:
            if self.cond_proj is None:
                raise ModelError("a condition needs cond_proj_dim")
            sample = sample + self.cond_proj(condition)
        result = self.linear_2(self.act(self.linear_1(sample)))
        return result if self.post_act is None else self.post_act(result)


class Attention(Module):
    """Attention to a sequence itself or to another one, with linear layers before and behind."""

    @checked
    def __init__(
        self,
        query_dim: int,
        cross_attention_dim: int | None = None,
        heads: int = 8,
        dim_head: int = 64,
        bias: bool = False,
        norm_num_groups: int | None = None,
        out_bias: bool = True,
        scale_qk: bool = True,
    ):
        self.query_dim = query_dim
        self.cross_attention_dim = cross_attention_dim if cross_attention_dim else query_dim
        self.heads = heads
        self.dim_head = dim_head
        self.bias = bias
        self.norm_num_groups = norm_num_groups
        self.out_bias = out_bias
        self.scale_qk = scale_qk
        self.scale = dim_head**-0.5 if scale_qk else 1.0
        self.inner_dim = dim_head * heads
        self.to_q = Linear(self.query_dim, self.inner_dim, bias=bias)
        self.to_k = Linear(self.cross_attention_dim, self.inner_dim, bias=bias)
        self.to_v = Linear(self.cross_attention_dim, self.inner_dim, bias=bias)
        self.group_norm = None if norm_num_groups is None else GroupNorm(norm_num_groups, query_dim)
        self.to_out = ModuleList([Linear(self.inner_dim, query_dim, bias=out_bias)])

    @checked
    def forward(
        self,
        hidden_states: Tensor,
        encoder_hidden_states: Tensor | None = None,
        attention_mask: Tensor | None = None,
        **cross_attention_kwargs: Any,
    ) -> Tensor:
        """Returns the attention of `[batch, length, query_dim]` to itself, or to the encoder's states.

        `attention_mask` is that of `op.scaled_dot_product_attention`.
        """
        if self.group_norm is not None:
            hidden_states = self.group_norm(hidden_states, channel_axis=2, axes=[1])
        states = hidden_states if encoder_hidden_states is None else encoder_hidden_states
        projected = self.to_q(hidden_states), self.to_k(states), self.to_v(states)
        query, key, value = (op.reshape(part, [0, -1, self.heads, self.dim_head]) for part in projected)
        scale = None if self.scale_qk else self.scale
        result = op.scaled_dot_product_attention(query, key, value, attention_mask, scale=scale)
        return self.to_out[0](op.reshape(result, [0, -1, self.inner_dim]))
