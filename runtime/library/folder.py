"""The folder of a library: written as a whole or not at all, and read again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...interpreter.host.errors import ArgumentError, FileError
from ...records import record
from ...targets.cpu import CpuTarget, cpu_target
from ...whole_file import whole_file, write_text
from ..executable.executable import Executable
from ..interface.json_form import from_json, sealed, to_json
from ..interface.record import Interface
from ..link import link
from ..machine.jit import CompileError
from ..params.parameter_set import ParameterSet
from ..params.safetensors_file import SafetensorsFile
from .functions import c_functions, require_callable
from .header import exports, header
from .linker import Linker, choose_linker, link_library, linker_is_foreign, shared_files
from .source import StoredFile, source
from .stored_params import StoredParams, file_hash, file_identity, read_params
from .whole_folder import whole_folder

NO_LINKER = "none"
"""In place of the name of a linker: no shared library is made."""


def library_files(name: str) -> list[str]:
    """Returns the names that files of a library have, for any target, the record last: it says of which object code it is."""
    return [*(f"{name}.{suffix}" for suffix in ("c", "h", "o", "params")), *shared_files(name), f"{name}.json"]


@record
class Written:
    """What was written."""

    files: tuple[Path, ...]
    note: str
    """What a shared library lacks, or why there is none; empty where all is well."""


class Library(Executable):
    """A compiled program that was read from its folder: an executable, with the parameters that its functions take."""

    def __init__(self, executable: Executable, params: Mapping[str, ParameterSet | dict[str, Any]]):
        super().__init__(executable.interface, executable.module, executable.code)
        self.params = params
        """What each function takes as its parameters, by its name; functions without parameters are not there."""

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Calls `main`, or the only function, with its parameters; raises `TypeError` where there are several others."""
        transforms = {plan.name for plan in self.interface.transforms}
        callers = [name for name in self if name not in transforms]
        if "main" not in callers and len(callers) != 1:
            names = ", ".join(callers) or "none"
            raise TypeError(f"expected a function of the library, as in library[NAME](...): there are {names}")
        name = "main" if "main" in callers else callers[0]
        if name in self.params:
            named["params"] = self.params[name]
        return self[name](*arguments, **named)


def write_library(
    folder: Path,
    name: str,
    interface: Interface,
    code: bytes,
    params: StoredParams | None,
    linker: str | None = None,
) -> Written:
    """Writes all files of a library; those of an earlier one are replaced.

    `linker` is the name of what links the shared library, by default whatever there is. Raises `ArgumentError` for a program that C
    cannot call.
    """
    require_callable(interface)
    target = cpu_target(interface.target)
    chosen = None if linker == NO_LINKER else choose_linker(target, linker)
    has_code_alone = chosen is not None and not chosen.compiles
    with whole_folder(folder, library_files(name)) as partial:
        with whole_file(partial / f"{name}.o") as stream:
            stream.write(code)
        file = None
        if params is not None:
            path = partial / f"{name}.params"
            params.write(path)
            file = _stored_file(params, path)
            interface = sealed(replace(interface, params=file_identity(path)), code)
        write_text(partial / f"{name}.json", to_json(interface))
        functions = c_functions(interface, name, {} if params is None else params.functions)
        text = header(name, interface, functions, params is not None, has_code_alone=has_code_alone)
        write_text(partial / f"{name}.h", text)
        write_text(partial / f"{name}.c", source(name, interface, functions, params, file))
        note = _linked(partial, name, target, interface, exports(name, functions, params is not None), linker, chosen)
        files = sorted(entry.name for entry in partial.iterdir())
    return Written(tuple(folder / file for file in files), note)


def load_library(path: str | Path) -> Library:
    """Returns the compiled program in a folder that `relax-compile` has written: nothing is compiled, parameters are mapped.

    `library["main"](x, library.params["main"])` calls a function. `path` may be the record (`.json`) where a folder has several.
    Raises `FileError` for what is no library.
    """
    record = _record(Path(path))
    code, file = record.with_suffix(".o"), record.with_suffix(".params")
    try:
        interface = from_json(record.read_text())
        executable = link(interface, code.read_bytes())
    except OSError as error:
        raise FileError((str(error.filename), (error.strerror or str(error)).lower())) from None
    except (ArgumentError, CompileError, UnicodeDecodeError) as error:
        raise FileError((str(record), str(error))) from None
    return Library(executable, read_params(interface, file) if interface.params else {})


def _record(path: Path) -> Path:
    """Returns the record of a library: the file itself, or that of a folder which has object code beside it."""
    if path.suffix == ".json":
        return path
    files = sorted(path.glob("*.json"))
    records = [file for file in files if file.with_suffix(".o").exists()] or files
    if len(records) == 1:
        return records[0]
    if records:
        names = ", ".join(file.name for file in records)
        raise FileError((str(path), f"holds several records, expected the path of one of them: {names}"))
    expected = "the folder of a library, with a record (.json)"
    reason = "" if path.is_dir() else ", got a file" if path.exists() else "; there is no such folder"
    raise FileError((str(path), f"expected {expected}{reason}"))


def _stored_file(params: StoredParams, path: Path) -> StoredFile:
    file = SafetensorsFile(path)
    offsets = [file.offset(value.key) + 8 * (value.entry or 0) for value in params.values]
    return StoredFile(file_hash(path), offsets)


def _linked(
    folder: Path,
    name: str,
    target: CpuTarget,
    interface: Interface,
    exported: Sequence[str],
    wanted: str | None,
    linker: Linker | None,
) -> str:
    """Makes the shared library; returns what is to be said of it."""
    if wanted == NO_LINKER:
        return ""
    if linker is None:
        known = "pip install ziglang" if linker_is_foreign(target) else "cc, ld, lld, or pip install ziglang"
        return f"no shared library: there is no linker for {target.name} ({known})"
    libraries = ["-lm", *(["-lgomp"] if interface.threads != 1 else [])]
    try:
        link_library(folder, name, target, linker, libraries, exported)
    except ArgumentError as error:
        if wanted is not None:
            raise
        return f"no shared library: {error}"
    if linker.compiles:
        return ""
    return f"{linker.name} compiles no C: the shared library has machine code alone; compile {name}.c with what uses it"
