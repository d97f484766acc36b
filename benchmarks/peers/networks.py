"""Whole networks of torchvision and transformers, with random weights, that are compared."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
from peers.workloads import Workload, layer, randn
from torch import nn

OPERATORS = ("nms", "qnms")
"""Operators of torchvision's library for boxes, which its modules name when they are imported."""

KEPT: list[torch.library.Library] = []
"""What defines operators, which are gone with it."""

WORDS = 8192
"""The words of language models: most of the time of larger vocabularies is one product."""


class First(nn.Module):
    """The first result of a module."""

    def __init__(self, module: nn.Module, **options: Any):
        super().__init__()
        self.module = module
        self.options = options

    def forward(self, *inputs: torch.Tensor) -> torch.Tensor:
        result = self.module(*inputs, **self.options)
        return result if isinstance(result, torch.Tensor) else result[0]


def package(name: str) -> Any:
    """Imports torchvision, or transformers, which imports torchvision where it is installed."""
    if not KEPT and not _loads_operators():
        library = torch.library.Library("torchvision", "DEF")
        for operator in OPERATORS:
            library.define(f"{operator}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        KEPT.append(library)
    return import_module(name)


def vision(name: str, **options: Any) -> nn.Module:
    """Makes a classifier of torchvision."""
    return First(getattr(package("torchvision").models, name)(weights=None, **options))


def _loads_operators() -> bool:
    """Returns whether torchvision's library can be loaded: that of packages for GPUs cannot beside a torch for CPUs.

    Its modules are not imported without; classifiers need none of its operators.
    """
    spec = find_spec("torchvision")
    assert spec is not None and spec.origin is not None
    try:
        torch.ops.load_library(Path(spec.origin).with_name("_C.so"))
    except OSError:
        return False
    return True


def classifier(name: str, side: int = 224, batch: int = 1, **options: Any) -> Workload:
    """A classifier of torchvision for square images."""
    title = f"{name}, {f'batch {batch}' if batch > 1 else f'{side}^2'}"
    return layer(title, lambda: vision(name, **options), (batch, 3, side, side))


def words(name: str, length: int, make: Callable[[Any], nn.Module], batch: int = 1, **options: Any) -> Workload:
    """A model of transformers that reads words; `make` gets the package."""
    module = lambda: First(make(package("transformers")), **options)  # noqa: E731
    title = f"{name} S{length}{f', batch {batch}' if batch > 1 else ''}"
    return layer(title, module, indices=(batch, length), below=WORDS)


def bert(models: Any) -> nn.Module:
    return models.BertModel(models.BertConfig(vocab_size=WORDS, num_hidden_layers=12))


def distilbert(models: Any) -> nn.Module:
    return models.DistilBertModel(models.DistilBertConfig(vocab_size=WORDS))


def gpt2(models: Any) -> nn.Module:
    return models.GPT2LMHeadModel(models.GPT2Config(vocab_size=WORDS, use_cache=False))


def llama(models: Any) -> nn.Module:
    sizes = {"hidden_size": 768, "intermediate_size": 2048, "num_hidden_layers": 12, "num_attention_heads": 12}
    config = models.LlamaConfig(
        vocab_size=WORDS, num_key_value_heads=4, max_position_embeddings=2048, use_cache=False, **sizes
    )
    return models.LlamaForCausalLM(config)


def t5_encoder(models: Any) -> nn.Module:
    return models.T5EncoderModel(models.T5Config(vocab_size=WORDS))


def whisper_encoder(models: Any) -> nn.Module:
    config = models.WhisperConfig(d_model=384, encoder_layers=4, encoder_attention_heads=6, encoder_ffn_dim=1536)
    return models.WhisperModel(config).encoder


NETWORKS = [
    classifier("alexnet"),
    classifier("vgg11"),
    classifier("resnet18", batch=8),
    classifier("resnet50"),
    classifier("resnext50_32x4d"),
    classifier("densenet121"),
    classifier("googlenet", aux_logits=False, init_weights=False),
    classifier("inception_v3", 299, aux_logits=False, init_weights=False),
    classifier("mobilenet_v2"),
    classifier("mobilenet_v2", batch=16),
    classifier("mobilenet_v3_large"),
    classifier("shufflenet_v2_x1_0"),
    classifier("squeezenet1_1"),
    classifier("efficientnet_b0"),
    classifier("mnasnet1_0"),
    classifier("regnet_y_400mf"),
    classifier("convnext_tiny"),
    classifier("vit_b_16"),
    classifier("swin_t"),
    words("BERT", 16, bert),
    words("BERT", 128, bert),
    words("BERT", 512, bert),
    words("DistilBERT", 64, distilbert, batch=8),
    words("GPT-2", 128, gpt2),
    words("Llama", 1, llama),
    words("Llama", 256, llama),
    words("T5 encoder", 128, t5_encoder),
    Workload("Whisper encoder, 30 s", lambda: First(whisper_encoder(package("transformers"))), randn((1, 80, 3000))),
]
