"""The examples as models of ONNX: run by onnxruntime, and imported again, they agree with the interpreter."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx", reason="needs onnx")
pytest.importorskip("onnxruntime", reason="needs onnxruntime")

import onnx
import xdsl_relax
from harness.onnx_export import flat, run_onnxruntime
from xdsl.dialects.builtin import IndexType, IntegerType, ModuleOp
from xdsl_relax.dialects.relax.attrs import ShapeType, dims_of
from xdsl_relax.dialects.relax.dtypes import numpy_dtype
from xdsl_relax.dialects.relax.function_signature import functions
from xdsl_relax.dialects.symbolic.expressions import Dim, evaluate, symbols
from xdsl_relax.frontend.onnx import import_onnx, to_onnx
from xdsl_relax.frontend.onnx.exporter.values import element_of
from xdsl_relax.interpreter.engine import Interpreter

EXAMPLES = Path(__file__).parents[2] / "examples"
sys.path.insert(0, str(EXAMPLES / "nn"))

import bert  # noqa: E402
import gpt2  # noqa: E402
import llama  # noqa: E402
import resnet  # noqa: E402
import unet  # noqa: E402
import whisper  # noqa: E402

FILES = [
    ("bert_layer.mlir", "main", {"b": 2, "s": 5}),
    ("linear.mlir", "main", {"n": 3}),
    ("llama_decoder.mlir", "prefill", {"s": 7}),
    ("llama_decoder.mlir", "decode", {"m": 5}),
    ("resnet18.mlir", "main", {"n": 1}),
    ("row_mean.mlir", "main", {"m": 3, "n": 4}),
    ("square_root.mlir", "main", {"n": 5}),
]
"""Without the feed-forward blocks, whose weights are large, and without devices, which models of ONNX do not name."""


def arguments(module: ModuleOp, name: str, sizes: Mapping[str, int]) -> list[Any]:
    """Returns random arguments of a function: small integers; floats around 0.5 in vectors, around 0 in all else.

    Rows of matrices around 0.5 would be nearly alike, and what normalizations make of them rounding errors.
    """
    random = np.random.default_rng(0)
    (function,) = (item for item in functions(module) if item.sym_name.data == name)
    known = dict(sizes)
    values: list[Any] = []
    for kind in function.function_type.inputs.data:
        if isinstance(kind, ShapeType):
            values.append(sizes_of(kind.data, known))
            continue
        element = element_of(kind)
        shape = () if isinstance(kind, IndexType | IntegerType) or kind == element else dims_of(kind) or ()
        for dim in shape:
            for symbol in symbols(dim):
                known.setdefault(symbol, 3)
        shape = sizes_of(shape, known)
        if isinstance(element, IntegerType):
            values.append(random.integers(0, 3, shape).astype(numpy_dtype(element)))
        else:
            center = 0.5 if len(shape) < 2 else 0
            values.append((center + 0.05 * random.standard_normal(shape)).astype(numpy_dtype(element)))
    return values


def sizes_of(dims: Iterable[Dim], known: Mapping[str, int]) -> tuple[int, ...]:
    """Returns dims, all of which have names, as numbers."""
    return tuple(evaluate(dim, known) for dim in dims if dim is not None)


def check(module: ModuleOp, name: str, sizes: Mapping[str, int], tolerance: float = 1e-4) -> onnx.ModelProto:
    """Holds a model, as onnxruntime runs it, against the interpreter; returns the model."""
    model = to_onnx(module, entry=name)
    onnx.checker.check_model(model, full_check=True)
    given = arguments(module, name, sizes)
    expected = flat(Interpreter(module).call(name, *given))
    results = run_onnxruntime(model, flat(given))
    assert len(results) == len(expected) > 0
    for result, wanted in zip(results, expected, strict=True):
        np.testing.assert_allclose(
            result, wanted, rtol=tolerance, atol=tolerance * np.max(np.abs(wanted), initial=1e-3)
        )
    return model


@pytest.mark.parametrize(("file", "name", "sizes"), FILES)
def test_example_files(file: str, name: str, sizes: Mapping[str, int]):
    check(xdsl_relax.load(EXAMPLES / file), name, sizes)


MODELS = {
    "bert": (bert.Bert, bert.BertConfig(36, 50, 2, 3, max_position_embeddings=20, vocab_size=77), {"b": 2, "s": 5}),
    "gpt2": (gpt2.Gpt2, gpt2.Gpt2Config(n_embd=36, n_head=3, n_positions=20, vocab_size=77), {"b": 2, "s": 5}),
    "resnet": (resnet.ResNet, resnet.ResNetConfig((1, 1, 1, 1), False, width=6, classes=11, image_size=37), {"b": 2}),
    "unet": (
        unet.UNet,
        unet.UNetConfig(image_channels=3, channels=12, groups=3, heads=2, context_size=7),
        {"b": 1, "h": 8, "w": 12, "t": 3},
    ),
    "whisper": (
        whisper.Whisper,
        whisper.WhisperConfig(11, 36, 1, 1, 3, 50, max_source_positions=30, max_target_positions=16, vocab_size=77),
        {"b": 2, "f": 9, "s": 4, "t": 5},
    ),
    "llama": (
        llama.LlamaForCausalLM,
        llama.LlamaConfig(24, 40, num_hidden_layers=1, num_key_value_heads=4, vocab_size=90),
        {"b": 2, "s": 3, "m": 8, "position": 2},
    ),
}


@pytest.mark.parametrize("name", MODELS)
def test_models_in_python(name: str):
    kind, config, sizes = MODELS[name]
    model = kind(config)
    module, _ = model.export(model.spec())
    names = [item.sym_name.data for item in functions(module) if item.sym_visibility is None]
    for function in names:
        check(module, function, sizes)
    assert names


@pytest.mark.parametrize(("file", "name", "sizes"), [case for case in FILES if case[0] != "resnet18.mlir"])
def test_imported_again(file: str, name: str, sizes: Mapping[str, int]):
    module = xdsl_relax.load(EXAMPLES / file)
    given = arguments(module, name, sizes)
    again = import_onnx(to_onnx(module, entry=name))
    expected = flat(Interpreter(module).call(name, *given))
    results = flat(Interpreter(again.module).call("main", *flat(given), *(again.params[key] for key in again.params)))
    for result, wanted in zip(results, expected, strict=True):
        np.testing.assert_allclose(result, wanted, rtol=1e-4, atol=1e-4 * np.max(np.abs(wanted), initial=1e-3))
