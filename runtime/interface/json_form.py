"""Records as JSON and back: dataclasses are objects, types and dims structures, constants base64 text.

Constants are inside, so that a record is one file that needs nothing beside it; they take a third more than their bytes.
"""

from __future__ import annotations

import json
import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import cache
from hashlib import sha256
from types import NoneType
from typing import Any, TypeVar, cast, get_args, get_origin, get_type_hints

from ...dialects.nearest_name import suggestion
from ...dialects.relax.device_label import device_label, parse_device_label
from ...dialects.symbolic.limits import Check, SizeLimit
from ...dialects.symbolic.nodes import Apply, Dim
from ...dialects.symbolic.plain_dims import dim_from_plain, plain_dim
from ...interpreter.host.errors import ArgumentError
from ...interpreter.host.value_types import (
    ObjectValue,
    ScalarValue,
    ShapeValue,
    TensorValue,
    TupleValue,
    ValueType,
    flat_values,
)
from .record import FORMAT, Constant, FunctionInterface, Interface, PassedArgument, SteppedFunction, TransformPlan

Record = TypeVar("Record")

_INTEGERS = (f"{sign}i{width}" for sign in ("", "u") for width in (8, 16, 32, 64))
_SCALARS: Mapping[str, ScalarValue] = {
    name: ScalarValue(name) for name in ("f64", "f32", "f16", "bf16", *_INTEGERS, "i1", "index")
}

_MAY_BE_UNKNOWN = re.compile(r"^packed\[\d+\]\..*\.shape\[\d+\]$")
"""The paths of sizes of arrays, which `PASSED_SIZE` stands for where they are passed."""


def to_json(interface: Interface) -> str:
    """Returns a record as JSON text."""
    return json.dumps(_plain(interface, Interface), separators=(",", ":"))


def from_json(text: str, constants: tuple[Constant, ...] = ()) -> Interface:
    """Returns the record that `to_json` has written; raises `ArgumentError` for anything else.

    `constants` are those of the record where they were kept apart from the text.
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ArgumentError(f"not an interface record: {error}") from None
    format_ = value.get("format") if isinstance(value, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    if format_ != FORMAT:
        raise ArgumentError(f"an interface record of format {FORMAT} is expected, got format {format_}")
    interface = _parsed(value, Interface, "")
    if constants:
        interface = replace(interface, constants=constants)
    verify_positions(interface)
    verify_record(interface)
    return interface


def sealed(interface: Interface, code: bytes) -> Interface:
    """Returns a complete record with the digests by which `link` knows that it is unchanged and belongs to the code."""
    interface = replace(interface, code_digest=digest_of(code))
    return replace(interface, record_digest=_record_digest(interface))


def verify_record(interface: Interface) -> None:
    """Raises `ArgumentError` for a record that is not as `sealed` has left it."""
    if interface.record_digest != _record_digest(interface):
        raise _refused("record_digest", "the record was changed after it was made: the digests differ")


def digest_of(data: bytes) -> str:
    """Returns what tells bytes apart from any others: their SHA-256, in hexadecimal."""
    return sha256(data).hexdigest()


def _record_digest(interface: Interface) -> str:
    # Of constants their digests, which are as good and need no base64.
    constants = tuple(replace(constant, data=sha256(constant.data).digest()) for constant in interface.constants)
    return digest_of(to_json(replace(interface, record_digest="", constants=constants)).encode())


def plain_record(value: Any, kind: type[Record]) -> Any:
    """Returns a dataclass of types, dims, numbers, texts and tuples of such as JSON has it."""
    return _plain(value, kind)


def record_from_plain(value: Any, kind: type[Record]) -> Record:
    """Returns the dataclass that `plain_record` has written; raises `ArgumentError` for anything else."""
    return _parsed(value, kind, "")


def plain_type(value_type: ValueType) -> Any:
    """Returns a type of a relax program as JSON has it; raises `ValueError` for a type that crosses no boundary."""
    match value_type:
        case TensorValue(dims, element, device):
            where = {} if device is None else {"device": device}
            return {"tensor": [plain_dim(dim) for dim in dims], "element": plain_type(ScalarValue(element)), **where}
        case ShapeValue(dims):
            return {"shape": [plain_dim(dim) for dim in dims]}
        case TupleValue(fields):
            return {"tuple": [plain_type(field) for field in fields]}
        case ObjectValue():
            return "object"
        case ScalarValue(element, dim) if element in _SCALARS:
            return element if dim is None else {"size": plain_dim(dim)}
        case _:
            raise ValueError(f"no value of type {value_type} crosses the boundary of a function")


def type_from_plain(value: Any) -> ValueType:
    """Returns the type that `plain_type` has written."""
    match value:
        case {"tensor": list(dims), "element": element, **where} if where.keys() <= {"device"}:
            device = device_label(*parse_device_label(where["device"])) if where else None
            return TensorValue(_sizes(dims), _SCALARS[element].element, device)
        case {"shape": list(dims), **others} if not others:
            return ShapeValue(_sizes(dims, least=-(1 << 63)))
        case {"size": dim, **others} if not others:
            return replace(_SCALARS["index"], dim=_sizes([dim], least=-(1 << 63))[0])
        case {"tuple": list(types), **others} if not others:
            return TupleValue(tuple(map(type_from_plain, types)))
        case "object":
            return ObjectValue()
        case _:
            return _SCALARS[value]


def _sizes(dims: list[Any], least: int = 0) -> tuple[Dim, ...]:
    """Returns dims; those of a tensor are not negative, an entry of a shape may be: `reshape` gives -1 a meaning."""
    sizes = tuple(map(dim_from_plain, dims))
    if any(isinstance(size, int) and not least <= size < 1 << 63 for size in sizes):
        raise ValueError(f"expected sizes from {least} to below 2^63, got {dims}")
    return sizes


_READERS: Mapping[Any, tuple[Callable[[Any], Any], str]] = {
    bytes: (lambda value: b64decode(value, validate=True), "base64 text"),
    ValueType: (type_from_plain, "a type"),
}


_AS_IT_IS = frozenset((int, str, bool))
"""Types of values that JSON has."""


def _plain(value: Any, kind: Any) -> Any:
    """Returns a value of a declared type as JSON has it."""
    return None if value is None else _writer(kind)(value)


@cache
def _writer(kind: Any) -> Callable[[Any], Any]:
    """Returns what writes the values of a declared type that are not None."""
    # `kind` alone decides the form, never the value: `_parsed` reads it back by the same kind.
    if kind in _AS_IT_IS:
        return lambda value: value
    if kind is bytes:
        return lambda value: b64encode(value).decode()
    if kind == ValueType:
        return plain_type
    if _is_record(kind):
        known = [(name, None if field in _AS_IT_IS else field) for name, field in _fields(kind).items()]
        return lambda value: {
            name: getattr(value, name) if field is None else _plain(getattr(value, name), field)
            for name, field in known
        }
    arguments = get_args(kind)
    match get_origin(kind):
        case origin if origin is tuple and arguments[0] in _AS_IT_IS:
            return list
        case origin if origin is tuple:
            return lambda value: [_plain(item, arguments[0]) for item in value]
        case origin if origin is Mapping:
            return lambda value: [[key, item] for key, item in value.items()]
        case _ if Apply in arguments:
            return plain_dim
        case _:
            return _writer(_not_none(arguments))


def _parsed(value: Any, kind: Any, path: str) -> Any:
    """Returns the value of a declared type that `_plain` has written; `ArgumentError` names the path of what is wrong."""
    # What is read is of the declared kind, all the way down, or `ArgumentError` is raised.
    if kind in (int, str, bool):
        if type(value) is not kind:
            raise _wrong(path, kind.__name__, value)
        if kind is int and not (0 <= int(value) < 1 << 63 or _MAY_BE_UNKNOWN.search(path)):
            raise _wrong(path, "a number that is not negative and below 2^63", value)
        return value
    arguments = get_args(kind)
    if kind not in _READERS and _is_record(kind):
        return _parsed_record(value, kind, path)
    match get_origin(kind):
        case origin if origin is tuple:
            items = _list(value, path)
            return tuple(_parsed(item, arguments[0], f"{path}[{index}]") for index, item in enumerate(items))
        case origin if origin is Mapping:
            pairs = [_list(item, f"{path}[{index}]", 2) for index, item in enumerate(_list(value, path))]
            return {
                _parsed(key, arguments[0], f"{path}[{index}][0]"): _parsed(item, arguments[1], f"{path}[{index}][1]")
                for index, (key, item) in enumerate(pairs)
            }
        case _ if kind in _READERS or Apply in arguments:
            read, wanted = _READERS.get(kind, (dim_from_plain, "a dim"))
            try:
                return read(value)
            except (KeyError, TypeError, ValueError, AttributeError):
                raise _wrong(path, wanted, value) from None
        case _:
            return None if value is None else _parsed(value, _not_none(arguments), path)


def _parsed_record(value: Any, kind: Any, path: str) -> Any:
    known = _fields(kind)
    if not isinstance(value, dict):
        raise _wrong(path, "an object", value)
    entries = cast("dict[str, Any]", value)
    for key in entries:
        if key not in known:
            raise _refused(path, f"has no key {key!r}{suggestion(key, known)}")
    for name in known:
        if name not in entries:
            raise _refused(path, f"lacks the key {name!r}")
    return kind(**{name: _parsed(entries[name], field, f"{path}.{name}".lstrip(".")) for name, field in known.items()})


def _list(value: Any, path: str, length: int | None = None) -> list[Any]:
    if not isinstance(value, list) or length not in (None, len(cast("list[Any]", value))):
        raise _wrong(path, "a list" if length is None else f"a list of {length}", value)
    return cast("list[Any]", value)


def _wrong(path: str, wanted: str, value: Any) -> ArgumentError:
    return _refused(path, f"expected {wanted}, got {value!r:.40}")


def _refused(path: str, message: str) -> ArgumentError:
    return ArgumentError(f"not an interface record: {path or 'the record'}: {message}")


def verify_positions(interface: Interface) -> None:
    """Checks that positions and names in a record refer to what it has; raises `ArgumentError` with the path of one that does not."""
    # Whatever indexes a list is compared with the length of that list, so that no reader of the record needs to look again.
    _require_name("target", interface.target)
    _require_name("architecture", interface.architecture)
    for index, constant in enumerate(interface.constants):
        _require_name(f"constants[{index}].symbol", constant.symbol)
    for index, function in enumerate(interface.functions):
        _verify_function(f"functions[{index}]", function)
    functions = {function.signature.name: function for function in interface.functions}
    for index, stepped in enumerate(interface.stepped):
        _verify_stepped(f"stepped[{index}]", stepped, functions)
    for index, packed in enumerate(interface.packed):
        _require_name(f"packed[{index}].symbol", packed.symbol)
        for place, passed in _values_passed(packed.passed, f"packed[{index}].passed"):
            if passed.value is not None and passed.value >= len(packed.arguments):
                raise _wrong(f"{place}.value", f"a position in a list of {len(packed.arguments)}", passed.value)
    for index, plan in enumerate(interface.transforms):
        _verify_transform(f"transforms[{index}]", plan, functions)


def _verify_function(path: str, function: FunctionInterface) -> None:
    signature = function.signature
    _require_name(f"{path}.signature.name", signature.name)
    _require_name(f"{path}.entry", function.entry)
    _require_name(f"{path}.shape_function", function.shape_function)
    if not function.workspaces:
        raise _wrong(f"{path}.workspaces", "the device of each workspace", [])
    for position, label in enumerate(function.workspaces):
        try:
            parse_device_label(label)
        except ValueError:
            raise _wrong(f"{path}.workspaces[{position}]", "a device", label) from None
    count = len(signature.arguments)
    for position, argument in enumerate(signature.arguments):
        if argument.index != position:
            raise _wrong(f"{path}.signature.arguments[{position}].index", f"the position {position}", argument.index)
    if signature.num_input > count:
        raise _wrong(f"{path}.signature.num_input", f"at most {count} arguments", signature.num_input)


def _verify_stepped(path: str, stepped: SteppedFunction, functions: Mapping[str, FunctionInterface]) -> None:
    """Checks the steps of a function: `made` values exist before each, those of the arguments and of the steps before."""
    made = _leaves(argument.type for argument in stepped.signature.arguments)
    _require_name(f"{path}.signature.name", stepped.signature.name)
    for position, step in enumerate(stepped.steps):
        _require_function(f"{path}.steps[{position}].function", step.function, functions)
        called = functions[step.function].signature
        _require_within(f"{path}.steps[{position}].arguments", step.arguments, made)
        if len(step.arguments) != len(called.arguments):
            raise _wrong(
                f"{path}.steps[{position}].arguments", f"{len(called.arguments)} positions", list(step.arguments)
            )
        made += len(called.results)
    _require_within(f"{path}.results", stepped.results, made)
    if len(stepped.results) != (count := _leaves(stepped.signature.results)):
        raise _wrong(f"{path}.results", f"{count} positions", list(stepped.results))


def _verify_transform(path: str, plan: TransformPlan, functions: Mapping[str, FunctionInterface]) -> None:
    _require_function(f"{path}.name", plan.name, functions)
    for position, part in enumerate(plan.parts):
        _require_function(f"{path}.parts[{position}].function", part.function, functions)
        _require_within(f"{path}.parts[{position}].results", part.results, plan.results)
    _require_within(f"{path}.unchanged", plan.unchanged, plan.results)
    made = {*plan.unchanged, *(result for part in plan.parts for result in part.results)}
    if len(made) != plan.results:
        raise _refused(path, f"makes {len(made)} of {plan.results} results")


def _require_within(path: str, positions: Iterable[int], length: int) -> None:
    for index, position in enumerate(positions):
        if position >= length:
            raise _wrong(f"{path}[{index}]", f"a position in a list of {length}", position)


def _require_name(path: str, name: str) -> None:
    if not name or "\0" in name:
        raise _wrong(path, "a name", name)


def _require_function(path: str, name: str, functions: Iterable[str]) -> None:
    if name not in functions:
        raise _wrong(path, f"one of the functions {', '.join(functions)}", name)


def _leaves(types: Iterable[ValueType]) -> int:
    """Returns how many values cross a border as values of these types: tensors, sizes and scalars."""
    return sum(len(kind.dims) if isinstance(kind, ShapeValue) else 1 for kind in flat_values(types))


def _values_passed(items: Sequence[PassedArgument], path: str) -> Iterator[tuple[str, PassedArgument]]:
    for index, item in enumerate(items):
        yield f"{path}[{index}]", item
        yield from _values_passed(item.fields or (), f"{path}[{index}].fields")


def _is_record(kind: Any) -> bool:
    return kind in (Check, SizeLimit) or is_dataclass(kind)


@cache
def _fields(kind: Any) -> Mapping[str, Any]:
    """Returns the fields of a record with their types."""
    hints = get_type_hints(kind)
    names = kind._fields if kind in (Check, SizeLimit) else [field.name for field in fields(kind)]
    return {name: hints[name] for name in names}


def _not_none(arguments: tuple[Any, ...]) -> Any:
    (kind,) = (argument for argument in arguments if argument is not NoneType)
    return kind
