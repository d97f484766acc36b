"""The models of images of examples/nn, compiled, against the same network written with functions of torch on the same weights."""

from __future__ import annotations

import math
from typing import Any

import pytest
from harness.nn_references import Weights, attention, below, close, linear, norm, tokens_of, weights_for

torch = pytest.importorskip("torch")
F = torch.nn.functional

import resnet  # noqa: E402
import unet  # noqa: E402


def resnet_reference(w: Weights, config: resnet.ResNetConfig, images: Any) -> Any:
    def normed(layer: Weights, name: str, x: Any) -> Any:
        mean, variance, weight, bias = (
            layer[f"{name}.{part}"] for part in ("running_mean", "running_var", "weight", "bias")
        )
        return F.batch_norm(x, mean, variance, weight, bias)

    def conv(layer: Weights, number: int, x: Any, stride: int = 1) -> Any:
        weight = layer[f"conv{number}.weight"]
        return normed(layer, f"bn{number}", F.conv2d(x, weight, stride=stride, padding=weight.shape[-1] // 2))

    x = F.max_pool2d(F.relu(conv(w, 1, images, 2)), 3, 2, padding=1)
    for stage, count in enumerate(config.blocks, 1):
        for index in range(count):
            layer = below(w, f"layer{stage}.{index}.")
            stride = 2 if stage > 1 and index == 0 else 1
            if config.bottleneck:
                y = conv(layer, 3, F.relu(conv(layer, 2, F.relu(conv(layer, 1, x)), stride)))
            else:
                y = conv(layer, 2, F.relu(conv(layer, 1, x, stride)))
            if "downsample.0.weight" in layer:
                x = normed(layer, "downsample.1", F.conv2d(x, layer["downsample.0.weight"], stride=stride))
            x = F.relu(x + y)
    return linear(w, "fc", x.mean(dim=(2, 3)))


@pytest.mark.parametrize(("blocks", "bottleneck"), [((1, 2, 1, 1), False), ((2, 1, 1, 1), True)])
def test_resnet(blocks: tuple[int, ...], bottleneck: bool):
    config = resnet.ResNetConfig(blocks, bottleneck, width=6, classes=11, image_size=37)
    model = resnet.ResNet(config)
    weights = weights_for(model)
    compiled = model.jit(model.spec())
    for batch in (1, 3):
        images = torch.randn(batch, 3, 37, 37, generator=torch.Generator().manual_seed(batch))
        close(compiled(images), resnet_reference(weights, config, images))


def test_resnets_have_the_parameters_of_their_checkpoints():
    sizes = {
        "resnet18": (resnet.RESNET18, 11_689_512, 4_800 * 2),
        "resnet50": (resnet.RESNET50, 25_557_032, 26_560 * 2),
    }
    for config, trained, statistics in sizes.values():
        shapes = (map(int, map(str, parameter.shape)) for parameter in resnet.ResNet(config).parameters())
        assert sum(map(math.prod, shapes)) == trained + statistics


def unet_reference(w: Weights, config: unet.UNetConfig, images: Any, steps: Any, context: Any) -> Any:
    def group_norm(layer: Weights, name: str, x: Any, eps: float = 1e-5) -> Any:
        return F.group_norm(x, config.groups, layer[f"{name}.weight"], layer[f"{name}.bias"], eps)

    def conv(layer: Weights, name: str, x: Any, stride: int = 1) -> Any:
        weight = layer[f"{name}.weight"]
        return F.conv2d(x, weight, layer[f"{name}.bias"], stride, padding=weight.shape[-1] // 2)

    def block(layer: Weights, x: Any) -> Any:
        y = conv(layer, "conv1", F.silu(group_norm(layer, "norm1", x)))
        y = y + linear(layer, "time_emb_proj", F.silu(embedding))[:, :, None, None]
        y = conv(layer, "conv2", F.silu(group_norm(layer, "norm2", y)))
        return y + (conv(layer, "conv_shortcut", x) if "conv_shortcut.weight" in layer else x)

    def attended(layer: Weights, x: Any, states: Any) -> Any:
        q, k, v = linear(layer, "to_q", x), linear(layer, "to_k", states), linear(layer, "to_v", states)
        return linear(layer, "to_out.0", attention(q, k, v, config.heads))

    half = config.channels // 2
    angles = steps[:, None] * torch.exp(-math.log(10000) * torch.arange(half) / half)
    embedding = torch.cat([angles.cos(), angles.sin()], dim=-1)
    embedding = linear(w, "time_embedding.linear_2", F.silu(linear(w, "time_embedding.linear_1", embedding)))
    outer = block(below(w, "down."), conv(w, "conv_in", images))
    inner = block(below(w, "mid."), conv(w, "downsample", outer, 2))
    t = below(w, "transformer.")
    y = group_norm(t, "norm", inner, 1e-6).flatten(2).transpose(1, 2)
    normed = norm(t, "norm1", y)
    y = y + attended(below(t, "attn1."), normed, normed)
    y = y + attended(below(t, "attn2."), norm(t, "norm2", y), context)
    states, gate = linear(t, "ff.proj", norm(t, "norm3", y)).chunk(2, dim=-1)
    y = y + linear(t, "ff.out", states * F.gelu(gate))
    inner = inner + y.transpose(1, 2).unflatten(2, inner.shape[2:])
    doubled = conv(w, "upsample", F.interpolate(inner, images.shape[2:]))
    x = block(below(w, "up."), torch.cat([doubled, outer], dim=1))
    return conv(w, "conv_out", F.silu(group_norm(w, "conv_norm_out", x)))


def test_unet():
    config = unet.UNetConfig(image_channels=3, channels=12, groups=3, heads=2, context_size=7)
    model = unet.UNet(config)
    weights = weights_for(model)
    compiled = model.jit(model.spec())
    random = torch.Generator().manual_seed(0)
    for batch, height, width, length in ((2, 6, 8, 5), (1, 7, 5, 3)):
        images = torch.randn(batch, 3, height, width, generator=random)
        context = torch.randn(batch, length, 7, generator=random)
        steps = tokens_of((batch,), 1000)
        close(compiled(images, steps, context), unet_reference(weights, config, images, steps, context))
