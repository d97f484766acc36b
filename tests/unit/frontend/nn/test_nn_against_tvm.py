"""Models with state, exported here and by TVM: the same programs up to names, and TVM's come back from the dialect."""

from __future__ import annotations

import importlib.util
import re
from typing import Any

import numpy as np
import pytest

if importlib.util.find_spec("tvm") is None:
    pytest.skip("needs the extra tvm", allow_module_level=True)

import tvm
from harness.engines import ENGINES
from tvm.relax.frontend import nn as tvm_nn
from xdsl.dialects.builtin import ModuleOp
from xdsl_relax.frontend import nn
from xdsl_relax.frontend.tvm import from_relax, to_relax


def bare(module: ModuleOp) -> str:
    """Returns the text of a program without names of values and of what a tuple of parameters holds, and without what the importer notes down."""
    copy = module.clone()
    for op in copy.walk():
        for name in [name for name in op.attributes if name.startswith("tvm.")]:
            del op.attributes[name]
        values = [*op.results, *(arg for region in op.regions for block in region.blocks for arg in block.args)]
        for value in values:
            value.name_hint = None
    text = re.sub(r" \{relax.names = \[[^]]*\]\}", ' {relax.name = "packed_params"}', str(copy))
    return text.replace(' {relax.name = ".io"}', "").replace(' {relax.name = "_io"}', "")


def models(library: Any) -> dict[str, tuple[Any, dict[str, Any]]]:
    """Returns modules and their specifications, written for a library."""

    class Cached(library.Module):
        def __init__(self):
            self.cache = library.KVCache(8, [2, 4])

        def forward(self, x: Any, total: Any) -> Any:
            self.cache.append(x)
            return self.cache.view(total)

    class Shown(library.Module):
        def __init__(self):
            self.linear = library.modules.Linear(4, 4)

        def forward(self, x: Any, n: Any) -> Any:
            y = self.linear(x)
            library.op.debug_func("test.shown", y, 3, 2.5, "text", n, _line_info="model.py:7")
            return y

    tensor = library.spec.Tensor
    cached = {"x": tensor([3, 2, 4], "float32"), "total": int}
    return {
        "relu": (library.modules.ReLU(), {"forward": {"x": tensor([3, 3], "float32")}}),
        "cached": (Cached(), {"forward": cached}),
        "cached-packed": (Cached(), {"forward": {**cached, "$": {"param_mode": "packed", "effect_mode": "packed"}}}),
        "shown": (Shown(), {"forward": {"x": tensor([2, 4], "float32"), "n": int}}),
    }


@pytest.mark.parametrize("name", ["relu", "cached", "cached-packed", "shown"])
def test_programs_with_effects_are_those_of_tvm(name: str):
    model, spec = models(tvm_nn)[name]
    reference, _ = model.export_tvm(spec, debug=True)
    imported = from_relax(reference)
    tvm.ir.assert_structural_equal(to_relax(imported), reference)
    own, spec = models(nn)[name]
    assert bare(own.export(spec, debug=True)[0]) == bare(imported)


@pytest.mark.parametrize("kind", ENGINES)
def test_cache_of_tvm_runs(kind: str):
    model, spec = models(tvm_nn)["cached"]
    module = from_relax(model.export_tvm(spec)[0])
    x = np.random.default_rng(0).standard_normal((3, 2, 4), np.float32)
    call = ENGINES[kind](module)

    _, (state,) = call("forward", x, (3,), *call("_initialize_effect"))
    result, _ = call("forward", 2 * x, (6,), state)
    np.testing.assert_array_equal(result, np.concatenate([x, 2 * x]))
