"""The time of the paged cache of keys and values alone: prompts and steps of a model of 12 layers with 12 heads of 64 dims.

`OMP_NUM_THREADS=1 python benchmarks/paged_cache.py [--key-value-heads 4] [--dtype float16] [--rope-mode INLINE]`; times are of the CPU, of
all layers together: the shortest of three prompts, the median of 20 steps.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from statistics import median
from typing import Any

import numpy as np
from xdsl_relax.interpreter.host.paged_cache import PagedCache
from xdsl_relax.interpreter.host.rope import Rope, RopeMode

LAYERS, HEADS, DIM, TOKENS, PAGE = 12, 12, 64, 32768, 16


def new_cache(key_value_heads: int, dtype: str, mode: RopeMode, batch: int) -> PagedCache:
    """Returns an empty cache for the sequences of a batch."""
    sizes: dict[str, Any] = {"max_batch_size": batch, "max_total_length": TOKENS, "page_size": PAGE, "layers": LAYERS}
    heads: dict[str, Any] = {"heads": HEADS, "key_value_heads": key_value_heads, "key_dim": DIM, "value_dim": DIM}
    cache = PagedCache(**sizes, **heads, dtype=np.dtype(dtype), rope_mode=mode, rope=Rope(DIM))
    for name in range(batch):
        cache.add_sequence(name)
    return cache


def run(cache: PagedCache, lengths: Sequence[int], states: np.ndarray[Any, Any]) -> float:
    """Returns the seconds of a pass over all layers."""
    start = time.process_time()
    cache.begin_forward(range(len(lengths)), lengths)
    for layer in range(LAYERS):
        cache.attention_with_fused_qkv(layer, DIM**-0.5, states[: sum(lengths)])
    cache.end_forward()
    return time.process_time() - start


def main() -> None:
    """Prints a line for each prompt, and for each batch of steps."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--key-value-heads", type=int, default=HEADS)
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--rope-mode", default="NORMAL", choices=[mode.name for mode in RopeMode])
    args = parser.parse_args()
    random = np.random.default_rng(0)
    states = random.standard_normal((8192, HEADS + 2 * args.key_value_heads, DIM), dtype=np.float32)

    def cache(batch: int = 1) -> PagedCache:
        return new_cache(args.key_value_heads, args.dtype, RopeMode[args.rope_mode], batch)

    for prompt in (128, 512, 2048, 8192):
        shortest = min(run(cache(), [prompt], states) for _ in range(3))
        print(f"prompt of {prompt:5} tokens: {shortest * 1e3:8.1f} ms", flush=True)
    for lengths in ([512], [2048], [8192], [512] * 8, list(range(100, 900, 100)), [512] * 32):
        made = cache(len(lengths))
        for name, length in enumerate(lengths):
            made.begin_forward([name], [length])
            for layer in range(LAYERS):
                made.append(layer, states[:length, : args.key_value_heads], states[:length, : args.key_value_heads])
            made.end_forward()
        steps = [run(made, [1] * len(lengths), states) for _ in range(20)]
        what = (
            f"{len(lengths)} x {lengths[0]}"
            if len(set(lengths)) == 1
            else f"{len(lengths)} x {lengths[0]}..{lengths[-1]}"
        )
        print(f"step of {what:>12} tokens: {median(steps) * 1e3:8.1f} ms", flush=True)


if __name__ == "__main__":
    main()
