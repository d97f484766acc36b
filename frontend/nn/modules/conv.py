"""Convolutions with a weight and a bias."""

from __future__ import annotations

from .. import op
from ..annotations import checked
from ..errors import ModelError
from ..module import Module
from ..op.conv import Window, for_each_dim
from ..symbols import IntExpr
from ..tensor import Parameter, Tensor


def _require_positive(**window: Window) -> None:
    """Raises `ModelError` for a window without elements, and for steps that are not positive."""
    for name, given in window.items():
        if any(size < 1 for size in for_each_dim(given, 1)):
            raise ModelError(f"expected {name} to be at least 1, got {given}")


def _of_group(channels: IntExpr, groups: int) -> IntExpr:
    """Returns the number of channels in a group."""
    if groups < 1 or (isinstance(channels, int) and channels % groups):
        raise ModelError(f"expected groups that divide {channels} channels, got {groups}")
    return channels // groups


class Conv1D(Module):
    """A convolution of `[batch, in_channels, width]` by a weight `[out_channels, in_channels / groups, kernel_size]`."""

    @checked
    def __init__(
        self,
        in_channels: IntExpr,
        out_channels: IntExpr,
        kernel_size: int,
        stride: int = 1,
        padding: Window | str = 0,
        dilation: int = 1,
        groups: int = 1,
        bias: bool = True,
        dtype: str | None = None,
    ):
        _require_positive(kernel_size=kernel_size, stride=stride, dilation=dilation)
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = kernel_size
        self.stride = stride
        self.padding = padding
        self.dilation = dilation
        self.groups = groups
        self.weight: Tensor = Parameter((out_channels, _of_group(in_channels, groups), kernel_size), dtype)
        self.bias: Tensor | None = Parameter((out_channels,), dtype) if bias else None

    @checked
    def forward(self, x: Tensor) -> Tensor:
        """Returns the convolution of `x`."""
        return op.conv1d(x, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups)


class ConvTranspose1D(Module):
    """A transposed convolution of `[batch, in_channels, width]` by a weight `[in_channels, out_channels / groups, kernel_size]`."""

    @checked
    def __init__(
        self,
        in_channels: IntExpr,
        out_channels: IntExpr,
        kernel_size: int,
        stride: int = 1,
        padding: int = 0,
        output_padding: int = 0,
        dilation: int = 1,
        groups: int = 1,
        bias: bool = True,
        dtype: str | None = None,
    ):
        _require_positive(kernel_size=kernel_size, stride=stride, dilation=dilation)
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = kernel_size
        self.stride = stride
        self.padding = padding
        self.output_padding = output_padding
        self.dilation = dilation
        self.groups = groups
        self.weight: Tensor = Parameter((in_channels, _of_group(out_channels, groups), kernel_size), dtype)
        self.bias: Tensor | None = Parameter((out_channels,), dtype) if bias else None

    @checked
    def forward(self, x: Tensor) -> Tensor:
        """Returns the transposed convolution of `x`."""
        window = self.stride, self.padding, self.output_padding, self.dilation, self.groups
        return op.conv1d_transpose(x, self.weight, self.bias, *window)


class _Conv(Module):
    """A convolution in a layout by a weight `[out_channels, in_channels / groups, *kernel_size]`."""

    RANK: int

    @checked
    def __init__(
        self,
        in_channels: IntExpr,
        out_channels: IntExpr,
        kernel_size: Window,
        stride: Window,
        padding: Window | str,
        dilation: Window,
        groups: int,
        bias: bool,
        dtype: str | None,
        data_layout: str,
    ):
        _require_positive(kernel_size=kernel_size, stride=stride, dilation=dilation)
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size: list[int] = for_each_dim(kernel_size, self.RANK)
        self.stride = stride
        self.padding = padding
        self.dilation = dilation
        self.groups = groups
        self.data_layout = data_layout
        self.weight: Tensor = Parameter((out_channels, _of_group(in_channels, groups), *self.kernel_size), dtype)
        self.bias: Tensor | None = Parameter((out_channels,), dtype) if bias else None


class Conv2D(_Conv):
    """A convolution of images by a weight `[out_channels, in_channels / groups, height, width]`."""

    RANK = 2

    @checked
    def __init__(
        self,
        in_channels: IntExpr,
        out_channels: IntExpr,
        kernel_size: Window,
        stride: Window = 1,
        padding: Window | str = 0,
        dilation: Window = 1,
        groups: int = 1,
        bias: bool = True,
        dtype: str | None = None,
        data_layout: str = "NCHW",
    ):
        window = kernel_size, stride, padding, dilation
        super().__init__(in_channels, out_channels, *window, groups, bias, dtype, data_layout)

    @checked
    def forward(self, x: Tensor) -> Tensor:
        """Returns the convolution of `x`."""
        window = self.stride, self.padding, self.dilation
        return op.conv2d(x, self.weight, self.bias, *window, self.groups, self.data_layout)


class Conv3D(_Conv):
    """A convolution of volumes by a weight `[out_channels, in_channels / groups, depth, height, width]`."""

    RANK = 3

    @checked
    def __init__(
        self,
        in_channels: IntExpr,
        out_channels: IntExpr,
        kernel_size: Window,
        stride: Window = 1,
        padding: Window | str = 0,
        dilation: Window = 1,
        groups: int = 1,
        bias: bool = True,
        dtype: str | None = None,
        data_layout: str = "NCDHW",
    ):
        window = kernel_size, stride, padding, dilation
        super().__init__(in_channels, out_channels, *window, groups, bias, dtype, data_layout)

    @checked
    def forward(self, x: Tensor) -> Tensor:
        """Returns the convolution of `x`."""
        window = self.stride, self.padding, self.dilation
        return op.conv3d(x, self.weight, self.bias, *window, self.groups, self.data_layout)
