"""Writes the table of ops: `python -m xdsl_relax.tools.op_table > docs/ops.md`."""

from __future__ import annotations

import inspect
import re
from functools import cache
from types import ModuleType
from typing import cast

from xdsl.ir import Operation
from xdsl.irdl import IRDLOperation, OperandDef, OptionalDef, OptOperandDef, PropertyDef, VarOperandDef

from ..dialects.relax import dialect, dtypes
from ..dialects.relax.attribute_kinds import expected
from ..dialects.relax.base import RelaxOp
from ..dialects.relax.fusion_pattern import FusionPattern
from ..interpreter.relax.rules import RULES as INTERPRETER
from ..lowering.relax_to_linalg.ops.rules import RULES as LOWERINGS

GROUPS = {
    "ALL": "any",
    "NUMERIC": "float, integer",
    "FLOATS": "float",
    "INTEGERS": "integer",
    "SIGNED": "signed integer",
    "UNSIGNED": "unsigned integer",
    "BITS": "integer, i1",
    "QUANTIZED": "quantized",
    "FACTORS": "i8, ui8, i16",
}
"""The groups of element types in dtypes.py, as the table names them."""

HEADER = """# Ops

Every op has a verifier with numbered constraints, a shape rule, an interpreter rule and a native lowering; the table is made from the
code by `python -m xdsl_relax.tools.op_table`, and a test keeps it up to date. *float* is f64 f32 f16 bf16; *integer* is
i8 i16 i32 i64 ui8 ui16 ui32 ui64; *any* is these and i1; *quantized* is i8 ui8 i16 ui16 i32. *Fusion* is the pattern by which
`relax-fuse-ops` joins the op to others. Element types are those of tensor operands
(`any; integer`: data of any type, integer indices), or of the result where an op has none. Ops of `relax.qnn` take scales of f32 and zero
points of i32 besides.
"""

ATTRIBUTES = """
## Operands and attributes

The textual form of an op is its operands, its attributes in braces, and its type as that of a function:

```mlir
%c = relax.constant {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
%s = relax.shape : () -> !relax.shape<[3, 4]>
%z = relax.zeros %s {dtype = f32} : (!relax.shape<[3, 4]>) -> tensor<3x4xf32>
%y = relax.sum %z {axis = array<i64: 1>, keepdims = true} : (tensor<3x4xf32>) -> tensor<3x1xf32>
```

What is optional and has no default here follows from operands and other attributes, or is off.
"""

INDICES = """
## Indices out of range

No index reads or writes outside of a tensor, in compiled code as in the interpreter; Relax leaves most of these undefined. In a dim of
size `n`:

| op | from `-n` to `-1` | all else outside of `[0, n)` |
|-|-|-|
| `relax.take`, mode `fast` | counts from the end | reads the nearest element |
| `relax.gather_elements`, `relax.gather_nd`, `relax.index_tensor` | counts from the end | reads the nearest element |
| `relax.take`, mode `clip` | reads the nearest element | reads the nearest element |
| `relax.take`, mode `wrap` | counts from the end | counts on from the other end |
| `relax.take`, mode `nan` | gives NaN | gives NaN |
| `relax.scatter_elements`, `relax.scatter_nd` | counts from the end | changes nothing |
| `relax.one_hot` | gives `off_value` | gives `off_value` |
| `relax.nn.nll_loss` | gives NaN, but for `ignore_index` | gives NaN, but for `ignore_index` |
| bounds of `relax.strided_slice`, `relax.dynamic_strided_slice`, `relax.slice_scatter` | counts from the end | are clipped |

Reading a dim of size 0 gives 0, in mode `nan` NaN. Unsigned indices are never negative.
"""

_FOUND_ELSEWHERE = {
    **dict.fromkeys(("relax.take", "relax.gather_elements", "relax.gather_nd", "relax.index_tensor"), "any; integer"),
    **dict.fromkeys(("relax.scatter_elements", "relax.scatter_nd"), "any; integer"),
    **dict.fromkeys(("relax.nn.conv1d", "relax.nn.conv2d", "relax.nn.conv3d"), "float, integer"),
    **dict.fromkeys(
        ("relax.nn.conv1d_transpose", "relax.nn.conv2d_transpose", "relax.nn.conv3d_transpose"), "float, integer"
    ),
    **dict.fromkeys(("relax.nn.attention_bias", "relax.nn.group_norm"), "float"),
    **dict.fromkeys(("relax.quantize", "relax.dequantize"), "f32, f16, bf16; quantized"),
    "relax.qnn.quantize": "f32",
    "relax.tensor_to_shape": "i64",
}
"""The element types of ops whose shape rule does not name a group of its own; a test asks the verifier of every op."""

LEGALIZED = "by `relax-qnn-legalize`"
"""What the table says of an op that a pass of the graph stage replaces by others."""

DISSOLVED = "by `relax-convert-to-value-semantics`"
"""What it says of ops about memory, which native code plans itself."""

STRUCTURE = "structure"
"""What the table says of an op that has no rule because the engine itself handles it."""


def element_types(op: type[Operation]) -> str:
    """Returns the element types that an op takes, from the group its shape rule names."""
    if not issubclass(op, RelaxOp):
        return "any"
    if op.name in _FOUND_ELSEWHERE:
        return _FOUND_ELSEWHERE[op.name]
    accepted = getattr(op, "ACCEPTED", None)
    if accepted is not None:
        words = [text for name, text in GROUPS.items() if accepted == getattr(dtypes, name)]
        return words[0] if words else ", ".join(map(str, accepted))
    module = inspect.getmodule(op.infer)
    assert module is not None
    names = _group_names(inspect.getsource(op.infer), module, set())
    return "; ".join(dict.fromkeys(GROUPS[name] for name in names)) or "any"


def _group_names(source: str, module: ModuleType, seen: set[str]) -> list[str]:
    """Returns the groups that a piece of source names, also in the functions of its module that it calls."""
    groups = re.findall(r"\b(" + "|".join(GROUPS) + r")\b", source)
    for name in re.findall(r"\b(_?[a-z]\w*)\(", source):
        function = getattr(module, name, None)
        if inspect.isfunction(function) and name not in seen and function.__module__ == module.__name__:
            seen.add(name)
            groups += _group_names(inspect.getsource(function), module, seen)
    return groups


def constraints(op: type[Operation]) -> int:
    """Returns the number of numbered constraints that an op's documentation lists."""
    stem = op.name.removeprefix("relax.").split(".")[-1]
    documentation = inspect.getdoc(op) or ""
    for parent in op.__mro__:
        documentation = parent.__dict__.get("__doc__") or ""
        numbers = re.findall(rf"^\s*(?:{stem}|<op>)_c(\d+):", documentation, re.MULTILINE)
        if numbers:
            return len(numbers)
    return 0


def summary(op: type[Operation]) -> str:
    """Returns the first sentence of an op's documentation."""
    text = " ".join((inspect.getdoc(op) or "").split("\n\n")[0].split())
    sentence = re.split(r"(?<=[.;:])\s", text)[0].rstrip(".;:")
    return sentence.replace("|", "\\|")


def fusion_pattern(op: type[Operation]) -> str:
    """Returns the fusion pattern of an op in words; ops with regions have none, and stay alone."""
    pattern = op.FUSION_PATTERN if issubclass(op, RelaxOp) else FusionPattern.OPAQUE
    return pattern.words


def rows() -> list[str]:
    """Returns the table's lines, a heading for each family."""
    lines: list[str] = []
    families: dict[str, list[type[Operation]]] = {}
    for op in dialect.OPS:
        families.setdefault(op.__module__.partition(".ops.")[2].replace(".", "_"), []).append(op)
    for family, ops in families.items():
        lines += ["", f"## {family}", ""]
        lines += [
            "| op | what it computes | constraints | element types | interpreter | native | fusion |",
            "|-|-|-|-|-|-|-|",
        ]
        for op in ops:
            missing = STRUCTURE if family in ("core", "memory") else "no"
            interpreter = "yes" if op in INTERPRETER else missing
            if op.name.startswith("relax.qnn."):
                missing = LEGALIZED
            elif family == "memory":
                missing = DISSOLVED
            native = "yes" if op in LOWERINGS else missing
            lines.append(
                f"| `{op.name}` | {summary(op)} | {constraints(op) or ''} | {element_types(op)} "
                f"| {interpreter} | {native} | {fusion_pattern(op)} |"
            )
    return lines


def attribute_rows() -> list[str]:
    """Returns the lines of the table of operands and attributes."""
    lines = ["| op | operands | attributes |", "|-|-|-|"]
    for op in dialect.OPS:
        assert issubclass(op, IRDLOperation)
        definition = op.get_irdl_definition()
        operands = ", ".join(_operand(name, declared) for name, declared in definition.operands)
        attributes = "; ".join(_attribute(op, name, declared) for name, declared in definition.properties.items())
        if operands or attributes:
            lines.append(f"| `{op.name}` | {operands} | {attributes} |")
    return lines


def _operand(name: str, declared: OperandDef) -> str:
    if isinstance(declared, OptOperandDef):
        return f"`{name}`, optional"
    return f"`{name}`..." if isinstance(declared, VarOperandDef) else f"`{name}`"


def _attribute(op: type[IRDLOperation], name: str, declared: PropertyDef | OptionalDef) -> str:
    kinds = re.sub(r"(^| or )an? ", r"\1", expected(declared))
    if not isinstance(declared, OptionalDef):
        return f"`{name}`: {kinds}"
    value = default(op, name)
    return f"`{name}`: {kinds}, {'optional' if value is None else f'by default `{value}`'}"


def default(op: type[Operation], name: str) -> str | None:
    """Returns what an attribute is that is left out, as text, where the class or its rule reads it so; `None` where that depends."""
    own = [(inspect.getmodule(parent), _source(parent)) for parent in op.__mro__ if _is_ours(parent)]
    rule = inspect.getmodule(INTERPRETER.get(op))
    for sources in (own, [] if rule is None else [(rule, _source(rule))]):
        if any(f'prop("{name}")' in source for _, source in sources):
            return None
        values = {_value(match, module) for module, source in sources for match in _reads(name, source)}
        if values:
            return values.pop() if len(values) == 1 else None
    return None


@cache
def _source(part: type | ModuleType) -> str:
    """Returns the text of a class or module, which Python parses a file to find."""
    return inspect.getsource(part)


def _reads(name: str, source: str) -> list[str]:
    return re.findall(rf'prop\("{name}", ("[^"]*"|[\w.+-]+|\([^()]*\))\)', source)


def _is_ours(part: type) -> bool:
    return part.__module__.startswith(f"{dialect.__name__.partition('.')[0]}.") and part is not RelaxOp


def _value(text: str, module: ModuleType | None) -> str | None:
    """Returns a default as the text of a program has it; `None` where it is no constant of its module."""
    try:
        value = eval(text, vars(module))
    except NameError:
        return None
    match value:
        case bool():
            return str(value).lower()
        case str():
            return f'"{value}"'
        case tuple():
            return f"[{', '.join(map(str, cast('tuple[object, ...]', value)))}]"
        case _:
            return str(value)


def table() -> str:
    """Returns the page."""
    return HEADER + "\n".join((*rows(), ATTRIBUTES, *attribute_rows())) + "\n" + INDICES


if __name__ == "__main__":
    print(table(), end="")
