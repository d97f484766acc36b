"""Inputs, weights and digests of programs that are compiled ahead of time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl_relax.frontend.model import ahead_of_time
from xdsl_relax.lowering.pipeline import Settings
from xdsl_relax.runtime.executable.arguments import Signature, bind_sizes
from xdsl_relax.runtime.inputs import make_value

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

NARROW = {"4096": "256", "11008": "688"}
"""Widths of the feed-forward block of Llama, whose weights take hundreds of megabytes, and those that tests give it."""

CONVOLUTIONS = """
func.func @main(%x: tensor<1x3x30x30xf32>, %w: tensor<24x3x7x7xf32> {relax.name = "w"}, %b: tensor<1x24x1x1xf32> {relax.name = "b"},
    %v: tensor<20x24x3x3xf32> {relax.name = "v"}) -> tensor<1x20x8x8xf32> attributes {relax.num_input = 1 : i64} {
  %0 = relax.dataflow {
    %1 = relax.nn.conv2d %x, %w {strides = array<i64: 2, 2>, padding = array<i64: 3, 3, 3, 3>}
        : (tensor<1x3x30x30xf32>, tensor<24x3x7x7xf32>) -> tensor<1x24x15x15xf32>
    %2 = relax.add %1, %b : (tensor<1x24x15x15xf32>, tensor<1x24x1x1xf32>) -> tensor<1x24x15x15xf32>
    %3 = relax.nn.relu %2 : (tensor<1x24x15x15xf32>) -> tensor<1x24x15x15xf32>
    %4 = relax.nn.max_pool2d %3 {pool_size = array<i64: 3, 3>, strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>}
        : (tensor<1x24x15x15xf32>) -> tensor<1x24x8x8xf32>
    %5 = relax.nn.conv2d %4, %v {padding = array<i64: 1, 1, 1, 1>}
        : (tensor<1x24x8x8xf32>, tensor<20x24x3x3xf32>) -> tensor<1x20x8x8xf32>
    relax.output %5 : tensor<1x20x8x8xf32>
  } : tensor<1x20x8x8xf32>
  return %0 : tensor<1x20x8x8xf32>
}"""
"""Convolutions with and without strides, and what stands between them."""


def narrow_example(name: str, folder: Path) -> Path:
    """Returns the path of an example; of a feed-forward block of Llama, that of a narrow one of the same name in a folder."""
    path = EXAMPLES / f"{name}.mlir"
    if not name.startswith("llama_mlp"):
        return path
    text = path.read_text()
    for wide, narrow in NARROW.items():
        assert wide in text
        text = text.replace(wide, narrow)
    copy = folder / path.name
    copy.write_text(text)
    return copy


@contextmanager
def code_compiled_once() -> Iterator[None]:
    """Lets `compile_library` compile a program once for all libraries of the same name and options; all else is done each time."""
    compiled: dict[object, Any] = {}
    compile_code = ahead_of_time.compile_code

    def compile_once(module: ModuleOp, settings: Settings, *, passes: Any, exports: str | None) -> Any:
        key = str(module), settings, str(passes), exports
        if key not in compiled:
            compiled[key] = compile_code(module, settings, passes=passes, exports=exports)
        return compiled[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ahead_of_time, "compile_code", compile_once)
        yield


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
