"""Windows with sinks of the paged cache, against attention of torch in float64 to the tokens that a token sees, at their places among these.

So Xiao et al. define it (Efficient Streaming Language Models with Attention Sinks), and TVM's cache: positions are those in the window.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from xdsl_relax.interpreter.host.attention import merged
from xdsl_relax.interpreter.host.paged_cache import PagedCache
from xdsl_relax.interpreter.host.rope import Rope, RopeMode

torch = pytest.importorskip("torch")

HEADS, KEY_VALUE_HEADS, DIM, LAYERS, THETA = 4, 2, 8, 2, 100.0
STATES = HEADS + 2 * KEY_VALUE_HEADS


def rotated(heads, places):
    """Returns heads `[tokens, heads, dims]` at places, as complex numbers turned by an angle."""
    first, second = heads.tensor_split(2, dim=-1)
    frequencies = THETA ** -(torch.arange(DIM // 2, dtype=torch.float64) / (DIM // 2))
    turns = torch.polar(torch.ones(len(places), 1, DIM // 2, dtype=torch.float64), places[:, None, None] * frequencies)
    turned = torch.complex(first, second) * turns
    return torch.cat([turned.real, turned.imag], dim=-1)


def expected(history: np.ndarray, last: int, mode: RopeMode, window: int | None, sink: int) -> np.ndarray:
    """Returns attention for the last tokens of a sequence, whose queries, keys and values lie in `history`."""
    q, k, v = torch.from_numpy(history).double().split([HEADS, KEY_VALUE_HEADS, KEY_VALUE_HEADS], dim=1)
    rows = []
    for token in range(len(history) - last, len(history)):
        places = torch.arange(token + 1)
        if window is not None:
            places = places[(places < sink) | (places > token - (window - sink))]
        keys, query = k[places], q[token : token + 1]
        if mode != RopeMode.NONE:
            keys = rotated(keys, torch.arange(len(places)))
            query = rotated(query, torch.tensor([len(places) - 1]))
        keys, values = (states.repeat_interleave(HEADS // KEY_VALUE_HEADS, dim=1) for states in (keys, v[places]))
        operands = [states.transpose(0, 1) for states in (query, keys, values)]
        rows.append(torch.nn.functional.scaled_dot_product_attention(*operands)[:, 0])
    return torch.stack(rows).numpy()


class Checked:
    """A cache whose results are held against whole sequences."""

    def __init__(self, mode: RopeMode, seed: int):
        sizes: dict[str, Any] = {"max_batch_size": 6, "max_total_length": 200, "page_size": 4, "layers": LAYERS}
        heads: dict[str, Any] = {"heads": HEADS, "key_value_heads": KEY_VALUE_HEADS, "key_dim": DIM, "value_dim": DIM}
        self.cache = PagedCache(**sizes, **heads, rope_mode=mode, rope=Rope(DIM, theta=THETA))
        self.mode = mode
        self.random = np.random.default_rng(seed)
        self.history: dict[int, np.ndarray] = {}
        self.windows: dict[int, tuple[int | None, int]] = {}

    def add(self, name: int, window: int | None, sink: int) -> None:
        self.cache.add_sequence(name)
        if window is not None:
            self.cache.enable_sliding_window(name, window, sink)
        self.history[name] = np.zeros((LAYERS, 0, STATES, DIM), np.float32)
        self.windows[name] = (window, sink)

    def fork(self, parent: int, child: int, position: int) -> None:
        self.cache.fork_sequence(parent, child, position)
        self.history[child] = self.history[parent][:, :position]
        self.windows[child] = self.windows[parent]

    def pop(self, name: int, count: int) -> None:
        self.cache.pop(name, count)
        self.history[name] = self.history[name][:, : self.history[name].shape[1] - count]

    def step(self, names: Sequence[int], lengths: Sequence[int]) -> None:
        states = self.random.standard_normal((LAYERS, sum(lengths), STATES, DIM)).astype(np.float32)
        self.cache.begin_forward(names, lengths)
        results = [self.cache.attention_with_fused_qkv(layer, DIM**-0.5, states[layer]) for layer in range(LAYERS)]
        q, k, v = np.split(states[0], [HEADS, HEADS + KEY_VALUE_HEADS], axis=1)
        near = self.cache.self_attention(0, DIM**-0.5, q, k, v)
        far = self.cache.cross_attention(0, DIM**-0.5, q)
        self.cache.end_forward()
        np.testing.assert_allclose(merged(*near, *far)[0], results[0], atol=1e-5)
        start = 0
        for name, length in zip(names, lengths, strict=True):
            self.history[name] = np.concatenate([self.history[name], states[:, start : start + length]], axis=1)
            for layer in range(LAYERS):
                reference = expected(self.history[name][layer], length, self.mode, *self.windows[name])
                np.testing.assert_allclose(results[layer][start : start + length], reference, atol=1e-5)
            start += length


MODES = [RopeMode.NONE, RopeMode.NORMAL, RopeMode.INLINE]


@pytest.mark.parametrize("mode", MODES)
def test_prompts_and_steps_past_the_window(mode: RopeMode):
    checked = Checked(mode, 0)
    for name, (window, sink) in enumerate([(6, 2), (5, 0), (9, 8), (None, 0)]):
        checked.add(name, window, sink)
    checked.step([0, 1, 2, 3], [11, 3, 7, 5])
    for _ in range(6):
        checked.step([0, 1, 2, 3], [1, 1, 1, 1])
    checked.step([2, 0], [4, 1])


@pytest.mark.parametrize("mode", MODES)
def test_forks_and_pops(mode: RopeMode):
    checked = Checked(mode, 1)
    checked.add(0, 6, 2)
    checked.step([0], [10])
    checked.fork(0, 1, 10)
    checked.fork(0, 2, 2)
    checked.step([1, 2, 0], [1, 9, 2])
    checked.pop(0, 7)
    checked.step([0, 1], [3, 1])
    checked.pop(1, 10)
    checked.step([1, 0, 2], [8, 1, 1])


@pytest.mark.parametrize("seed", range(6))
def test_random_schedules(seed: int):
    checked = Checked(MODES[seed % 3], seed)
    random = np.random.default_rng(seed)
    for name in range(3):
        window = int(random.integers(2, 9))
        checked.add(name, window, int(random.integers(0, window)))
    for _ in range(12):
        names = [int(name) for name in random.permutation(sorted(checked.history))[: random.integers(1, 4)]]
        checked.step(names, [int(random.choice([1, 1, 1, 4, 9])) for _ in names])
        name, length = names[0], checked.history[names[0]].shape[1]
        if random.random() < 0.3:
            checked.pop(name, int(random.integers(0, length + 1)))
        elif random.random() < 0.3 and len(checked.history) < 6:
            checked.fork(name, len(checked.history), int(random.integers(0, length + 1)))
