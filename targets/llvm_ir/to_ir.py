"""From the `llvm` dialect to LLVM IR text, which llvmlite or LLVM's tools compile.

The text is deterministic: values are numbered in order, intrinsics are declared in order of first use.
"""

from __future__ import annotations

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    FixedBitwidthType,
    IntegerAttr,
    ModuleOp,
    StringAttr,
)
from xdsl.ir import Block

from ...dialects.relax.dense import is_splat
from ...dialects.relax.vocabulary.attributes import DATA
from .function_text import FunctionText
from .instructions import INLINE, INSTRUCTIONS
from .module_text import ModuleText
from .text import LLVMTextError, constant_text, escaped, symbol

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
    """Returns the LLVM IR text of a module that holds the `llvm` dialect alone.

    Large constants (attribute `relax.data`) are declared as external symbols, or written out with `embed_constants`.
    Raises `LLVMTextError` at an operation that has no text.
    """
    return _ModulePrinter(embed_constants).print(module)


class _ModulePrinter(ModuleText):
    """Writes the globals and functions of a module."""

    def __init__(self, embed_constants: bool):
        super().__init__()
        self.embed_constants = embed_constants

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
        # Numbers are written as bytes, which LLVM reads fast; all zeros, and data that stays outside, take no text.
        linkage = op.linkage.linkage.data
        kind = "constant" if op.constant is not None else "global"
        alignment = f", align {op.alignment.value.data}" if op.alignment is not None else ""
        value = op.value
        if value is None and self.embed_constants and (data := DATA.of(op)) is not None:
            value, linkage = data, "internal"
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
            if count > 1 and is_splat(value) and len(data) * count == _array_bytes(op.global_type):
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
        suffix = "".join(f" {word}" for name, word in _FUNCTION_ATTRIBUTES.items() if name in given)
        head = f"{self.type(type_.output)} {symbol(op.sym_name.data)}({', '.join(arguments)}){suffix}"
        if not blocks:
            self.lines.append(f"declare {head}")
            return
        linkage = op.linkage.linkage.data
        self.lines.append(f"define {'' if linkage == 'external' else linkage + ' '}{head} {{")
        self.lines += _function_body(self, blocks)
        self.lines.append("}")


_FUNCTION_ATTRIBUTES = {"no_unwind": "nounwind", "no_inline": "noinline", "optimize_none": "optnone"}


def _array_bytes(type_: llvm.LLVMArrayType) -> int:
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


def _function_body(module: ModuleText, blocks: list[Block]) -> list[str]:
    """Returns the lines of a function's blocks. Values are numbered in the order of the text before any is referred to."""
    # Names and edges of all blocks come first: a phi names values of blocks that follow.
    text = FunctionText(module, blocks)
    counter = 0
    for block in blocks:
        for arg in block.args:
            text.names[arg] = f"%v{counter}"
            counter += 1
        for op in block.ops:
            inline = INLINE.get(op.name)
            for result in op.results:
                if inline is not None:
                    text.names[result] = inline(op)
                else:
                    text.names[result] = f"%v{counter}"
                    counter += 1
        terminator = block.last_op
        if terminator is not None and terminator.successors:
            text.record_edges(block, terminator)
    lines: list[str] = []
    for position, block in enumerate(blocks):
        lines.append(f"{text.labels[block]}:")
        if position:
            lines += text.phis(block)
        for op in block.ops:
            if op.name in INLINE:
                continue
            write = INSTRUCTIONS.get(op.name)
            if write is None:
                raise LLVMTextError(f"print-llvm-ir: {op.name} has no text")
            lines.append(write(text, op))
    return lines + text.split
