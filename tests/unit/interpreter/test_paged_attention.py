"""Attention of the paged cache in tiles and groups: whatever is computed at once, results are those of torch in float64."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xdsl_relax.interpreter.host import attention, paged_cache
from xdsl_relax.interpreter.host.attention import merged
from xdsl_relax.interpreter.host.paged_cache import PagedCache
from xdsl_relax.interpreter.host.rope import Rope, RopeMode

torch = pytest.importorskip("torch")

HEADS, KEY_VALUE_HEADS, DIM = 6, 3, 8


def make(
    batch: int, tokens: int = 2048, page_size: int = 4, mode: RopeMode = RopeMode.NONE, **options: Any
) -> PagedCache:
    sizes: dict[str, Any] = {"max_batch_size": batch, "max_total_length": tokens, "page_size": page_size, "layers": 1}
    heads: dict[str, Any] = {"heads": HEADS, "key_value_heads": KEY_VALUE_HEADS, "key_dim": DIM, "value_dim": DIM}
    cache = PagedCache(**{**sizes, **heads, "rope_mode": mode, **options})
    for name in range(batch):
        cache.add_sequence(name)
    return cache


def states_of(random: np.random.Generator, count: int) -> np.ndarray:
    return random.standard_normal((count, HEADS + 2 * KEY_VALUE_HEADS, DIM)).astype(np.float32)


def whole(history: np.ndarray, window: int | None = None, sink: int = 0) -> np.ndarray:
    """Returns attention, without rotation, for every token of a sequence."""
    q, k, v = torch.from_numpy(history).double().split([HEADS, KEY_VALUE_HEADS, KEY_VALUE_HEADS], dim=1)
    k, v = (heads.repeat_interleave(HEADS // KEY_VALUE_HEADS, dim=1) for heads in (k, v))
    place = torch.arange(len(history))
    seen = place[None, :] <= place[:, None]
    if window is not None:
        seen &= (place[None, :] < sink) | (place[None, :] > place[:, None] - (window - sink))
    operands = [heads.transpose(0, 1) for heads in (q, k, v)]
    made = torch.nn.functional.scaled_dot_product_attention(*operands, attn_mask=seen[None])
    return made.transpose(0, 1).numpy()


@pytest.fixture(params=[(256, 2048, 1 << 19, 1 << 22), (8, 16, 64, 100), (3, 5, 1, 1), (1, 7, 40, 1000)])
def tiles(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sizes of tiles: as they are, and so small that each loop has several rounds."""
    for module, name, size in zip(
        (attention, attention, attention, paged_cache),
        ("_QUERIES", "_KEYS", "_SCORES", "_STATES"),
        request.param,
        strict=True,
    ):
        monkeypatch.setattr(module, name, size)


@pytest.mark.usefixtures("tiles")
@pytest.mark.parametrize(("window", "sink"), [(None, 0), (9, 0), (20, 6)])
def test_prompts_and_steps(window: int | None, sink: int):
    random = np.random.default_rng(0)
    cache = make(5)
    history = {name: states_of(random, 0) for name in range(5)}
    if window is not None:
        for name in history:
            cache.enable_sliding_window(name, window, sink)
    # Equal lengths attend together, and lengths that fill different numbers of pages.
    for lengths in ([37, 37, 12, 13, 1], [1, 1, 1, 1, 1], [5, 5, 5, 1, 3], [1, 1, 1, 1, 1]):
        states = states_of(random, sum(lengths))
        cache.begin_forward(range(5), lengths)
        made = cache.attention_with_fused_qkv(0, DIM**-0.5, states)
        q, k, v = np.split(states, [HEADS, HEADS + KEY_VALUE_HEADS], axis=1)
        near, far = cache.self_attention(0, DIM**-0.5, q, k, v), cache.cross_attention(0, DIM**-0.5, q)
        cache.end_forward()
        # Positions behind a window do not matter without rotation.
        np.testing.assert_allclose(merged(*near, *far)[0], made, atol=1e-5)
        for name, end in enumerate(np.cumsum(lengths)):
            start = end - lengths[name]
            history[name] = np.concatenate([history[name], states[start:end]])
            expected = whole(history[name], window, sink)[-lengths[name] :]
            np.testing.assert_allclose(made[start:end], expected, atol=2e-6)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_a_long_prompt(dtype: str):
    states = states_of(np.random.default_rng(1), 700)
    stored = states.copy()
    stored[:, HEADS:] = states[:, HEADS:].astype(dtype)
    cache = make(1, page_size=16, dtype=np.dtype(dtype))
    cache.begin_forward([0], [700])
    made = cache.attention_with_fused_qkv(0, DIM**-0.5, states)
    assert made.dtype == np.float32
    np.testing.assert_allclose(made, whole(stored), atol=2e-6)


def test_scattered_pages_hold_nothing_of_removed_sequences():
    random = np.random.default_rng(2)
    cache = make(6, tokens=64)
    cache.begin_forward(range(6), [9, 5, 9, 5, 9, 5])
    cache.attention_with_fused_qkv(0, 1.0, np.full((42, HEADS + 2 * KEY_VALUE_HEADS, DIM), np.nan, np.float32))
    cache.end_forward()
    for name in (3, 0, 4, 1, 5, 2):
        cache.remove_sequence(name)
    for name in range(3):
        cache.add_sequence(name)
    states = states_of(random, 20)
    cache.begin_forward(range(3), [6, 7, 7])
    made = cache.attention_with_fused_qkv(0, DIM**-0.5, states)
    for start, end in ((0, 6), (6, 13), (13, 20)):
        np.testing.assert_allclose(made[start:end], whole(states[start:end]), atol=2e-6)


def test_scores_far_from_zero():
    """The highest score of a row may come in any tile, and is infinitely far from the others in float32."""
    states = np.zeros((3000, HEADS + 2 * KEY_VALUE_HEADS, DIM), np.float32)
    states[:, :HEADS] = 1
    states[:, HEADS : HEADS + KEY_VALUE_HEADS] = np.arange(3000)[:, None, None]
    states[:, HEADS + KEY_VALUE_HEADS :] = np.arange(3000)[:, None, None]
    cache = make(1, tokens=3000, page_size=16)
    cache.begin_forward([0], [3000])
    made = cache.attention_with_fused_qkv(0, 10.0, states)
    np.testing.assert_array_equal(made, np.broadcast_to(np.arange(3000, dtype="f")[:, None, None], made.shape))


def test_a_pass_of_nothing():
    cache = make(1, mode=RopeMode.NORMAL, rope=Rope(DIM))
    cache.begin_forward([], [])
    assert cache.attention_with_fused_qkv(0, 1.0, states_of(np.random.default_rng(0), 0)).shape == (0, HEADS, DIM)


@pytest.mark.parametrize("mode", [RopeMode.NORMAL, RopeMode.INLINE])
def test_sequences_of_both_kinds_of_frequencies_in_one_pass(mode: RopeMode):
    """A long rotary embedding has other frequencies for long sequences; alone or together, results are the same."""
    scaling = {"rope_type": "longrope", "max_position_embeddings": 64, "original_max_position_embeddings": 8}
    rope = Rope(DIM, scaling=scaling, ext_factors=(1.0, 2.0, 3.0, 4.0, 1.5, 1.0, 2.0, 1.0))
    random = np.random.default_rng(3)
    prompts = [states_of(random, count) for count in (8, 9, 7, 9)]
    steps = [states_of(random, 1) for _ in prompts]

    def run(names: list[int]) -> np.ndarray:
        cache = make(4, mode=mode, rope=rope)
        cache.begin_forward(names, [len(prompts[name]) for name in names])
        prompt = cache.attention_with_fused_qkv(0, 1.0, np.concatenate([prompts[name] for name in names]))
        cache.end_forward()
        cache.begin_forward(names, [1] * len(names))
        return np.concatenate(
            [prompt, cache.attention_with_fused_qkv(0, 1.0, np.concatenate([steps[n] for n in names]))]
        )

    together, alone = run([0, 1, 2, 3]), [run([name]) for name in range(4)]
    np.testing.assert_allclose(together, np.concatenate([a[:-1] for a in alone] + [a[-1:] for a in alone]), atol=1e-6)
