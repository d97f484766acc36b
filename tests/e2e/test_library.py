"""Programs compiled ahead of time: the files, read again by Python, and the results of the program as it is compiled in the process."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xdsl_relax
from harness.c_library import FAILED_CHECK, CLibrary, Tensor, has_binutils, needed, needs_c, tensor, undefined
from harness.library_programs import (
    CONVOLUTIONS,
    EXAMPLES,
    code_compiled_once,
    digest,
    inputs_of,
    narrow_example,
    weights_of,
)
from harness.sampling import runs_all
from xdsl_relax.interpreter.host.errors import ArgumentError, FileError
from xdsl_relax.runtime.executable.native_function import ExecutionError
from xdsl_relax.runtime.params.safetensors_file import SafetensorsFile, write_safetensors
from xdsl_relax.runtime.signatures import signatures

LINEAR = EXAMPLES / "linear.mlir"


@pytest.fixture(scope="module", autouse=True)
def compiled_once() -> Iterator[None]:
    with code_compiled_once():
        yield


PROGRAMS = [
    "linear",
    "llama_decoder",
    "llama_mlp",
    "llama_mlp_f16",
    "row_mean",
    "square_root",
    "convolutions",
    *(["bert_layer", "resnet18"] if runs_all() else []),
]


@pytest.mark.parametrize("name", PROGRAMS)
def test_results_are_those_of_the_process(name: str, tmp_path: Path):
    program = xdsl_relax.load(CONVOLUTIONS if name == "convolutions" else narrow_example(name, tmp_path))
    functions = signatures(program)
    weights = weights_of(functions)
    lift: Any = False if not weights else "shared" if len(functions) > 1 else True
    exe = xdsl_relax.compile(program, lift=lift, cache=False)
    params = [exe.transform_params(weights)] if weights else []
    xdsl_relax.compile_library(program, tmp_path / name, name=name, params=weights or None)
    library = xdsl_relax.load_library(tmp_path / name)
    in_c = CLibrary(tmp_path / name, name) if (tmp_path / name / f"lib{name}.so").exists() else None
    assert {*library.params} == ({*functions} if weights else set())
    for function, signature in functions.items():
        given = inputs_of(signature)
        copies = [value.copy() if isinstance(value, np.ndarray) else value for value in given]
        expected = digest(exe[function].call(*given, *params))
        own = [library.params[function]] if weights else []
        assert digest(library[function].call(*copies, *own)) == expected
        if in_c is not None and all(isinstance(value, np.ndarray) for value in given):
            results = in_c.call(function, *inputs_of(signature), results=len(exe[function].signature.results))
            assert digest(results) == expected, f"{function} in C"
    if in_c is not None and has_binutils:
        path = tmp_path / name / f"lib{name}.so"
        assert needed(path) <= {"libc.so.6", "libm.so.6"}
        assert all("@GLIBC_" in symbol for symbol in undefined(path)), undefined(path)


@needs_c
def test_examples_have_shared_libraries(tmp_path: Path):
    written = xdsl_relax.compile_library(LINEAR, tmp_path / "linear")
    assert written.note == ""
    assert [file.name for file in written.files] == ["liblinear.so", "linear.c", "linear.h", "linear.json", "linear.o"]


def test_a_library_is_read_without_the_compiler(tmp_path: Path):
    xdsl_relax.compile_library(LINEAR, tmp_path, params={"fc.weight": np.ones((4, 8), np.float32)}, linker="none")
    script = f"""
import sys, numpy as np, xdsl_relax
library = xdsl_relax.load_library({str(tmp_path)!r})
x = np.arange(24, dtype=np.float32).reshape(3, 8)
print(library["main"](x, library.params["main"])[:, 0].tolist())
print([name for name in sys.modules if name.startswith(("xdsl_relax.lowering.", "xdsl_relax.passes."))
       and not name.startswith("xdsl_relax.lowering.llvm.names")])
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    first, loaded = done.stdout.splitlines()
    assert first == "[28.0, 92.0, 156.0]"
    assert "relax_to_linalg" not in loaded and "convert_to_llvm" not in loaded


def test_parameters_begin_at_multiples_of_64(tmp_path: Path):
    weights = weights_of(signatures(xdsl_relax.load(EXAMPLES / "llama_decoder.mlir")))
    xdsl_relax.compile_library(EXAMPLES / "llama_decoder.mlir", tmp_path, params=weights, linker="none")
    file = SafetensorsFile(tmp_path / "llama_decoder.params")
    assert file.start % 64 == 0
    names = [name for name in file if not name.startswith("padding.")]
    assert len(names) > 10
    assert all(file.offset(name) % 64 == 0 for name in names)
    # Prefill and decode share one set of them.
    library = xdsl_relax.load_library(tmp_path)
    assert library.params["prefill"] is library.params["decode"]


def test_padding_of_a_file(tmp_path: Path):
    tensors = {"a": np.arange(3, dtype=np.float32), "b": np.arange(5, dtype=np.float64), "c": np.ones(0, np.int8)}
    write_safetensors(tmp_path / "f", tensors, alignment=64)
    file = SafetensorsFile(tmp_path / "f")
    assert [name for name in file if name not in tensors] == ["padding.1", "padding.3"]
    for name, value in tensors.items():
        assert file.offset(name) % 64 == 0
        np.testing.assert_array_equal(file[name], value)
    safetensors = pytest.importorskip("safetensors.numpy")
    assert {*safetensors.load_file(tmp_path / "f")} == {*file}


def test_a_library_is_called_with_its_parameters(tmp_path: Path):
    x, w = np.arange(24, dtype=np.float32).reshape(3, 8), np.ones((4, 8), np.float32)
    expected = xdsl_relax.compile(LINEAR)["main"](x, w).tobytes()
    xdsl_relax.compile_library(LINEAR, tmp_path / "own", params={"fc.weight": w}, linker="none")
    library = xdsl_relax.load_library(tmp_path / "own")
    assert library(x).tobytes() == expected and library(x=x).tobytes() == expected
    xdsl_relax.compile_library(LINEAR, tmp_path / "none", linker="none")
    text = (tmp_path / "none" / "linear.h").read_text()
    assert " *   fc_weight: float32[4, 8], 'fc.weight' in messages" in text and "x: float32[n, 8]\n" in text
    assert xdsl_relax.load_library(tmp_path / "none")(x, w).tobytes() == expected
    xdsl_relax.compile_library(OWN_SETS, tmp_path / "two", linker="none")
    with pytest.raises(TypeError, match=r"as in library\[NAME\]\(...\): there are embed, scale"):
        xdsl_relax.load_library(tmp_path / "two")(x)


def test_the_header_of_a_module_of_webassembly(tmp_path: Path):
    xdsl_relax.compile_library(LINEAR, tmp_path, target="wasm32", linker="none")
    text = (tmp_path / "linear.h").read_text()
    assert " * zig cc -target wasm32-wasi main.c linear.c linear.o -o main.wasm" in text and "-L." not in text


CONSTANT = f"""
func.func @main(%x: tensor<128x160xf32>) -> tensor<128x160xf32> {{
  %c = relax.constant {{value = dense<"0x{np.random.default_rng(0).standard_normal(128 * 160).astype("f4").tobytes().hex()}"> : tensor<128x160xf32>}} : () -> tensor<128x160xf32>
  %z = relax.multiply %x, %c : (tensor<128x160xf32>, tensor<128x160xf32>) -> tensor<128x160xf32>
  return %z : tensor<128x160xf32>
}}"""


def test_large_constants_are_in_the_object(tmp_path: Path):
    xdsl_relax.compile_library(CONSTANT, tmp_path, linker="none")
    library = xdsl_relax.load_library(tmp_path)
    assert not library.interface.constants
    assert len(library.code) > 128 * 160 * 4
    x = np.random.default_rng(1).standard_normal((128, 160)).astype("f4")
    expected = xdsl_relax.compile(CONSTANT, cache=False)["main"](x)
    assert library["main"](x).tobytes() == expected.tobytes()


OWN_SETS = """
func.func @embed(%x: tensor<?xf32, #relax.sym<n>>, %t: tensor<4xf32> {relax.name = "table"}) -> tensor<4xf32>
    attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %s = relax.sum %x : (tensor<?xf32, #relax.sym<n>>) -> tensor<f32>
    %e = relax.exp %t : (tensor<4xf32>) -> tensor<4xf32>
    %y = relax.multiply %e, %s : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    relax.output %y : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func @scale(%x: tensor<4xf32>, %t: tensor<4xf32> {relax.name = "table"}, %u: tensor<4xf32> {relax.name = "shift"}) -> tensor<4xf32>
    attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %e = relax.multiply %t, %u : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %y = relax.add %x, %e : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    relax.output %y : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}"""


@pytest.mark.parametrize("lift", [None, False])
def test_functions_with_parameters_of_their_own(lift: Any, tmp_path: Path):
    weights = {"table": np.arange(4, dtype=np.float32), "shift": np.full(4, 2, np.float32)}
    xdsl_relax.compile_library(OWN_SETS, tmp_path, params=weights, linker="none", lift=lift, name="own")
    library = xdsl_relax.load_library(tmp_path)
    x = np.ones(3, np.float32)
    with pytest.raises(ArgumentError, match=r"\(parameters are those of the library: library\.params\['embed'\]\)$"):
        library["embed"](x)
    np.testing.assert_allclose(library["embed"](x, library.params["embed"]), 3 * np.exp(weights["table"]), rtol=1e-6)
    assert library["scale"](weights["table"], library.params["scale"]).tolist() == [0.0, 3.0, 6.0, 9.0]
    with pytest.raises(ArgumentError, match="missing parameter 'shift'"):
        xdsl_relax.compile_library(OWN_SETS, tmp_path / "x", params={"table": weights["table"]}, lift=lift)
    with pytest.raises(ArgumentError, match="surplus parameter 'more' is not used by any function"):
        xdsl_relax.compile_library(OWN_SETS, tmp_path / "x", params={**weights, "more": weights["table"]}, lift=lift)
    assert not (tmp_path / "x").exists()
    counted = {**weights, "norm.num_batches_tracked": np.int64(7)}
    xdsl_relax.compile_library(OWN_SETS, tmp_path / "x", params=counted, lift=lift)


PYTHON = """
func.func @main(%x: tensor<4xf32>, %f: !relax.object) -> (tensor<4xf32>, !relax.object) {
  %a = relax.call_packed %x {callee = "test.triple"} : (tensor<4xf32>) -> tensor<4xf32>
  %b = relax.call_dps_packed %a {callee = "test.negated"} : (tensor<4xf32>) -> tensor<4xf32>
  %o = relax.invoke_closure %f, %b : (!relax.object, tensor<4xf32>) -> !relax.object
  return %a, %o : tensor<4xf32>, !relax.object
}"""


def test_what_needs_python_is_refused_at_once(tmp_path: Path):
    with pytest.raises(ArgumentError) as error:
        xdsl_relax.compile_library(PYTHON, tmp_path / "x")
    message = str(error.value)
    assert message.startswith("only Python can call this program: ") and "\n" not in message
    for part in (
        "packed function 'test.triple'",
        "'test.negated'",
        "invoke_closure",
        "main: 'f' is an object of Python",
    ):
        assert part in message
    assert not (tmp_path / "x").exists()
    with pytest.raises(ArgumentError, match=r"main: 'x' has rank 9, of at most 8"):
        xdsl_relax.compile_library(
            "func.func @main(%x: tensor<1x1x1x1x1x1x1x1x2xf32>) -> tensor<1x1x1x1x1x1x1x1x2xf32> {\n"
            "  return %x : tensor<1x1x1x1x1x1x1x1x2xf32>\n}",
            tmp_path / "x",
        )
    with pytest.raises(ArgumentError, match=r"only Python can call this program: .*cpu:1"):
        xdsl_relax.compile_library(EXAMPLES / "devices.mlir", tmp_path / "x")


def test_a_library_is_written_as_a_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    folder = tmp_path / "linear"
    with pytest.raises(ArgumentError, match=r"there is no linker 'nonesuch' for "):
        xdsl_relax.compile_library(LINEAR, folder, linker="nonesuch")
    assert list(tmp_path.iterdir()) == []
    xdsl_relax.compile_library(LINEAR, folder, linker="none", params={"fc.weight": np.ones((4, 8), np.float32)})
    (folder / "main.c").write_text("int main(void) { return 0; }\n")
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    assert {*before} == {"linear.c", "linear.h", "linear.json", "linear.o", "linear.params", "main.c"}

    def fails(*_: object) -> str:
        raise OSError(28, "No space left on device", "linear.c")

    with monkeypatch.context() as patched:
        patched.setattr("xdsl_relax.runtime.library.folder.source", fails)
        with pytest.raises(OSError, match="No space left"):
            xdsl_relax.compile_library(LINEAR, folder, linker="none")
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before
    assert [file.name for file in tmp_path.iterdir()] == ["linear"]
    # What belongs to others stays, what the library had and has no more goes.
    xdsl_relax.compile_library(LINEAR, folder, linker="none")
    assert {file.name for file in folder.iterdir()} == {*before} - {"linear.params"}
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match="expected a folder, this is a file"):
        xdsl_relax.compile_library(LINEAR, tmp_path / "file", linker="none")


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def test_a_replacement_that_fails_in_the_middle_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    folder = tmp_path / "linear"
    xdsl_relax.compile_library(LINEAR, folder, linker="none", params={"fc.weight": np.ones((4, 8), np.float32)})
    (folder / "notes.txt").write_text("of somebody else")
    before, rename = contents(folder), Path.rename
    failures = 0
    for last in range(20):
        calls = 0

        def fails(self: Path, target: Path, last: int = last) -> Path:
            nonlocal calls, failures
            calls += 1
            if calls == last + 1:
                failures += 1
                raise OSError(28, "No space left on device", str(self), None, str(target))
            return rename(self, target)

        with monkeypatch.context() as patched:
            patched.setattr(Path, "rename", fails)
            try:
                xdsl_relax.compile_library(LINEAR, folder, linker="none", target="x86-64-v2")
            except OSError as error:
                assert Path(error.filename).parent == folder
            else:
                break
        assert contents(folder) == before
        assert [file.name for file in tmp_path.iterdir()] == ["linear"]
    assert failures == len(before) - 1 + 4
    assert {*contents(folder)} == {*before} - {"linear.params"}


def test_libraries_of_other_targets_go(tmp_path: Path):
    xdsl_relax.compile_library(LINEAR, tmp_path, linker="none")
    others = ["linear.wasm", "liblinear.so", "liblinear.dylib"]
    for name in others:
        (tmp_path / name).write_text("of an earlier call")
    xdsl_relax.compile_library(LINEAR, tmp_path, linker="none", target="wasm32")
    assert {*contents(tmp_path)} == {"linear.c", "linear.h", "linear.json", "linear.o"}


def test_errors_name_the_folder_that_was_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "real").mkdir()
    folder = tmp_path / "link"
    folder.symlink_to(tmp_path / "real")

    def fails(path: Path, text: str) -> None:
        raise OSError(28, "No space left on device", str(path))

    with monkeypatch.context() as patched:
        patched.setattr("xdsl_relax.runtime.library.folder.write_text", fails)
        for wanted in (folder, tmp_path / "new"):
            with pytest.raises(OSError, match="No space left") as error:
                xdsl_relax.compile_library(LINEAR, wanted, linker="none")
            assert error.value.filename == str(wanted / "linear.json")
    (folder / "linear.o").mkdir()
    with pytest.raises(FileError) as refused:
        xdsl_relax.compile_library(LINEAR, folder, linker="none")
    assert str(refused.value) == f"{folder / 'linear.o'}: expected a file, this is a folder"
    assert [file.name for file in folder.iterdir()] == ["linear.o"]


@pytest.mark.parametrize("is_there", [False, True])
def test_a_signal_leaves_no_folder_behind(is_there: bool, tmp_path: Path):
    folder, tools = tmp_path / "out", tmp_path / "tools"
    tools.mkdir()
    if is_there:
        folder.mkdir()
        (folder / "linear.json").write_text("of an earlier call")
    # A linker that never ends.
    (tools / "cc").write_text(f"#!/bin/sh\necho > {tools}/started\nexec sleep 600\n")
    (tools / "cc").chmod(0o755)
    process = subprocess.Popen(
        [sys.executable, "-m", "xdsl_relax.tools.relax_compile", LINEAR, "-o", folder, "--linker", "cc"],
        env={**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"},
        stderr=subprocess.PIPE,
    )
    while not (tools / "started").exists():
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate()
    assert (process.returncode, said) == (-signal.SIGTERM, b"")
    assert {file.name for file in tmp_path.iterdir()} == {"tools"} | ({"out"} if is_there else set())
    if is_there:
        assert contents(folder) == {"linear.json": b"of an earlier call"}


def test_what_is_no_library_is_refused(tmp_path: Path):
    with pytest.raises(
        FileError, match=r"expected the folder of a library, with a record \(.json\); there is no such folder$"
    ):
        xdsl_relax.load_library(tmp_path / "nowhere")
    with pytest.raises(FileError, match="expected the folder of a library, with a record"):
        xdsl_relax.load_library(tmp_path)
    folder = tmp_path / "linear"
    weight = np.ones((4, 8), np.float32)
    xdsl_relax.compile_library(LINEAR, folder, linker="none", params={"fc.weight": weight})
    record = json.loads((folder / "linear.json").read_text())
    (folder / "linear.json").write_text(json.dumps({**record, "threads": 3}))
    with pytest.raises(FileError, match="the record was changed after it was made"):
        xdsl_relax.load_library(folder)
    (folder / "linear.json").write_text(json.dumps(record))
    code = (folder / "linear.o").read_bytes()
    (folder / "linear.o").write_bytes(code[:-1])
    with pytest.raises(FileError, match="is not that of the interface record"):
        xdsl_relax.load_library(folder)
    (folder / "linear.o").unlink()
    with pytest.raises(FileError, match=r"linear\.o: no such file"):
        xdsl_relax.load_library(folder)
    (folder / "linear.o").write_bytes(code)
    params = (folder / "linear.params").read_bytes()
    write_safetensors(folder / "linear.params", {"a": weight})
    with pytest.raises(FileError, match="holds no parameters of a library"):
        xdsl_relax.load_library(folder)
    # A file that is cut off, or says something else of its data, is refused as C refuses it.
    changed = params.replace(b'"dtype": "F32"', b'"dtype": "I32"')
    assert changed != params
    for content, message in (
        (params[:-1], "not a readable safetensors file"),
        (changed, "the parameters of another program"),
    ):
        (folder / "linear.params").write_bytes(content)
        with pytest.raises(FileError, match=message):
            xdsl_relax.load_library(folder)
    (folder / "linear.params").unlink()
    with pytest.raises(FileError, match=r"linear\.params: no such file or directory"):
        xdsl_relax.load_library(folder)


def test_the_record_of_a_folder(tmp_path: Path):
    xdsl_relax.compile_library(LINEAR, tmp_path, linker="none")
    # What has no object code beside it is no record.
    (tmp_path / "config.json").write_text("{}")
    x, w = np.ones((2, 8), np.float32), np.ones((4, 8), np.float32)
    expected = xdsl_relax.load_library(tmp_path)["main"](x, w)
    xdsl_relax.compile_library(LINEAR, tmp_path, linker="none", name="second")
    with pytest.raises(FileError) as error:
        xdsl_relax.load_library(tmp_path)
    names = "linear.json, second.json"
    assert str(error.value) == f"{tmp_path}: holds several records, expected the path of one of them: {names}"
    assert xdsl_relax.load_library(tmp_path / "second.json")["main"](x, w).tobytes() == expected.tobytes()


OTHER_PARAMS = """
func.func @main(%x: tensor<?xf32, #relax.sym<n>>, %s: !relax.shape<[4, k]> {relax.name = "size"}, %f: f32 {relax.name = "padding.1"}, %i: index, %w: tensor<3xf32> {relax.name = "padding.3"}, %v: tensor<3xi8> {relax.name = "padding.0"})
    -> (tensor<?x?xf32, #relax.sym<n, k>>, tensor<3xf32>, tensor<3xi8>, tensor<2xi64>) attributes {relax.num_input = 1 : i64} {
  %t = relax.shape : () -> !relax.shape<[n, k]>
  %g = tensor.from_elements %f : tensor<f32>
  %o = relax.full %t, %g {dtype = f32} : (!relax.shape<[n, k]>, tensor<f32>) -> tensor<?x?xf32, #relax.sym<n, k>>
  %e = relax.exp %w : (tensor<3xf32>) -> tensor<3xf32>
  %j = arith.index_cast %i : index to i64
  %k = tensor.from_elements %j, %j : tensor<2xi64>
  return %o, %e, %v, %k : tensor<?x?xf32, #relax.sym<n, k>>, tensor<3xf32>, tensor<3xi8>, tensor<2xi64>
}"""


@pytest.mark.parametrize("lift", [None, False])
def test_parameters_of_all_kinds_and_names(lift: bool | None, tmp_path: Path):
    weights = {
        "size": [4, 5],
        "padding.1": 2.5,
        "i": 7,
        "padding.3": np.ones(3, np.float32),
        "padding.0": np.full(3, 3, np.int8),
    }
    xdsl_relax.compile_library(OTHER_PARAMS, tmp_path, params=weights, lift=lift)
    library = xdsl_relax.load_library(tmp_path)
    x = np.ones(2, np.float32)
    results = library["main"](x, library.params["main"])
    expected = xdsl_relax.compile(OTHER_PARAMS)["main"](x, params=weights)
    assert digest(results) == digest(expected)
    assert results[0].shape == (2, 5) and results[3].tolist() == [7, 7]
    if (tmp_path / "libprogram.so").exists():
        in_c = CLibrary(tmp_path, "program").call("main", x, results=4)
        assert digest(in_c) == digest(expected)


TUPLE_PARAM = """
func.func @main(%x: tensor<3xf32>, %p: tuple<tensor<3xf32>, tensor<3xf32>>) -> tensor<3xf32> attributes {relax.num_input = 1 : i64} {
  %w = relax.tuple_get_item %p {index = 1 : i64} : (tuple<tensor<3xf32>, tensor<3xf32>>) -> tensor<3xf32>
  return %w : tensor<3xf32>
}"""


@pytest.mark.parametrize(
    ("program", "params", "message"),
    [
        (
            TUPLE_PARAM,
            {"p": (np.ones(3, "f"), np.ones(3, "f"))},
            "parameter 'p': expected an array, a number or a shape, got tuple",
        ),
        (
            TUPLE_PARAM,
            {"p": np.ones(3, "f")},
            "parameter 'p': expected tuple<tensor<3xf32>, tensor<3xf32>>, got a ndarray",
        ),
        (
            "func.func @main(%s: !relax.shape<[k]>) -> !relax.shape<[k]> attributes {relax.num_input = 0 : i64} {\n"
            "  return %s : !relax.shape<[k]>\n}",
            {"s": np.ones(3, "f")},
            "parameter 's': expected !relax.shape<[k]>, got array",
        ),
        (
            'func.func @main(%w: tensor<3xf32> {relax.name = "__metadata__"}) -> tensor<3xf32> attributes {relax.num_input = 0 : i64} {\n'
            "  return %w : tensor<3xf32>\n}",
            {"__metadata__": np.ones(3, "f")},
            "a tensor cannot be called '__metadata__'",
        ),
    ],
)
def test_parameters_that_no_file_has_a_place_for(program: str, params: Any, message: str, tmp_path: Path):
    with pytest.raises(ArgumentError, match=re.escape(message)) as error:
        xdsl_relax.compile_library(program, tmp_path / "x", params=params, lift=False)
    assert "partial" not in str(error.value) and list(tmp_path.iterdir()) == []


def test_names(tmp_path: Path):
    with pytest.raises(
        ArgumentError,
        match="name: expected an identifier that C and its headers leave free, got '3 d', did you mean 'n3_d'",
    ):
        xdsl_relax.compile_library(LINEAR, tmp_path / "x", name="3 d")
    (tmp_path / "my-net.v2.mlir").write_text(LINEAR.read_text().replace("@main", "@run.fast"))
    xdsl_relax.compile_library(tmp_path / "my-net.v2.mlir", tmp_path / "x", linker="none")
    assert "relax_status my_net_v2_run_fast(" in (tmp_path / "x" / "my_net_v2.h").read_text()
    with pytest.raises(TypeError, match="no option 'linkr', did you mean 'linker'"):
        xdsl_relax.compile_library(LINEAR, tmp_path / "x", linkr="ld")  # pyright: ignore[reportCallIssue]


FOUND = """
func.func @main(%m: tensor<?xi1, #relax.sym<n>>, %x: tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>> {
  %i = relax.nonzero %m : (tensor<?xi1, #relax.sym<n>>) -> tensor<1x?xi64>
  %j = relax.match_cast %i : (tensor<1x?xi64>) -> tensor<1x?xi64, #relax.sym<k>>
  %s = relax.shape : () -> !relax.shape<[k]>
  %g = relax.reshape %j, %s : (tensor<1x?xi64, #relax.sym<k>>, !relax.shape<[k]>) -> tensor<?xi64, #relax.sym<k>>
  %f = relax.astype %g {dtype = f32} : (tensor<?xi64, #relax.sym<k>>) -> tensor<?xf32, #relax.sym<k>>
  %y = relax.add %x, %f : (tensor<?xf32, #relax.sym<n>>, tensor<?xf32, #relax.sym<k>>) -> tensor<?xf32, #relax.sym<n>>
  return %y : tensor<?xf32, #relax.sym<n>>
}"""


@needs_c
def test_a_failed_assertion_shows_the_values_that_the_call_found(tmp_path: Path):
    xdsl_relax.compile_library(FOUND, tmp_path, name="found")
    exe = xdsl_relax.load_library(tmp_path)
    mask, x = np.array([True, False, True]), np.zeros(3, np.float32)
    with pytest.raises(ExecutionError, match=r"relax.add: expected n == k where n = 3, k = 2") as error:
        exe["main"](mask, x)
    library = CLibrary(tmp_path, "found")
    assert library.status("main", tensor(mask), tensor(x), Tensor()) == FAILED_CHECK
    assert library.message == str(error.value)
    [result] = library.call("main", np.ones(3, bool), x)
    assert result.tolist() == [0, 1, 2]
