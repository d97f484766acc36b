"""What a method returns, as one value: a tensor or an object is itself, tuples and lists are tuples."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from types import CodeType
from typing import Any, cast

from xdsl.dialects.builtin import FileLineColLoc, IntAttr, StringAttr
from xdsl.ir import Attribute, SSAValue

from .errors import ModelError
from .scope import Scope
from .tensor import Value, wrapped


def definition(method: Any) -> Attribute | None:
    """Returns the location of the first line of a method; `None` if it is no function of Python."""
    code = getattr(inspect.unwrap(method), "__code__", None)
    if not isinstance(code, CodeType):
        return None
    return FileLineColLoc(StringAttr(code.co_filename), IntAttr(code.co_firstlineno), IntAttr(1))


def value_of_result(
    scope: Scope, result: Any, name: str, location: Attribute | None = None, around: tuple[int, ...] = ()
) -> SSAValue:
    """Returns what the method of a name returned as one value. Raises `ModelError`, at the location, for what is no result.

    `around` are the identities of the lists that the result is a field of.
    """
    if id(result) in around:
        raise ModelError(f"the result of {name} is a {type(result).__name__} that contains itself", location=location)
    match result:
        case Value():
            return scope.value_of(result.value)
        case tuple() | list():
            inside = (*around, id(cast(Any, result)))
            fields = [value_of_result(scope, field, name, location, inside) for field in cast(Sequence[Any], result)]
            return scope.builder.tuple(*fields)
        case _:
            expected = "a tensor, an object, or a tuple or list of them"
            raise ModelError(
                f"expected {expected} as the result of {name}, got {type(result).__name__}",
                location=location,
            )


def result_of_value(scope: Scope, value: SSAValue, template: Any) -> Any:
    """Returns a value in the form of what a method returned: tensors, objects, tuples and lists of them."""
    if isinstance(template, Value):
        return wrapped(value)
    fields = [
        result_of_value(scope, scope.builder.tuple_get_item(value, index=index), field)
        for index, field in enumerate(template)
    ]
    return fields if isinstance(template, list) else tuple(fields)
