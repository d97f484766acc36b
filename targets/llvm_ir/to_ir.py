"""From the `llvm` dialect to LLVM IR text, which llvmlite or LLVM's tools compile.

The text is deterministic: values are numbered in order, intrinsics are declared in order of first use.
"""

from __future__ import annotations

from typing import cast

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    StringAttr,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue

from ...dialects.upstream import llvm_ops
from .instructions import INLINE, INSTRUCTIONS
from .text import LLVMTextError, constant_text, escaped, symbol, type_text

_ARGUMENT_ATTRIBUTES = {
    "llvm.noalias": "noalias",
    "llvm.readonly": "readonly",
    "llvm.writeonly": "writeonly",
    "llvm.nonnull": "nonnull",
    "llvm.noundef": "noundef",
    "llvm.signext": "signext",
    "llvm.zeroext": "zeroext",
}


def print_llvm_ir(module: ModuleOp, *, embed_constants: bool = False) -> str:
    """LLVM IR text of a module that holds the `llvm` dialect alone.

    Large constants (attribute `relax.data`) are declared as external symbols, or written out with `embed_constants`.
    Raises `LLVMTextError` at an operation that has no text.
    """
    return _ModulePrinter(embed_constants).print(module)


class _ModulePrinter:
    def __init__(self, embed_constants: bool):
        self.embed_constants = embed_constants
        self.lines: list[str] = []
        self.declared: dict[str, str] = {}
        self.metadata: list[str] = []
        self.nontemporal: int | None = None
        self.no_unroll: int | None = None
        self.types: dict[Attribute, str] = {}

    def type(self, type_: Attribute) -> str:
        found = self.types.get(type_)
        if found is None:
            found = self.types[type_] = type_text(type_)
        return found

    def print(self, module: ModuleOp) -> str:
        ops = list(module.body.block.ops)
        defined = {op.sym_name.data for op in ops if isinstance(op, llvm.FuncOp)}
        for op in ops:
            if isinstance(op, llvm.GlobalOp):
                self.print_global(op)
        for op in ops:
            if isinstance(op, llvm.FuncOp):
                self.print_function(op)
            elif not isinstance(op, llvm.GlobalOp):
                raise LLVMTextError(f"print-llvm-ir: {op.name} is not of the llvm dialect")
        self.lines.extend(text for name, text in self.declared.items() if name not in defined)
        self.lines.extend(f"!{number} = {text}" for number, text in enumerate(self.metadata))
        return "\n".join(self.lines) + "\n"

    def print_global(self, op: llvm.GlobalOp) -> None:
        linkage = op.linkage.linkage.data
        kind = "constant" if op.constant is not None else "global"
        alignment = f", align {op.alignment.value.data}" if op.alignment is not None else ""
        value = op.value
        if value is None and self.embed_constants and "relax.data" in op.attributes:
            value, linkage = op.attributes["relax.data"], "internal"
        name = symbol(op.sym_name.data)
        if value is None:
            self.lines.append(f"{name} = external {kind} {self.type(op.global_type)}{alignment}")
            return
        prefix = "" if linkage == "external" else f"{linkage} "
        if isinstance(value, StringAttr):
            data = value.data.encode()
        elif isinstance(value, DenseIntOrFPElementsAttr) and isinstance(op.global_type, llvm.LLVMArrayType):
            data = value.data.data
            count = op.global_type.size.data
            if count > 1 and value.is_splat() and len(data) * count == _array_bytes(op.global_type):
                data = data * count
        else:
            text = constant_text(value, op.global_type)
            self.lines.append(f"{name} = {prefix}{kind} {self.type(op.global_type)} {text}{alignment}")
            return
        body = f'c"{escaped(data)}"' if any(data) else "zeroinitializer"
        self.lines.append(f"{name} = {prefix}{kind} [{len(data)} x i8] {body}{alignment}")

    def print_function(self, op: llvm.FuncOp) -> None:
        type_ = op.function_type
        attributes = op.arg_attrs.data if op.arg_attrs is not None else ()
        arguments: list[str] = []
        blocks = list(op.body.blocks)
        for position, input_ in enumerate(type_.inputs.data):
            text = self.type(input_)
            if position < len(attributes):
                text += _argument_attributes(attributes[position])
            if blocks:
                text += f" %v{position}"
            arguments.append(text)
        if type_.is_variadic:
            arguments.append("...")
        # xDSL reads the properties of the custom form back as attributes.
        given = op.properties | op.attributes
        suffix = (" nounwind" if "no_unwind" in given else "") + (" noinline" if "no_inline" in given else "")
        head = f"{self.type(type_.output)} {symbol(op.sym_name.data)}({', '.join(arguments)}){suffix}"
        if not blocks:
            self.lines.append(f"declare {head}")
            return
        linkage = op.linkage.linkage.data
        self.lines.append(f"define {'' if linkage == 'external' else linkage + ' '}{head} {{")
        FunctionPrinter(self, blocks).print()
        self.lines.append("}")

    def declare(self, name: str, output: str, inputs: list[str]) -> None:
        if name not in self.declared:
            self.declared[name] = f"declare {output} {symbol(name)}({', '.join(inputs)})"

    def node(self, text: str) -> int:
        self.metadata.append(text)
        return len(self.metadata) - 1

    def loop_metadata(self, annotation: llvm_ops.LoopAnnotationAttr) -> str:
        operands = ""
        unroll = annotation.unroll
        if isinstance(unroll, llvm_ops.LoopUnrollAttr) and unroll.disable.value.data:
            if self.no_unroll is None:
                self.no_unroll = self.node('!{!"llvm.loop.unroll.disable"}')
            operands = f", !{self.no_unroll}"
        number = len(self.metadata)
        self.node(f"distinct !{{!{number}{operands}}}")
        return f", !llvm.loop !{number}"

    def nontemporal_metadata(self) -> str:
        if self.nontemporal is None:
            self.nontemporal = self.node("!{i32 1}")
        return f", !nontemporal !{self.nontemporal}"


def _array_bytes(type_: llvm.LLVMArrayType) -> int:
    from xdsl.dialects.builtin import FixedBitwidthType

    element = type_.type
    return type_.size.data * (element.size if isinstance(element, FixedBitwidthType) else 0)


def _argument_attributes(attrs: DictionaryAttr) -> str:
    text = ""
    for name, value in attrs.data.items():
        if name == "llvm.align" and isinstance(value, IntegerAttr):
            text += f" align {value.value.data}"
        elif name == "llvm.dereferenceable" and isinstance(value, IntegerAttr):
            text += f" dereferenceable({value.value.data})"
        elif name in _ARGUMENT_ATTRIBUTES:
            text += f" {_ARGUMENT_ATTRIBUTES[name]}"
    return text


class FunctionPrinter:
    """Writes the blocks of one function."""

    def __init__(self, module: _ModulePrinter, blocks: list[Block]):
        self.module = module
        self.blocks = blocks
        self.lines = module.lines
        self.type = module.type
        self.names: dict[SSAValue, str] = {}
        self.labels = {block: f"b{number}" for number, block in enumerate(blocks)}
        self.incoming: dict[Block, list[tuple[str, list[SSAValue]]]] = {block: [] for block in blocks}
        self.split: list[str] = []

    def print(self) -> None:
        names = self.names
        counter = 0
        for block in self.blocks:
            for arg in block.args:
                names[arg] = f"%v{counter}"
                counter += 1
            for op in block.ops:
                inline = INLINE.get(op.name)
                if inline is not None:
                    names[op.results[0]] = inline(op)
                elif op.results:
                    names[op.results[0]] = f"%v{counter}"
                    counter += 1
            terminator = block.last_op
            if terminator is not None and terminator.successors:
                self.record_edges(block, terminator)
        for position, block in enumerate(self.blocks):
            self.lines.append(f"{self.labels[block]}:")
            if position:
                self.print_phis(block)
            for op in block.ops:
                if op.name in INLINE:
                    continue
                printer = INSTRUCTIONS.get(op.name)
                if printer is None:
                    raise LLVMTextError(f"print-llvm-ir: {op.name} has no text")
                self.lines.append(printer(self, op))
        self.lines.extend(self.split)

    # ---- operands ----

    def typed(self, value: SSAValue) -> str:
        return f"{self.type(value.type)} {self.names[value]}"

    def result(self, op: Operation) -> str:
        return self.names[op.results[0]]

    # ---- control flow ----

    def record_edges(self, block: Block, terminator: Operation) -> None:
        """Notes which values each edge passes; two edges of one branch to a block with arguments get a block between."""
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
            self.incoming[target].append((source, arguments))

    def targets(self, terminator: Operation) -> list[str]:
        label = self.labels[cast(Block, terminator.parent)]
        seen: set[Block] = set()
        texts: list[str] = []
        for number, target in enumerate(terminator.successors):
            duplicate = target in seen and bool(target.args)
            texts.append(f"label %{label}.{number}" if duplicate else f"label %{self.labels[target]}")
            seen.add(target)
        return texts

    def print_phis(self, block: Block) -> None:
        incoming = self.incoming[block]
        for position, arg in enumerate(block.args):
            if not incoming:
                raise LLVMTextError("print-llvm-ir: a block with arguments is never entered")
            edges = ", ".join(f"[ {self.names[values[position]]}, %{source} ]" for source, values in incoming)
            self.lines.append(f"  {self.names[arg]} = phi {self.type(arg.type)} {edges}")


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


__all__ = ["LLVMTextError", "print_llvm_ir"]
