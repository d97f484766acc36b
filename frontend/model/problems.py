"""What a model has that the dialect has no counterpart for: collected while importing, reported at once, with counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ...dialects.upstream.picklable_error import PicklableError


class Unsupported(PicklableError):
    """One construct without a counterpart; caught where the import of the rest goes on."""

    def __init__(self, reason: str, inputs: Sequence[str] = ()):
        self.inputs = tuple(inputs)
        """The inputs of the model whose values the import would have to know."""
        super().__init__(reason)


class Problem(NamedTuple):
    """One construct of a model that cannot be imported."""

    what: str
    """The name of the op or of the part of the model."""
    reason: str
    where: str
    """The name of the node, or the path of the module."""
    inputs: tuple[str, ...] = ()
    """The inputs of the model whose values the import would have to know."""


class ModelError(ValueError):
    """A file that is no model, or a model that cannot be imported; one line."""


class UnsupportedModelError(PicklableError, ModelError):
    """A model has constructs without a counterpart: one line that names each kind with its count and a reason."""

    def __init__(self, problems: Iterable[Problem]):
        self.problems = tuple(problems)
        counts = Counter(problem.what for problem in self.problems)
        first = {problem.what: problem for problem in reversed(self.problems)}
        total = len(self.problems)
        listed = "; ".join(
            f"{what}{f' ({count} times)' if count > 1 else ''} at '{first[what].where}': {first[what].reason}"
            for what, count in counts.most_common()
        )
        kinds = "" if len(counts) == total else f" of {len(counts)} kind{'' if len(counts) == 1 else 's'}"
        super().__init__(f"cannot import {total} construct{'' if total == 1 else 's'}{kinds}: {listed}")

    @property
    def counts(self) -> Counter[str]:
        """How often each kind of construct occurs."""
        return Counter(problem.what for problem in self.problems)

    @property
    def inputs(self) -> tuple[str, ...]:
        """The inputs of the model whose values the import would have to know, each once."""
        return tuple(dict.fromkeys(name for problem in self.problems for name in problem.inputs))
