"""Programs that once failed: compiled in every configuration, and after each graph pass, against the interpreter.

Each `regressions/*.mlir` says what was wrong in its first line. A line `// RUN n = 3, m = 0` calls `@main` with these sizes (without one, the
program has no symbols); `// ARG 1 = [1, 0]` gives an argument its values, which are random otherwise.
"""

import ast
import re
from pathlib import Path

import numpy as np
import pytest
import xdsl_relax
from fuzz.check import CONFIGURATIONS, PASSES, check
from fuzz.structure import register_functions
from xdsl.dialects.builtin import IntegerType, TensorType
from xdsl_relax.dialects.relax.attrs import ShapeType, dims_of
from xdsl_relax.dialects.relax.dtypes import is_float, numpy_dtype
from xdsl_relax.dialects.relax.function_signature import functions
from xdsl_relax.interpreter.rule import Bindings

FILES = sorted((Path(__file__).parent / "regressions").glob("*.mlir"))


def argument(value_type, given, bindings, rng):
    if isinstance(value_type, ShapeType):
        return bindings.dims(value_type.data)
    if isinstance(value_type, IntegerType):
        return np.bool_(rng.integers(2)) if given is None else np.bool_(given)
    assert isinstance(value_type, TensorType)
    dtype, shape = numpy_dtype(value_type.element_type), bindings.dims(dims_of(value_type))
    if given is not None:
        return np.asarray(given).astype(dtype).reshape(shape)
    if is_float(value_type.element_type):
        return np.asarray(rng.standard_normal(shape)).astype(dtype)
    return np.asarray(rng.integers(0, 2 if dtype == np.bool_ else 6, shape)).astype(dtype)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_regression(path):
    register_functions()
    text = path.read_text()
    module = xdsl_relax.load(path)
    main = next(function for function in functions(module) if function.sym_name.data == "main")
    values = {int(index): ast.literal_eval(value) for index, value in re.findall(r"// ARG (\d+) = (.*)", text)}
    rng = np.random.default_rng(1)
    arguments = []
    for line in re.findall(r"// RUN ?(.*)", text) or [""]:
        bindings = Bindings({name: int(size) for name, size in re.findall(r"(\w+) = (\d+)", line)})
        types = main.function_type.inputs.data
        arguments.append([argument(type_, values.get(index), bindings, rng) for index, type_ in enumerate(types)])
    assert check(module, arguments, CONFIGURATIONS, PASSES) is None
