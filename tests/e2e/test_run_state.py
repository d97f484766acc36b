"""`relax-run` on models with state: the program makes it, or one line says what cannot be given."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from xdsl_relax.frontend import nn
from xdsl_relax.frontend.nn.llm.kv_cache import PagedKVCache
from xdsl_relax.tools import relax_run


class History(nn.Module):
    def __init__(self) -> None:
        self.keys, self.values = nn.KVCache(2, [3]), nn.KVCache(2, [3])

    def forward(self, x: nn.Tensor, total: int) -> nn.Tensor:
        self.keys.append(x)
        self.values.append(x * 2.0)
        return self.keys.view(total) + self.values.view(total)


class Layer(nn.Module):
    def forward(self, qkv: nn.Tensor, cache: PagedKVCache, other: nn.Object) -> nn.Tensor:
        return cache.attention_with_fused_qkv(0, qkv, num_qo_heads=2, sm_scale=0.5)


def written(tmp_path: Path, model: nn.Module, methods: dict[str, object]) -> str:
    path = tmp_path / "model.mlir"
    path.write_text(str(model.export(methods)[0]))
    return str(path)


@pytest.mark.parametrize("mode", ["plain", "packed"])
@pytest.mark.parametrize("backend", ["native", "interpret"])
def test_the_program_makes_its_state(tmp_path: Path, capsys: pytest.CaptureFixture[str], mode: str, backend: str):
    x = {"x": nn.spec.Tensor(["n", 3], "float32"), "total": int, "$": {"effect_mode": mode}}
    path = written(tmp_path, History(), {"forward": x})
    np.save(tmp_path / "x.npy", np.arange(12, dtype=np.float32).reshape(4, 3))
    options = ["--input", f"x={tmp_path}/x.npy", "--dim", "total=4", "--backend", backend, "--time", "2", "--check"]
    assert relax_run.main([path, *options, "--out", str(tmp_path / "out")]) == 0
    assert "_initialize_effect" in capsys.readouterr().out
    result = np.load(tmp_path / "out/result_0_0.npy")
    np.testing.assert_array_equal(result, 3 * np.arange(12, dtype=np.float32).reshape(4, 3))
    assert [file.name for file in (tmp_path / "out").iterdir()] == ["result_0_0.npy"]


def test_a_state_that_does_not_fit_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = written(tmp_path, History(), {"forward": {"x": nn.spec.Tensor(["n", 3], "float32"), "total": int}})
    assert relax_run.main([path, "--dim", "n=2", "--dim", "total=5"]) == 1
    assert "expected a cache of shape [5, 3], it has [2, 3]" in capsys.readouterr().err


def test_objects_of_python_are_refused_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    spec = {"qkv": nn.spec.Tensor([1, "n", 4, 4], "float32"), "cache": nn.spec.Object(PagedKVCache)}
    path = written(tmp_path, Layer(), {"forward": {**spec, "other": nn.spec.Object(nn.Object)}})
    assert relax_run.main([path, "--dim", "n=2"]) == 1
    out, err = capsys.readouterr()
    message = "forward takes objects of Python, which no option gives: 'cache', 'other'; call it from Python"
    assert (out, err) == ("", f"{path}: error: {message}\n")
