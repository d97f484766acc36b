"""Modules of WebAssembly that were compiled ahead of time, run by wasmtime."""

from __future__ import annotations

import struct
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl_relax.runtime.library.linker import zig

from .c_library import CODES

needs_wasm = pytest.mark.skipif(
    not zig() or find_spec("wasmtime") is None, reason="needs the packages ziglang and wasmtime"
)

TENSOR = struct.Struct("<Iii4x8q")
"""`relax_tensor`, where addresses have 32 bits."""
ERROR = 4 + 1024


class WasmLibrary:
    """A module of a library in a machine of its own."""

    def __init__(self, folder: Path, name: str):
        wasmtime = pytest.importorskip("wasmtime")

        self.name = name
        engine = wasmtime.Engine()
        self.store = wasmtime.Store(engine)
        linker = wasmtime.Linker(engine)
        linker.define_wasi()
        wasi = wasmtime.WasiConfig()
        wasi.preopen_dir(str(folder), "/")
        self.store.set_wasi(wasi)
        module = wasmtime.Module.from_file(engine, str(folder / f"{name}.wasm"))
        self.imports = {item.module for item in module.imports}
        self.exports: Any = linker.instantiate(self.store, module).exports(self.store)
        self._run("_initialize")
        self.error = self.allocate(bytes(ERROR))
        self.params: int | None = None
        if (folder / f"{name}.params").exists():
            path = self.allocate(f"/{name}.params".encode() + b"\0")
            self.params = self._run(f"{name}_load_params", path, self.error)
            assert self.params, self.message

    def _run(self, function: str, *arguments: Any) -> Any:
        return self.exports[function](self.store, *arguments)

    @property
    def message(self) -> str:
        """What the last call that failed has said."""
        return self.read(self.error + 4, 1024).partition(b"\0")[0].decode()

    def allocate(self, data: bytes) -> int:
        """Returns the address of a copy of data in the memory of the module."""
        address = self._run("aligned_alloc", 64, -(-max(len(data), 1) // 64) * 64)
        self.exports["memory"].write(self.store, data, address)
        return address

    def read(self, address: int, size: int) -> bytes:
        """Returns what the memory of the module holds."""
        return bytes(self.exports["memory"].read(self.store, address, address + size))

    def tensor(self, array: np.ndarray[Any, Any] | None) -> int:
        """Returns the address of a tensor, one without memory for `None`."""
        if array is None:
            return self.allocate(bytes(TENSOR.size))
        shape = (*array.shape, *[0] * (8 - array.ndim))
        data = self.allocate(np.ascontiguousarray(array).tobytes())
        return self.allocate(TENSOR.pack(data, CODES[array.dtype.name], array.ndim, *shape))

    def array(self, address: int) -> np.ndarray[Any, Any]:
        """Returns a copy of the elements of a tensor."""
        import ml_dtypes

        data, code, rank, *shape = TENSOR.unpack(self.read(address, TENSOR.size))
        name = next(name for name, number in CODES.items() if number == code)
        dtype = np.dtype(getattr(ml_dtypes, name, name))
        size = int(np.prod(shape[:rank])) * dtype.itemsize
        return np.frombuffer(self.read(data, size), dtype).reshape(shape[:rank])

    def status(self, function: str, *arguments: Any) -> int:
        """Calls a function with addresses of tensors, and numbers; returns its status."""
        own = [] if self.params is None else [self.params]
        return self._run(f"{self.name}_{function}", *own, *arguments, self.error)

    def call(self, function: str, *arguments: np.ndarray[Any, Any], results: int = 1) -> list[np.ndarray[Any, Any]]:
        """Returns the results of a function, which allocates them."""
        made = [self.tensor(None) for _ in range(results)]
        assert self.status(function, *map(self.tensor, arguments), *made) == 0, self.message
        return [self.array(address) for address in made]
