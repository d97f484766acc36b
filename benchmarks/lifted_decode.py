"""The time of a decode step of the Llama example with and without lifted parameters, in alternation."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import numpy as np
import xdsl_relax
from xdsl_relax.interpreter.host.value_types import TensorValue
from xdsl_relax.runtime.executable.arguments import Argument
from xdsl_relax.runtime.signatures import signatures

PROGRAM = Path(__file__).parents[1] / "examples" / "llama_decoder.mlir"
ROUNDS, CALLS, CONTEXT = 60, 5, 64


def seconds(action: Callable[[], object]) -> float:
    """The fastest of some calls."""
    times: list[float] = []
    for _ in range(CALLS):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return min(times)


def shape_of(param: Argument) -> tuple[int, ...]:
    """Returns the shape of a parameter."""
    assert isinstance(param.type, TensorValue)
    return tuple(dim for dim in param.type.dims if isinstance(dim, int))


def main() -> None:
    """Prints the median of both times, and of their ratio."""
    module = xdsl_relax.load(PROGRAM)
    rng = np.random.default_rng(0)
    weights = {
        param.label: (rng.standard_normal(shape_of(param)) * 0.05).astype(np.float32)
        for param in signatures(module)["decode"].params
    }
    caches = [rng.standard_normal((1, CONTEXT, 2, 32)).astype(np.float32) for _ in range(4)]
    inputs = (np.array([[9]]), np.array([CONTEXT]), *caches)
    plain = xdsl_relax.compile(module)["decode"]
    exe = xdsl_relax.compile(module, passes=["relax-lift-transform-params{shared=true}"])
    params, lifted = exe.transform_params(weights), exe["decode"]
    for result, expected in zip(lifted(*inputs, params), plain(*inputs, *weights.values()), strict=True):
        np.testing.assert_array_equal(result, expected)
    pairs = [
        (seconds(lambda: plain(*inputs, *weights.values())), seconds(lambda: lifted(*inputs, params)))
        for _ in range(ROUNDS)
    ]
    before, after = (median(times) * 1e6 for times in zip(*pairs, strict=True))
    ratio = median(unlifted / faster for unlifted, faster in pairs)
    print(f"decode: {before:.0f} us as it is, {after:.0f} us lifted, {ratio:.2f} times as fast")


if __name__ == "__main__":
    main()
