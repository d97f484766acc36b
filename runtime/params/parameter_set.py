"""Transformed parameters: made once, shared by every function that names their transform, saved and mapped again."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...dialects.relax.vocabulary.names import FINGERPRINT, SHAPES
from ...interpreter.host.device import DeviceArray, on_host, raw
from ...interpreter.host.errors import ArgumentError, FileError
from ...records import record
from ..executable.arguments import Signature
from ..interface.record import TransformPlan
from .params import load_params, match_params
from .progress import tracked
from .safetensors_file import SafetensorsFile, write_safetensors

Call = Callable[..., tuple[Any, ...]]
Source = Mapping[str, Any] | str | Path | Sequence[str | Path]

RESULT = "result_{}"

MAX_SHOWN = 24
"""So many values are listed one by one."""


@record
class ParameterSet:
    """The results of a transform of parameters, in order; functions that take their parameters from it read this memory."""

    transform: str
    fingerprint: str
    values: tuple[Any, ...]
    names: tuple[str, ...] = ()
    """What the functions that take the values call them."""

    def __repr__(self) -> str:
        """Returns the transform, and the names, shapes and bytes of the values, never their data."""
        names = self.names or tuple(map(RESULT.format, range(len(self))))
        lines = [f"{name}: {_described(value)}" for name, value in zip(names, self.values, strict=True)]
        if len(lines) > MAX_SHOWN:
            lines[MAX_SHOWN - 1 :] = [f"... {len(lines) - MAX_SHOWN + 1} more"]
        return (
            "\n  ".join((f"<ParameterSet of @{self.transform}: {len(self)} values, {self.nbytes} bytes", *lines)) + ">"
        )

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.values)

    def __getitem__(self, index: int) -> Any:
        return self.values[index]

    def __contains__(self, value: object) -> bool:
        """Returns whether an array is one of the values: the same object, as arrays have no one truth of `==`."""
        return any(value is other for other in self.values)

    @property
    def nbytes(self) -> int:
        """The bytes of all arrays."""
        return sum(raw(value).nbytes for value in self.values if isinstance(value, np.ndarray | DeviceArray))


def _described(value: Any) -> str:
    if not isinstance(value, np.ndarray | DeviceArray):
        return str(value)
    return f"{value.dtype}[{', '.join(map(str, value.shape))}], {raw(value).nbytes} bytes"


def open_source(source: Source) -> Mapping[str, Any]:
    """Returns parameters by name: a mapping as it is, safetensors files memory-mapped."""
    if isinstance(source, str | Path):
        return load_params(source)
    if isinstance(source, Mapping):
        return source
    if not isinstance(source, Sequence) or not all(isinstance(path, str | Path) for path in source):  # pyright: ignore[reportUnnecessaryIsInstance]
        hint = "; give its state_dict()" if hasattr(source, "state_dict") else ""
        raise ArgumentError(
            f"expected a mapping from names to arrays, or safetensors files, got {type(source).__name__}{hint}"
        )
    return load_params(*source)


def run_transform(
    plan: TransformPlan,
    signature: Signature,
    call: Call,
    source: Source,
    names: tuple[str, ...],
    *,
    consume: bool,
    progress: bool,
) -> ParameterSet:
    """Runs a transform part by part; see `Executable.transform_params`."""
    tensors = open_source(source)
    wanted = Signature(signature.name, signature.arguments, (), 0, None)
    params = match_params(wanted, tensors)
    keys = _keys(wanted, tensors)
    values: list[Any] = [None] * plan.results
    for result, param in plan.unchanged.items():
        value = params[param]
        # What is not aligned in a file would be copied by each call; what is no plain array, like a mapped file, looked at by each.
        values[result] = np.require(value, requirements=("C", "A", "E")) if isinstance(value, np.ndarray) else value
    last_use = {param: index for index, part in enumerate(plan.parts) for param in part.params}
    kept = set(plan.unchanged.values())
    for param in range(len(params)):
        if param not in last_use and param not in kept:
            params[param] = np.empty(0)
            _drop(tensors, keys[param], consume)
    for index, part in tracked(list(enumerate(plan.parts)), plan.name, progress):
        results = call(part.function, *(params[param] for param in part.params))
        for position, value in zip(part.results, results, strict=True):
            values[position] = value
        for param in part.params:
            if last_use[param] == index and param not in kept:
                params[param] = np.empty(0)
                _drop(tensors, keys[param], consume)
    return ParameterSet(plan.name, plan.fingerprint, tuple(values), names)


def _keys(signature: Signature, tensors: Mapping[str, Any]) -> list[str]:
    return [
        next(name for name in (argument.external_name or argument.name, str(position)) if name in tensors)
        for position, argument in enumerate(signature.params)
    ]


def _drop(tensors: Mapping[str, Any], key: str, consume: bool) -> None:
    """Takes an original out of the caller's dict, so that its memory can be freed."""
    if consume and isinstance(tensors, MutableMapping):
        tensors.pop(key, None)


def save_set(params: ParameterSet, path: str | Path) -> None:
    """Writes a set to a safetensors file, with the fingerprint of its transform."""
    values = [on_host(value) for value in params.values]
    arrays = {RESULT.format(i): value for i, value in enumerate(values) if isinstance(value, np.ndarray)}
    shapes = {index: list(value) for index, value in enumerate(params.values) if isinstance(value, tuple)}
    write_safetensors(path, arrays, {FINGERPRINT: params.fingerprint, SHAPES: json.dumps(shapes)})


def load_set(plan: TransformPlan, path: str | Path, names: tuple[str, ...]) -> ParameterSet:
    """Maps a saved set; raises `ArgumentError` if it was made by another transform."""
    file = SafetensorsFile(path)
    fingerprint = file.metadata.get(FINGERPRINT)
    if fingerprint is None:
        raise FileError((str(path), "holds no transformed parameters: it has no fingerprint of a transform"))
    if fingerprint != plan.fingerprint:
        made_by = f"made by another transform: its fingerprint is {fingerprint[:12]}, that of {plan.name} is {plan.fingerprint[:12]}"
        raise FileError((str(path), f"{made_by}; run transform_params again"))
    shapes = {int(index): tuple(value) for index, value in json.loads(file.metadata.get(SHAPES, "{}")).items()}
    missing = [index for index in range(plan.results) if index not in shapes and RESULT.format(index) not in file]
    if missing:
        raise FileError((str(path), f"result {missing[0]} of {plan.name} is missing"))
    values = (shapes[i] if i in shapes else file[RESULT.format(i)] for i in range(plan.results))
    return ParameterSet(plan.name, plan.fingerprint, tuple(values), names)
