"""What became of an op of a program and why, from the remarks that passes recorded while they compiled it."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.utils.exceptions import DiagnosticException

from ..dialects.nearest_name import nearest
from ..dialects.relax.function_signature import argument_attributes
from ..dialects.relax.ops.core import DataflowOp, OutputOp
from ..dialects.relax.vocabulary.attributes import NAME
from ..dialects.upstream.positions import Position, all_positions, name_of
from ..passes.analysis.effects import RemovableFunctions, is_removable
from ..passes.analysis.remarks import WHOLE, Remark, Topic, named_op, short

MAX_SHOWN = 12
"""So many names of ops are listed where none is near to one that is asked for."""

MOST_ALIKE = 3
"""So many texts of a topic are shown that differ in numbers alone."""


@dataclass(frozen=True)
class Silence:
    """What is said where a pass has said nothing."""

    decider: str
    """The pass that answers."""
    ran: str
    """What it means that it ran and said nothing."""
    request: str = ""
    """Which option runs the pass, where not every pipeline has it."""

    def text(self, passes: Container[str]) -> str:
        """Returns what is said after these passes."""
        return self.ran if self.decider in passes else f"not decided: {self.decider} did not run{self.request}"


QUESTIONS: Mapping[Topic, Silence | None] = {
    Topic.REWRITE: None,
    Topic.LIFTING: Silence(
        "relax-lift-transform-params", "relax-lift-transform-params said nothing of it", ", --lift asks for it"
    ),
    Topic.KERNEL: Silence("relax-fuse-ops", "no kernel computes it"),
    Topic.FUSION: None,
    Topic.LOOPS: None,
    Topic.SCHEDULE: Silence("schedule-linalg", "no linalg op of its own was scheduled"),
    Topic.MEMORY: Silence("plan-arena", "it has no memory of its own"),
}
"""The topics in the order in which they are answered, each with what is said where no pass has said anything."""


_LIFTS = ", --lift at -O 2 and above asks for it"

_WINOGRAD, _PACKING = (Silence(name, "", _LIFTS) for name in ("relax-use-winograd", "relax-pack-weights"))

REWRITES: Mapping[str, Sequence[Silence]] = {
    "relax.matmul": (_PACKING,),
    "relax.nn.conv1d": (_PACKING,),
    "relax.nn.conv2d": (_WINOGRAD, _PACKING),
    "relax.nn.conv3d": (_PACKING,),
}
"""What is asked of some ops besides: passes that say it of all of them, where they run."""


class UnknownOpError(DiagnosticException):
    """Says that a program has no such op."""


@dataclass
class Explained:
    """An op of the source, as it is known after it may have gone."""

    name: str
    values: tuple[str, ...]
    function: str
    layer: str | None
    positions: tuple[Position, ...]
    gone: str | None = None
    """The pass behind which nothing had its position any more."""
    alive: bool = field(default=True)
    is_read: bool = True
    """Whether the program needs it: another op that it needs reads it, or it does more than compute."""

    @property
    def title(self) -> str:
        """The op on one line."""
        results = f"{', '.join('%' + value for value in self.values)} = " if self.values else ""
        layer = f" of {self.layer}" if self.layer else ""
        return f"{short(self.positions[0])}: {results}{self.name}{layer} in @{self.function}"


def choose(module: ModuleOp, wanted: str, lines: Sequence[str]) -> list[Explained]:
    """Returns the ops that a name of a value or of an op, or a line, stands for; raises `UnknownOpError` where there are none.

    `lines` are those of the program. The external name of a parameter stands for what reads it.
    """
    ops = [*source_ops(module)]
    value = wanted.removeprefix("%")
    chosen = [op for op in ops if wanted in (op.name, op.name.removeprefix("relax."), _line(op))]
    chosen = (
        chosen
        or [op for op in ops if op.name.endswith(f".{wanted}")]
        or _at(ops, wanted, lines)
        or [op for op in ops if value in op.values]
        or _readers(module, ops, wanted)
    )
    if not chosen:
        reason = _no_op(module, wanted, value) or (
            f"no op with results has the name, value, line or line:column {wanted!r}{_known(module, ops, value)}"
        )
        raise UnknownOpError(f"--explain: {reason}")
    return chosen


def _known(module: ModuleOp, ops: Sequence[Explained], wanted: str) -> str:
    """Returns the nearest name to one that nothing has, or the names of ops where none is near; nothing for a place."""
    if not wanted.strip(":0123456789"):
        return ""
    names = {name: name for name, _ in _parameters(module)} | {value: value for op in ops for value in op.values}
    names |= {spelled: op.name for op in ops for spelled in (op.name, op.name.rpartition(".")[2])}
    if (near := nearest(wanted, names)) is not None:
        return f", did you mean {names[near]!r}?"
    shown = [*dict.fromkeys(op.name for op in ops)]
    return f"; there are {', '.join(shown[:MAX_SHOWN])}{', ...' if len(shown) > MAX_SHOWN else ''}" if shown else ""


def _at(ops: Sequence[Explained], place: str, lines: Sequence[str]) -> list[Explained]:
    """Returns the op whose text a line and column, behind a file or not, point into: the last on its line that begins there or before."""
    line, column = ["", *place.split(":")][-2:]
    if not (line.isdecimal() and column.isdecimal()):
        return []
    if not 0 < int(line) <= len(lines) or int(column) > len(lines[int(line) - 1].rstrip()):
        return []
    before = [op for op in ops if _line(op) == line and op.positions[0][2] <= int(column)]
    return [max(before, key=lambda op: op.positions[0][2])] if before else []


def _readers(module: ModuleOp, ops: Sequence[Explained], name: str) -> list[Explained]:
    """Returns the ops that read the parameters with an external name."""
    reading = {use.operation for own, argument in _parameters(module) if own == name for use in argument.uses}
    places = {(op.name, tuple(all_positions(op.location))) for op in reading}
    return [op for op in ops if (op.name, op.positions) in places]


def _parameters(module: ModuleOp) -> Iterator[tuple[str, BlockArgument]]:
    """Yields the arguments of functions that have an external name, with that."""
    for function in module.body.block.ops:
        if isinstance(function, func.FuncOp) and not function.is_declaration:
            entries = zip(function.body.block.args, argument_attributes(function), strict=True)
            yield from ((name, argument) for argument, entry in entries if (name := NAME.of(entry)) is not None)


def _no_op(module: ModuleOp, wanted: str, value: str) -> str | None:
    """Returns what else of a program a name stands for: an op without results, or an argument, which no op computes."""
    named = {argument for name, argument in _parameters(module) if name == wanted}
    for op in module.walk():
        if wanted in (op.name, op.name.removeprefix("relax.")) and not isinstance(op, func.FuncOp | ModuleOp):
            return f"{wanted!r} is an op without results, nothing is decided of it"
        for argument in (argument for region in op.regions for block in region.blocks for argument in block.args):
            if argument.name_hint == value or argument in named:
                place = f"@{op.sym_name.data}" if isinstance(op, func.FuncOp) else op.name
                readers = dict.fromkeys(named_op(use.operation) for use in argument.uses)
                text = f"; it is read by {', '.join(readers)}" if readers else "; nothing reads it"
                return f"{wanted!r} is an argument of {place}, which no op computes{text}"
    return None


def source_ops(module: ModuleOp) -> Iterator[Explained]:
    """Yields the ops of a program that have results and a position."""
    pure = RemovableFunctions(module)
    for function in module.body.block.ops:
        if not isinstance(function, func.FuncOp):
            continue
        needed = _needed(function, pure)
        for op in function.body.walk():
            positions = tuple(all_positions(op.location))
            if positions and op.results:
                values = tuple(result.name_hint for result in op.results if result.name_hint is not None)
                name = name_of(op.location)
                yield Explained(op.name, values, function.sym_name.data, name, positions, is_read=op in needed)


def _needed(function: func.FuncOp, pure: Container[str]) -> set[Operation]:
    """Returns the ops of a function that do more than compute, or that such ops read, directly or by others."""
    needed: set[Operation] = set()
    read: set[SSAValue] = set()
    for op in reversed([*function.body.walk()]):
        parent = op.parent_op()
        if isinstance(op, OutputOp) and isinstance(parent, DataflowOp):
            read |= {given for given, left in zip(op.operands, parent.results, strict=True) if left in read}
        elif not is_removable(op, pure) or not read.isdisjoint(op.results):
            needed.add(op)
            read |= {*op.operands}
    return needed


def _line(op: Explained) -> str:
    return str(op.positions[0][1])


def note_gone(explained: Sequence[Explained], module: ModuleOp, pass_name: str) -> None:
    """Notes which ops have gone with a pass."""
    present = {position for op in module.walk() for position in all_positions(op.location)}
    for op in explained:
        if op.alive and not present.intersection(op.positions):
            op.alive, op.gone = False, pass_name


def explanation(op: Explained, remarks: Sequence[Remark], passes: Container[str]) -> str:
    """Returns what the passes that ran said of an op, a topic after the other."""
    own = [remark for remark in remarks if set(op.positions) & {*remark.positions, *_neighbors(remark)}]
    own += [remark for remark in _of_kernels(own, remarks, op) if remark not in own]
    lines = [op.title]
    for topic, silence in QUESTIONS.items():
        texts = [*dict.fromkeys(remark.text for remark in own if remark.topic is topic)]
        if topic in (Topic.KERNEL, Topic.MEMORY):
            texts = _without_repetition(texts)
        if not texts and silence is not None and op.alive:
            texts = [silence.text(passes)]
        if topic is Topic.REWRITE:
            silent = (silence for silence in REWRITES.get(op.name, ()) if silence.decider not in passes)
            texts += [silence.text(passes) for silence in silent]
        lines += [f"  {topic.value}: {text}" for text in texts]
    if op.gone is not None:
        reason = ": nothing behind that pass stands for it" if op.is_read else ": nothing reads it"
        is_told = op.is_read and any(remark.topic is Topic.REWRITE for remark in own)
        lines.append(f"  it is gone since {op.gone}{'' if is_told else reason}")
    return "\n".join(lines)


def _without_repetition(texts: Sequence[str]) -> list[str]:
    """Returns the texts; of many that differ in numbers alone, such as those of slices of a batch, the first, with how many there are."""
    kinds: dict[str, list[str]] = {}
    for text in texts:
        kinds.setdefault(re.sub(r"\d+", "", text), []).append(text)
    shown: list[str] = []
    for text in texts:
        alike = kinds[re.sub(r"\d+", "", text)]
        if len(alike) <= MOST_ALIKE:
            shown.append(text)
        elif text == alike[0]:
            shown.append(f"{text}; {len(alike) - 1} others say the same with other numbers")
    return shown


def _neighbors(remark: Remark) -> Sequence[Position]:
    """Returns the neighbors to whom a remark matters as much."""
    return remark.others if remark.topic is Topic.FUSION else ()


def _of_kernels(own: Sequence[Remark], remarks: Sequence[Remark], op: Explained) -> Iterator[Remark]:
    """Yields what was said of the op inside of the kernels that it is in.

    Kernels that are equal are one function, which has the positions of the ops that it was made of first.
    """
    same = {remark.function: remark for remark in remarks if remark.topic is Topic.KERNEL and not remark.positions}
    kernels = [remark for remark in own if remark.topic is Topic.KERNEL and set(op.positions) & set(remark.positions)]
    later = {remark.kernel for remark in kernels if remark.member == WHOLE}
    for membership in (remark for remark in kernels if remark.member != WHOLE):
        kernel = membership.kernel
        if kernel in same:
            yield same[kernel]
            kernel = same[kernel].kernel
        first = _first_member(remarks, kernel, membership.member)
        yield from (
            remark for remark in remarks if remark.function in (kernel, *later) and first & set(remark.positions)
        )


def _first_member(remarks: Sequence[Remark], kernel: str, member: int) -> set[Position]:
    """Returns the positions of a member of a kernel where the kernel was met first."""
    members = (remark for remark in remarks if remark.topic is Topic.KERNEL and remark.positions)
    return next((set(other.positions) for other in members if (other.kernel, other.member) == (kernel, member)), set())
