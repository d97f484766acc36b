"""Functions from outside: registered Python functions, object files and C sources, called by models."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias, cast

from xdsl.ir import Attribute

from ...interpreter.host.packed_functions import is_registered, register_packed
from .annotations import bound, checked
from .c_functions import c_function, compile_source, load_library
from .errors import ModelError
from .module import Module
from .python_calls import call_python
from .scope import current_scope
from .tensor import Value, wrapped

Infer: TypeAlias = Callable[..., Any]
"""Returns placeholders of the results of a function, `nn.Tensor.placeholder(shape, dtype)`, for its arguments."""


def call_extern(name: str, args: Sequence[Any], out: Any) -> Any:
    """Calls a registered function that writes its results into arrays after its arguments; `out` are placeholders of the results."""
    return wrapped(call_python(name, args, result_types(out), op="call_dps_packed", name=name))


def result_types(out: Any) -> list[Attribute]:
    """Returns the types of placeholders."""
    items: list[Any] = list(cast(Sequence[Any], out)) if isinstance(out, tuple | list) else [out]
    if not all(isinstance(item, Value) for item in items):
        raise ModelError(f"expected placeholders of the results, nn.Tensor.placeholder(shape, dtype), got {out!r}")
    return [item.value.type for item in items]


class ExternModule(Module):
    """Functions from outside by name, each with what infers its results: `ext["scale"](x, 2.0)`, inside of a method.

    A function takes numpy arrays and writes its results into the arrays that follow its arguments. These of Python are registered by
    `functions`, or by `xdsl_relax.register_packed`.
    """

    @checked
    def __init__(self, symbols: Mapping[str, Infer], functions: Mapping[str, Callable[..., Any]] | None = None):
        self.symbols = dict(symbols)
        """The functions, with what infers their results."""
        self._functions = dict(functions or {})

    @checked
    def __getitem__(self, name: str) -> Callable[..., Any]:
        """Returns what calls a function in the method that is being exported."""
        if name not in self.symbols:
            raise ModelError(f"the extern module has no function {name!r}; it has {', '.join(self.symbols) or 'none'}")
        if current_scope() is not None:
            add_extern(self)

        def call(*args: Any) -> Any:
            infer = self.symbols[name]
            try:
                signature = inspect.signature(infer)
            except ValueError:
                # A function of C without a signature finds out by itself.
                return call_extern(name, args, infer(*args))
            bound(signature, name, args, {})
            return call_extern(name, args, infer(*args))

        return call

    def load(self) -> None:
        """Registers the functions under their names, for all programs. Raises `ModelError` for those that nobody registered."""
        for name, function in self.bound_functions().items():
            register_packed(name, function)

    def bound_functions(self) -> dict[str, Callable[..., Any]]:
        """Returns the functions that the module brings itself, as a compiled model binds them.

        Raises `ModelError` for those that it does not bring and that nobody registered.
        """
        missing = [name for name in self.symbols if name not in self._functions and not is_registered(name)]
        if missing:
            raise ModelError(f"no function is registered as {', '.join(missing)}")
        return dict(self._functions)

    def functions_of(self, path: Path) -> dict[str, Callable[..., Any]]:
        """Returns the functions of an object file or a shared library; they take what `c_functions.c_function` passes."""
        library = load_library(path)
        return {name: c_function(library, name) for name in self.symbols}


class ObjectModule(ExternModule):
    """Functions of an object file (`.o`) or a shared library (`.so`): `int f(DLTensor* x, int64_t n, DLTensor* result)`."""

    @checked
    def __init__(self, symbols: Mapping[str, Infer], filepath: str | Path):
        super().__init__(symbols)
        self.filepath = Path(filepath)
        if not self.filepath.is_file():
            raise ModelError(f"{filepath}: no such file")

    def bound_functions(self) -> dict[str, Callable[..., Any]]:
        return self.functions_of(self.filepath)


class SourceModule(ExternModule):
    """Functions in C or C++, compiled when the model is; `#include <dlpack/dlpack.h>` declares `DLTensor`."""

    SUFFIXES: Mapping[str, str] = {"c": ".c", "cpp": ".cpp"}

    @checked
    def __init__(
        self,
        symbols: Mapping[str, Infer],
        source_code: str | Path,
        source_format: str,
        compile_options: Sequence[str] | None = None,
        compiler: str | None = None,
    ):
        super().__init__(symbols)
        if source_format not in self.SUFFIXES:
            raise ModelError(f"expected c or cpp as the source format, got {source_format!r}")
        is_path = isinstance(source_code, Path) or ("\n" not in source_code and Path(source_code).is_file())
        self.source_code = Path(source_code).read_text() if is_path else str(source_code)
        self.source_suffix = self.SUFFIXES[source_format]
        self.compile_options = ["-O3"] if compile_options is None else list(compile_options)
        self.compiler = compiler

    def compile(self, output_path: Path) -> None:
        """Compiles the source to an object file."""
        compile_source(self.source_code, self.source_suffix, output_path, self.compile_options, self.compiler)

    def bound_functions(self) -> dict[str, Callable[..., Any]]:
        with TemporaryDirectory() as directory:
            self.compile(Path(directory) / "main.o")
            return self.functions_of(Path(directory) / "main.o")


@checked
def add_extern(module: ExternModule) -> None:
    """Adds functions from outside to the program that is being exported; the first call of one does as well.

    Raises `ModelError` outside of an export, and where another module has a function of the same name.
    """
    scope = current_scope()
    if scope is None:
        raise ModelError("add_extern is called outside of an export")
    for known in scope.program.externs:
        twice = [name for name in module.symbols if known is not module and name in known.symbols]
        if twice:
            raise ModelError(f"two extern modules have a function {twice[0]!r}")
    if module not in scope.program.externs:
        scope.program.externs.append(module)
