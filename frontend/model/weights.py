"""The weights of an imported model: arrays by their names, each read when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...records import record

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp


class Weights(Mapping[str, "np.ndarray[Any, Any]"]):
    """Arrays by name; each is read from its file, or from the model, whenever it is asked for, and is not kept."""

    def __init__(self) -> None:
        self._readers: dict[str, Callable[[], np.ndarray[Any, Any]]] = {}

    def add(self, name: str, read: Callable[[], np.ndarray[Any, Any]]) -> None:
        """Adds a weight."""
        self._readers[name] = read

    def __getitem__(self, name: str) -> np.ndarray[Any, Any]:
        return self._readers[name]()

    def __iter__(self) -> Iterator[str]:
        return iter(self._readers)

    def __len__(self) -> int:
        return len(self._readers)


@record
class ImportedModel:
    """A program and the weights that its parameters stand for."""

    module: ModuleOp
    params: Mapping[str, np.ndarray[Any, Any]]
    """By the `relax.name` of the parameter."""
    outputs: tuple[str, ...] = ()
    """The names of the results of `@main`."""
    inputs: tuple[str, ...] = field(default=())
    """The names of the inputs of `@main`, as the model has them."""
    state: Mapping[str, np.ndarray[Any, Any]] = field(default_factory=dict)
    """The first values of what the model keeps from call to call, by name: inputs behind the others, and results behind the others."""
    files: Sequence[Path] = ()
    """The files with its weights besides that of the model."""
