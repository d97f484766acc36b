"""What the transform of a model made of its weights is kept in a file, for processes that have the program alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xdsl_relax
from xdsl_relax.interpreter.host.errors import ArgumentError

torch = pytest.importorskip("torch", reason="needs the extra torch")


def exported(module: Any, *inputs: Any, path: Path) -> Path:
    torch.export.save(torch.export.export(module.eval(), inputs), path)
    return path


def test_the_program_alone_takes_what_a_model_has_saved(tmp_path: Path):
    from xdsl_relax.frontend.torch import import_exported_program

    file = exported(torch.nn.Linear(5, 70), torch.ones(2, 5), path=tmp_path / "model.pt2")
    model: Any = xdsl_relax.compile(file)
    model.save_params(model.params, tmp_path / "params")
    program = str(import_exported_program(torch.export.load(file)).module)
    exe: Any = xdsl_relax.compile(program, lift=True)
    x = np.random.default_rng(0).standard_normal((2, 5)).astype(np.float32)
    np.testing.assert_array_equal(exe["main"](x, exe.load_params(tmp_path / "params")), model(x))


def test_a_model_without_weights_has_no_parameters(tmp_path: Path):
    model: Any = xdsl_relax.compile(exported(torch.nn.ReLU(), torch.ones(2, 5), path=tmp_path / "model.pt2"))
    with pytest.raises(ArgumentError, match=r"main: has no transformed parameters, as it has no transform \(lift\)"):
        _ = model.params
