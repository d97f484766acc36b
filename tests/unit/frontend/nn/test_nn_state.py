"""State of models outside of exports: dtypes that change as a whole, and effects that exports leave alone."""

from __future__ import annotations

from threading import Thread
from typing import Any

import numpy as np
import pytest
from xdsl_relax.frontend import nn

SPEC = {"forward": {"x": nn.spec.Tensor(["n", 2], "float32"), "t": int}}


class History(nn.Module):
    def __init__(self):
        self.cache = nn.KVCache(4, [2])
        self.projection = nn.Linear(2, 2, bias=False)
        self.fails = False

    def forward(self, x: nn.Tensor, t: Any) -> nn.Tensor:
        self.cache.append(self.projection(x))
        if self.fails:
            raise RuntimeError("in the middle")
        return self.cache.view(t)


def test_a_dtype_changes_everywhere_or_nowhere():
    model = nn.ModuleList([nn.Linear(2, 2), nn.Linear(2, 2)])
    for parameter in model[1].parameters():
        shape: Any = parameter.shape
        parameter.data = np.ones(shape, np.float32)
    with pytest.raises(ValueError, match=r"^1\.weight: expected a parameter without data to change float32 to float16"):
        model.to("float16")
    assert {parameter.dtype for parameter in model.parameters()} == {"float32"}
    with pytest.raises(nn.ModelError, match="to: "):
        nn.Linear(2, 2).to("float7")


def test_a_module_that_contains_itself_has_no_dtype_to_change():
    model = nn.ModuleList()
    model.append(model)
    with pytest.raises(nn.ModelError, match="module '0' contains itself"):
        model.to("float16")


def test_an_export_that_fails_leaves_no_state():
    model = History()
    expected = str(model.export(SPEC)[0])
    model.fails = True
    with pytest.raises(RuntimeError, match="in the middle"):
        model.export(SPEC)
    with pytest.raises(nn.ModelError, match="KVCache is used outside of an export"):
        model.cache.append(nn.Tensor.placeholder([1, 2], "float32"))
    model.fails = False
    assert str(model.export(SPEC)[0]) == expected


def test_threads_export_one_model():
    model = History()
    expected = str(model.export(SPEC)[0])
    results: list[str] = []

    def export() -> None:
        for _ in range(4):
            try:
                results.append(str(model.export(SPEC)[0]))
            except Exception as error:
                results.append(repr(error))

    threads = [Thread(target=export) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 16
