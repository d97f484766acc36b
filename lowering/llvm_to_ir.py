"""From the `llvm` dialect to LLVM IR text, which llvmlite or LLVM's tools compile.

The text is deterministic: values are numbered in order, intrinsics are declared in order of first use.
"""

from __future__ import annotations

from collections.abc import Callable
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
    SymbolRefAttr,
    VectorType,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue

from ..dialects import llvm_ops
from .llvm_text import LLVMTextError, constant_text, escaped, symbol, type_text

_ICMP = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
_FCMP = "false oeq ogt oge olt ole one ord ueq ugt uge ult ule une uno true".split()
_BINARY = {
    "llvm.add": "add",
    "llvm.sub": "sub",
    "llvm.mul": "mul",
    "llvm.sdiv": "sdiv",
    "llvm.udiv": "udiv",
    "llvm.srem": "srem",
    "llvm.urem": "urem",
    "llvm.and": "and",
    "llvm.or": "or",
    "llvm.xor": "xor",
    "llvm.shl": "shl",
    "llvm.ashr": "ashr",
    "llvm.lshr": "lshr",
    "llvm.fadd": "fadd",
    "llvm.fsub": "fsub",
    "llvm.fmul": "fmul",
    "llvm.fdiv": "fdiv",
    "llvm.frem": "frem",
}
_CASTS = {
    f"llvm.{name}": name
    for name in ("sext zext trunc sitofp uitofp fptosi fptoui fpext fptrunc bitcast ptrtoint inttoptr".split())
}
_INTRINSICS = {
    f"llvm.intr.{name}": name
    for name in (
        "fabs ceil floor sqrt exp exp2 log log2 sin cos maxnum minnum copysign fma pow"
        " vector.reduce.fadd vector.reduce.fmul"
    ).split()
}
_FLAG_ORDER = ("reassoc", "nnan", "ninf", "nsz", "arcp", "contract", "afn")
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
        _FunctionPrinter(self, blocks).print()
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


class _FunctionPrinter:
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
                inline = _INLINE.get(op.name)
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
                if op.name in _INLINE:
                    continue
                printer = _PRINTERS.get(op.name)
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


# ---- operations that are written at their uses ----


def _constant(op: Operation) -> str:
    return constant_text(op.properties["value"], op.results[0].type)


_INLINE: dict[str, Callable[[Operation], str]] = {
    "llvm.mlir.constant": _constant,
    "llvm.mlir.poison": lambda op: "poison",
    "llvm.mlir.undef": lambda op: "undef",
    "llvm.mlir.zero": lambda op: "null" if op.results[0].type.name == "llvm.ptr" else "zeroinitializer",
    "llvm.mlir.addressof": lambda op: symbol(cast(SymbolRefAttr, op.properties["global_name"]).string_value()),
}


# ---- operations on lines of their own ----


def _flags(op: Operation) -> str:
    attr = op.properties.get("fastmathFlags")
    data = cast(llvm.FastMathAttr, attr).data if attr is not None else ()
    if not data:
        return ""
    names = {flag.value for flag in data}
    if names >= set(_FLAG_ORDER):
        return " fast"
    return "".join(f" {name}" for name in _FLAG_ORDER if name in names)


def _binary(p: _FunctionPrinter, op: Operation) -> str:
    lhs, rhs = op.operands
    flags = _flags(op)
    overflow = op.properties.get("overflowFlags")
    if isinstance(overflow, IntegerAttr):
        bits = overflow.value.data
        flags += (" nsw" if bits & 1 else "") + (" nuw" if bits & 2 else "")
    if "isExact" in op.properties:
        flags += " exact"
    if "isDisjoint" in op.properties:
        flags += " disjoint"
    names = p.names
    return f"  {names[op.results[0]]} = {_BINARY[op.name]}{flags} {p.type(lhs.type)} {names[lhs]}, {names[rhs]}"


def _negate(p: _FunctionPrinter, op: Operation) -> str:
    return f"  {p.result(op)} = fneg{_flags(op)} {p.typed(op.operands[0])}"


def _cast(p: _FunctionPrinter, op: Operation) -> str:
    flag = " nneg" if "nonNeg" in op.properties else ""
    return f"  {p.result(op)} = {_CASTS[op.name]}{flag} {p.typed(op.operands[0])} to {p.type(op.results[0].type)}"


def _compare(p: _FunctionPrinter, op: Operation) -> str:
    predicate = cast(IntegerAttr, op.properties["predicate"]).value.data
    lhs, rhs = op.operands
    kind = f"icmp {_ICMP[predicate]}" if op.name == "llvm.icmp" else f"fcmp{_flags(op)} {_FCMP[predicate]}"
    return f"  {p.result(op)} = {kind} {p.typed(lhs)}, {p.names[rhs]}"


def _select(p: _FunctionPrinter, op: Operation) -> str:
    return f"  {p.result(op)} = select{_flags(op)} " + ", ".join(p.typed(o) for o in op.operands)


def _gep(p: _FunctionPrinter, op: Operation) -> str:
    raw = cast("DenseArrayBase[IntegerType]", op.properties["rawConstantIndices"]).get_values()
    dynamic = iter(op.operands[1:])
    indices = "".join(
        f", {p.typed(next(dynamic))}" if index == llvm.GEP_USE_SSA_VAL else f", i32 {index}" for index in raw
    )
    flag = " inbounds" if "inbounds" in op.properties else ""
    element = p.type(op.properties["elem_type"])
    return f"  {p.result(op)} = getelementptr{flag} {element}, {p.typed(op.operands[0])}{indices}"


def _access_suffix(p: _FunctionPrinter, op: Operation, atomic: bool) -> str:
    alignment = op.properties.get("alignment")
    text = " monotonic" if atomic else ""
    if isinstance(alignment, IntegerAttr):
        text += f", align {alignment.value.data}"
    if "nontemporal" in op.properties:
        text += p.module.nontemporal_metadata()
    return text


_ORDERINGS = {0: False, 2: True}


def _atomic(op: Operation) -> bool:
    ordering = op.properties.get("ordering")
    value = ordering.value.data if isinstance(ordering, IntegerAttr) else 0
    if value not in _ORDERINGS:
        raise LLVMTextError(f"print-llvm-ir: {op.name} has memory ordering {value}; only 0 and 2 have text")
    return _ORDERINGS[value]


def _load(p: _FunctionPrinter, op: Operation) -> str:
    atomic = _atomic(op)
    kind = "load atomic" if atomic else "load"
    if "volatile_" in op.properties:
        kind += " volatile"
    type_ = p.type(op.results[0].type)
    return f"  {p.result(op)} = {kind} {type_}, {p.typed(op.operands[0])}{_access_suffix(p, op, atomic)}"


def _store(p: _FunctionPrinter, op: Operation) -> str:
    atomic = _atomic(op)
    kind = "store atomic" if atomic else "store"
    if "volatile_" in op.properties:
        kind += " volatile"
    return f"  {kind} {p.typed(op.operands[0])}, {p.typed(op.operands[1])}{_access_suffix(p, op, atomic)}"


def _masked_load(p: _FunctionPrinter, op: Operation) -> str:
    pointer, mask, default = op.operands
    type_ = p.type(op.results[0].type)
    name = f"llvm.masked.load.{_vector_suffix(op.results[0].type)}.p0"
    p.module.declare(name, type_, ["ptr", p.type(mask.type), type_])
    alignment = cast(IntegerAttr, op.properties["alignment"]).value.data
    return (
        f"  {p.result(op)} = call {type_} @{name}(ptr align {alignment} {p.names[pointer]},"
        f" {p.typed(mask)}, {p.typed(default)})"
    )


def _masked_store(p: _FunctionPrinter, op: Operation) -> str:
    value, pointer, mask = op.operands
    name = f"llvm.masked.store.{_vector_suffix(value.type)}.p0"
    p.module.declare(name, "void", [p.type(value.type), "ptr", p.type(mask.type)])
    alignment = cast(IntegerAttr, op.properties["alignment"]).value.data
    return f"  call void @{name}({p.typed(value)}, ptr align {alignment} {p.names[pointer]}, {p.typed(mask)})"


def _vector_suffix(type_: Attribute) -> str:
    vector = cast(VectorType, type_)
    return f"v{vector.get_shape()[0]}{_scalar_suffix(vector.element_type)}"


def _scalar_suffix(type_: Attribute) -> str:
    if isinstance(type_, VectorType):
        return _vector_suffix(type_)
    return {"half": "f16", "bfloat": "bf16", "float": "f32", "double": "f64", "ptr": "p0"}.get(
        type_text(type_), type_text(type_)
    )


def _alloca(p: _FunctionPrinter, op: Operation) -> str:
    element = p.type(op.properties["elem_type"])
    alignment = op.properties.get("alignment")
    suffix = f", align {alignment.value.data}" if isinstance(alignment, IntegerAttr) else ""
    return f"  {p.result(op)} = alloca {element}, {p.typed(op.operands[0])}{suffix}"


def _insert_element(p: _FunctionPrinter, op: Operation) -> str:
    return f"  {p.result(op)} = insertelement " + ", ".join(p.typed(o) for o in op.operands)


def _extract_element(p: _FunctionPrinter, op: Operation) -> str:
    return f"  {p.result(op)} = extractelement " + ", ".join(p.typed(o) for o in op.operands)


def _shuffle(p: _FunctionPrinter, op: Operation) -> str:
    mask = [int(i) for i in cast("DenseArrayBase[IntegerType]", op.properties["mask"]).get_values()]
    lanes = ", ".join(f"i32 {i}" if i >= 0 else "i32 poison" for i in mask)
    text = f"<{lanes}>" if any(mask) else "zeroinitializer"
    lhs, rhs = op.operands
    return f"  {p.result(op)} = shufflevector {p.typed(lhs)}, {p.typed(rhs)}, <{len(mask)} x i32> {text}"


def _positions(op: Operation) -> str:
    return ", ".join(str(i) for i in cast("DenseArrayBase[IntegerType]", op.properties["position"]).get_values())


def _insert_value(p: _FunctionPrinter, op: Operation) -> str:
    container, value = op.operands
    return f"  {p.result(op)} = insertvalue {p.typed(container)}, {p.typed(value)}, {_positions(op)}"


def _extract_value(p: _FunctionPrinter, op: Operation) -> str:
    return f"  {p.result(op)} = extractvalue {p.typed(op.operands[0])}, {_positions(op)}"


def _call_text(p: _FunctionPrinter, op: Operation, callee: str, arguments: list[SSAValue], flags: str) -> str:
    output = p.type(op.results[0].type) if op.results else "void"
    text = f"call{flags} {output} {callee}({', '.join(p.typed(a) for a in arguments)})"
    return f"  {p.result(op)} = {text}" if op.results else f"  {text}"


def _call(p: _FunctionPrinter, op: Operation) -> str:
    call = cast(llvm.CallOp, op)
    arguments = list(call.args)
    if call.callee is None:
        return _call_text(p, op, p.names[arguments[0]], arguments[1:], _flags(op))
    return _call_text(p, op, symbol(call.callee.string_value()), arguments, _flags(op))


def _call_intrinsic(p: _FunctionPrinter, op: Operation) -> str:
    name = cast(StringAttr, op.properties["intrin"]).data
    return _intrinsic_call(p, op, name)


def _intrinsic_call(p: _FunctionPrinter, op: Operation, name: str) -> str:
    arguments = list(op.operands)
    output = p.type(op.results[0].type) if op.results else "void"
    p.module.declare(name, output, [p.type(a.type) for a in arguments])
    return _call_text(p, op, symbol(name), arguments, _flags(op))


def _named_intrinsic(p: _FunctionPrinter, op: Operation) -> str:
    overload = op.operands[-1].type if "reduce" in op.name else op.operands[0].type
    return _intrinsic_call(p, op, f"llvm.{_INTRINSICS[op.name]}.{_scalar_suffix(overload)}")


def _branch(p: _FunctionPrinter, op: Operation) -> str:
    return f"  br {p.targets(op)[0]}"


def _cond_branch(p: _FunctionPrinter, op: Operation) -> str:
    annotation = op.properties.get("loop_annotation")
    suffix = p.module.loop_metadata(annotation) if isinstance(annotation, llvm_ops.LoopAnnotationAttr) else ""
    return f"  br {p.typed(op.operands[0])}, {', '.join(p.targets(op))}{suffix}"


def _switch(p: _FunctionPrinter, op: Operation) -> str:
    switch = cast(llvm_ops.SwitchOp, op)
    default, *targets = p.targets(op)
    type_ = p.type(switch.value.type)
    values = list(switch.case_values.get_values()) if switch.case_values is not None else []
    cases = " ".join(f"{type_} {v}, {t}" for v, t in zip(values, targets, strict=True))
    return f"  switch {p.typed(switch.value)}, {default} [ {cases} ]"


def _return(p: _FunctionPrinter, op: Operation) -> str:
    return f"  ret {p.typed(op.operands[0])}" if op.operands else "  ret void"


_PRINTERS: dict[str, Callable[[_FunctionPrinter, Operation], str]] = {
    **{name: _binary for name in _BINARY},
    **{name: _cast for name in _CASTS},
    **{name: _named_intrinsic for name in _INTRINSICS},
    "llvm.fneg": _negate,
    "llvm.icmp": _compare,
    "llvm.fcmp": _compare,
    "llvm.select": _select,
    "llvm.getelementptr": _gep,
    "llvm.load": _load,
    "llvm.store": _store,
    "llvm.intr.masked.load": _masked_load,
    "llvm.intr.masked.store": _masked_store,
    "llvm.alloca": _alloca,
    "llvm.insertelement": _insert_element,
    "llvm.extractelement": _extract_element,
    "llvm.shufflevector": _shuffle,
    "llvm.insertvalue": _insert_value,
    "llvm.extractvalue": _extract_value,
    "llvm.call": _call,
    "llvm.call_intrinsic": _call_intrinsic,
    "llvm.br": _branch,
    "llvm.cond_br": _cond_branch,
    "llvm.switch": _switch,
    "llvm.return": _return,
    "llvm.unreachable": lambda p, op: "  unreachable",
}

__all__ = ["LLVMTextError", "print_llvm_ir"]
