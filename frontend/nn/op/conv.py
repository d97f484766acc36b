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
    window = _window(1, weight, stride, padding, dilation, groups)
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
    window = _window(2, weight, stride, padding, dilation, groups)
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
    window = _window(3, weight, stride, padding, dilation, groups)
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
    window = _window(1, weight, stride, padding, dilation, groups)
    result = apply(
        "nn.conv1d_transpose", x, weight, **window, output_padding=for_each_dim(output_padding, 1), name=name
    )
    return _biased(result, bias, "NCW", name)


def _window(
    rank: int, weight: Tensor, stride: Window, padding: Window | str, dilation: Window, groups: int
) -> dict[str, Any]:
    strides, dilations = for_each_dim(stride, rank), for_each_dim(dilation, rank)
    if isinstance(padding, str):
        sides = _named_padding(rank, padding, weight, strides, dilations)
    else:
        sides = for_each_dim(padding, rank)
        sides = sides * 2 if len(sides) == rank else sides
    return {"strides": strides, "padding": sides, "dilation": dilations, "groups": groups}


def _named_padding(rank: int, name: str, weight: Tensor, strides: list[Any], dilation: list[Any]) -> list[int]:
    """Returns the padding in front of each dim, then that behind: none (`"valid"`), or as much as keeps sizes (`"same"`, more behind)."""
    kernel = weight.shape[-rank:]
    match name:
        case "valid":
            return [0] * (2 * rank)
        case "same" if any(stride != 1 for stride in strides):
            raise ModelError(f"expected strides of 1 with padding 'same', got {strides}")
        case "same" if len(dilation) != rank:
            raise ModelError(f"expected a dilation for each of {rank} dims, got {dilation}")
        case "same" if len(kernel) != rank or not all(isinstance(size, int) for size in kernel):
            raise ModelError(f"expected windows of known sizes with padding 'same', got {list(kernel)}")
        case "same":
            added = [step * (size - 1) for size, step in zip(kernel, dilation, strict=True)]
            before = [size // 2 for size in added]
            return before + [size - half for size, half in zip(added, before, strict=True)]
        case _:
            raise ModelError(f"expected padding 'same', 'valid' or numbers, got {name!r}")


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
