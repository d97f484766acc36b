"""A case as a file that `relax-run` runs, with the command in its first lines."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Any

import numpy as np

from ...dialects.relax.symbol_ranges import declared_ranges
from ...records import record
from ...whole_file import whole_file
from ..executable.arguments import Signature, bind_sizes, shapes_of
from ..interpreted import interpret
from ..session import Values, host_call
from ..signatures import signatures
from .case import Case

SPECS = ("random", "zeros", "ones", "arange")
LISTED = 64
"""The most numbers of an argument that stand in a command."""


@record
class Command:
    """What `relax-run` is told about a program: sizes of symbols, specs of arguments by position, the seed, and further options."""

    sizes: Mapping[str, int] = field(default_factory=dict)
    inputs: Mapping[int, str] = field(default_factory=dict)
    seed: int = 0
    options: tuple[str, ...] = ()

    def words(self) -> list[str]:
        """Returns the options of the command line."""
        sizes = [word for name, size in self.sizes.items() for word in ("--dim", f"{name}={size}")]
        inputs = [word for index, spec in self.inputs.items() for word in ("--input", f"{index}={spec}")]
        seed = ["--seed", str(self.seed)] if self.seed else []
        return [*self.options, *sizes, *seed, *inputs]

    def text(self, file: str) -> str:
        """Returns the command line for a file."""
        return shlex.join(["relax-run", file, "--check", *self.words()])

    def arguments(self, case: Case) -> tuple[Any, ...]:
        """Returns the arguments that `relax-run` makes for the program of a case."""
        functions = signatures(case.module)
        values = Values(
            functions,
            functions,
            case.entry,
            inputs={str(index): spec for index, spec in self.inputs.items()},
            sizes=self.sizes,
            params=(),
            seed=self.seed,
            ranges=declared_ranges(case.function),
        )
        return tuple(values.arguments(functions, case.entry, host_call(interpret(case.module), functions)))


def command_for(case: Case, holds: Callable[[Case], bool], command: Command, path: Path) -> Command | None:
    """Returns the simplest command with which a case of one run still holds, or `None` if none does.

    Arguments are made from the seed where that shows the same, then given as a word or a list; the large ones go to files beside the path.
    """
    function = signatures(case.module)[case.entry]
    run = case.runs[0]
    command = replace(command, sizes=_sizes(function, run), inputs={})
    if _shows(case, holds, command):
        return command
    exact = replace(command, inputs=dict(_exact(run, path)))
    if not _shows(case, holds, exact):
        return None
    for index in exact.inputs:
        for spec in SPECS:
            simpler = replace(exact, inputs={**exact.inputs, index: spec})
            if _shows(case, holds, simpler):
                exact = simpler
                break
    kept = set(exact.inputs.values())
    for index in range(len(run)):
        if str(_file(path, index)) not in kept:
            _file(path, index).unlink(missing_ok=True)
    return replace(exact, inputs={index: spec for index, spec in exact.inputs.items() if spec != "random"})


def _shows(case: Case, holds: Callable[[Case], bool], command: Command) -> bool:
    try:
        made = replace(case, runs=(command.arguments(case),))
    except ValueError:
        return False
    return holds(made)


def _sizes(function: Signature, run: Sequence[Any]) -> dict[str, int]:
    """Returns the sizes of symbols that arguments tell."""
    arrays: dict[int, np.ndarray[Any, Any]] = {}
    for index, value in enumerate(run[: len(function.arguments)]):
        shape = next(shapes_of(function.arguments[index].type), None)
        if isinstance(value, np.ndarray) and shape is not None:
            arrays[index] = value
        elif isinstance(value, tuple) and shape is not None and all(isinstance(size, int) for size in value):
            # A shape value stands for an array of that shape, of no memory.
            arrays[index] = np.broadcast_to(np.int8(0), value)
    return bind_sizes(function, {}, arrays)[0]


def _file(path: Path, index: int) -> Path:
    return path.with_suffix(f".{index}.npy")


def _exact(run: Sequence[Any], path: Path) -> Iterator[tuple[int, str]]:
    """Yields the specs of arguments by their values."""
    for index, value in enumerate(run):
        if not isinstance(value, np.ndarray | np.generic):
            continue
        array = np.asarray(value)
        # A file of numpy has no bf16.
        if array.size <= LISTED or array.dtype.kind == "V":
            yield index, _listed(array)
        else:
            np.save(_file(path, index), array)
            yield index, str(_file(path, index))


def _listed(array: np.ndarray[Any, Any]) -> str:
    wide = array.astype(np.float64) if array.dtype.kind not in "biu" else array.astype(object)
    numbers = [str(number if not isinstance(number, bool) else int(number)) for number in wide.reshape(-1).tolist()]
    return f"[{','.join(numbers)}]"


def write_case(path: Path, case: Case, command: Command, reason: str) -> None:
    """Writes a case to a file whose first lines say what is wrong and how to see it."""
    head = "".join(f"// {line}\n" for line in reason.splitlines())
    with whole_file(path) as stream:
        stream.write(f"{head}// {command.text(path.name)}\n{case.module!s}\n".encode())
