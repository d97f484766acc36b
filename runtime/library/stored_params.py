"""The parameters of a library: what transforms made, or weights as they are, in one file that C and Python map."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import field
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from ...dialects.relax.vocabulary.names import FINGERPRINT, SHAPES
from ...interpreter.host.errors import ArgumentError, FileError
from ...records import record
from ...targets.cpu import BUFFER_ALIGNMENT
from ..executable.arguments import Signature
from ..interface.record import Interface, TransformPlan
from ..params.parameter_set import ParameterSet
from ..params.safetensors_file import SafetensorsFile, write_safetensors
from .functions import entries

TRANSFORMED = "{}:{}"
"""The name of a result of a transform in the file."""


@record
class StoredValue:
    """A parameter of a function: an array of the file, or a size in one of its arrays."""

    key: str
    entry: int | None
    array: np.ndarray[Any, Any]


@record(frozen=False)
class StoredParams:
    """All parameters of a library, each once."""

    values: list[StoredValue] = field(default_factory=list[StoredValue])
    functions: dict[str, tuple[int, ...]] = field(default_factory=dict[str, tuple[int, ...]])
    """For each function which of the values its parameters are."""
    _arrays: dict[str, np.ndarray[Any, Any]] = field(default_factory=dict[str, "np.ndarray[Any, Any]"])
    _shapes: set[str] = field(default_factory=set[str])
    _fingerprints: dict[str, str] = field(default_factory=dict[str, str])
    _known: dict[tuple[str, int | None], int] = field(default_factory=dict[tuple[str, int | None], int])

    def add_transformed(self, params: ParameterSet, functions: Sequence[Signature]) -> None:
        """Adds what a transform made for the functions that take it; raises `ArgumentError` for what has no place in a file."""
        self._fingerprints[params.transform] = params.fingerprint
        for position, value in enumerate(params.values):
            self._store(TRANSFORMED.format(params.transform, position), value)
        for function in functions:
            positions = function.params_index or range(len(params))
            self._use(function, [TRANSFORMED.format(params.transform, position) for position in positions])

    def add_weights(self, function: Signature, weights: Sequence[Any]) -> None:
        """Adds parameters that a function takes as they are."""
        for argument, value in zip(function.params, weights, strict=True):
            self._store(argument.label, value)
        self._use(function, [argument.label for argument in function.params])

    def write(self, path: Path) -> None:
        """Writes the file; each array begins at a multiple of `BUFFER_ALIGNMENT`."""
        metadata = {FINGERPRINT: json.dumps(self._fingerprints), SHAPES: json.dumps(sorted(self._shapes))}
        write_safetensors(path, self._arrays, metadata, alignment=BUFFER_ALIGNMENT, progress=True)

    def _store(self, key: str, value: Any) -> None:
        if isinstance(value, tuple) and all(isinstance(size, int) for size in value):  # pyright: ignore[reportUnknownVariableType]
            self._shapes.add(key)
            value = np.array(value, np.int64)
        if not isinstance(value, np.ndarray | np.generic):
            raise ArgumentError(
                f"parameter '{key}': expected an array, a number or a shape, got {type(value).__name__}; "
                "a file has no place for it"
            )
        self._arrays[key] = np.asarray(value)

    def _use(self, function: Signature, keys: Sequence[str]) -> None:
        used: list[int] = []
        for key in keys:
            array = self._arrays[key]
            parts = range(len(array)) if key in self._shapes else (None,)
            for part in parts:
                if (key, part) not in self._known:
                    self._known[key, part] = len(self.values)
                    self.values.append(StoredValue(key, part, array if part is None else array[part]))
                used.append(self._known[key, part])
        self.functions[function.name] = tuple(used)


def read_params(interface: Interface, path: Path) -> dict[str, ParameterSet | dict[str, Any]]:
    """Returns what each function takes as its parameters, mapped from the file of a library.

    Raises `FileError` for a file that is missing, damaged, or that of another program.
    """
    file = SafetensorsFile(path)
    try:
        fingerprints = json.loads(file.metadata.get(FINGERPRINT, ""))
        shapes = {*json.loads(file.metadata.get(SHAPES, ""))}
    except (ValueError, TypeError):
        raise FileError((str(path), "holds no parameters of a library")) from None
    if file_identity(path) != interface.params:
        raise FileError((str(path), "holds the parameters of another program, or of this one for another target"))
    sets = {plan.name: _set(interface, plan, file, fingerprints, shapes) for plan in interface.transforms}
    params: dict[str, ParameterSet | dict[str, Any]] = {}
    for function in entries(interface):
        signature = function.signature
        if signature.params_from in sets:
            params[signature.name] = sets[signature.params_from]
        elif signature.params and signature.name not in sets:
            params[signature.name] = {param.label: _value(file, param.label, shapes) for param in signature.params}
    return params


def _value(file: SafetensorsFile, key: str, shapes: set[str]) -> Any:
    return tuple(map(int, file[key])) if key in shapes else file[key]


def _set(
    interface: Interface, plan: TransformPlan, file: SafetensorsFile, fingerprints: Mapping[str, str], shapes: set[str]
) -> ParameterSet:
    if fingerprints.get(plan.name) != plan.fingerprint:
        raise FileError((str(file.path), f"holds no parameters that {plan.name} of this program has made"))
    keys = [TRANSFORMED.format(plan.name, position) for position in range(plan.results)]
    values = [_value(file, key, shapes) for key in keys]
    names = tuple(f"result_{position}" for position in range(plan.results))
    return ParameterSet(plan.name, plan.fingerprint, tuple(values), names)


def file_identity(path: Path) -> str:
    """Returns how a record tells a file of parameters from that of another program: its values may be others."""
    with path.open("rb") as stream:
        header = stream.read(SafetensorsFile(path).start)
    return f"{path.stat().st_size} {sha256(header).hexdigest()}"


def file_hash(path: Path) -> tuple[int, int, int]:
    """Returns the bytes of a file of parameters, where its data begins, and the FNV-1a hash of what stands before, by which C knows it."""
    start = SafetensorsFile(path).start
    value = 0xCBF29CE484222325
    with path.open("rb") as stream:
        for byte in stream.read(start):
            value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return path.stat().st_size, start, value
