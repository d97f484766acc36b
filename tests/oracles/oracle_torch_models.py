"""Models of torchvision and transformers, with random weights, through the importer: `python tests/oracles/oracle_torch_models.py [NAME...]`.

Each model is exported once for fixed sizes and once with dynamic ones (batch, and sequence of texts), imported, run at the sizes of the export,
and the dynamic one at others, and compared with torch. `--native` compiles, and times calls beside those of torch; `--packages DIR` is where torchvision and transformers are
installed if that is not the environment (`pip install --target DIR --no-deps torchvision transformers`, and what they import).
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.export import Dim, export
from torch.utils import _pytree as pytree

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from xdsl_relax.frontend.model.compiled import CompiledModel
from xdsl_relax.frontend.torch import import_exported_program
from xdsl_relax.frontend.torch.types import to_numpy
from xdsl_relax.runtime.compare import compare
from xdsl_relax.runtime.compiler import compile as compile_module
from xdsl_relax.runtime.interpreted import interpret

Build = Callable[[], tuple[torch.nn.Module, Callable[[int, int], dict[str, torch.Tensor]]]]

VISION = {
    **dict.fromkeys(("alexnet", "convnext_tiny", "densenet121", "efficientnet_b0", "efficientnet_v2_s"), 64),
    **dict.fromkeys(("googlenet", "maxvit_t", "mnasnet0_5", "mnasnet1_0", "mobilenet_v2"), 64),
    **dict.fromkeys(("mobilenet_v3_large", "mobilenet_v3_small", "regnet_x_400mf", "regnet_y_400mf", "resnet18"), 64),
    **dict.fromkeys(("resnet34", "resnet50", "resnext50_32x4d", "shufflenet_v2_x0_5", "shufflenet_v2_x1_0"), 64),
    **dict.fromkeys(("squeezenet1_0", "squeezenet1_1", "swin_t", "swin_v2_t", "vgg11", "vgg11_bn"), 64),
    **dict.fromkeys(("wide_resnet50_2", "inception_v3", "vit_b_16", "resnet101", "densenet169"), 64),
    "inception_v3": 96,
    "alexnet": 96,
    "maxvit_t": 224,
}
"""Classifiers of torchvision, and the size of the image."""

SEGMENTATION = ("lraspp_mobilenet_v3_large", "deeplabv3_mobilenet_v3_large", "fcn_resnet50")

SMALL: dict[str, Any] = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 64,
    "vocab_size": 99,
    "max_position_embeddings": 64,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
}

GROUPED = {"num_key_value_heads": 2, "head_dim": 8}

TEXTS: dict[str, dict[str, Any]] = {
    "bert": {},
    "roberta": {"pad_token_id": 1},
    "electra": {"embedding_size": 32},
    "albert": {"embedding_size": 16},
    "distilbert": {"dim": 32, "n_layers": 2, "n_heads": 4, "hidden_dim": 64},
    "camembert": {"pad_token_id": 1},
    "xlm-roberta": {"pad_token_id": 1},
    "mpnet": {"pad_token_id": 1},
    "ernie": {},
    "roformer": {"embedding_size": 32},
    "megatron-bert": {},
    "mobilebert": {"embedding_size": 16, "intra_bottleneck_size": 32, "true_hidden_size": 32},
    "layoutlm": {},
    "convbert": {"embedding_size": 32},
    "squeezebert": {"embedding_size": 32},
    "gpt2": {"n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 64},
    "gpt_neo": {"num_layers": 2, "num_heads": 4, "attention_types": [[["global", "local"], 1]]},
    "gpt_neox": {},
    "gptj": {"n_embd": 32, "n_layer": 2, "n_head": 4, "rotary_dim": 8, "n_positions": 64},
    "opt": {"ffn_dim": 64, "word_embed_proj_dim": 32, "pad_token_id": 1},
    "bloom": {"n_layer": 2, "n_head": 4},
    "llama": GROUPED,
    "mistral": GROUPED,
    "qwen2": GROUPED,
    "qwen3": GROUPED,
    "gemma": GROUPED,
    "gemma2": GROUPED,
    "phi": {},
    "phi3": {"num_key_value_heads": 2},
    "stablelm": {"num_key_value_heads": 2},
    "starcoder2": {"num_key_value_heads": 2},
    "olmo": {},
    "olmo2": {},
    "cohere": GROUPED,
    "granite": {"num_key_value_heads": 2},
    "falcon": {"new_decoder_architecture": False},
    "smollm3": GROUPED,
    "helium": GROUPED,
    "glm": GROUPED,
    "persimmon": {},
    "nemotron": GROUPED,
    "modernbert": {},
}
"""Small models of transformers, by the type of their configuration, with what it needs besides `SMALL`."""

IMAGES = {
    "vit": {},
    "deit": {},
    "beit": {},
    "dinov2": {},
    "swin": {"depths": [1, 1], "num_heads": [2, 4], "num_attention_heads": [2, 4], "embed_dim": 16, "window_size": 2},
}


class First(torch.nn.Module):
    """A model of transformers whose result is its first tensor, without a cache."""

    def __init__(self, model: torch.nn.Module, name: str, options: dict[str, Any]):
        super().__init__()
        self.model = model
        self.name = name
        self.options = options

    def forward(self, x: torch.Tensor) -> Any:
        """Returns the last hidden state."""
        return self.model(**{self.name: x}, **self.options)[0]


def vision(name: str, size: int) -> Build:
    """Returns how a model of torchvision is made."""

    def build() -> Any:
        models = torchvision().models
        options = {"init_weights": True} if name in ("googlenet", "inception_v3") else {}
        make = getattr(models.segmentation, name) if name in SEGMENTATION else getattr(models, name)
        if name in SEGMENTATION:
            options = {"weights_backbone": None}
        elif name in ("vit_b_16",):
            options = {"image_size": size}
        module = make(weights=None, **options)
        return module, lambda batch, length: {"x": torch.randn(batch, 3, size, size)}

    return build


def text(kind: str, extra: dict[str, Any]) -> Build:
    """Returns how a model of transformers that reads tokens is made."""

    def build() -> Any:
        from transformers import AutoConfig, AutoModel  # pyright: ignore[reportMissingImports]

        config = AutoConfig.for_model(kind, **{**SMALL, **extra})
        config._attn_implementation = "sdpa"
        try:
            module = AutoModel.from_config(config)
        except ValueError:
            config._attn_implementation = "eager"
            module = AutoModel.from_config(config)
        names = type(module).forward.__code__.co_varnames
        options = {"use_cache": False} if "use_cache" in names or "kwargs" in names else {}
        module = First(module, "input_ids", options)
        return module, lambda batch, length: {"x": torch.randint(3, 99, (batch, length))}

    return build


def image(kind: str, extra: dict[str, Any]) -> Build:
    """Returns how a model of transformers that reads images is made."""

    def build() -> Any:
        from transformers import AutoConfig, AutoModel  # pyright: ignore[reportMissingImports]

        small = {
            name: SMALL[name]
            for name in ("hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size")
        }
        small |= {"image_size": 32, "patch_size": 8}
        module = AutoModel.from_config(AutoConfig.for_model(kind, **{**small, **extra}))
        return First(module, "pixel_values", {}), lambda batch, length: {"x": torch.randn(batch, 3, 32, 32)}

    return build


def torchvision() -> Any:
    """Returns torchvision; where its extension does not load, its ops are only declared."""
    library = torch.library.Library("torchvision", "FRAGMENT")
    for name in ("nms", "qnms"):
        if not hasattr(torch.ops.torchvision, name):
            library.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    KEPT.append(library)
    import torchvision  # pyright: ignore[reportMissingImports]

    return torchvision


KEPT: list[Any] = []
"""Declarations that must live as long as the process."""


SECONDS = 1.0
"""How long the calls of a compiled model and those of torch take turns."""


def models() -> dict[str, tuple[Build, bool]]:
    """Returns how each model is made, and whether it reads a sequence."""
    known: dict[str, tuple[Build, bool]] = {name: (vision(name, size), False) for name, size in VISION.items()}
    known |= {name: (vision(name, 64), False) for name in SEGMENTATION}
    known |= {kind: (text(kind, extra), True) for kind, extra in TEXTS.items()}
    known |= {f"{kind}-image": (image(kind, extra), False) for kind, extra in IMAGES.items()}
    return known


def checked(build: Build, sequence: bool, dynamic: bool, native: bool) -> str:
    """Returns the largest error of a model and the seconds that it took; raises `AssertionError` where it differs."""
    torch.manual_seed(0)
    module, make = build()
    module = module.eval()
    for weight in module.parameters():
        # Heads that start with zeros would agree whatever comes before them.
        if weight.is_floating_point() and not weight.any():
            torch.nn.init.normal_(weight, std=0.02)
    example = make(2, 12)
    shapes: Any = ({0: Dim.DYNAMIC, **({1: Dim.DYNAMIC} if sequence else {})},) if dynamic else None
    with torch.no_grad():
        program = export(module, (example["x"],), dynamic_shapes=shapes, strict=False)
    start = time.perf_counter()
    model = import_exported_program(program)
    imported = time.perf_counter()
    if native:
        compiled = CompiledModel(compile_module(model.module, lift=bool(model.params)), model)
        call = compiled.run
    else:
        run, weights = interpret(model.module), [*model.state.values(), *(model.params[name] for name in model.params)]

        def call(inputs: Any) -> Any:
            return dict(zip(model.outputs, run("main", *inputs.values(), *weights), strict=False))

    done = time.perf_counter()
    worst = 0.0
    for inputs in (example, *([make(3, 17), make(1, 12)] if dynamic else [])):
        results = call({model.inputs[0]: to_numpy(inputs["x"])})
        with torch.no_grad():
            expected = [item for item in pytree.tree_leaves(module(inputs["x"])) if isinstance(item, torch.Tensor)]
        if len(results) != len(expected):
            raise AssertionError(f"{len(results)} results, torch has {len(expected)}")
        for got, want in zip(results.values(), expected, strict=True):
            verdict = compare(np.asarray(got), to_numpy(want))
            if not verdict.agrees:
                raise AssertionError(verdict.reason or f"error {verdict.error:.3g} of {verdict.tolerance:.3g}")
            worst = max(worst, verdict.error)
    text = f"error {worst:.1e}, import {imported - start:.1f} s"
    if native:
        given = {model.inputs[0]: to_numpy(example["x"])}
        ours, of_torch = fastest(lambda: call(given), lambda: module(example["x"]))
        text += f", compile {done - imported:.1f} s, call {1e3 * ours:.2f} ms, torch {1e3 * of_torch:.2f} ms"
    return text


def fastest(*calls: Callable[[], object]) -> list[float]:
    """Returns the shortest time of each call in seconds; they take turns."""
    best = [float("inf")] * len(calls)
    with torch.no_grad():
        end = time.perf_counter() + SECONDS
        while time.perf_counter() < end:
            for index, call in enumerate(calls):
                start = time.perf_counter()
                call()
                best[index] = min(best[index], time.perf_counter() - start)
    return best


def main() -> int:
    """Runs the models; returns 1 if one differs or cannot be imported."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--native", action="store_true", help="compile, instead of the interpreter")
    parser.add_argument("--static", action="store_true", help="fixed sizes alone")
    parser.add_argument("--dynamic", action="store_true", help="dynamic sizes alone")
    parser.add_argument("--packages", action="append", default=[], help="a folder with torchvision or transformers")
    parser.add_argument("--trace", action="store_true", help="show the traceback of what fails")
    args = parser.parse_args()
    sys.path.extend(args.packages)
    torch.set_num_threads(1)
    # Models of transformers import it where it is installed.
    torchvision()
    warnings.simplefilter("ignore")
    agree: dict[bool, int] = {False: 0, True: 0}
    failed = 0
    for name, (build, sequence) in models().items():
        if args.names and name not in args.names:
            continue
        for dynamic in (False, True):
            if (args.static and dynamic) or (args.dynamic and not dynamic):
                continue
            sizes = "dynamic" if dynamic else "static"
            try:
                print(f"{name:32} {sizes:8} agrees, {checked(build, sequence, dynamic, args.native)}", flush=True)
                agree[dynamic] += 1
            except Exception as error:
                if args.trace:
                    traceback.print_exc()
                failed += 1
                print(f"{name:32} {sizes:8} {type(error).__name__}: {' '.join(str(error).split())[:400]}", flush=True)
    print(f"{agree[False]} agree with fixed sizes, {agree[True]} with dynamic ones, {failed} do not")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
