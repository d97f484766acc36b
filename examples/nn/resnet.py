"""ResNet-18, ResNet-50 and others of the kind, at inference; parameters have the names of torchvision's checkpoints.

python examples/nn/resnet.py resnet18.mlir
python examples/nn/resnet.py --blocks 3,4,6,3 --bottleneck resnet50.mlir
relax-run resnet18.mlir --dim b=1 --check
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from command_line import parsed, run, write
from xdsl_relax.frontend import nn
from xdsl_relax.frontend.nn import op
from xdsl_relax.frontend.nn.tensor import apply


@dataclass
class ResNetConfig:
    """The sizes of a ResNet; those of ResNet-18 by default."""

    blocks: tuple[int, ...] = (2, 2, 2, 2)
    """The number of blocks of each stage."""
    bottleneck: bool = False
    """Whether blocks compute on a quarter of their channels, as from ResNet-50 on."""
    width: int = 64
    """The channels of the first stage; each further one has twice as many."""
    classes: int = 1000
    image_size: int = 224


RESNET18 = ResNetConfig()
RESNET50 = ResNetConfig((3, 4, 6, 3), bottleneck=True)


def convolution(inputs: int, outputs: int, size: int, stride: int = 1) -> nn.Conv2D:
    """Returns a convolution without a bias that keeps the size of images, but for its stride."""
    return nn.Conv2D(inputs, outputs, size, stride, padding=size // 2, bias=False)


class Block(nn.Module):
    """Two convolutions around which the images pass."""

    EXPANSION = 1

    def __init__(self, inputs: int, channels: int, stride: int):
        outputs = channels * self.EXPANSION
        self.set_convolutions(inputs, channels, stride)
        self.downsample = None
        if stride != 1 or inputs != outputs:
            self.downsample = nn.ModuleList([convolution(inputs, outputs, 1, stride), nn.BatchNorm(outputs)])

    def set_convolutions(self, inputs: int, channels: int, stride: int) -> None:
        """Makes the convolutions of the block."""
        self.conv1 = convolution(inputs, channels, 3, stride)
        self.bn1 = nn.BatchNorm(channels)
        self.conv2 = convolution(channels, channels, 3)
        self.bn2 = nn.BatchNorm(channels)

    def convolved(self, x: nn.Tensor) -> nn.Tensor:
        """Returns what the convolutions make of images."""
        return self.bn2(self.conv2(op.relu(self.bn1(self.conv1(x)))))

    def forward(self, x: nn.Tensor) -> nn.Tensor:
        """Returns the sum of both ways."""
        return op.relu(self.convolved(x) + (x if self.downsample is None else self.downsample(x)))


class Bottleneck(Block):
    """Three convolutions, the middle one on a quarter of the channels."""

    EXPANSION = 4

    def set_convolutions(self, inputs: int, channels: int, stride: int) -> None:
        """Makes the convolutions of the block."""
        self.conv1 = convolution(inputs, channels, 1)
        self.bn1 = nn.BatchNorm(channels)
        self.conv2 = convolution(channels, channels, 3, stride)
        self.bn2 = nn.BatchNorm(channels)
        self.conv3 = convolution(channels, channels * self.EXPANSION, 1)
        self.bn3 = nn.BatchNorm(channels * self.EXPANSION)

    def convolved(self, x: nn.Tensor) -> nn.Tensor:
        """Returns what the convolutions make of images."""
        return self.bn3(self.conv3(op.relu(super().convolved(x))))


class ResNet(nn.Module):
    """Stages of blocks, and a linear layer for the classes."""

    def __init__(self, config: ResNetConfig):
        self.config = config
        self.conv1 = convolution(3, config.width, 7, stride=2)
        self.bn1 = nn.BatchNorm(config.width)
        kind = Bottleneck if config.bottleneck else Block
        inputs, self.stages = config.width, len(config.blocks)
        for stage, count in enumerate(config.blocks):
            channels = config.width << stage
            layer = nn.ModuleList()
            for index in range(count):
                layer.append(kind(inputs, channels, 2 if stage > 0 and index == 0 else 1))
                inputs = channels * kind.EXPANSION
            setattr(self, f"layer{stage + 1}", layer)
        self.fc = nn.Linear(inputs, config.classes)

    def forward(self, images: nn.Tensor) -> nn.Tensor:
        """Returns the scores `[b, classes]` of images `[b, 3, image_size, image_size]`."""
        x = op.relu(self.bn1(self.conv1(images)))
        x = apply("nn.max_pool2d", x, pool_size=[3, 3], strides=[2, 2], padding=[1, 1, 1, 1], name="max_pool")
        for stage in range(self.stages):
            x = getattr(self, f"layer{stage + 1}")(x)
        return self.fc(apply("mean", x, axis=[2, 3], name="mean"))

    def spec(self) -> dict[str, Any]:
        """Returns what `forward` takes, of any batch."""
        size = self.config.image_size
        return {"forward": {"images": nn.spec.Tensor(["b", 3, size, size], "float32")}}


def main() -> None:
    """Writes the program of a ResNet of the sizes that the options say."""
    config, path = parsed(__doc__, RESNET18)
    model = ResNet(config)
    write(model, model.spec(), path)


if __name__ == "__main__":
    run(main)
