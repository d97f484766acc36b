"""The paged cache of keys and values against attention over whole sequences in float64."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from xdsl_relax.interpreter.host.attention import merged
from xdsl_relax.interpreter.host.paged_cache import PagedCache
from xdsl_relax.interpreter.host.pages import CacheError
from xdsl_relax.interpreter.host.rope import Rope, RopeMode

HEADS, KEY_VALUE_HEADS, DIM, LAYERS = 4, 2, 8, 2
MODES = [RopeMode.NONE, RopeMode.NORMAL, RopeMode.INLINE]


def make(mode=RopeMode.NORMAL, **options) -> PagedCache:
    sizes = {"max_batch_size": 4, "max_total_length": 64, "page_size": 4, "layers": LAYERS, "heads": HEADS}
    rope = Rope(DIM, theta=100.0)
    heads = {"key_value_heads": KEY_VALUE_HEADS, "key_dim": DIM, "value_dim": DIM}
    return PagedCache(**{**sizes, **heads, "rope_mode": mode, "rope": rope, **options})


def store(cache: PagedCache, tokens: int, layers: Iterable[int] = range(LAYERS)) -> None:
    """Stores tokens of the pass that runs."""
    for layer in layers:
        cache.attention_with_fused_qkv(layer, 1.0, np.ones((tokens, HEADS + 2 * KEY_VALUE_HEADS, DIM), np.float32))


def rotated(heads, theta=100.0):
    """Returns heads rotated by their positions, written as complex numbers."""
    half = DIM // 2
    angles = np.arange(len(heads))[:, None, None] * theta ** (-np.arange(half) / half)
    pairs = (heads[..., :half] + 1j * heads[..., half:]) * np.exp(1j * angles)
    return np.concatenate([pairs.real, pairs.imag], axis=-1)


def expected(history, mode):
    """Returns attention for every token of a sequence whose queries, keys and values are joined in `history`."""
    q, k, v = np.split(history.astype(np.float64), [HEADS, HEADS + KEY_VALUE_HEADS], axis=1)
    if mode != RopeMode.NONE:
        q, k = rotated(q), rotated(k)
    result = np.zeros((len(history), HEADS, DIM))
    for token in range(len(history)):
        seen = range(token + 1)
        for head in range(HEADS):
            scores = k[seen, head // 2] @ q[token, head] / np.sqrt(DIM)
            weights = np.exp(scores - scores.max())
            result[token, head] = weights @ v[seen, head // 2] / weights.sum()
    return result


class Driver:
    """Appends random tokens to sequences of a cache, and holds what it returns against whole sequences."""

    def __init__(self, cache, mode):
        self.cache, self.mode = cache, mode
        self.random = np.random.default_rng(0)
        self.history = {}

    def run(self, **lengths):
        names = [int(name[1:]) for name in lengths]
        count = sum(lengths.values())
        states = self.random.standard_normal((LAYERS, count, HEADS + 2 * KEY_VALUE_HEADS, DIM)).astype(np.float32)
        self.cache.begin_forward(names, list(lengths.values()))
        results = [self.cache.attention_with_fused_qkv(layer, DIM**-0.5, states[layer]) for layer in range(LAYERS)]
        positions = self.cache.query_positions()
        self.cache.end_forward()
        start = 0
        for name, length in zip(names, lengths.values(), strict=True):
            past = self.history.get(name, states[:, :0])
            self.history[name] = np.concatenate([past, states[:, start : start + length]], axis=1)
            for layer in range(LAYERS):
                whole = expected(self.history[name][layer], self.mode)
                np.testing.assert_allclose(results[layer][start : start + length], whole[-length:], atol=1e-5)
            assert positions[start : start + length].tolist() == list(range(past.shape[1], past.shape[1] + length))
            start += length


@pytest.mark.parametrize("mode", MODES)
def test_ragged_prefill_decode_fork_and_pop(mode):
    cache = make(mode)
    driver = Driver(cache, mode)
    for name in (0, 1):
        cache.add_sequence(name)
    driver.run(s0=5, s1=3)
    driver.run(s0=1, s1=1)
    cache.fork_sequence(0, 2)
    cache.fork_sequence(0, 3, 4)
    driver.history[2] = driver.history[0].copy()
    driver.history[3] = driver.history[0][:, :4].copy()
    driver.run(s2=2, s0=1, s3=3, s1=1)
    driver.run(s0=6)
    # Sequence 0 goes back into a page that its fork 2 shares; both go on without touching each other.
    cache.pop(0, 11)
    driver.history[0] = driver.history[0][:, :2]
    driver.run(s0=1, s2=1)
    driver.run(s2=1, s3=1)
    cache.remove_sequence(1)
    cache.add_sequence(1)
    del driver.history[1]
    driver.run(s1=7)
    assert cache.total_length == sum(history.shape[1] for history in driver.history.values())
    cache.clear()
    assert cache.available_pages == 64 // 4 + 4


def test_self_and_cross_attention_merge_to_the_whole():
    cache = make()
    driver = Driver(cache, RopeMode.NORMAL)
    cache.add_sequence(7)
    driver.run(s7=9)
    states = driver.random.standard_normal((3, HEADS + 2 * KEY_VALUE_HEADS, DIM)).astype(np.float32)
    queries, keys, values = np.split(states, [HEADS, HEADS + KEY_VALUE_HEADS], axis=1)
    cache.begin_forward([7], [3])
    near = cache.self_attention(0, DIM**-0.5, queries, keys, values)
    far = cache.cross_attention(0, DIM**-0.5, queries)
    whole = expected(np.concatenate([driver.history[7][0], states]), RopeMode.NORMAL)[-3:]
    np.testing.assert_allclose(merged(*near, *far)[0], whole, atol=1e-5)
    cache.end_forward()


def test_attention_to_nothing_is_zero():
    cache = make()
    cache.add_sequence(0)
    cache.begin_forward([0], [2])
    output, logarithms = cache.cross_attention(0, 1.0, np.ones((2, HEADS, DIM)))
    assert not output.any() and np.isneginf(logarithms).all()
    doubled = merged(output, logarithms, output, logarithms)
    assert not doubled[0].any() and np.isneginf(doubled[1]).all()


def test_latent_attention():
    cache = make(RopeMode.NONE, kind="mla", layers=1, key_value_heads=1, value_dim=6, rope=None)
    random = np.random.default_rng(1)
    cache.add_sequence(0)
    latent = random.standard_normal((5, DIM)).astype(np.float32)
    queries = random.standard_normal((5, HEADS, DIM)).astype(np.float32)
    for start, end in ((0, 3), (3, 5)):
        cache.begin_forward([0], [end - start])
        past, sums = cache.cross_attention(0, 0.5, queries[start:end])
        cache.append_mla(0, latent[start:end])
        rows = latent[start:end, None]
        near = cache.self_attention(0, 0.5, queries[start:end], rows, rows[..., :6])
        cache.end_forward()
        for token in range(start, end):
            for head in range(HEADS):
                weights = np.exp(0.5 * latent[: token + 1] @ queries[token, head])
                whole = weights @ latent[: token + 1, :6] / weights.sum()
                got = merged(*near, past, sums)[0][token - start, head]
                np.testing.assert_allclose(got, whole, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda c: c.add_sequence(0), "sequence 0 exists already"),
        (lambda c: c.remove_sequence(9), "there is no sequence 9"),
        (lambda c: c.fork_sequence(0, 5, 4), "expected to fork sequence 0 at a position in [0, 3], got 4"),
        (lambda c: c.pop(0, 4), "expected to remove 0 to 3 tokens of sequence 0, got 4"),
        (lambda c: c.begin_forward([0], [90]), "expected at most 64 tokens in all sequences, got 93"),
        (
            lambda c: c.begin_forward([0, 0], [1, 1]),
            "expected one length for each of different sequences, got [0, 0] and [1, 1]",
        ),
        (lambda c: c.begin_forward([0], [0]), "expected each sequence to append at least 1 token, got [0]"),
        (lambda c: c.query_positions(), "there is no forward pass, call begin_forward(sequences, lengths) before"),
        (lambda c: c.begin_forward([0], [1.5]), "expected integers as lengths, got [1.5]"),
        (lambda c: c.begin_forward(0, 1), "expected a list of sequences, got 0"),
        (lambda c: c.begin_forward([0], None), "expected a list of lengths, got None"),
        (lambda c: c.begin_forward(["a"], [1]), "expected integers as sequences, got ['a']"),
        (lambda c: c.add_sequence("a"), "expected an integer as the name of a sequence, got 'a'"),
        (lambda c: (c.begin_forward([0], [1]), c.pop(0, 1)), "a forward pass is running, call end_forward() before"),
        (
            lambda c: (c.begin_forward([0], [1]), c.enable_sliding_window(0, 4)),
            "a forward pass is running, call end_forward() before",
        ),
        (lambda c: [c.add_sequence(name) for name in range(1, 9)], "expected at most 4 sequences"),
    ],
)
def test_wrong_calls(call, message):
    cache = make()
    cache.add_sequence(0)
    cache.begin_forward([0], [3])
    store(cache, 3)
    cache.end_forward()
    with pytest.raises(CacheError) as error:
        call(cache)
    assert str(error.value) == message


def test_frequencies_against_transformers_formulas():
    half = np.arange(8)
    plain = 10000.0 ** (-half / 8)
    np.testing.assert_allclose(Rope(16).frequencies(), plain)
    factors = tuple(1.0 + half / 4)
    long = Rope(
        16,
        scaling={"rope_type": "longrope", "max_position_embeddings": 64, "original_max_position_embeddings": 16},
        ext_factors=factors,
    )
    np.testing.assert_allclose(long.frequencies(), plain / factors)
    of_two_lengths = replace(long, ext_factors=(*factors, *[1.0] * 8))
    np.testing.assert_allclose(of_two_lengths.frequencies(16), plain)
    np.testing.assert_allclose(of_two_lengths.frequencies(17), plain / factors)
    with pytest.raises(ValueError, match="expected 8 or 16 extension factors, got 9"):
        replace(long, ext_factors=(1.0,) * 9)
    assert long.magnitude() == pytest.approx(np.sqrt(1.5))
    llama = {
        "rope_type": "llama3",
        "factor": 8.0,
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
        "original_max_position_embeddings": 64,
    }
    wavelengths = 2 * np.pi / plain
    middle = (1 - (64 / wavelengths - 1) / 3) * plain / 8 + (64 / wavelengths - 1) / 3 * plain
    stretched = np.where(wavelengths > 64, plain / 8, np.where(wavelengths < 16, plain, middle))
    np.testing.assert_allclose(Rope(16, scaling=llama).frequencies(), stretched)
    with pytest.raises(ValueError, match="rope_scaling of type yarn needs factor, original_max"):
        Rope(16, scaling={"rope_type": "yarn"})


def test_limits_of_a_pass_and_of_memory():
    cache = make(prefill_chunk_size=8)
    cache.add_sequence(0)
    with pytest.raises(CacheError, match="expected at most 8 tokens in a pass, got 9"):
        cache.begin_forward([0], [9])
    with pytest.raises(CacheError, match=r"a cache of \d+ tokens: \d+ bytes of memory are needed, \d+ are free"):
        make(max_total_length=2**40)


def test_layers_tokens_and_heads_are_those_of_the_cache():
    cache = make(kind="mla", key_value_heads=1)
    cache.add_sequence(0)
    cache.begin_forward([0], [3])
    rows = np.zeros((4, HEADS, DIM), np.float32)
    layers: list[Any] = [-1, LAYERS, 1.0]
    for layer in layers:
        for call in (
            lambda: cache.append_mla(layer, rows[:3, 0]),
            lambda: cache.cross_attention(layer, 1.0, rows[:3]),
            lambda: cache.self_attention(layer, 1.0, rows[:3], rows[:3], rows[:3]),
            lambda: cache.keys_and_values(0, layer),
        ):
            with pytest.raises(CacheError, match=r"layer"):
                call()
    for tokens in (1, 2, 4):
        with pytest.raises(CacheError, match=rf"expected keys of shape \(3, {DIM}\), got \({tokens}, {DIM}\)"):
            cache.append_mla(0, rows[:tokens, 0])
        with pytest.raises(CacheError, match="expected 3 tokens"):
            cache.self_attention(0, 1.0, rows[:3], rows[:tokens], rows[:3])
    with pytest.raises(CacheError, match="expected 3 tokens of 4 heads"):
        cache.cross_attention(0, 1.0, rows[:3, :2])


def test_calls_that_are_refused_change_nothing():
    cache = make()
    cache.add_sequence(0)
    cache.begin_forward([0], [6])
    for layer in range(LAYERS):
        cache.attention_with_fused_qkv(layer, 1.0, np.zeros((6, HEADS + 2 * KEY_VALUE_HEADS, DIM), np.float32))
    cache.end_forward()
    pages = cache.available_pages
    for call in (
        lambda: cache.fork_sequence(0, 7, 1.5),  # pyright: ignore[reportArgumentType]
        lambda: cache.fork_sequence(0, "a"),  # pyright: ignore[reportArgumentType]
        lambda: cache.pop(0, 1.5),  # pyright: ignore[reportArgumentType]
        lambda: cache.pop(0, None),  # pyright: ignore[reportArgumentType]
        lambda: cache.remove_sequence([]),  # pyright: ignore[reportArgumentType]
        lambda: cache.enable_sliding_window(0, 2.5),  # pyright: ignore[reportArgumentType]
        lambda: cache.length(True),
    ):
        with pytest.raises(CacheError, match="expected an integer as"):
            call()
    assert (cache.length(0), cache.total_length, cache.available_pages) == (6, 6, pages)
    with pytest.raises(CacheError, match="there is no sequence 7"):
        cache.length(7)


@pytest.mark.parametrize("number", [0.0, -1.0, float("nan"), float("inf")])
def test_rotations_have_positive_numbers(number):
    for name in ("theta", "scale"):
        with pytest.raises(ValueError, match=f"expected {name} to be a positive number"):
            Rope(DIM, **{name: number})


def test_sizes_that_no_cache_has():
    with pytest.raises(CacheError, match="expected at most 8 dims of a head to rotate, got 16"):
        make(rope=Rope(2 * DIM))
    with pytest.raises(CacheError, match="expected sliding_window to be at least 1, got -5"):
        make(kind=["mha_sliding", "mha"], sliding_window=-5)
    with pytest.raises(CacheError, match="expected an integer as page_size"):
        make(page_size=2.5)


def test_a_pass_that_failed_leaves_the_cache_as_it_was():
    cache = make()
    cache.add_sequence(0)
    cache.begin_forward([0], [3])
    store(cache, 3)
    cache.end_forward()
    cache.fork_sequence(0, 1)
    pages, states = cache.available_pages, cache.keys_and_values(0, 1)
    # Two of the three tokens fill a page, the others need new ones.
    cache.begin_forward([1, 0], [2, 7])
    with pytest.raises(CacheError, match=r"expected 9 tokens of 8 heads, got an array of shape \(3, 8, 8\)"):
        store(cache, 3)
    cache.end_forward()
    assert cache.length(0) == cache.length(1) == 3 and cache.available_pages == pages
    np.testing.assert_array_equal(cache.keys_and_values(0, 1), states)
    # The error may also come between two layers.
    cache.begin_forward([0], [7])
    store(cache, 7, layers=[0])
    with pytest.raises(
        CacheError, match=r"the pass is undone: expected all of 2 layers to store its tokens, \[1\] have not"
    ):
        cache.end_forward()
    assert cache.length(0) == 3 and cache.available_pages == pages
    cache.begin_forward([0], [7])
    store(cache, 7)
    cache.end_forward()
    assert cache.length(0) == 10 and cache.available_pages == pages - 2


def test_a_pass_of_nothing_has_no_positions():
    cache = make()
    cache.begin_forward([], [])
    positions = cache.query_positions()
    assert (positions.shape, positions.dtype) == ((0,), np.int32)
