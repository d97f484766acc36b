"""Convolutions, with or without a bias."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..annotations import checked
from ..errors import ModelError
from ..tensor import Tensor, apply
from .manipulate import reshape

Window = int | Sequence[int]
"""A number for each spatial dim, or the same for all."""


@checked
def conv1d(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Window = 1,
    padding: Window | str = 0,
    dilation: Window = 1,
    groups: int = 1,
    name: str = "conv1d",
) -> Tensor:
    """Returns the convolution of `[batch, channels, width]` with a weight `[out channels, channels / groups, width]`."""
    window = _window(1, stride, padding, dilation, groups)
    return _biased(apply("nn.conv1d", x, weight, **window, name=name), bias, "NCW", name)


@checked
def conv2d(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Window = 1,
    padding: Window | str = 0,
    dilation: Window = 1,
    groups: int = 1,
    data_layout: str = "NCHW",
    name: str = "conv2d",
) -> Tensor:
    """Returns the convolution of images in a layout with a weight `[out channels, channels / groups, height, width]`."""
    window = _window(2, stride, padding, dilation, groups)
    return _biased(apply("nn.conv2d", x, weight, **window, data_layout=data_layout, name=name), bias, data_layout, name)


@checked
def conv3d(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Window = 1,
    padding: Window | str = 0,
    dilation: Window = 1,
    groups: int = 1,
    data_layout: str = "NCDHW",
    name: str = "conv3d",
) -> Tensor:
    """Returns the convolution of volumes in a layout with a weight `[out channels, channels / groups, depth, height, width]`."""
    window = _window(3, stride, padding, dilation, groups)
    return _biased(apply("nn.conv3d", x, weight, **window, data_layout=data_layout, name=name), bias, data_layout, name)


@checked
def conv1d_transpose(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Window = 1,
    padding: Window = 0,
    output_padding: Window = 0,
    dilation: Window = 1,
    groups: int = 1,
    name: str = "conv1d_transpose",
) -> Tensor:
    """Returns the transposed convolution of `[batch, channels, width]` with a weight `[channels, out channels / groups, width]`."""
    window = _window(1, stride, padding, dilation, groups)
    result = apply(
        "nn.conv1d_transpose", x, weight, **window, output_padding=for_each_dim(output_padding, 1), name=name
    )
    return _biased(result, bias, "NCW", name)


def _window(rank: int, stride: Window, padding: Window | str, dilation: Window, groups: int) -> dict[str, Any]:
    if isinstance(padding, str):
        raise ModelError(f"expected the padding as numbers, got {padding!r}")
    sides = for_each_dim(padding, rank)
    return {
        "strides": for_each_dim(stride, rank),
        "padding": sides * 2 if len(sides) == rank else sides,
        "dilation": for_each_dim(dilation, rank),
        "groups": groups,
    }


def for_each_dim(given: Any, rank: int) -> list[Any]:
    """Returns an item for each of some dims: those of a list, or the same for all."""
    items: list[Any] = list(given) if isinstance(given, list | tuple) else [given]
    return items * rank if len(items) == 1 else items


def _biased(result: Tensor, bias: Tensor | None, layout: str, name: str) -> Tensor:
    """Returns a convolution plus a number for each channel."""
    if bias is None:
        return result
    shape = [-1 if letter == "C" else 1 for letter in layout]
    return apply("add", result, reshape(bias, shape, name="bias"), name=name)
