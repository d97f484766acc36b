"""Weights of exported programs in files: read from the file when they are asked for, whatever the layout in memory."""

from __future__ import annotations

import mmap
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs torch")

from xdsl_relax.frontend.torch import import_exported_program  # noqa: E402
from xdsl_relax.frontend.torch.archive import UntouchedZeros, without_weights  # noqa: E402
from xdsl_relax.frontend.torch.load import load_program  # noqa: E402
from xdsl_relax.frontend.torch.types import to_numpy  # noqa: E402
from xdsl_relax.runtime.interpreted import interpret  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")


class Weights(torch.nn.Module):
    """Weights of all layouts that a file keeps."""

    def __init__(self) -> None:
        super().__init__()
        numbers = torch.arange(48, dtype=torch.float32) / 7
        self.plain = torch.nn.Parameter(numbers[:12].clone().reshape(4, 3))
        self.turned = torch.nn.Parameter(numbers[:12].clone().reshape(3, 4).t())
        self.short = torch.nn.Parameter(numbers[:3].to(torch.bfloat16))
        self.scalar = torch.nn.Parameter(torch.tensor(3.0))
        self.none = torch.nn.Parameter(torch.zeros(0, 3))
        self.tied = self.plain
        self.register_buffer("count", torch.tensor([5, 6, 7]))
        # The first one is a part of the memory of the second one.
        memory = numbers.clone()
        self.register_buffer("part", memory[4:7])
        self.register_buffer("whole", memory)

    def forward(self, x: Any) -> Any:
        """Returns a number for each row."""
        y = x @ self.plain.t() @ self.turned + x * self.short.float() * self.scalar + self.tied.sum() + self.none.sum()
        return y + self.count + self.part + self.whole.sum()


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("archive") / "weights.pt2"
    torch.export.save(torch.export.export(Weights().eval(), (torch.ones(2, 3),)), path)
    return path


def test_weights_are_those_of_the_module(path: Path):
    model, state = import_exported_program(path), Weights().state_dict()
    assert {"tied", "turned", "short", "scalar", "none", "count", "part", "whole"} <= {*model.params}
    for name, array in model.params.items():
        want = to_numpy(state[name])
        assert (array.dtype, array.shape) == (want.dtype, want.shape)
        np.testing.assert_array_equal(array, want)
    x = torch.linspace(-1, 1, 6).reshape(2, 3)
    (result,) = interpret(model.module)("main", x.numpy(), *model.params.values())
    np.testing.assert_allclose(result, Weights().eval()(x).detach().numpy(), rtol=1e-5)


def test_weights_stay_in_the_file(path: Path):
    def origin(array: Any) -> Any:
        while isinstance(array, np.ndarray) and array.base is not None:
            array = array.base
        return array

    params = import_exported_program(path).params
    assert isinstance(origin(params["tied"]), mmap.mmap)
    skeleton, readers = without_weights(path)
    assert {"plain", "tied", "turned", "short", "scalar", "count"} <= {*readers}
    # torch would not make as much memory for these as they reach over.
    assert not {"part", "whole"} & {*readers}
    with UntouchedZeros():
        program = torch.export.load(skeleton)
    assert program.state_dict["plain"].abs().sum() == 0
    assert program.state_dict["turned"].stride() == load_program(path).state_dict["turned"].stride() == (1, 4)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int64, torch.bool])
def test_untouched_zeros(dtype: Any):
    with UntouchedZeros():
        made = [torch.zeros((2, 3), dtype=dtype), torch.zeros([], dtype=dtype), torch.zeros(0), torch.zeros(2, 3)]
    assert [tuple(item.shape) for item in made] == [(2, 3), (), (0,), (2, 3)]
    assert [item.dtype for item in made] == [dtype, dtype, torch.float32, torch.float32]
    assert not any(item.any() for item in made)
    made[0][1, 1] = 1
    assert made[0].sum() == 1
