"""What has no counterpart in the dialect, or in the format of a model: collected on the way, reported at once, with counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import ClassVar, NamedTuple

from ...dialects.upstream.picklable_error import PicklableError
from ...visible import visible


class Unsupported(PicklableError):
    """One construct without a counterpart; caught where the work on the rest goes on."""

    def __init__(self, reason: str, inputs: Sequence[str] = ()):
        self.inputs = tuple(inputs)
        """The inputs of the model whose values the import would have to know."""
        super().__init__(reason)


class Problem(NamedTuple):
    """One construct that cannot be imported or exported."""

    what: str
    """The name of the op or of the part of the model."""
    reason: str
    where: str
    """The name of the node, or the path of the module."""
    inputs: tuple[str, ...] = ()
    """The inputs of the model whose values the import would have to know."""


class UnsupportedError(PicklableError):
    """Constructs without a counterpart: one line that names each kind with its count and a reason."""

    VERB: ClassVar[str]

    def __init__(self, problems: Iterable[Problem], action: str | None = None):
        self.problems = tuple(problems)
        counts = self.counts
        first = {problem.what: problem for problem in reversed(self.problems)}
        total = len(self.problems)
        listed = "; ".join(
            f"{what}{f' ({count} times)' if count > 1 else ''} at '{first[what].where}': {first[what].reason}"
            for what, count in counts.most_common()
        )
        kinds = "" if len(counts) == total else f" of {len(counts)} kind{'' if len(counts) == 1 else 's'}"
        plural = "" if total == 1 else "s"
        super().__init__(f"cannot {action or self.VERB} {total} construct{plural}{kinds}: {listed}{self.hint}")

    @property
    def hint(self) -> str:
        """What helps against all of them, behind a separator; empty if that is not known."""
        return ""

    @property
    def counts(self) -> Counter[str]:
        """How often each kind of construct occurs."""
        return Counter(problem.what for problem in self.problems)


class OneLineError(ValueError):
    """An error of one line: what is no visible character of a name is escaped."""

    def __str__(self) -> str:
        return visible(super().__str__())


class ModelImportError(OneLineError):
    """A file that is no model, or a model that cannot be imported; one line."""


class ConverterError(PicklableError, ModelImportError):
    """A defect: what converts an op raised something else than a refusal, which is the cause of this error."""

    def __init__(self, what: str, where: str, error: Exception):
        super().__init__(f"internal error in the import of {what} at '{where}': {type(error).__name__}: {error}")


class UnsupportedModelError(UnsupportedError, ModelImportError):
    """A model has constructs without a counterpart in the dialect."""

    VERB: ClassVar[str] = "import"

    @property
    def hint(self) -> str:
        """How to fix the inputs whose values the import would have to know."""
        options = " ".join(f"--value {name}=FILE.npy" for name in self.inputs)
        return f"; fix what it depends on: {options}" if options else ""

    @property
    def inputs(self) -> tuple[str, ...]:
        """The inputs of the model whose values the import would have to know, each once."""
        return tuple(dict.fromkeys(name for problem in self.problems for name in problem.inputs))


class ProgramExportError(OneLineError):
    """A program that cannot be exported, or an option that does not fit it; one line."""


class UnsupportedProgramError(UnsupportedError, ProgramExportError):
    """A program has constructs without a counterpart in the format that it is exported to."""

    VERB: ClassVar[str] = "export"


class OriginalModelError(OneLineError):
    """The library that a model comes from does not run it; one line."""
