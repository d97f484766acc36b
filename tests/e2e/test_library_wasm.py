"""Programs compiled for WebAssembly with vectors of 128 bits, run by wasmtime: results are those of x86-64-v2 in this process.

Both targets have the same vectors, registers and caches, so that schedules, and with them the order of sums, are the same; neither fuses
products and sums. What is left to rounding is what IEEE 754 says.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xdsl_relax
from harness.library_programs import CONVOLUTIONS, EXAMPLES, digest, inputs_of, narrow_example, weights_of
from harness.sampling import runs_all
from harness.wasm import WasmLibrary, needs_wasm
from xdsl_relax.interpreter.host.errors import ArgumentError
from xdsl_relax.lowering.pipeline import Settings
from xdsl_relax.runtime.compiler import optimized
from xdsl_relax.runtime.executable.executable import Executable
from xdsl_relax.runtime.library.linker import zig
from xdsl_relax.runtime.machine.jit import ForeignCodeError
from xdsl_relax.runtime.signatures import signatures
from xdsl_relax.targets.cpu import cpu_target, lacking

LINEAR = EXAMPLES / "linear.mlir"
NEAREST = "x86-64-v2"

PROGRAMS = [
    "linear",
    "llama_decoder",
    "llama_mlp_f16",
    "convolutions",
    *(["resnet18"] if runs_all() else []),
    "row_mean",
]


def test_the_row_schedules_as_its_nearest_neighbor():
    wasm, x86 = cpu_target("wasm32"), cpu_target(NEAREST)
    for field in (
        "vector_bits",
        "vector_registers",
        "lanes",
        "masks_memory",
        "fuses_multiply_add",
        "dot_products",
        "page_size",
        "fetches_streams",
        "reads_side_by_side",
    ):
        assert getattr(wasm, field) == getattr(x86, field)
    assert [cache and cache.size for cache in (wasm.l1d, wasm.l2, wasm.l3)] == [
        cache and cache.size for cache in (x86.l1d, x86.l2, x86.l3)
    ]


@needs_wasm
@pytest.mark.skipif(lacking(cpu_target(NEAREST)) != "", reason=f"needs a machine that runs code for {NEAREST}")
@pytest.mark.sweep
@pytest.mark.parametrize("name", PROGRAMS)
def test_bits_are_those_of_x86_64_v2(name: str, tmp_path: Path):
    program = xdsl_relax.load(CONVOLUTIONS if name == "convolutions" else narrow_example(name, tmp_path))
    functions = signatures(program)
    weights = weights_of(functions)
    lift: Any = False if not weights else "shared" if len(functions) > 1 else True
    exe = xdsl_relax.compile(program, lift=lift, target=NEAREST, cache=False)
    # Weights of a library for another machine are transformed by the same ops on this one, which may fuse products and sums.
    settings = Settings(lift=lift, target=NEAREST)
    ops = optimized(program.clone(), settings, ())
    made_here = xdsl_relax.compile(ops, target="native", cache=False) if weights else exe
    params = [made_here.transform_params(weights)] if weights else []
    written = xdsl_relax.compile_library(program, tmp_path, name=name, params=weights or None, target="wasm32")
    assert written.note == ""
    module = WasmLibrary(tmp_path, name)
    assert module.imports <= {"wasi_snapshot_preview1"}
    compared = 0
    for function, signature in functions.items():
        given = inputs_of(signature)
        if not all(isinstance(value, np.ndarray) for value in given):
            continue
        results = module.call(function, *given, results=len(exe[function].signature.results))
        assert digest(results) == digest(exe[function].call(*given, *params)), function
        compared += 1
    assert compared


HALVES = """
func.func @scalar(%s: bf16) -> bf16 { return %s : bf16 }
func.func @same(%x: tensor<37xbf16>) -> tensor<37xbf16> { return %x : tensor<37xbf16> }
func.func @arithmetic(%x: tensor<37xbf16>, %y: tensor<37xbf16>) -> (tensor<37xbf16>, tensor<37xbf16>, tensor<37xi1>, tensor<37xbf16>) {
  %a = relax.add %x, %y : (tensor<37xbf16>, tensor<37xbf16>) -> tensor<37xbf16>
  %b = relax.negative %x : (tensor<37xbf16>) -> tensor<37xbf16>
  %c = relax.abs %b : (tensor<37xbf16>) -> tensor<37xbf16>
  %d = relax.divide %c, %y : (tensor<37xbf16>, tensor<37xbf16>) -> tensor<37xbf16>
  %e = relax.less %x, %y : (tensor<37xbf16>, tensor<37xbf16>) -> tensor<37xi1>
  %k = relax.constant {value = dense<-1.5> : tensor<bf16>} : () -> tensor<bf16>
  %f = relax.where %e, %x, %k : (tensor<37xi1>, tensor<37xbf16>, tensor<bf16>) -> tensor<37xbf16>
  %g = relax.exp %f : (tensor<37xbf16>) -> tensor<37xbf16>
  return %a, %d, %e, %g : tensor<37xbf16>, tensor<37xbf16>, tensor<37xi1>, tensor<37xbf16>
}
func.func @product(%x: tensor<13x37xbf16>, %y: tensor<37x19xbf16>) -> (tensor<13x19xbf16>, tensor<13x19xbf16>) {
  %a = relax.matmul %x, %y : (tensor<13x37xbf16>, tensor<37x19xbf16>) -> tensor<13x19xbf16>
  %b = relax.sort %a : (tensor<13x19xbf16>) -> tensor<13x19xbf16>
  return %a, %b : tensor<13x19xbf16>, tensor<13x19xbf16>
}
func.func @casts(%x: tensor<37xbf16>, %h: tensor<37xf16>, %d: tensor<37xf64>, %u: tensor<37xui64>, %i: tensor<37xi8>, %t: tensor<37xi1>)
    -> (tensor<37xf16>, tensor<37xf64>, tensor<37xui64>, tensor<37xi8>, tensor<37xi1>, tensor<37xbf16>, tensor<37xbf16>, tensor<37xbf16>,
        tensor<37xbf16>, tensor<37xbf16>) {
  %0 = relax.astype %x {dtype = f16} : (tensor<37xbf16>) -> tensor<37xf16>
  %1 = relax.astype %x {dtype = f64} : (tensor<37xbf16>) -> tensor<37xf64>
  %2 = relax.astype %x {dtype = ui64} : (tensor<37xbf16>) -> tensor<37xui64>
  %3 = relax.astype %x {dtype = i8} : (tensor<37xbf16>) -> tensor<37xi8>
  %4 = relax.astype %x {dtype = i1} : (tensor<37xbf16>) -> tensor<37xi1>
  %5 = relax.astype %h {dtype = bf16} : (tensor<37xf16>) -> tensor<37xbf16>
  %6 = relax.astype %d {dtype = bf16} : (tensor<37xf64>) -> tensor<37xbf16>
  %7 = relax.astype %u {dtype = bf16} : (tensor<37xui64>) -> tensor<37xbf16>
  %8 = relax.astype %i {dtype = bf16} : (tensor<37xi8>) -> tensor<37xbf16>
  %9 = relax.astype %t {dtype = bf16} : (tensor<37xi1>) -> tensor<37xbf16>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9 : tensor<37xf16>, tensor<37xf64>, tensor<37xui64>, tensor<37xi8>, tensor<37xi1>,
      tensor<37xbf16>, tensor<37xbf16>, tensor<37xbf16>, tensor<37xbf16>, tensor<37xbf16>
}"""


def test_bf16_compiles(tmp_path: Path):
    """LLVM has no form of bf16 there, and would end the process."""
    written = xdsl_relax.compile_library(HALVES, tmp_path, name="halves", target="wasm32", linker="none")
    assert "halves.o" in [file.name for file in written.files]


@pytest.fixture(scope="module")
def halves(tmp_path_factory: pytest.TempPathFactory) -> tuple[Executable, WasmLibrary]:
    """Returns the program for this machine, and for WebAssembly."""
    folder = tmp_path_factory.mktemp("halves")
    xdsl_relax.compile_library(HALVES, folder, name="halves", target="wasm32")
    return xdsl_relax.compile(HALVES, target=NEAREST, cache=False), WasmLibrary(folder, "halves")


@needs_wasm
@pytest.mark.skipif(lacking(cpu_target(NEAREST)) != "", reason=f"needs a machine that runs code for {NEAREST}")
@pytest.mark.parametrize("function", ["same", "arithmetic", "product", "casts"])
def test_bits_of_bf16(function: str, halves: tuple[Executable, WasmLibrary]):
    exe, library = halves
    given = [*inputs_of(signatures(xdsl_relax.load(HALVES))[function])]
    special = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-40, -1e-40, 3e38]
    for value in given[: 1 if function == "casts" else len(given)]:
        if function in ("same", "arithmetic"):
            value[: len(special)] = special
    results = library.call(function, *given, results=len(exe[function].signature.results))
    expected = exe[function].call(*given)
    for own, other in zip(results, expected, strict=True):
        np.testing.assert_array_equal(np.asarray(own).view(np.uint8), np.asarray(other).view(np.uint8))


@needs_wasm
def test_errors(tmp_path: Path):
    weights = EXAMPLES / "aot" / "linear.safetensors"
    xdsl_relax.compile_library(LINEAR, tmp_path, params=weights, target="wasm32")
    module = WasmLibrary(tmp_path, "linear")
    x = np.ones((3, 8), np.float32)
    result = module.tensor(None)
    assert module.status("main", module.tensor(x[:, :7]), result) == 1
    assert module.message == "main: argument 'x' dim 1: expected 8, got 7"
    assert module.status("main", 0, result) == 1
    assert module.message == "main: argument 'x': expected a tensor, got a null pointer"
    content = (tmp_path / "linear.params").read_bytes()
    assert (
        module.exports["linear_params_in"](module.store, module.allocate(content[:-1]), len(content) - 1, module.error)
        == 0
    )
    assert module.message == f"parameters: expected {len(content)} bytes, got {len(content) - 1}"
    (own,) = module.call("main", x)
    expected = xdsl_relax.compile(LINEAR)["main"](x, xdsl_relax.load_params(weights)["fc.weight"])
    np.testing.assert_array_equal(own, expected)


@needs_wasm
def test_the_program_of_c(tmp_path: Path):
    """The example becomes a command, which reads its parameters and prints what the one for this machine prints."""
    wasmtime = pytest.importorskip("wasmtime")

    weights = EXAMPLES / "aot" / "linear.safetensors"
    xdsl_relax.compile_library(LINEAR, tmp_path, params=weights, target="wasm32", linker="none")
    sources = (EXAMPLES / "aot" / "linear.c", "linear.c", "linear.o")
    # Zig builds its C library once for each kind of debug information: without any, it is that of the other modules.
    command = [*zig(), "-target", "wasm32-wasi", "-O2", "-s", "-I.", *map(str, sources), "-o", "main.wasm"]
    subprocess.run(command, cwd=tmp_path, check=True)
    engine = wasmtime.Engine()
    linker, store, wasi = wasmtime.Linker(engine), wasmtime.Store(engine), wasmtime.WasiConfig()
    linker.define_wasi()
    wasi.argv = ["main", "/linear.params"]
    wasi.preopen_dir(str(tmp_path), "/")
    wasi.stdout_file = str(tmp_path / "printed")
    store.set_wasi(wasi)
    module = wasmtime.Module.from_file(engine, str(tmp_path / "main.wasm"))
    start = linker.instantiate(store, module).exports(store)["_start"]
    try:
        start(store)
    except wasmtime.ExitTrap as end:
        assert end.code == 0
    assert (tmp_path / "printed").read_text() == "13 49 2 7\n45 153 0 7\n77 257 0 7\n"


def test_python_reads_what_it_cannot_run(tmp_path: Path):
    weights = {"fc.weight": np.ones((4, 8), np.float32)}
    written = xdsl_relax.compile_library(LINEAR, tmp_path, params=weights, target="wasm32", linker="none")
    assert [file.suffix for file in written.files] == [".c", ".h", ".json", ".o", ".params"]
    assert json.loads((tmp_path / "linear.json").read_text())["architecture"] == "wasm32"
    library = xdsl_relax.load_library(tmp_path)
    with pytest.raises(ForeignCodeError, match="cannot run code for wasm32: this machine is x86_64, not wasm32"):
        library["main"](np.ones((3, 8), np.float32), library.params["main"])
    with pytest.raises(ArgumentError, match="threads: expected 1, as wasm32 has no others, got 2"):
        xdsl_relax.compile_library(LINEAR, tmp_path, target="wasm32", threads=2)
