"""A model of ONNX in a file against onnxruntime.

python benchmarks/onnx_models.py FILE.onnx [--dim NAME=SIZE]... [--fix NAME=SIZE]... [--value INPUT=NUMBER]...

Prints the error of each result, the seconds of import and compilation, and the milliseconds of a call by both, on one core. `--dim` gives
sizes of the random inputs, of which the program keeps the symbols; `--fix` fixes sizes in the import, and `--value` inputs.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
from xdsl_relax.frontend.model.compiled import CompiledModel
from xdsl_relax.frontend.model.problems import ModelImportError
from xdsl_relax.frontend.onnx import import_onnx
from xdsl_relax.runtime.compare import compare
from xdsl_relax.runtime.compiler import compile as compile_module

CALLS = 5


def main() -> int:
    """Runs one model; returns 1 if a result differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file")
    for flag in ("--dim", "--fix", "--value"):
        parser.add_argument(flag, action="append", default=[])
    args = parser.parse_args()
    fixed, sizes = _sizes(args.fix), _sizes(args.dim)
    proto = onnx.load(args.file, load_external_data=False)
    feeds = _feeds(proto, {**sizes, **fixed}, _sizes(args.value))
    values = {name: feeds[name] for name in _sizes(args.value)}
    start = time.perf_counter()
    try:
        model = import_onnx(args.file, dims=fixed, values=values)
    except ModelImportError as error:
        print(f"{args.file}: error: {error}")
        return 1
    imported = time.perf_counter()
    compiled = CompiledModel(compile_module(model.module, lift=bool(model.params)), model)
    done = time.perf_counter()
    options = ort.SessionOptions()
    options.log_severity_level, options.intra_op_num_threads = 3, 1
    session = ort.InferenceSession(args.file, options, providers=["CPUExecutionProvider"])
    expected = session.run(None, feeds)
    given = {name: feeds[name] for name in model.inputs}
    status = 0
    for (name, got), want in zip(compiled.run(given).items(), expected, strict=True):
        verdict = compare(got, np.asarray(want))
        status |= not verdict.agrees
        print(f"{name}: {verdict.reason or f'error {verdict.error:.2g}, tolerance {verdict.tolerance:.2g}'}")
    own, other = _milliseconds(lambda: compiled.run(given)), _milliseconds(lambda: session.run(None, feeds))
    print(
        f"import {imported - start:.1f} s, compile {done - imported:.1f} s; a call {own:.1f} ms, by onnxruntime {other:.1f} ms"
    )
    return status


def _sizes(options: list[str]) -> dict[str, int]:
    return {name: int(size) for name, _, size in (option.rpartition("=") for option in options)}


def _feeds(proto: Any, sizes: Mapping[str, int], values: Mapping[str, int]) -> dict[str, np.ndarray[Any, Any]]:
    """Returns random inputs: normal numbers, small integers, masks of ones."""
    rng = np.random.default_rng(0)
    stored = {item.name for item in proto.graph.initializer}
    feeds: dict[str, np.ndarray[Any, Any]] = {}
    for info in proto.graph.input:
        if info.name in stored:
            continue
        dtype = onnx.helper.tensor_dtype_to_np_dtype(info.type.tensor_type.elem_type)
        shape = [_size(dim, f"{info.name}_{axis}", sizes) for axis, dim in enumerate(info.type.tensor_type.shape.dim)]
        if info.name in values:
            feeds[info.name] = np.full(shape, values[info.name], dtype)
        elif "mask" in info.name or dtype == np.bool_:
            feeds[info.name] = np.ones(shape, dtype)
        elif dtype.kind in "iu":
            feeds[info.name] = rng.integers(0, 50, shape).astype(dtype)
        else:
            feeds[info.name] = rng.standard_normal(shape).astype(dtype)
    return feeds


def _size(dim: Any, default: str, sizes: Mapping[str, int]) -> int:
    if dim.WhichOneof("value") == "dim_value" and dim.dim_value >= 0:
        return int(dim.dim_value)
    named = dim.dim_param if any(map(str.isalpha, dim.dim_param)) else default
    return sizes.get(named, 2)


def _milliseconds(call: Callable[[], Any]) -> float:
    """Returns the least time of some calls."""
    times: list[float] = []
    for _ in range(CALLS):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times) * 1e3


if __name__ == "__main__":
    sys.exit(main())
