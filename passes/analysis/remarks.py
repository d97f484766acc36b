"""Remarks: what passes did with the ops of a program, and why, as they say it themselves when somebody records it.

A remark is about ops of the source, which it names by their positions: ops come and go, what stands for them keeps their locations.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from contextvars import ContextVar
from enum import Enum

from xdsl.dialects.builtin import SymbolRefAttr
from xdsl.ir import Attribute, Operation

from ...dialects.upstream.positions import Position, all_positions
from ...records import record


class Topic(Enum):
    """What a remark tells of an op."""

    REWRITE = "rewrite"
    KERNEL = "kernel"
    FUSION = "fusion"
    LIFTING = "lifting"
    LOOPS = "loops"
    SCHEDULE = "schedule"
    MEMORY = "memory"


WHOLE = -1
"""What is said in place of a member's number where a kernel becomes another one as a whole."""


@record
class Remark:
    """What a pass says of ops."""

    topic: Topic
    function: str
    """The function in which the ops stand."""
    positions: tuple[Position, ...]
    """Where the ops stand in the source."""
    text: str
    others: tuple[Position, ...] = ()
    """Where the neighbors stand that the remark is about as well."""
    kernel: str = ""
    """The kernel that an op is in, for `KERNEL`."""
    member: int = 0
    """Its number among the ops of the kernel, or `WHOLE`."""
    detail: object = None
    """What the room of the pass knows besides, for pictures."""

    @property
    def line(self) -> str:
        """The remark as a compiler prints it, with the first position."""
        place = f"{short(self.positions[0])}: " if self.positions else ""
        return f"{place}remark: {self.topic.value}: {self.text}"


_RECORDED: ContextVar[list[Remark] | None] = ContextVar("remarks", default=None)


@contextmanager
def recording() -> Generator[list[Remark], None, None]:
    """Records the remarks of all passes that run inside."""
    remarks: list[Remark] = []
    token = _RECORDED.set(remarks)
    try:
        yield remarks
    finally:
        _RECORDED.reset(token)


def is_recording() -> bool:
    """Returns whether remarks are recorded; what costs time to find out is worth it only then."""
    return _RECORDED.get() is not None


def remark(
    topic: Topic,
    function: str,
    locations: Attribute | Iterable[Attribute],
    text: str,
    *,
    others: Iterable[Attribute] = (),
    kernel: str = "",
    member: int = 0,
    detail: object = None,
) -> None:
    """Records a remark about the ops with these locations."""
    remarks = _RECORDED.get()
    if remarks is not None:
        about = (locations,) if isinstance(locations, Attribute) else locations
        remarks.append(Remark(topic, function, _positions(about), text, _positions(others), kernel, member, detail))


def _positions(locations: Iterable[Attribute]) -> tuple[Position, ...]:
    return tuple(dict.fromkeys(position for location in locations for position in all_positions(location)))


def function_of(op: Operation) -> str:
    """Returns the name of the function around an op."""
    current: Operation | None = op
    while current is not None and current.name != "func.func":
        current = current.parent_op()
    name = None if current is None else current.properties.get("sym_name")
    return getattr(name, "data", "")


def named_op(op: Operation) -> str:
    """Returns an op as a remark names it: its name, and where it stands."""
    positions = all_positions(op.location)
    callee = op.properties.get("callee")
    name = f"@{callee.string_value()}" if isinstance(callee, SymbolRefAttr) else op.name
    return f"{name} ({short(positions[0])})" if positions else name


def short(position: Position) -> str:
    """Returns a position as text."""
    return f"{position[0]}:{position[1]}:{position[2]}"
