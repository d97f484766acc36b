"""What the parts of an import share: the state of the module, the results of an op, and what a part asks of the function."""

# TVM declares few of its types.
# pyright: reportAttributeAccessIssue=false, reportArgumentType=false, reportCallIssue=false

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from xdsl.dialects.builtin import FunctionType
from xdsl.ir import Attribute, SSAValue
from xdsl.utils.exceptions import VerifyException

from ....builder import BlockBuilder, BuilderError
from ....dialects.relax.calls import verify_call
from ..diagnostics import Unsupported
from ..types import ImportScope
from ..vdevices import ImportDevices
from .kernels import KernelTable


@dataclass
class Results:
    """The results of one op that Relax has as a tuple; those from `taken` on have not been read in order yet."""

    values: tuple[SSAValue, ...]
    taken: int = 0

    @classmethod
    def of(cls, inserted: SSAValue | tuple[SSAValue, ...] | None) -> Results:
        """Returns what a method of the builder returns for an op as a tuple of results."""
        if inserted is None:
            return cls(())
        return cls(inserted if isinstance(inserted, tuple) else (inserted,))


Value = SSAValue | Results


@dataclass
class Signature:
    """The types of a function as its callers see them."""

    inputs: list[Attribute]
    output: Attribute
    declared: Attribute
    """The type of the result before its symbols were erased."""
    scope: ImportScope

    def fits(self, operands: Sequence[Attribute], result: Attribute) -> bool:
        """Returns whether a call with these types needs no casts."""
        try:
            verify_call(FunctionType.from_lists(self.inputs, [self.output]), operands, [result])
        except VerifyException:
            return False
        return True


class ImportState:
    """What is known of the module under import."""

    def __init__(self, devices: ImportDevices) -> None:
        self.devices = devices
        self.problems: list[str] = []
        """What has no counterpart, a line each."""
        self.signatures: dict[str, Signature] = {}
        self.kernels = KernelTable(self.signatures)

    def attempt(self, function: str, what: str, action: Callable[[], Any]) -> Any:
        """Returns the result of an action, `None` after noting why it failed."""
        try:
            return action()
        except (Unsupported, BuilderError, VerifyException) as error:
            self.problems.append(f"@{function}: {what}: {' '.join(str(error).split())}")
            return None


class Importer(Protocol):
    """What the import of one construct asks of the function under import."""

    module: ImportState
    scope: ImportScope
    builder: BlockBuilder
    """Inserts ops where the import stands."""

    def cast(self, value: SSAValue, wanted: Attribute, reason: str = "forgets") -> SSAValue:
        """Returns a value as one of another type, by a cast that has no counterpart in Relax."""
        ...

    def value(self, expression: Any) -> SSAValue:
        """Returns the value of an expression that may stand as an argument."""
        ...

    def tensor(self, expression: Any) -> SSAValue:
        """Returns the value of an operand of an op on tensors, where Relax takes a number as well."""
        ...

    def number(self, expression: Any) -> SSAValue:
        """Returns a literal number as a scalar."""
        ...

    def fields(self, expression: Any) -> list[SSAValue]:
        """Returns the fields of a tuple argument."""
        ...

    def result_types(self, ty: Any) -> list[Attribute]:
        """Returns the types of the results of an op whose value has a Relax type; a tuple is several results."""
        ...
