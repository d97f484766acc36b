"""The names of values and blocks of one function in LLVM IR text, and the phi nodes that block arguments become."""

from __future__ import annotations

from typing import cast

from xdsl.dialects.builtin import DenseArrayBase, IntegerType
from xdsl.ir import Block, Operation, SSAValue

from ...dialects.upstream import llvm_ops
from .module_text import ModuleText
from .text import LLVMTextError


class FunctionText:
    """What the text of an instruction refers to; `names` is filled before the first instruction is written."""

    def __init__(self, module: ModuleText, blocks: list[Block]):
        self.module = module
        self.blocks = blocks
        self.type = module.type
        self.names: dict[SSAValue, str] = {}
        self.labels = {block: f"b{number}" for number, block in enumerate(blocks)}
        self._incoming: dict[Block, list[tuple[str, list[SSAValue]]]] = {block: [] for block in blocks}
        self.split: list[str] = []
        """The lines of blocks that stand between the two edges of one branch to the same block."""

    def typed(self, value: SSAValue) -> str:
        """Returns an operand with its type."""
        return f"{self.type(value.type)} {self.names[value]}"

    def result(self, op: Operation) -> str:
        """Returns the name of the first result of an op."""
        (value,) = op.results
        return self.names[value]

    def record_edges(self, block: Block, terminator: Operation) -> None:
        """Records which values each edge passes; two edges of one branch to a block with arguments get a block between."""
        label = self.labels[block]
        seen: set[Block] = set()
        for number, (target, arguments) in enumerate(_edges(terminator)):
            source = label
            if target in seen:
                if not target.args:
                    continue
                source = f"{label}.{number}"
                self.split.extend((f"{source}:", f"  br label %{self.labels[target]}"))
            seen.add(target)
            self._incoming[target].append((source, arguments))

    def targets(self, terminator: Operation) -> list[str]:
        """Returns the labels of the successors of a terminator."""
        label = self.labels[cast(Block, terminator.parent)]
        seen: set[Block] = set()
        texts: list[str] = []
        for number, target in enumerate(terminator.successors):
            duplicate = target in seen and bool(target.args)
            texts.append(f"label %{label}.{number}" if duplicate else f"label %{self.labels[target]}")
            seen.add(target)
        return texts

    def phis(self, block: Block) -> list[str]:
        """Returns a line for each argument of a block."""
        lines: list[str] = []
        incoming = self._incoming[block]
        for position, arg in enumerate(block.args):
            if not incoming:
                raise LLVMTextError("print-llvm-ir: a block with arguments is never entered")
            edges = ", ".join(f"[ {self.names[values[position]]}, %{source} ]" for source, values in incoming)
            lines.append(f"  {self.names[arg]} = phi {self.type(arg.type)} {edges}")
        return lines


def _edges(terminator: Operation) -> list[tuple[Block, list[SSAValue]]]:
    successors = list(terminator.successors)
    operands = list(terminator.operands)
    if terminator.name == "llvm.br":
        return [(successors[0], operands)]
    if terminator.name == "llvm.cond_br":
        segments = cast("DenseArrayBase[IntegerType]", terminator.properties["operandSegmentSizes"]).get_values()
        split = 1 + int(segments[1])
        return [(successors[0], operands[1:split]), (successors[1], operands[split:])]
    if terminator.name == "llvm.switch":
        switch = cast(llvm_ops.SwitchOp, terminator)
        counts = [int(c) for c in switch.case_operand_segments.get_values()]
        rest = list(switch.case_operands)
        edges = [(successors[0], list(switch.default_operands))]
        for target, count in zip(successors[1:], counts, strict=True):
            edges.append((target, rest[:count]))
            rest = rest[count:]
        return edges
    raise LLVMTextError(f"print-llvm-ir: {terminator.name} has no text")
