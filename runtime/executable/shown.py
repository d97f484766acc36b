"""Functions as people read them: `main(x: float32[n, 8], mask: float32[n]) -> float32[n, 4]`, and as `inspect` shows them."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from keyword import iskeyword
from typing import Any

from ...interpreter.host.value_types import (
    ObjectValue,
    ShapeValue,
    TensorValue,
    TupleValue,
    UnrankedValue,
    ValueType,
    dims_text,
)
from .arguments import Signature

MAX_SHOWN = 12
"""So many arguments, parameters or values are listed one by one."""


def type_text(value_type: ValueType) -> str:
    """Returns a type as callers know it: the numpy dtype with its dims, `(a, b)` for a tuple."""
    match value_type:
        case TensorValue(dims, _, device):
            return f"{value_type.dtype}[{dims_text(dims)}]{'' if device is None else f' on {device}'}"
        case UnrankedValue():
            return f"{value_type.dtype}[...]"
        case ShapeValue(dims):
            return f"shape[{dims_text(dims)}]"
        case TupleValue(fields):
            return _tuple(fields)
        case ObjectValue():
            return "object"
        case _:
            return str(value_type.dtype)


def _tuple(types: Sequence[ValueType]) -> str:
    shown = [type_text(item) for item in types[:MAX_SHOWN]]
    more = [f"... {len(types) - MAX_SHOWN} more"] if len(types) > MAX_SHOWN else []
    return f"({', '.join((*shown, *more))}{',' if len(types) == 1 else ''})"


def results_text(signature: Signature) -> str:
    """Returns what a call returns."""
    if not signature.results:
        return "None"
    return type_text(signature.results[0]) if len(signature.results) == 1 else _tuple(signature.results)


def params_name(signature: Signature) -> str:
    """Returns the name by which a function takes all its parameters at once: `params`, or what no argument is called."""
    names, name = {argument.name for argument in signature.arguments}, "params"
    while name in names:
        name += "_"
    return name


def params_text(signature: Signature) -> str:
    """Returns what a function takes for all its parameters at once: a set that a transform made, or a mapping from their names."""
    return "dict" if signature.params_from is None else f"ParameterSet of {signature.params_from}"


def function_text(signature: Signature) -> str:
    """Returns a function on one line; parameters that are many, or that a transform makes, are counted."""
    shown = [f"{argument.name}: {type_text(argument.type)}" for argument in signature.inputs]
    params = signature.params
    if len(params) > MAX_SHOWN or (params and signature.params_from is not None):
        shown.append(f"{params_name(signature)}: {params_text(signature)} ({len(params)} parameters)")
    else:
        shown += [
            f"{argument.name}: {type_text(argument.type)}" for argument in signature.arguments[signature.num_input :]
        ]
    return f"{signature.name}({', '.join(shown)}) -> {results_text(signature)}"


def function_help(signature: Signature) -> str:
    """Returns all arguments and results of a function, one a line, and how it is called."""
    lines = [function_text(signature), ""]
    for argument in signature.arguments:
        kind = "" if argument.index < signature.num_input else "parameter"
        if argument.external_name is not None and argument.external_name != argument.name:
            kind += f" {argument.external_name!r}"
        donated = [result for result in argument.donate or () if result is not None]
        if donated:
            kind += f" overwritten: its memory is that of result {', '.join(map(str, donated))}"
        lines.append(f"  {argument.name}: {type_text(argument.type)}{f'  ({kind.strip()})' if kind else ''}")
    for index, result in enumerate(signature.results):
        lines.append(f"  result {index}: {type_text(result)}")
    if signature.params_from is not None:
        lines.append(f"  {params_name(signature)}: what transform_params makes stands for all parameters")
    lines += [
        "",
        "Arguments go by position or by name. out=ARRAY writes the result there (a tuple where there are several), "
        "results='numpy', 'torch' or 'jax' says what arrays are returned; by default it is as the arguments are.",
    ]
    return "\n".join(lines)


class PythonSignature:
    """The attribute `__signature__` of functions, made when it is asked for; their class has none."""

    def __get__(self, instance: Any, owner: type[Any]) -> inspect.Signature:
        """Returns the signature of a function."""
        if instance is None:
            raise AttributeError("__signature__")
        return python_signature(instance.signature)


def python_signature(signature: Signature) -> inspect.Signature:
    """Returns the signature of a call, for `inspect.signature`.

    Arguments whose names are none of Python are positional-only here, with those in front of them; calls take them by `**` all the same.
    """
    arguments = signature.inputs if signature.params_from is not None else signature.arguments
    entries = [(argument.name, type_text(argument.type)) for argument in arguments]
    if signature.params_from is not None and signature.params:
        entries.append((params_name(signature), params_text(signature)))
    last_strange = max((index for index, (name, _) in enumerate(entries) if not _is_plain(name)), default=-1)
    taken = {name for name, _ in entries}
    parameters: list[inspect.Parameter] = []
    for index, (name, annotation) in enumerate(entries):
        kind = inspect.Parameter.POSITIONAL_ONLY if index <= last_strange else inspect.Parameter.POSITIONAL_OR_KEYWORD
        parameters.append(inspect.Parameter(_python_name(name, taken), kind, annotation=annotation))
    options = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)
        for name, annotation in OPTIONS.items()
    ]
    return inspect.Signature([*parameters, *options], return_annotation=results_text(signature))


OPTIONS = {"out": "arrays to write results into", "results": "'numpy', 'torch' or 'jax'"}
"""The keywords of a call that are no arguments; arguments of these names go by position."""


def _is_plain(name: str) -> bool:
    return name.isidentifier() and not iskeyword(name) and name not in OPTIONS


def _python_name(name: str, taken: set[str]) -> str:
    if _is_plain(name):
        return name
    made = "".join(letter if letter.isidentifier() or letter.isdecimal() else "_" for letter in name)
    made = made if made.isidentifier() else f"_{made}"
    while made in taken or not _is_plain(made):
        made += "_"
    taken.add(made)
    return made
