"""Models with a paged cache of keys and values, natively and in the interpreter, against attention over whole sequences."""

from typing import Any, cast

import numpy as np
import pytest
import xdsl_relax
from harness.engines import ENGINES
from xdsl_relax.frontend import nn
from xdsl_relax.frontend.nn.llm.kv_cache import PagedKVCache, RopeMode

HEADS, KEY_VALUE_HEADS, DIM, LAYERS, WIDTH = 4, 2, 8, 2, 12
SIZES = ("max_batch_size", "max_total_seq_len", "prefill_chunk_size", "page_size", "support_sliding_window")


class Attention(nn.Module):
    def __init__(self, is_split: bool):
        self.qkv = nn.Linear(WIDTH, (HEADS + 2 * KEY_VALUE_HEADS) * DIM, bias=False)
        self.out = nn.Linear(HEADS * DIM, WIDTH, bias=False)
        self.is_split = is_split

    def forward(self, x: nn.Tensor, cache: PagedKVCache, layer: int) -> nn.Tensor:
        b, s, _ = x.shape
        qkv = self.qkv(x).reshape(b, s, HEADS + 2 * KEY_VALUE_HEADS, DIM)
        y = cache.attention_with_fused_qkv(layer, qkv, HEADS, sm_scale=DIM**-0.5)
        if self.is_split:
            q, k, v = nn.op.split(qkv, [HEADS, HEADS + KEY_VALUE_HEADS], axis=2)
            near = cache.self_attention(layer, q, k, v, DIM**-0.5)
            far = cache.cross_attention(layer, q, DIM, DIM**-0.5)
            merged, _ = cache.merge_attn_output_inplace(*near, *far)
            y = (y + merged) * 0.5
        return self.out(y.reshape(b, s, HEADS * DIM))


class Decoder(nn.Module):
    def __init__(self, mode: RopeMode, is_split: bool):
        self.layers = nn.ModuleList([Attention(is_split) for _ in range(LAYERS)])
        self.mode = mode

    def forward(self, x: nn.Tensor, paged_kv_cache: PagedKVCache) -> Any:
        for index, layer in enumerate(self.layers):
            x = x + layer(x, paged_kv_cache, index)
        positions = paged_kv_cache.get_query_positions(x.shape[0] * x.shape[1])
        return x, positions, paged_kv_cache

    prefill = decode = forward

    def create(self, max_batch_size, max_total_seq_len, prefill_chunk_size, page_size, support_sliding_window):
        sizes = (max_batch_size, max_total_seq_len, prefill_chunk_size, page_size, support_sliding_window)
        return PagedKVCache.create(
            **dict(zip(SIZES, sizes, strict=True)),
            num_hidden_layers=LAYERS,
            num_attention_heads=HEADS,
            num_key_value_heads=KEY_VALUE_HEADS,
            qk_head_dim=DIM,
            rope_mode=self.mode,
            rope_theta=50.0,
        )


SPEC = {
    "prefill": {"x": nn.spec.Tensor([1, "s", WIDTH], "float32"), "paged_kv_cache": nn.spec.Object(PagedKVCache)},
    "decode": {"x": nn.spec.Tensor(["b", 1, WIDTH], "float32"), "paged_kv_cache": nn.spec.Object(PagedKVCache)},
    "create": {**dict.fromkeys(SIZES, int), "$": {"param_mode": "none"}},
}


def whole(x, weights, mode):
    """Returns the states of one sequence in float64."""
    x = x.astype(np.float64)
    count, half = len(x), DIM // 2
    angles = np.arange(count)[:, None, None] * 50.0 ** (-np.arange(half) / half)
    for qkv_weight, out_weight in zip(weights[::2], weights[1::2], strict=True):
        qkv = (x @ qkv_weight.T).reshape(count, -1, DIM)
        heads = qkv[:, : HEADS + KEY_VALUE_HEADS]
        if mode != RopeMode.NONE:
            pairs = (heads[..., :half] + 1j * heads[..., half:]) * np.exp(1j * angles)
            heads = np.concatenate([pairs.real, pairs.imag], axis=-1)
        q, k = heads[:, :HEADS], np.repeat(heads[:, HEADS:], HEADS // KEY_VALUE_HEADS, axis=1)
        v = np.repeat(qkv[:, HEADS + KEY_VALUE_HEADS :], HEADS // KEY_VALUE_HEADS, axis=1)
        scores = np.einsum("qhd,khd->hqk", q, k) / np.sqrt(DIM)
        scores = np.where(np.tril(np.ones((count, count))) > 0, scores, -np.inf)
        weights_of_keys = np.exp(scores - scores.max(-1, keepdims=True))
        weights_of_keys /= weights_of_keys.sum(-1, keepdims=True)
        y = np.einsum("hqk,khd->qhd", weights_of_keys, v).reshape(count, -1)
        x = x + y @ out_weight.T
    return x


@pytest.mark.parametrize("kind", ENGINES)
@pytest.mark.parametrize(("mode", "is_split"), [(mode, False) for mode in RopeMode] + [(RopeMode.NORMAL, True)])
def test_batches_of_sequences(kind: str, mode: RopeMode, is_split: bool):
    module, parameters = Decoder(mode, is_split).export(SPEC)
    call = ENGINES[kind](module)
    random = np.random.default_rng(0)
    weights = [
        (random.standard_normal(cast(list[int], parameter.shape)) / 4).astype(np.float32) for _, parameter in parameters
    ]

    cache = call("create", *((size,) for size in (4, 64, 32, 4, 0)))
    tokens = {name: random.standard_normal((10, WIDTH)).astype(np.float32) for name in (0, 1)}
    seen = {0: 0, 1: 0}

    def run(name, **lengths):
        names = [int(key[1:]) for key in lengths]
        parts = [
            tokens[key][seen[key] : seen[key] + length] for key, length in zip(names, lengths.values(), strict=True)
        ]
        x = np.concatenate(parts)
        cache.begin_forward(names, list(lengths.values()))
        y, positions, after = call(name, x[None] if name == "prefill" else x[:, None], cache, *weights)
        cache.end_forward()
        assert after is cache
        y, start = y.reshape(-1, WIDTH), 0
        for key, length in zip(names, lengths.values(), strict=True):
            end = seen[key] + length
            assert positions[start : start + length].tolist() == list(range(seen[key], end))
            np.testing.assert_allclose(
                y[start : start + length], whole(tokens[key][:end], weights, mode)[-length:], atol=1e-4
            )
            seen[key], start = end, start + length

    for name in (0, 1):
        cache.add_sequence(name)
    run("prefill", s0=5)
    run("prefill", s1=2, s0=1)
    run("decode", s0=1, s1=1)
    cache.fork_sequence(0, 2)
    tokens[2], seen[2] = np.concatenate([tokens[0][:7], tokens[1][:3]]), 7
    run("decode", s2=1, s0=1, s1=1)
    cache.pop(0, 2)
    seen[0] -= 2
    run("prefill", s0=3)


def test_wrong_cache():
    module, _ = Decoder(RopeMode.NONE, False).export(SPEC)
    program = xdsl_relax.compile(module)
    with pytest.raises(ValueError, match="expected a paged cache, got NoneType"):
        program["decode"](
            np.ones((1, 1, WIDTH), np.float32),
            None,
            *(np.ones(shape, np.float32) for shape in [(64, 12), (12, 32)] * 2),
        )
