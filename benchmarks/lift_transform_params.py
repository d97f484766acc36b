"""Time of relax-lift-transform-params on a Llama of two functions and about 10,000 ops.

Usage: python lift_transform_params.py [LAYERS]
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "examples"))

import llama_decoder
from xdsl.context import Context
from xdsl_relax.passes.lifting.lift_transform_params import LiftTransformParamsPass

MODES: dict[str, dict[str, Any]] = {
    "local": {},
    "shared": {"shared": True},
    "private": {"shared": True, "private": True},
}


def main() -> None:
    """Prints one line a mode."""
    module = llama_decoder.build(int(sys.argv[1]) if len(sys.argv) > 1 else 118).build()
    print(f"{sum(1 for _ in module.walk())} ops")
    for label, options in MODES.items():
        copy = module.clone()
        start = time.perf_counter()
        LiftTransformParamsPass(**options).apply(Context(), copy)
        first = time.perf_counter() - start
        start = time.perf_counter()
        LiftTransformParamsPass(**options).apply(Context(), copy)
        print(f"{label:8} {first:6.2f} s, again {time.perf_counter() - start:6.2f} s")


if __name__ == "__main__":
    main()
