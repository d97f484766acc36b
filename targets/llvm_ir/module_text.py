"""What the functions of a module share in LLVM IR text: the spelling of types, declarations of intrinsics, metadata."""

from __future__ import annotations

from xdsl.ir import Attribute

from ...dialects.upstream import llvm_ops
from .text import symbol, type_text


class ModuleText:
    """The text of one module under construction: `lines`, and after them `declared` and `metadata`."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.declared: dict[str, str] = {}
        self.metadata: list[str] = []
        self._nontemporal: int | None = None
        self._no_unroll: int | None = None
        self._types: dict[int, tuple[Attribute, str]] = {}

    def type(self, type_: Attribute) -> str:
        """Returns a type as LLVM writes it."""
        # By identity, as the hash of a type takes longer than its text; a type that is kept keeps its identity.
        entry = self._types.get(id(type_))
        if entry is None:
            entry = self._types[id(type_)] = (type_, type_text(type_))
        return entry[1]

    def declare(self, name: str, output: str, inputs: list[str]) -> None:
        """Declares a function of another module, once."""
        if name not in self.declared:
            self.declared[name] = f"declare {output} {symbol(name)}({', '.join(inputs)})"

    def _node(self, text: str) -> int:
        self.metadata.append(text)
        return len(self.metadata) - 1

    def loop_metadata(self, annotation: llvm_ops.LoopAnnotationAttr) -> str:
        """Returns what a latch says about its loop; each loop is a node of its own."""
        operands = ""
        unroll = annotation.unroll
        if isinstance(unroll, llvm_ops.LoopUnrollAttr) and unroll.disable.value.data:
            if self._no_unroll is None:
                self._no_unroll = self._node('!{!"llvm.loop.unroll.disable"}')
            operands = f", !{self._no_unroll}"
        number = len(self.metadata)
        self._node(f"distinct !{{!{number}{operands}}}")
        return f", !llvm.loop !{number}"

    def nontemporal_metadata(self) -> str:
        """Returns what a load says that bypasses the caches."""
        if self._nontemporal is None:
            self._nontemporal = self._node("!{i32 1}")
        return f", !nontemporal !{self._nontemporal}"
