"""Speed of the expanded math functions on one core, beside torch where it is installed.

Prints Gelem/s for arrays of 64 Ki elements (in cache) and 1 Mi elements, and the ratio to torch (above 1: faster).
Run `python benchmarks/math_functions.py [NAME ...]`.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np
from math_kernels import DTYPES, compile_binary, compile_unary

NAMES = (
    *("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "asin", "acos", "atan"),
    *("sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "erf", "cbrt", "rsqrt", "atan2", "powf"),
)
BINARY = {"atan2", "powf"}
UNIT_INTERVAL = {"asin", "acos", "atanh"}
POSITIVE = {"log", "log2", "log10", "log1p", "rsqrt", "powf"}


def best(call: Callable[[], object], repeat: int) -> float:
    """Seconds of the fastest of several calls."""
    times: list[float] = []
    for _ in range(repeat):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def operand(name: str, count: int, element: str, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    low, high = (-0.99, 0.99) if name in UNIT_INTERVAL else (0.01, 10.0) if name in POSITIVE else (-8.0, 8.0)
    return rng.uniform(1.01 if name == "acosh" else low, high, count).astype(DTYPES[element])


def torch_function(name: str) -> Callable[..., Callable[[], object]] | None:
    try:
        import torch
    except ImportError:
        return None
    torch.set_num_threads(1)
    function = getattr(torch, {"powf": "pow"}.get(name, name), None)
    if function is None:
        return None

    def make(*arrays: np.ndarray) -> Callable[[], object]:
        tensors = [torch.from_numpy(a) for a in arrays]
        out = torch.empty_like(tensors[0])
        return lambda: function(*tensors, out=out)

    return make


def main() -> None:
    print(
        f"{'function':10} {'type':4} {'64Ki Gelem/s':>13} {'1Mi Gelem/s':>12} {'x torch 64Ki':>13} {'x torch 1Mi':>12}"
    )
    for name in sys.argv[1:] or NAMES:
        reference = torch_function(name)
        for element in ("f32", "f64"):
            function = (compile_binary if name in BINARY else compile_unary)(name, element)
            speeds: list[str] = []
            ratios: list[str] = []
            for count, repeat in ((1 << 16, 60), (1 << 20, 12)):
                arrays = [operand(name, count, element, seed) for seed in range(2 if name in BINARY else 1)]
                out = np.empty(count, DTYPES[element])
                ours = best(lambda: function(*arrays, out=out), repeat)
                speeds.append(f"{count / ours / 1e9:.2f}")
                ratios.append("-" if reference is None else f"{best(reference(*arrays), repeat) / ours:.2f}")
            print(f"{name:10} {element:4} {speeds[0]:>13} {speeds[1]:>12} {ratios[0]:>13} {ratios[1]:>12}", flush=True)


if __name__ == "__main__":
    main()
