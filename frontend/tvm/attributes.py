"""Attributes of functions, both ways: TVM's values as builtin attributes."""

# TVM declares few of its types.
# pyright: reportAttributeAccessIssue=false, reportArgumentType=false, reportCallIssue=false

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import tvm
from xdsl.dialects import func
from xdsl.dialects.builtin import (
    ArrayAttr,
    BoolAttr,
    DictionaryAttr,
    FloatAttr,
    IntegerAttr,
    ModuleOp,
    NoneAttr,
    StringAttr,
    UnitAttr,
    f64,
    i1,
    i64,
)
from xdsl.ir import Attribute

from ...dialects.relax.vocabulary.attributes import (
    CODEGEN,
    COMPOSITE,
    MEMORY_PLAN_DYNAMIC_OUTPUT,
    NUM_INPUT,
    PRIMITIVE,
    SYM_LOWER_BOUNDS,
    SYM_UPPER_BOUNDS,
    TRANSFORM,
)
from .diagnostics import Unsupported
from .vdevices import TARGETS
from .vocabulary import PURE, RESULT_SIZES, SIZES

PREFIX = "tvm."
BOUNDS = {"tir_var_upper_bound": SYM_UPPER_BOUNDS.name, "tir_var_lower_bound": SYM_LOWER_BOUNDS.name}
_BOUNDS_OF = {relax_name: tvm_name for tvm_name, relax_name in BOUNDS.items()}
KEPT = frozenset({PURE, RESULT_SIZES, SIZES})
"""What the importer itself writes: not attributes of the function in TVM."""
_GROUPS = {"Composite": COMPOSITE.name, "Codegen": CODEGEN.name}
_GROUP_OF = {relax_name: label for label, relax_name in _GROUPS.items()}


def to_builtin(value: Any) -> Attribute:
    """Returns a TVM value as an attribute."""
    # `bool` stands before `int`, whose instance it is.
    match value:
        case None:
            return NoneAttr()
        case bool():
            return BoolAttr.from_bool(value)
        case int():
            return IntegerAttr(value, i64)
        case float():
            return FloatAttr(value, f64)
        case str():
            return StringAttr(str(value))
        case tvm.tirx.IntImm():
            return DictionaryAttr(
                {"dtype": StringAttr(str(value.ty.dtype)), "value": IntegerAttr(int(value.value), i64)}
            )
        case tvm.tirx.FloatImm():
            return DictionaryAttr(
                {"dtype": StringAttr(str(value.ty.dtype)), "value": FloatAttr(float(value.value), f64)}
            )
        case tvm.ir.Array():
            return ArrayAttr([to_builtin(item) for item in value])
        case tvm.ir.Map():
            pairs = [ArrayAttr([to_builtin(name), to_builtin(item)]) for name, item in value.items()]
            return DictionaryAttr({"map": ArrayAttr(pairs)})
        case _:
            return DictionaryAttr({"json": StringAttr(tvm.ir.save_json(value))})


def from_builtin(attr: Attribute) -> Any:
    """Returns the TVM value of an attribute that `to_builtin` made."""
    match attr:
        case NoneAttr():
            return None
        case UnitAttr():
            return True
        case IntegerAttr():
            return bool(attr.value.data) if attr.type == i1 else attr.value.data
        case FloatAttr():
            return attr.value.data
        case StringAttr():
            return attr.data
        case ArrayAttr():
            return [from_builtin(item) for item in attr.data]
        case DictionaryAttr():
            return _from_dictionary(attr.data)
        case _:
            raise Unsupported(f"attribute {attr}")


def _from_dictionary(data: Mapping[str, Attribute]) -> Any:
    if "json" in data:
        return tvm.ir.load_json(from_builtin(data["json"]))
    if "map" in data:
        return {name: value for name, value in from_builtin(data["map"])}
    value, dtype = from_builtin(data["value"]), from_builtin(data["dtype"])
    return (tvm.tirx.FloatImm if isinstance(value, float) else tvm.tirx.IntImm)(dtype, value)


def module_attributes(ir_module: Any) -> dict[str, Attribute]:
    """Returns the attributes of a TVM module as those of ours."""
    attrs = ir_module.attrs
    return {f"{PREFIX}{key}": to_builtin(attrs[key]) for key in attrs.keys()} if attrs else {}


def relax_module_attributes(module: ModuleOp) -> dict[str, Any]:
    """Returns the attributes of our module as those of a TVM module."""
    return {
        label.removeprefix(PREFIX): from_builtin(attr)
        for label, attr in module.attributes.items()
        if label.startswith(PREFIX) and label != TARGETS
    }


def function_attributes(function: Any, name: str) -> dict[str, Attribute]:
    """Returns the attributes of a Relax function as those of ours; a function without a global symbol is private."""
    attributes: dict[str, Any] = {str(k): function.attrs[k] for k in function.attrs.keys()} if function.attrs else {}
    made: dict[str, Attribute] = {}
    symbol = attributes.pop("global_symbol", None)
    if symbol is None:
        made["sym_visibility"] = StringAttr("private")
    elif symbol != name:
        made[f"{PREFIX}global_symbol"] = StringAttr(str(symbol))
    for label, value in attributes.items():
        if label == "num_input" and isinstance(value, int) and 0 <= value <= len(function.params):
            made |= NUM_INPUT.entry(value)
        elif label in _GROUPS:
            made[_GROUPS[label]] = StringAttr(str(value))
        elif label in BOUNDS:
            made[BOUNDS[label]] = _bounds(label, value)
        elif label == MEMORY_PLAN_DYNAMIC_OUTPUT.name:
            made[label] = BoolAttr.from_bool(bool(value))
        else:
            made[f"{PREFIX}{label}"] = to_builtin(value)
    # TVM tells a transform of parameters by its name.
    if name.endswith("transform_params") and not NUM_INPUT.of(made):
        made |= TRANSFORM.entry()
    return made


def _bounds(label: str, value: Any) -> DictionaryAttr:
    """Returns bounds of sizes by the names of variables."""
    sizes = dict(value.items()) if isinstance(value, tvm.ir.Map) else {"": None}
    numbers = {str(name): _size(size) for name, size in sizes.items()}
    if None in numbers.values():
        raise Unsupported(f"{label}: expected sizes by the names of variables, got {' '.join(str(value).split())}")
    return DictionaryAttr({name: IntegerAttr(size, i64) for name, size in numbers.items() if size is not None})


def _size(value: Any) -> int | None:
    """Returns an integer that is not negative and fits 64 bits, `None` for anything else."""
    number = int(value.value) if isinstance(value, tvm.tirx.IntImm) else value
    return number if isinstance(number, int) and not isinstance(number, bool) and 0 <= number < 1 << 63 else None


def relax_attributes(function: func.FuncOp, is_private: bool) -> dict[str, Any]:
    """Returns the attributes of our function as those of a Relax function."""
    name = function.sym_name.data
    made: dict[str, Any] = {} if is_private else {"global_symbol": name}
    for label, attr in function.attributes.items():
        if label == NUM_INPUT.name:
            made["num_input"] = from_builtin(attr)
        elif label == PRIMITIVE.name:
            made["Primitive"] = True
        elif label in _GROUP_OF:
            made[_GROUP_OF[label]] = from_builtin(attr)
        elif label in _BOUNDS_OF:
            made[_BOUNDS_OF[label]] = {name: from_builtin(size) for name, size in attr.data.items()}
        elif label == MEMORY_PLAN_DYNAMIC_OUTPUT.name:
            made[label] = from_builtin(attr)
        elif label.startswith(PREFIX) and label not in KEPT:
            made[label.removeprefix(PREFIX)] = from_builtin(attr)
    return made
