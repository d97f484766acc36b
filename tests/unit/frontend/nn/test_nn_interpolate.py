"""Images in other sizes: sizes, coordinates and roundings are those of torch, and what torch does not take is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xdsl_relax.frontend import nn


class Resized(nn.Module):
    def __init__(self, options: list[dict[str, Any]]):
        self.options = options

    def forward(self, x: nn.Tensor) -> list[nn.Tensor]:
        return [nn.op.interpolate(x, **options) for options in self.options]


def spec(shape: list[Any], dtype: str = "float32") -> dict[str, Any]:
    return {"forward": {"x": nn.spec.Tensor(shape, dtype)}}


def test_integers_are_rounded_as_torch_does():
    torch = pytest.importorskip("torch")
    options: list[dict[str, Any]] = [
        {"mode": mode, **named}
        for mode in ("bilinear", "bicubic", "nearest-exact")
        for named in ({"scale_factor": 2.0}, {"scale_factor": (0.6, 1.7)}, {"size": (4, 9)})
    ]
    image = np.random.default_rng(0).integers(0, 256, (1, 2, 10, 13), np.uint8)
    results = Resized(options).jit(spec([1, 2, 10, 13], "uint8"))(image)
    for named, result in zip(options, results, strict=True):
        expected = torch.nn.functional.interpolate(torch.from_numpy(image), **named).numpy()
        difference = result.astype(int) - expected.astype(int)
        # The weights of torch have 16 bits.
        assert np.abs(difference).max() <= 1 and (difference != 0).mean() < 0.1, named


@pytest.mark.parametrize("factor", [0.25, 0.5, 1.5, 2.0, 3.75, 1 / 3])
def test_symbolic_sizes_are_scaled_as_numbers_are(factor: float):
    result = Resized([{"scale_factor": factor}]).jit(spec([1, 1, "n", 4]))
    for size in (4, 7, 12, 99, 100, 300):
        (image,) = result(np.zeros((1, 1, size, 4), np.float32))
        assert image.shape[2] == int(size * factor)


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"scale_factor": 0.29}, r"cannot scale the size n by 0\.29: .* \(100 becomes 28\); give the size"),
    ({"size": 2, "mode": "nearest_exact"}, "got 'nearest_exact', did you mean 'nearest-exact'"),
    ({"size": 2, "mode": "area"}, "expected the mode to be nearest, nearest-exact, bilinear, bicubic, got 'area'"),
    ({"size": 2, "align_corners": True}, "interpolate has no align_corners in mode 'nearest'"),
    ({"size": 2, "recompute_scale_factor": True}, "expected a scale_factor to recompute, got a size"),
    ({"scale_factor": 0.0}, "expected a positive scale_factor for each of 2 dims, got 0.0"),
]


@pytest.mark.parametrize(("options", "message"), REFUSED)
def test_what_torch_does_not_take_is_refused(options: dict[str, Any], message: str):
    with pytest.raises(nn.ModelError, match=message):
        Resized([options]).export(spec([1, 1, "n", 4]))
