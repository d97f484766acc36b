"""Libraries that were compiled ahead of time, called as C calls them: through the functions of their headers."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl_relax.runtime.library.functions import DTYPES

OK, BAD_ARGUMENT, FAILED_CHECK, NO_MEMORY, BAD_FILE, NO_TILES = range(6)
CODES = {name: code for code, name in enumerate(DTYPES)}


def c_compiler() -> list[str] | None:
    """Returns the command of a C compiler: that of the system, else that of the package `ziglang`."""
    path = shutil.which("cc")
    if path is not None:
        return [path]
    return [sys.executable, "-m", "ziglang", "cc"] if find_spec("ziglang") is not None else None


needs_c = pytest.mark.skipif(c_compiler() is None, reason="needs a C compiler: cc, or the package ziglang")


has_binutils = all(map(shutil.which, ("nm", "readelf")))
needs_binutils = pytest.mark.skipif(not has_binutils, reason="needs nm and readelf (Debian: binutils)")


def undefined(path: Path) -> list[str]:
    """Returns what a shared library takes from others, but for what a loader may leave out."""
    done = subprocess.run(["nm", "-D", "-u", path], capture_output=True, text=True, check=True)
    return [line.split()[-1] for line in done.stdout.splitlines() if line.split()[0] == "U"]


def needed(path: Path) -> set[str]:
    """Returns the libraries that a shared library asks for."""
    done = subprocess.run(["readelf", "-d", path], capture_output=True, text=True, check=True)
    return set(re.findall(r"NEEDED.*\[(.*)\]", done.stdout))


def compile_c(*arguments: str | Path, cwd: Path) -> None:
    """Compiles a program or a library; any warning is an error."""
    command = c_compiler()
    assert command is not None
    flags = ["-std=c11", "-O1", "-Wall", "-Wextra", "-pedantic", "-Werror"]
    done = subprocess.run(
        [*command, *flags, *map(str, arguments)], cwd=cwd, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


class Tensor(ctypes.Structure):
    """`relax_tensor`."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("dtype", ctypes.c_int32),
        ("rank", ctypes.c_int32),
        ("shape", ctypes.c_int64 * 8),
    ]


class Error(ctypes.Structure):
    """`relax_error`."""

    _fields_ = [("status", ctypes.c_int32), ("message", ctypes.c_char * 1024)]


def tensor(array: np.ndarray[Any, Any]) -> Tensor:
    """Returns what C takes for the memory of an array."""
    return Tensor(array.ctypes.data, CODES[array.dtype.name], array.ndim, (*array.shape, *[0] * (8 - array.ndim)))


def array(of: Tensor) -> np.ndarray[Any, Any]:
    """Returns a copy of what a tensor of C holds."""
    import ml_dtypes

    name = next(name for name, code in CODES.items() if code == of.dtype)
    dtype = np.dtype(getattr(ml_dtypes, name, name))
    shape = tuple(of.shape[: of.rank])
    size = int(np.prod(shape)) * dtype.itemsize
    return np.frombuffer(ctypes.string_at(of.data, size) if size else b"", dtype).reshape(shape)


class CLibrary:
    """A shared library."""

    def __init__(self, folder: Path, name: str):
        self.name = name
        self.functions = ctypes.CDLL(str(folder / f"lib{name}.so"))
        self.error = Error()
        self.params: Any = None
        if (folder / f"{name}.params").exists():
            self.params = self.load_params(folder / f"{name}.params")
            assert self.params, self.message

    @property
    def message(self) -> str:
        """What the last call that failed has said."""
        return self.error.message.decode()

    def load_params(self, path: Path) -> int | None:
        """Returns the handle of the parameters in a file."""
        load = self.functions[f"{self.name}_load_params"]
        load.restype = ctypes.c_void_p
        return load(str(path).encode(), ctypes.byref(self.error))

    def status(self, function: str, *arguments: Any) -> int:
        """Calls a function with what C passes (`Tensor`, numbers of ctypes, pointers or `None`); returns its status."""
        passed: list[Any] = [] if self.params is None else [ctypes.c_void_p(self.params)]
        passed += [ctypes.byref(item) if isinstance(item, Tensor) else item for item in arguments]
        return self.functions[f"{self.name}_{function}"](*passed, ctypes.byref(self.error))

    def call(self, function: str, *arguments: Any, results: int = 1) -> list[np.ndarray[Any, Any]]:
        """Returns the results of a function, which allocates them, for arrays and numbers of ctypes."""
        made = [Tensor() for _ in range(results)]
        passed = [tensor(item) if isinstance(item, np.ndarray) else item for item in arguments]
        assert self.status(function, *passed, *made) == OK, self.message
        copies = [array(item).copy() for item in made]
        free = ctypes.CDLL(None).free
        for item in made:
            assert item.data % 64 == 0
            free(ctypes.c_void_p(item.data))
        return copies
