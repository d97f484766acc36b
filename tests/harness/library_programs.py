"""Inputs, weights and digests of programs that are compiled ahead of time."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from xdsl_relax.runtime.executable.arguments import Signature, bind_sizes
from xdsl_relax.runtime.inputs import make_value

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def weights_of(functions: dict[str, Signature], seed: int = 0) -> dict[str, np.ndarray[Any, Any]]:
    """Returns random values of all parameters of functions, by their names."""
    rng = np.random.default_rng(seed)
    return {
        param.label: make_value(param, "random", {}, rng, parameter=True)
        for function in functions.values()
        for param in function.params
    }


def inputs_of(function: Signature, seed: int = 1) -> list[Any]:
    """Returns random inputs of a function, of default sizes."""
    rng = np.random.default_rng(seed)
    sizes, _ = bind_sizes(function, {}, {})
    return [make_value(argument, "random", sizes, rng) for argument in function.inputs]


def digest(results: Any) -> str:
    """Returns the digest of results: shapes, element types and bits."""
    content = sha256()
    for value in results:
        array = np.asarray(value)
        content.update(f"{array.dtype}{array.shape}".encode() + array.tobytes())
    return content.hexdigest()
