"""Writes resnet18.mlir: ResNet-18 at inference, with batch norms and all weights as parameters."""

from __future__ import annotations

from pathlib import Path

from xdsl.ir import Attribute, SSAValue
from xdsl_relax.builder import BlockBuilder, ModuleBuilder, tensor

STAGES = ((64, 1), (128, 2), (256, 2), (512, 2))
"""Channels and the stride of the first block."""

Params = dict[str, SSAValue]


def _conv(name: str, inputs: int, outputs: int, size: int) -> dict[str, Attribute]:
    return {f"{name}.weight": tensor([outputs, inputs, size, size], "f32")}


def _norm(name: str, channels: int) -> dict[str, Attribute]:
    return {f"{name}.{part}": tensor([channels], "f32") for part in ("weight", "bias", "running_mean", "running_var")}


def parameters() -> dict[str, Attribute]:
    """Returns the parameters by their names in torchvision's checkpoint."""
    params = {**_conv("conv1", 3, 64, 7), **_norm("bn1", 64)}
    inputs = 64
    for stage, (channels, stride) in enumerate(STAGES, 1):
        for block in range(2):
            prefix = f"layer{stage}.{block}."
            params |= {**_conv(f"{prefix}conv1", inputs, channels, 3), **_norm(f"{prefix}bn1", channels)}
            params |= {**_conv(f"{prefix}conv2", channels, channels, 3), **_norm(f"{prefix}bn2", channels)}
            if block == 0 and (stride != 1 or inputs != channels):
                down = f"{prefix}downsample."
                params |= {**_conv(f"{down}0", inputs, channels, 1), **_norm(f"{down}1", channels)}
            inputs = channels
    return params | {"fc.weight": tensor([1000, 512], "f32"), "fc.bias": tensor([1000], "f32")}


def conv_norm(
    g: BlockBuilder, params: Params, conv: str, norm: str, x: SSAValue, stride: int, padding: int
) -> SSAValue:
    """Returns batch_norm(conv(x))."""
    y = g.nn.conv2d(x, params[f"{conv}.weight"], strides=[stride, stride], padding=[padding] * 4, data_layout="NCHW")
    statistics = [params[f"{norm}.{part}"] for part in ("weight", "bias", "running_mean", "running_var")]
    return g.nn.batch_norm(y, *statistics, axis=1, epsilon=1e-5, training=False)[0]


def block(g: BlockBuilder, params: Params, prefix: str, x: SSAValue, stride: int) -> SSAValue:
    """Returns one residual block."""
    y = g.nn.relu(conv_norm(g, params, f"{prefix}conv1", f"{prefix}bn1", x, stride, 1))
    y = conv_norm(g, params, f"{prefix}conv2", f"{prefix}bn2", y, 1, 1)
    if f"{prefix}downsample.0.weight" in params:
        x = conv_norm(g, params, f"{prefix}downsample.0", f"{prefix}downsample.1", x, stride, 0)
    return g.nn.relu(g.add(y, x))


def network(g: BlockBuilder, x: SSAValue, params: Params) -> SSAValue:
    """Returns the class scores."""
    x = g.nn.relu(conv_norm(g, params, "conv1", "bn1", x, 2, 3))
    x = g.nn.max_pool2d(x, pool_size=[3, 3], strides=[2, 2], padding=[1, 1, 1, 1])
    for stage, (_, stride) in enumerate(STAGES, 1):
        x = block(g, params, f"layer{stage}.0.", x, stride)
        x = block(g, params, f"layer{stage}.1.", x, 1)
    x = g.reshape(g.nn.adaptive_avg_pool2d(x, output_size=[1, 1]), g.shape(1, 512))
    scores = g.matmul(x, g.permute_dims(params["fc.weight"], axes=[1, 0]))
    return g.add(scores, params["fc.bias"])


def main(path: str) -> None:
    """Writes the program."""
    m = ModuleBuilder()
    with m.function("main") as f:
        image = f.input("image", tensor([1, 3, 224, 224], "f32"))
        for name, value_type in parameters().items():
            f.param(name, value_type)
        with f.dataflow() as g:
            scores = g.output(network(g, image, f.params))
        f.returns(scores)
    m.write(path, "ResNet-18 on one image of 224 x 224 pixels.\nWritten by resnet18.py.")


if __name__ == "__main__":
    main(str(Path(__file__).with_suffix(".mlir")))
