"""How each op of the `llvm` dialect is written in LLVM IR text: at its uses, or on a line of its own."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import cast

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    DenseArrayBase,
    IntegerAttr,
    IntegerType,
    StringAttr,
    SymbolRefAttr,
    VectorType,
)
from xdsl.ir import Attribute, Operation, SSAValue

from ...dialects.upstream import llvm_ops
from .function_text import FunctionText
from .text import LLVMTextError, constant_text, escaped, symbol, type_text

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


def _constant(op: Operation) -> str:
    return constant_text(op.properties["value"], op.results[0].type)


INLINE: dict[str, Callable[[Operation], str]] = {
    "llvm.mlir.constant": _constant,
    "llvm.mlir.poison": lambda op: "poison",
    "llvm.mlir.undef": lambda op: "undef",
    "llvm.mlir.zero": lambda op: "null" if op.results[0].type.name == "llvm.ptr" else "zeroinitializer",
    "llvm.mlir.addressof": lambda op: symbol(cast(SymbolRefAttr, op.properties["global_name"]).string_value()),
}
"""Ops that are written where their result is used."""


@lru_cache
def _integers(attr: Attribute) -> tuple[int, ...]:
    """Returns the numbers of an array; few arrays are at many ops."""
    return tuple(map(int, cast("DenseArrayBase[IntegerType]", attr).get_values()))


def _flags(op: Operation) -> str:
    attr = op.properties.get("fastmathFlags")
    return "" if attr is None else _flags_text(cast(llvm.FastMathAttr, attr))


@lru_cache
def _flags_text(attr: llvm.FastMathAttr) -> str:
    if not attr.data:
        return ""
    names = {flag.value for flag in attr.data}
    if names >= set(_FLAG_ORDER):
        return " fast"
    return "".join(f" {name}" for name in _FLAG_ORDER if name in names)


def _binary(p: FunctionText, op: Operation) -> str:
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


def _negate(p: FunctionText, op: Operation) -> str:
    return f"  {p.result(op)} = fneg{_flags(op)} {p.typed(op.operands[0])}"


def _cast(p: FunctionText, op: Operation) -> str:
    flag = " nneg" if "nonNeg" in op.properties else ""
    return f"  {p.result(op)} = {_CASTS[op.name]}{flag} {p.typed(op.operands[0])} to {p.type(op.results[0].type)}"


def _compare(p: FunctionText, op: Operation) -> str:
    predicate = cast(IntegerAttr, op.properties["predicate"]).value.data
    lhs, rhs = op.operands
    kind = f"icmp {_ICMP[predicate]}" if op.name == "llvm.icmp" else f"fcmp{_flags(op)} {_FCMP[predicate]}"
    return f"  {p.result(op)} = {kind} {p.typed(lhs)}, {p.names[rhs]}"


def _select(p: FunctionText, op: Operation) -> str:
    return f"  {p.result(op)} = select{_flags(op)} " + ", ".join(p.typed(o) for o in op.operands)


def _gep(p: FunctionText, op: Operation) -> str:
    raw = _integers(op.properties["rawConstantIndices"])
    dynamic = iter(op.operands[1:])
    indices = "".join(
        f", {p.typed(next(dynamic))}" if index == llvm.GEP_USE_SSA_VAL else f", i32 {index}" for index in raw
    )
    flag = " inbounds" if "inbounds" in op.properties else ""
    element = p.type(op.properties["elem_type"])
    return f"  {p.result(op)} = getelementptr{flag} {element}, {p.typed(op.operands[0])}{indices}"


def _access_suffix(p: FunctionText, op: Operation, atomic: bool) -> str:
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


def _load(p: FunctionText, op: Operation) -> str:
    atomic = _atomic(op)
    kind = "load atomic" if atomic else "load"
    if "volatile_" in op.properties:
        kind += " volatile"
    type_ = p.type(op.results[0].type)
    return f"  {p.result(op)} = {kind} {type_}, {p.typed(op.operands[0])}{_access_suffix(p, op, atomic)}"


def _store(p: FunctionText, op: Operation) -> str:
    atomic = _atomic(op)
    kind = "store atomic" if atomic else "store"
    if "volatile_" in op.properties:
        kind += " volatile"
    return f"  {kind} {p.typed(op.operands[0])}, {p.typed(op.operands[1])}{_access_suffix(p, op, atomic)}"


def _change(p: FunctionText, op: Operation) -> str:
    change = cast(llvm_ops.AtomicRMWOp, op)
    kind = {0: "xchg", 1: "add"}.get(change.bin_op.value.data)
    if kind is None or not _atomic(op):
        raise LLVMTextError(f"print-llvm-ir: only an {op.name} that is monotonic and puts or adds a value has text")
    operands = f"{p.typed(change.ptr)}, {p.typed(change.val)}"
    return f"  {p.result(op)} = atomicrmw {kind} {operands} monotonic, align 8"


def _masked_load(p: FunctionText, op: Operation) -> str:
    pointer, mask, default = op.operands
    type_ = p.type(op.results[0].type)
    name = f"llvm.masked.load.{_vector_suffix(op.results[0].type)}.p0"
    p.module.declare(name, type_, ["ptr", p.type(mask.type), type_])
    alignment = cast(IntegerAttr, op.properties["alignment"]).value.data
    return (
        f"  {p.result(op)} = call {type_} @{name}(ptr align {alignment} {p.names[pointer]},"
        f" {p.typed(mask)}, {p.typed(default)})"
    )


def _masked_store(p: FunctionText, op: Operation) -> str:
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


def _alloca(p: FunctionText, op: Operation) -> str:
    element = p.type(op.properties["elem_type"])
    alignment = op.properties.get("alignment")
    suffix = f", align {alignment.value.data}" if isinstance(alignment, IntegerAttr) else ""
    return f"  {p.result(op)} = alloca {element}, {p.typed(op.operands[0])}{suffix}"


def _insert_element(p: FunctionText, op: Operation) -> str:
    return f"  {p.result(op)} = insertelement " + ", ".join(p.typed(o) for o in op.operands)


def _extract_element(p: FunctionText, op: Operation) -> str:
    return f"  {p.result(op)} = extractelement " + ", ".join(p.typed(o) for o in op.operands)


def _shuffle(p: FunctionText, op: Operation) -> str:
    lhs, rhs = op.operands
    return f"  {p.result(op)} = shufflevector {p.typed(lhs)}, {p.typed(rhs)}, {_mask_text(op.properties['mask'])}"


@lru_cache
def _mask_text(attr: Attribute) -> str:
    mask = _integers(attr)
    lanes = ", ".join(f"i32 {i}" if i >= 0 else "i32 poison" for i in mask)
    return f"<{len(mask)} x i32> " + (f"<{lanes}>" if any(mask) else "zeroinitializer")


def _positions(op: Operation) -> str:
    return ", ".join(map(str, _integers(op.properties["position"])))


def _insert_value(p: FunctionText, op: Operation) -> str:
    container, value = op.operands
    return f"  {p.result(op)} = insertvalue {p.typed(container)}, {p.typed(value)}, {_positions(op)}"


def _extract_value(p: FunctionText, op: Operation) -> str:
    return f"  {p.result(op)} = extractvalue {p.typed(op.operands[0])}, {_positions(op)}"


def _call_text(p: FunctionText, op: Operation, callee: str, arguments: list[SSAValue], flags: str) -> str:
    output = p.type(op.results[0].type) if op.results else "void"
    text = f"call{flags} {output} {callee}({', '.join(p.typed(a) for a in arguments)})"
    return f"  {p.result(op)} = {text}" if op.results else f"  {text}"


def _call(p: FunctionText, op: Operation) -> str:
    call = cast(llvm.CallOp, op)
    arguments = list(call.args)
    if call.callee is None:
        return _call_text(p, op, p.names[arguments[0]], arguments[1:], _flags(op))
    return _call_text(p, op, symbol(call.callee.string_value()), arguments, _flags(op))


def _call_intrinsic(p: FunctionText, op: Operation) -> str:
    name = cast(StringAttr, op.properties["intrin"]).data
    return _intrinsic_call(p, op, name)


def _inline_asm(p: FunctionText, op: Operation) -> str:
    names = ("asm_string", "constraints")
    text, constraints = (f'"{escaped(cast(StringAttr, op.properties[name]).data.encode())}"' for name in names)
    flags = "".join(
        f" {word}"
        for name, word in (("has_side_effects", "sideeffect"), ("is_align_stack", "alignstack"))
        if name in op.properties
    )
    return _call_text(p, op, f"asm{flags} {text}, {constraints}", list(op.operands), "")


def _intrinsic_call(p: FunctionText, op: Operation, name: str) -> str:
    arguments = list(op.operands)
    output = p.type(op.results[0].type) if op.results else "void"
    p.module.declare(name, output, [p.type(a.type) for a in arguments])
    return _call_text(p, op, symbol(name), arguments, _flags(op))


def _named_intrinsic(p: FunctionText, op: Operation) -> str:
    overload = op.operands[-1].type if "reduce" in op.name else op.operands[0].type
    return _intrinsic_call(p, op, f"llvm.{_INTRINSICS[op.name]}.{_scalar_suffix(overload)}")


def _branch(p: FunctionText, op: Operation) -> str:
    return f"  br {p.targets(op)[0]}"


def _cond_branch(p: FunctionText, op: Operation) -> str:
    annotation = op.properties.get("loop_annotation")
    suffix = p.module.loop_metadata(annotation) if isinstance(annotation, llvm_ops.LoopAnnotationAttr) else ""
    return f"  br {p.typed(op.operands[0])}, {', '.join(p.targets(op))}{suffix}"


def _switch(p: FunctionText, op: Operation) -> str:
    switch = cast(llvm_ops.SwitchOp, op)
    default, *targets = p.targets(op)
    type_ = p.type(switch.value.type)
    values = list(switch.case_values.get_values()) if switch.case_values is not None else []
    cases = " ".join(f"{type_} {v}, {t}" for v, t in zip(values, targets, strict=True))
    return f"  switch {p.typed(switch.value)}, {default} [ {cases} ]"


def _return(p: FunctionText, op: Operation) -> str:
    return f"  ret {p.typed(op.operands[0])}" if op.operands else "  ret void"


INSTRUCTIONS: dict[str, Callable[[FunctionText, Operation], str]] = {
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
    "llvm.atomicrmw": _change,
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
    "llvm.inline_asm": _inline_asm,
    "llvm.br": _branch,
    "llvm.cond_br": _cond_branch,
    "llvm.switch": _switch,
    "llvm.return": _return,
    "llvm.unreachable": lambda p, op: "  unreachable",
}
"""Ops that are written on a line of their own."""
