"""Cases of ONNX's own node suite: how one is imported, run and compared.

A case has the outcome `pass`, `fixed` (passed, with inputs fixed that the import has to know), `refused`, `wrong` or `crash`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, TypeProto, numpy_helper
from onnx.backend.test.case import base
from onnx.backend.test.case.node import collect_testcases
from xdsl_relax.frontend.model.problems import UnsupportedModelError
from xdsl_relax.frontend.model.weights import ImportedModel
from xdsl_relax.frontend.onnx import import_onnx
from xdsl_relax.frontend.onnx.types import SMALL_FLOATS, kind_of_array, stored

from harness.main_runs import Array, Run
from harness.outcomes import Outcome, crash_of

POOLS = ("AveragePool", "LpPool", "MaxPool")
"""Ops whose results the suite computes window by window, when its modules are imported: ten seconds, most of them for cases in 3-d."""


def suite(wanted: Callable[[str], bool] = lambda name: True) -> list[Any]:
    """Returns the cases whose names are wanted."""
    build = base._Exporter.__init__

    def build_wanted(cls: Any, name: str, bases: Any, members: dict[str, Any]) -> None:
        left_out = {key for key, member in members.items() if name in POOLS and _is_unwanted(member, wanted)}
        build(cls, name, bases, {key: member for key, member in members.items() if key not in left_out})

    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        patch.setattr(base._Exporter, "__init__", build_wanted)
        # The text of each export, for pages that nobody makes here.
        patch.setattr(base, "process_snippet", lambda *_: ("", ""))
        return [case for case in collect_testcases(None) if wanted(case.name)]


def _is_unwanted(export: Any, wanted: Callable[[str], bool]) -> bool:
    """Returns whether a function makes cases of which all have a name in its code, and none is wanted."""
    if not isinstance(export, staticmethod):
        return False
    names = [text for text in export.__func__.__code__.co_consts if isinstance(text, str) and text.startswith("test_")]
    return bool(names) and not any(wanted(name) for name in names)


def op_of(case: Any) -> str:
    """Returns the op that a case is about."""
    graph = case.model.graph
    return graph.node[0].op_type if len(graph.node) == 1 else case.name.removeprefix("test_").split("_")[0]


def outcome(case: Any, runs: Sequence[Run]) -> Outcome:
    """Imports a case, runs it by each engine and compares with what the suite expects."""
    word = "pass"
    try:
        for inputs, expected in case.data_sets:
            try:
                model, arguments, fixed = imported(case.model, inputs)
            except UnsupportedModelError as error:
                return Outcome("refused", str(error))
            word = "fixed" if fixed else word
            for run in runs:
                with np.errstate(all="ignore"):
                    results = run(model.module, [*arguments, *(model.params[name] for name in model.params)])
                reason = difference(results, expected, case.rtol, case.atol)
                if reason:
                    return Outcome("wrong", f"{run.__name__}: {reason}")
    except Exception as error:
        return crash_of(error)
    return Outcome(word)


def imported(proto: Any, inputs: Sequence[Any]) -> tuple[ImportedModel, list[Array], bool]:
    """Imports a model, if need be with those inputs fixed that the import asks for; returns it with the arguments of a call."""
    names = [info.name for info in proto.graph.input]
    given = dict(zip(names, inputs, strict=True))
    dims: dict[str, Any] = {
        info.name: _length(given[info.name]) for info in proto.graph.input if _is_list(info.type, given[info.name])
    }
    for info in proto.graph.input:
        if info.name in dims and not _has_shape(info.type):
            dims |= {f"{info.name}_{i}": np.shape(item) for i, item in enumerate(given[info.name] or ())}
    values: dict[str, Array] = {}
    while True:
        try:
            model = import_onnx(proto, dims=dims, values=values)
        except UnsupportedModelError as error:
            asked = [name for name in error.inputs if name not in values]
            if not asked:
                raise
            values |= {name: np.asarray(given[name]) for name in asked}
            continue
        arguments = [array for name in names if name not in values for array in flat(given[name])]
        return model, arguments, bool(values)


def _is_list(declared: TypeProto, value: Any) -> bool:
    kind = declared.WhichOneof("value")
    return kind == "sequence_type" or (kind == "optional_type" and (value is None or isinstance(value, list)))


def _has_shape(declared: TypeProto) -> bool:
    if declared.WhichOneof("value") == "optional_type":
        return _has_shape(declared.optional_type.elem_type)
    if declared.WhichOneof("value") == "sequence_type":
        return declared.sequence_type.elem_type.tensor_type.HasField("shape")
    return declared.tensor_type.HasField("shape")


def _length(value: Any) -> int:
    return 0 if value is None else len(value)


def flat(value: Any) -> list[Array]:
    """Returns the tensors of a value of the suite, in the types that the dialect keeps them in."""
    return [stored(array, kind_of_array(array)) for array in leaves(value)]


def leaves(value: Any) -> list[Array]:
    """Returns the tensors of a value of the suite."""
    if value is None:
        return []
    if isinstance(value, list | tuple):
        return [array for item in value for array in leaves(item)]
    return [numpy_helper.to_array(value) if isinstance(value, TensorProto) else np.asarray(value)]


def difference(results: Sequence[Array], expected: Sequence[Any], rtol: float, atol: float) -> str:
    """Returns what differs from the expected results, an empty text for nothing."""
    wanted = leaves(list(expected))
    if len(results) != len(wanted):
        return f"{len(results)} results, expected {len(wanted)}"
    for index, (got, want) in enumerate(zip(results, wanted, strict=True)):
        got = np.asarray(got)
        if kind_of_array(want) in SMALL_FLOATS:
            # By their values: the suite has no sign of zero.
            got, want = got.view(want.dtype).astype(np.float32), want.astype(np.float32)
        want = stored(want, kind_of_array(want))
        if got.ndim > want.ndim and got.size == want.size and isinstance(expected[0], list):
            # The suite compares the items of sequences by broadcasting.
            got = got.reshape(want.shape)
        if got.dtype != want.dtype or got.shape != want.shape:
            return f"result {index}: {got.dtype} {list(got.shape)}, expected {want.dtype} {list(want.shape)}"
        if want.dtype.kind in "fV":
            a, b = got.astype(np.float64), want.astype(np.float64)
            # The suite rounds each step of its functions to 16 bits, compilers do not: two units in the last place.
            rtol = max(rtol, ULPS.get(want.dtype.name, 0))
            # Sums that cancel are as exact as their terms.
            atol = max(atol, 2.0**-23 * np.max(np.abs(b), initial=0, where=np.isfinite(b)))
            if not np.allclose(a, b, rtol=rtol, atol=atol, equal_nan=True):
                with np.errstate(all="ignore"):
                    return f"result {index}: differs by {np.nanmax(np.abs(a - b), initial=0):.3g}"
        elif not np.array_equal(got, want):
            return f"result {index}: {int((got != want).sum())} of {want.size} elements differ"
    return ""


ULPS = {"float16": 2.0**-9, "bfloat16": 2.0**-6}
