"""Large constants of StableHLO stay in the file: the import is the same with them and without them, and takes the memory that it may."""

from __future__ import annotations

import io
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

jax = pytest.importorskip("jax", reason="needs jax")

import jax.numpy as jnp  # noqa: E402
import xdsl_relax  # noqa: E402
from jaxlib.mlir.dialects import stablehlo  # noqa: E402
from xdsl_relax.frontend.model.weights import ImportedModel  # noqa: E402
from xdsl_relax.frontend.stablehlo import import_jax, import_stablehlo, load, stored_data  # noqa: E402
from xdsl_relax.frontend.stablehlo.bytecode import Cursor, MalformedError, encoded, read_container  # noqa: E402
from xdsl_relax.frontend.stablehlo.load import read_module, read_program  # noqa: E402
from xdsl_relax.frontend.stablehlo.small_floats import SMALL_FLOATS  # noqa: E402
from xdsl_relax.runtime.interpreted import interpret  # noqa: E402

RNG = np.random.default_rng(0)

INTEGERS = "i64 i32 i16 i8 i4 i2 ui64 ui32 ui16 ui8 ui4 ui2".split()

TYPES = ("f64", "f32", "f16", "bf16", *INTEGERS, "i1", *SMALL_FLOATS)

SIZE = 301

OLDEST = "0.9.0"


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """All constants count as large; bytecode of the tests is not damaged, so that nobody needs to try it before."""
    monkeypatch.setattr(stored_data, "LARGE", 24)
    monkeypatch.setattr(load, "_verify_bytecode", lambda data: None)
    yield


def elements(name: str, size: int = SIZE) -> str:
    """Returns the elements of a constant as text."""
    if name == "i1":
        return f"[{', '.join('true' if item else 'false' for item in RNG.integers(0, 2, size))}]"
    if name in INTEGERS:
        bits = min(int(name.lstrip("ui")), 62)
        low, high = (0, 1 << bits) if name.startswith("u") else (-(1 << (bits - 1)), 1 << (bits - 1))
        return f"[{', '.join(map(str, RNG.integers(low, high, size)))}]"
    values = [0.5, 1.0, 2.0, 4.0] if name == "f8E8M0FNU" else [-2.0, -1.0, 0.5, 0.0, 3.0]
    return f"[{', '.join(f'{value:e}' for value in RNG.choice(values, size))}]"


def program(name: str, constants: list[str], size: int = SIZE) -> str:
    """Returns a program whose results are constants."""
    kind = f"tensor<{size}x{name}>"
    kinds, results = ", ".join([kind] * len(constants)), ", ".join(f"%c{index}" for index in range(len(constants)))
    lines = (f"  %c{index} = stablehlo.constant dense<{items}> : {kind}" for index, items in enumerate(constants))
    body = "\n".join([*lines, f"  return {results} : {kinds}"])
    return f"func.func public @main(%x: tensor<f32>) -> ({kinds}) {{\n{body}\n}}\n"


def bytecode(text: str) -> bytes:
    buffer = io.BytesIO()
    read_module(text).operation.write_bytecode(buffer)
    return buffer.getvalue()


def artifacts(text: str) -> list[bytes]:
    """Returns a program as artifacts of the newest version, one in the middle, and the oldest one, if that has its types."""
    made: list[bytes] = []
    for version in (stablehlo.get_current_version(), "1.10.0", OLDEST):
        try:
            made.append(stablehlo.serialize_portable_artifact_str(f"module {{\n{text}}}", version))
        except ValueError:
            assert version == OLDEST
    return made


def whole(data: bytes | Path) -> ImportedModel:
    """Returns what the import makes of a program when the bindings are given all of it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(load, "without_stored_data", lambda view: None)
        return import_stablehlo(data)


def require_same(data: bytes, count: int) -> ImportedModel:
    """Asserts that so many constants stay in the file, and that nothing else tells."""
    assert len(read_program(data).stored) == count
    model, expected = import_stablehlo(data), whole(data)
    assert str(model.module) == str(expected.module)
    assert list(model.params) == list(expected.params)
    for name, array in model.params.items():
        want = expected.params[name]
        assert (array.dtype, array.shape, array.tobytes()) == (want.dtype, want.shape, want.tobytes())
    return model


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("name", TYPES)
def test_all_types_and_versions(name: str) -> None:
    constants = [elements(name), elements(name)]
    for data in artifacts(program(name, constants)):
        require_same(data, 2)
    # Floats of 8 bits and less are types of MLIR that the container has no fixed number of.
    require_same(bytecode(program(name, constants)), 0 if name in SMALL_FLOATS else 2)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("name", ["i4", "i2"])
def test_small_integers_have_their_signs(name: str) -> None:
    low = -8 if name == "i4" else -2
    items = [low, -1, 0, 1] * 100
    for data in (program(name, [str(items)], 400), artifacts(program(name, [str(items)], 400))[0]):
        (result,) = interpret(import_stablehlo(data).module)("main", np.float32(0))
        assert result.tolist() == items


@pytest.mark.usefixtures("small")
def test_equal_elements_are_no_markers() -> None:
    # Those that would be the first markers, and both that there are of one bit.
    smallest = float(np.finfo(np.float32).tiny)
    require_same(artifacts(program("f32", [elements("f32"), f"{smallest:e}", elements("f32")]))[0], 2)
    require_same(artifacts(program("i8", ["0", elements("i8"), "1", elements("i8"), "2"]))[0], 2)
    require_same(artifacts(program("i1", ["true", elements("i1"), elements("i1")]))[0], 1)
    require_same(artifacts(program("i1", ["true", elements("i1"), "false"]))[0], 0)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(("name", "count"), [("i1", 2), ("i2", 4), ("i4", 16)])
def test_more_constants_than_markers(name: str, count: int) -> None:
    require_same(artifacts(program(name, [elements(name) for _ in range(count + 3)]))[0], count)


@pytest.mark.usefixtures("small")
def test_what_passes_move_and_insert() -> None:
    kind = f"tensor<{SIZE}xf32>"
    first, second, mask = elements("f32"), elements("f32"), elements("i1")
    text = f"""
func.func private @scaled(%x: {kind}) -> {kind} {{
  %c = stablehlo.constant dense<{second}> : {kind}
  %y = stablehlo.multiply %x, %c : {kind}
  return %y : {kind}
}}
func.func public @main(%x: {kind}, %n: tensor<i32>) -> ({kind}, {kind}) {{
  %a = stablehlo.constant dense<{first}> : {kind}
  %0 = stablehlo.add %x, %a : {kind}
  %b = stablehlo.constant dense<{second}> : {kind}
  %1 = stablehlo.subtract %0, %b : {kind}
  %again = stablehlo.constant dense<{first}> : {kind}
  %2 = stablehlo.multiply %again, %again : {kind}
  %3 = chlo.lgamma %1 : {kind} -> {kind}
  %mask = stablehlo.constant dense<{mask}> : tensor<{SIZE}xi1>
  %4 = stablehlo.select %mask, %3, %2 : tensor<{SIZE}xi1>, {kind}
  %unused = stablehlo.constant dense<{elements("f32")}> : {kind}
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %5:2 = stablehlo.while(%i = %n, %y = %4) : tensor<i32>, {kind}
    cond {{
      %more = stablehlo.compare GT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    }} do {{
      %one = stablehlo.constant dense<1> : tensor<i32>
      %less = stablehlo.subtract %i, %one : tensor<i32>
      %c = stablehlo.constant dense<{first}> : {kind}
      %sum = stablehlo.add %y, %c : {kind}
      %other = stablehlo.maximum %sum, %b : {kind}
      stablehlo.return %less, %other : tensor<i32>, {kind}
    }}
  %6 = func.call @scaled(%5#1) : ({kind}) -> {kind}
  %7 = func.call @scaled(%6) : ({kind}) -> {kind}
  return %7, %b : {kind}, {kind}
}}
"""
    data = bytecode(text)
    model, expected = require_same(data, 4), import_stablehlo(text)
    assert str(model.module) == str(expected.module)
    x, n = RNG.standard_normal(SIZE).astype(np.float32), np.int32(3)
    arguments = "main", x, n, *expected.params.values()
    for result, want in zip(interpret(model.module)(*arguments), interpret(expected.module)(*arguments), strict=True):
        assert result.tobytes() == want.tobytes()


def weighted() -> Callable[[Any], tuple[Any, ...]]:
    """Returns a function with large constants, which lie at any byte of a file."""
    rng = np.random.default_rng(1)
    weight, places = rng.standard_normal((300, 200), np.float32), rng.integers(0, 300, 20000).astype(np.int32)
    mask, narrow = rng.integers(0, 2, (900, 900)).astype(bool), rng.standard_normal((300, 150)).astype(jnp.bfloat16)

    def function(x: Any) -> tuple[Any, ...]:
        taken = jnp.take(x[0], jnp.asarray(places))
        return x @ jnp.asarray(weight), taken, jnp.where(jnp.asarray(mask), x[0, 0], 0), x @ jnp.asarray(narrow)

    return function


def test_files_run(tmp_path: Path) -> None:
    function = jax.jit(weighted())
    x = RNG.standard_normal((8, 300)).astype(np.float32)
    path = tmp_path / "model.mlirbc"
    path.write_bytes(jax.export.export(function)(x).mlir_module_serialized)
    assert len(read_program(path).stored) == 4
    params = import_stablehlo(path).params
    assert {str(array.dtype) for array in params.values()} == {"float32", "int32", "bool", "bfloat16"}
    assert all(isinstance(array, np.memmap) for array in params.values() if array.dtype != bool)
    results = xdsl_relax.compile(path)(x)
    for result, want in zip(results, function(x), strict=True):
        np.testing.assert_allclose(np.asarray(result, "f"), np.asarray(want, "f"), rtol=1e-4, atol=1e-4)


def test_functions_of_jax() -> None:
    x = RNG.standard_normal((8, 300)).astype(np.float32)
    model = import_jax(weighted(), x)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(load, "without_stored_data", lambda view: None)
        expected = import_jax(weighted(), x)
    assert str(model.module) == str(expected.module)
    assert [array.tobytes() for array in model.params.values()] == [
        array.tobytes() for array in expected.params.values()
    ]


def test_damaged_containers_are_left_to_the_bindings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_data, "LARGE", 256)
    rng, read = random.Random(0), 0
    text = program("f32", [elements("f32")] * 2)
    for data in (*artifacts(text), bytecode(text)):
        for _ in range(300):
            damaged = bytearray(data if rng.random() > 0.3 else data[: rng.randrange(len(data))])
            for _ in range(rng.choice([1, 2, 5]) if damaged else 0):
                damaged[rng.randrange(len(damaged))] = rng.randrange(256)
            given = stored_data.without_stored_data(memoryview(damaged))
            for constant in given[1] if given is not None else ():
                assert constant.reader(bytes(damaged))().shape == constant.marked.shape
                read += 1
    assert read


def test_what_is_no_container_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    data = artifacts(program("f32", [elements("f32")]))[0]
    later = bytearray(data)
    later[4] = 2 * 99 + 1
    for malformed in (b"", b"ML", data[:4], data[:-1], data + b"\0", bytes(later)):
        with pytest.raises(MalformedError):
            read_container(memoryview(malformed))
    # A program that the bindings do not read in this way is read as it is.
    monkeypatch.setattr(stored_data, "LARGE", 24)
    monkeypatch.setattr(load, "marked", lambda module, constants: None)
    assert read_program(data).stored == {} and list(import_stablehlo(data).params) == ["constant"]


def test_numbers_of_the_container() -> None:
    for value in [*range(300), *(1 << bits for bits in range(8, 64)), *((1 << bits) - 1 for bits in range(8, 65))]:
        data = encoded(value)
        cursor = Cursor(memoryview(data), 0, len(data))
        assert (cursor.varint(), cursor.position) == (value, len(data))


IMPORT = """
import resource, sys
from xdsl_relax.tools.relax_import import main
assert main(["stablehlo", sys.argv[1], "-o", sys.argv[2], "--params", sys.argv[3]]) == 0
with open("/proc/self/status") as stream:
    peak = next(int(line.split()[1]) for line in stream if line.startswith("VmHWM"))
print(peak << 10, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << 10)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs what Linux tells of processes")
@pytest.mark.sweep(2)
@pytest.mark.parametrize("dtype", ["float32", "int8"])
def test_memory_of_an_import(tmp_path: Path, dtype: str) -> None:
    size = 64 << 20
    weight = np.arange(size // np.dtype(dtype).itemsize).astype(dtype)
    data = jax.export.export(jax.jit(lambda x: x + jnp.asarray(weight)))(weight[:1]).mlir_module_serialized
    path, params = tmp_path / "model.mlirbc", tmp_path / "params.safetensors"
    path.write_bytes(data)
    command = [sys.executable, "-c", IMPORT, str(path), str(tmp_path / "model.mlir"), str(params)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert max(map(int, done.stdout.split())) <= len(data) + 300e6
    assert params.stat().st_size > size and (tmp_path / "model.mlir").stat().st_size < 10_000
    assert xdsl_relax.load_params(params)["constant"].tobytes() == weight.tobytes()
