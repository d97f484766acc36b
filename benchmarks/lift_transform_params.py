"""Time of relax-lift-transform-params on a Llama of two functions and about 10,000 ops.

Usage: python lift_transform_params.py [LAYERS]
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "examples"))

import llama_decoder
from program import function, tensor
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, f32, i64
from xdsl_relax.passes.lifting.lift_transform_params import LiftTransformParamsPass


def build(layers: int) -> ModuleOp:
    """Returns the example with this many layers."""
    params = llama_decoder.parameters(layers)
    cache = tensor([1, "m", llama_decoder.KV_HEADS, llama_decoder.HEAD], f32)
    past = {f"{kind}_{layer}": cache for layer in range(layers) for kind in ("key", "value")}
    prefill = function(
        "prefill",
        {"tokens": tensor([1, "s"], i64), "positions": tensor(["s"], i64)},
        params,
        lambda g, x, weights: llama_decoder.model(g, weights, layers, x[0], x[1], "s", ()),
    )
    decode = function(
        "decode",
        {"token": tensor([1, 1], i64), "position": tensor([1], i64), **past},
        params,
        lambda g, x, weights: llama_decoder.model(g, weights, layers, x[0], x[1], 1, x[2:]),
    )
    return ModuleOp([prefill, decode])


def main() -> None:
    """Prints one line a mode."""
    module = build(int(sys.argv[1]) if len(sys.argv) > 1 else 118)
    print(f"{sum(1 for _ in module.walk())} ops")
    for label, options in (
        ("local", {}),
        ("shared", {"shared": True}),
        ("private", {"shared": True, "private": True}),
    ):
        copy = module.clone()
        start = time.perf_counter()
        LiftTransformParamsPass(**options).apply(Context(), copy)
        first = time.perf_counter() - start
        start = time.perf_counter()
        LiftTransformParamsPass(**options).apply(Context(), copy)
        print(f"{label:8} {first:6.2f} s, again {time.perf_counter() - start:6.2f} s")


if __name__ == "__main__":
    main()
