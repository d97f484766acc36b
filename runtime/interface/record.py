"""The record of a compiled module: with the object code it is all that `link` needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...dialects.symbolic.limits import Check, SizeLimit, where
from ...records import record
from ..executable.arguments import Signature

FORMAT = 8
"""The version of the form of records, and of how native code is called; it changes when either does."""


PASSED_SIZE = -(1 << 63)
"""Stands for a size of an array that native code passes."""


@record
class FunctionInterface:
    """A public function."""

    signature: Signature
    entry: str
    """The symbol of its C entry."""
    shape_function: str
    """The symbol of its shape function."""
    checks: tuple[Check, ...]
    """What the shape function compares; it returns 1 + the index of the first violated one."""
    limits: tuple[SizeLimit, ...]
    """What must be in range; where a size is not, the shape function returns 1 + the number of checks + the index of the first such
    limit, and one more where results or workspaces do not fit."""
    workspaces: tuple[str, ...]
    """The device of each workspace of a call, the host's first, as `cpu:1`."""
    stack_bytes: int = 0
    """The most that a kernel of a call has on the stack of each thread that runs it."""


@record
class Step:
    """A call of one of the functions, which computes what the next steps, or the caller, take."""

    function: str
    arguments: tuple[int, ...]
    """The values that it takes; see `SteppedFunction`."""


@record
class SteppedFunction:
    """A public function whose memory depends on data: its steps are called one after another, each with memory for its sizes.

    Values are numbered: first come the arguments, those in tuples and shapes one by one, then the results of the steps in order.
    """

    signature: Signature
    steps: tuple[Step, ...]
    results: tuple[int, ...]
    """The values that it returns."""


@record
class PackedValue:
    """One argument or result of a packed function."""

    element_type: str
    """`object`, `index` for a size, or the name of the numpy dtype."""
    shape: tuple[int, ...] | None
    """The sizes of an array, `PASSED_SIZE` where they are passed; `None` for a scalar or an object."""


@record
class PassedArgument:
    """What Python gets as an argument: a value, a string, or a tuple; the others are `None`."""

    value: int | None
    """The position of the value."""
    text: str | None
    fields: tuple[PassedArgument, ...] | None


@record
class PackedInterface:
    """A function that native code calls: a packed function of Python, or one of the runtime."""

    symbol: str
    name: str
    """The packed function, empty for one of the runtime."""
    runtime: str | None
    """The function of the runtime, as `relax.runtime_function` names it."""
    reason: str
    """Why it is called, where that is not plain."""
    arguments: tuple[PackedValue, ...]
    passed: tuple[PassedArgument, ...]
    """What Python gets of them."""
    sizes: int
    """How many sizes of results follow the arguments."""
    outputs: tuple[PackedValue, ...]
    """Results that are written into arrays of the caller, which come last."""
    returned: PackedValue | None
    is_destination_passing: bool
    place: str
    """What errors of its calls start with: where the calls stand in the source, and the module path; empty if that is not known."""


@record
class AssertionInterface:
    """What is said when an assertion fails."""

    message: str
    values: tuple[str, ...]
    """What the values are called that a failed call leaves in its first words."""

    def text(self, words: Sequence[int], sizes: Mapping[str, int]) -> str:
        """Returns the message with the sizes of a call and the values in its words."""
        return self.message + where({**sizes, **dict(zip(self.values, words, strict=False))})


@record
class Constant:
    """Data that is not in the object code; the code takes it by a symbol."""

    symbol: str
    data: bytes


@record
class Part:
    """A public function that computes some results of a transform from some of its parameters."""

    function: str
    params: tuple[int, ...]
    results: tuple[int, ...]


@record
class TransformPlan:
    """How to run a transform: parts in order, and results that are parameters as they are (result -> parameter)."""

    name: str
    fingerprint: str
    """Equal for transforms that compute the same from parameters of the same names."""
    parts: tuple[Part, ...]
    unchanged: Mapping[int, int]
    results: int
    """How many values it makes, those in a bundle one by one."""


@record
class ProfiledRegion:
    """Code that measures how often and how long it runs."""

    kind: str
    """`function`, or what runs there: `kernel`, `linalg` (loops outside of kernels), `loop` (one of the program) or `packed`."""
    function: str
    """The function in which it stands."""
    name: str
    """The kernel or function."""
    layer: str
    """The name that the source has around its position, such as the path of a module of a model; empty without one."""
    places: tuple[str, ...]
    """The positions of the ops of the source, as `file:line:column`."""
    is_counted: bool
    """Whether arithmetic and bytes are counted."""


@record
class ProfileInterface:
    """How code measures itself; `dialects/relax/profile_layout.py` says what lies where."""

    symbol: str
    """The symbol of the memory that it writes."""
    regions: tuple[ProfiledRegion, ...]


@record
class Interface:
    """A compiled module as the runtime knows it."""

    format: int
    version: str
    """The version of xdsl-relax that made it."""
    target: str
    """The name of the CPU of the object code."""
    architecture: str
    features: tuple[str, ...]
    """The instruction sets that the object code may use."""
    code_digest: str
    """The SHA-256 of the object code; empty as long as there is none."""
    record_digest: str
    """The SHA-256 of all the rest of the record; empty until `sealed` has written both."""
    threads: int
    """The threads of one call; 0 leaves it to the time of the call."""
    functions: tuple[FunctionInterface, ...]
    stepped: tuple[SteppedFunction, ...]
    packed: tuple[PackedInterface, ...]
    assertions: tuple[AssertionInterface, ...]
    """A call returns 1 + the index of the one that failed."""
    constants: tuple[Constant, ...]
    transforms: tuple[TransformPlan, ...]
    profile: ProfileInterface | None
    """Where the code writes its profile, if it was compiled for one."""
    params: str = ""
    """Which file of parameters belongs to it in a library: its bytes, and the SHA-256 of what it says of its data."""
