"""Functions from outside: registered ones of Python, C sources, object files and libraries, natively and in the interpreter."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import xdsl_relax
from xdsl_relax.frontend import nn
from xdsl_relax.frontend.nn.c_functions import DLPACK_HEADER
from xdsl_relax.interpreter.engine import Interpreter
from xdsl_relax.interpreter.host.errors import ArgumentError

needs_compiler = pytest.mark.skipif(shutil.which("cc") is None or shutil.which("c++") is None, reason="needs cc")
KINDS = ["native", "interpreter"]

SOURCE = """
#include <dlpack/dlpack.h>
#include <string.h>
#ifdef __cplusplus
extern "C"
#endif
int test_scale(DLTensor* x, int64_t n, double factor, const char* mode, DLTensor* y) {
  if (x->ndim != 2 || x->dtype.code != kDLFloat || x->dtype.bits != 32 || x->strides) return 7;
  float offset = strcmp(mode, "shifted") == 0 ? 1 : 0;
  for (int64_t i = 0; i < x->shape[0] * x->shape[1]; ++i)
    ((float*)y->data)[i] = ((float*)x->data)[i] * (float)factor * (float)n + offset;
  return 0;
}
"""


def like(x: nn.Tensor, *_: Any) -> nn.Tensor:
    return nn.Tensor.placeholder(x.shape, x.dtype)


class Scaled(nn.Module):
    def __init__(self, functions: nn.ExternModule):
        self.functions = functions

    def forward(self, x: nn.Tensor, n: Any) -> nn.Tensor:
        return self.functions["test_scale"](x, n, 0.5, "shifted")


SPEC = {"forward": {"x": nn.spec.Tensor(["m", 3], "float32"), "n": int}}
X = np.random.default_rng(0).standard_normal((2, 3)).astype(np.float32)


def check(functions: nn.ExternModule, kind: str) -> None:
    model = Scaled(functions)
    if kind == "native":
        result = model.jit(SPEC)(X, 4)
    else:
        module, _, (extern,) = model.export(SPEC, allow_extern=True)
        extern.load()
        result = Interpreter(module).call("forward", X, (4,))[0]
    np.testing.assert_allclose(result, X * 2 + 1, rtol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("language", ["c", "cpp"])
@needs_compiler
def test_source_code(language: str, kind: str):
    check(nn.SourceModule({"test_scale": like}, SOURCE, language), kind)


@needs_compiler
def test_source_files_objects_and_libraries(tmp_path: Path):
    source = tmp_path / "scale.c"
    source.write_text(SOURCE)
    (tmp_path / "dlpack").mkdir()
    (tmp_path / "dlpack" / "dlpack.h").write_text(DLPACK_HEADER)
    check(nn.SourceModule({"test_scale": like}, source, "c", compile_options=["-O0"], compiler="cc"), "native")
    for name, options in (("scale.o", ["-c"]), ("scale.so", ["-shared"])):
        command = ["cc", "-fPIC", *options, "-I", str(tmp_path), str(source), "-o", str(tmp_path / name)]
        subprocess.run(command, check=True)
        check(nn.ObjectModule({"test_scale": like}, tmp_path / name), "native")


@pytest.mark.parametrize("kind", KINDS)
def test_a_python_function(kind: str):
    def scale(x: np.ndarray, n: Any, factor: float, mode: str, y: np.ndarray) -> None:
        y[...] = x * factor * n + (mode == "shifted")

    check(nn.ExternModule({"test_scale": like}, {"test_scale": scale}), kind)


@needs_compiler
def test_an_error_of_c_is_that_of_the_call():
    class Wrong(nn.Module):
        def forward(self, x: nn.Tensor) -> nn.Tensor:
            functions = nn.SourceModule({"test_scale": like}, SOURCE, "c")
            nn.add_extern(functions)
            return functions["test_scale"](x, 1, 1.0, "")

    compiled = Wrong().jit({"forward": {"x": nn.spec.Tensor([2], "float32")}})
    with pytest.raises(RuntimeError, match="test_scale returned 7"):
        compiled(np.ones(2, np.float32))


@needs_compiler
def test_bfloat16_and_ranks_are_passed():
    code = """
    #include <dlpack/dlpack.h>
    int test_kind(DLTensor* x, DLTensor* y) {
      int32_t* out = (int32_t*)y->data;
      out[0] = x->dtype.code; out[1] = x->dtype.bits; out[2] = x->ndim; out[3] = x->device.device_type;
      return 0;
    }
    """
    functions = nn.SourceModule({"test_kind": lambda x: nn.Tensor.placeholder([4], "int32")}, code, "c")

    class Kind(nn.Module):
        def forward(self, x: nn.Tensor) -> nn.Tensor:
            return functions["test_kind"](x)

    for dtype, expected in (("bfloat16", [4, 16]), ("uint8", [1, 8]), ("int64", [0, 64]), ("bool", [6, 8])):
        compiled = Kind().jit({"forward": {"x": nn.spec.Tensor([1, 2, 1], dtype)}})
        array = np.ones((1, 2, 1), getattr(ml_dtypes, dtype, dtype))
        assert compiled(array).tolist() == [*expected, 3, 1]


def test_a_module_says_which_functions_it_needs():
    functions = nn.ExternModule({"test_scale_nobody": like})

    class Model(nn.Module):
        def forward(self, x: nn.Tensor) -> nn.Tensor:
            nn.add_extern(functions)
            return functions["test_scale_nobody"](x)

    spec = {"forward": {"x": nn.spec.Tensor([2], "float32")}}
    with pytest.raises(
        nn.ModelError, match=r"functions of extern modules are called \(test_scale_nobody\): export with"
    ):
        Model().export(spec)
    with pytest.raises(nn.ModelError, match="no function is registered as test_scale_nobody"):
        Model().jit(spec)
    with pytest.raises(nn.ModelError, match="the extern module has no function 'other'; it has test_scale_nobody"):
        _ = functions["other"]


def test_two_modules_with_one_function():
    class Model(nn.Module):
        def forward(self, x: nn.Tensor) -> nn.Tensor:
            for _ in range(2):
                nn.add_extern(nn.ExternModule({"test_scale": like}))
            return x

    with pytest.raises(nn.ModelError, match="two extern modules have a function 'test_scale'"):
        Model().export({"forward": {"x": nn.spec.Tensor([2], "float32")}})
    with pytest.raises(nn.ModelError, match="add_extern is called outside of an export"):
        nn.add_extern(nn.ExternModule({}))


@needs_compiler
def test_what_cannot_be_loaded(tmp_path: Path):
    with pytest.raises(ArgumentError, match=r"cc failed: .*error"):
        nn.SourceModule({"f": like}, "int f(\n", "c", compiler="cc").load()
    with pytest.raises(ArgumentError, match="there is no compiler 'no-such-compiler'"):
        nn.SourceModule({"f": like}, "\n", "c", compiler="no-such-compiler").load()
    with pytest.raises(ArgumentError, match="the library has no function 'f'"):
        nn.SourceModule({"f": like}, "int g(void) { return 0; }\n", "c").load()
    with pytest.raises(nn.ModelError, match="no such file"):
        nn.ObjectModule({"f": like}, tmp_path / "none.o")
    with pytest.raises(nn.ModelError, match="expected c or cpp as the source format, got 'cu'"):
        nn.SourceModule({"f": like}, "", "cu")
    (tmp_path / "text.so").write_text("no library")
    with pytest.raises(ArgumentError, match=r"text.so: "):
        nn.ObjectModule({"f": like}, tmp_path / "text.so").load()


@pytest.mark.parametrize("kind", KINDS)
def test_functions_by_name(kind: str):
    xdsl_relax.register_packed("test.box", lambda x, label: {label: x})
    xdsl_relax.register_packed("test.unbox", lambda box, label, two: (box[label] + 1, box[label] * two[0][1]))

    def write(pair: Any, y: np.ndarray) -> None:
        y[...] = pair[0] + pair[1]

    xdsl_relax.register_packed("test.write", write)

    class Model(nn.Module):
        def forward(self, x: nn.Tensor, n: Any) -> nn.Tensor:
            box = nn.op.call_packed("test.box", [x, "key"], nn.Object.placeholder())
            out = [nn.Tensor.placeholder(x.shape, "float32")] * 2
            a, b = nn.op.call_packed("test.unbox", [box, "key", [(n, 2 * n)]], out)
            return nn.op.extern("test.write", [(a, b)], nn.Tensor.placeholder(x.shape, "float32"))

    module, _ = Model().export(SPEC)
    arguments = (X, (3,))
    program = xdsl_relax.compile(module)["forward"] if kind == "native" else Interpreter(module)
    result = program(*arguments) if kind == "native" else program.call("forward", *arguments)[0]  # pyright: ignore
    np.testing.assert_allclose(result, X + 1 + X * 6, rtol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_sizes_and_numbers_are_integers_and_shapes_are_tuples(kind: str):
    seen: list[Any] = []
    xdsl_relax.register_packed("test.seen", lambda x, *rest: (seen.append(rest), x)[1])

    class Model(nn.Module):
        def forward(self, x: nn.Tensor, n: Any) -> nn.Tensor:
            arguments = [x, n, n + 1, x.shape[0], 3, 0.5, (n,), (n, 2)]
            return nn.op.call_packed("test.seen", arguments, nn.Tensor.placeholder(x.shape, "float32"))

    module, _ = Model().export(SPEC)
    arguments = (X, (4,))
    if kind == "native":
        xdsl_relax.compile(module)["forward"](*arguments)
    else:
        Interpreter(module).call("forward", *arguments)
    expected = (4, 5, 2, 3, 0.5, (4,), (4, 2))
    assert seen == [expected] and list(map(type, seen[0])) == list(map(type, expected))


@pytest.mark.parametrize(
    ("args", "out", "message"),
    [
        ([object()], nn.Object.placeholder(), "expected a tensor, an object, a number, .* got object"),
        ([1], 3, "expected placeholders of the results, nn.Tensor.placeholder"),
    ],
)
def test_wrong_arguments(args: Any, out: Any, message: str):
    class Model(nn.Module):
        def forward(self, x: nn.Tensor) -> Any:
            return nn.op.call_packed("test.f", args, out)

    with pytest.raises(nn.ModelError, match=message):
        Model().export({"forward": {"x": nn.spec.Tensor([2], "float32")}})


@needs_compiler
def test_models_keep_the_functions_that_they_were_compiled_with():
    models = [
        Scaled(nn.SourceModule({"test_scale": like}, SOURCE.replace("(float)n", f"(float)(n + {added})"), "c")).jit(
            SPEC
        )
        for added in (0, 6)
    ]
    python = Scaled(
        nn.ExternModule({"test_scale": like}, {"test_scale": lambda x, n, factor, mode, y: np.copyto(y, -x)})
    )
    models.append(python.jit(SPEC))
    for model, factor, offset in zip(models, (2, 5, -1), (1, 1, 0), strict=True):
        np.testing.assert_allclose(model(X, 4), X * factor + offset, rtol=1e-6)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([2**63], "expected an integer of 64 bits as an argument of a Python function, got 9223372036854775808"),
        ([-(2**70)], "expected an integer of 64 bits"),
        ([[1, 2**70]], "expected an integer of 64 bits|size"),
        (["ab\0cd"], "expected a string without NUL as an argument of test_scale"),
    ],
)
def test_values_that_no_function_takes(arguments: list[Any], message: str):
    functions = nn.ExternModule({"test_scale": like}, {"test_scale": lambda *_: None})

    class Model(nn.Module):
        def __init__(self):
            self.functions = functions

        def forward(self, x: nn.Tensor) -> nn.Tensor:
            return self.functions["test_scale"](x, *arguments)

    with pytest.raises(nn.ModelError, match=message) as error:
        Model().export({"forward": {"x": nn.spec.Tensor([3], "float32")}}, allow_extern=True)
    assert "\n" not in str(error.value)


def test_what_infers_results_takes_the_arguments():
    functions = nn.ExternModule({"test_scale": lambda x, n: x}, {"test_scale": lambda *_: None})
    with pytest.raises(
        nn.ModelError, match=r"test_scale: too many positional arguments; it is called test_scale\(x, n\)"
    ):
        Scaled(functions).export(SPEC, allow_extern=True)


def test_what_is_registered_is_a_function():
    with pytest.raises(TypeError, match="expected a name and a function to register, got 'five' and 5"):
        xdsl_relax.register_packed("five", 5)  # pyright: ignore[reportArgumentType]
