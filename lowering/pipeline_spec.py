"""The `-p` argument of the tools: passes with options, and the names of whole stages.

-p 'relax-fuse-ops,canonicalize'      two passes
-p 'linalg'                           every pass up to the end of the stage linalg
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from difflib import get_close_matches
from typing import Any, Literal, get_args, get_origin, get_type_hints

from xdsl.passes import ModulePass
from xdsl.utils.arg_spec import ArgSpec, parse_pipeline
from xdsl.utils.exceptions import ArgSpecParseError, DiagnosticException

from ..extensions import naming_owner, naming_package
from ..targets.cpu import DEFAULT, cpu_target
from .target_options import target_options

PassFactories = Mapping[str, Callable[[], type[ModulePass]]]


class PipelineSpecError(DiagnosticException):
    """A `-p` argument that names no pipeline."""


def parse_pass_pipeline(
    spec: str,
    passes: PassFactories,
    stages: Mapping[str, Sequence[str]],
    target: str | None = None,
    threads: int | None = None,
) -> tuple[ModulePass, ...]:
    """Returns the passes that `spec` asks for, each stage name replaced by its passes; those that are named have the options that stages
    give them for `target` and so many threads, unless told so. Without `target` and `threads` each has those that it has by default.

    Raises `PipelineSpecError`, for passes that a package adds to a stage `ExtensionError`.
    """
    result: list[ModulePass] = []
    with naming_package(spec, PipelineSpecError):
        for position, item in enumerate(_parse(spec)):
            if item.name not in stages:
                result.append(_for_call(_instantiate(spec, position, passes, stages), item, target, threads))
                continue
            if item.parameters:
                raise PipelineSpecError(f"the stage '{item.name}' takes no options")
            for entry in stages[item.name]:
                result.extend(parse_pass_pipeline(entry, passes, {}))
    return tuple(result)


def _for_call(made: ModulePass, item: ArgSpec, target: str | None, threads: int | None) -> ModulePass:
    """Returns a pass with its options for a CPU and a number of threads, but for those that `item` names."""
    fields = {field.name: field.default for field in dataclasses.fields(made)}
    changed: dict[str, Any] = {}
    if target is not None:
        # Passes of packages, of which no table knows, may have an option for its name.
        changed = {"target": target} if fields.get("target") == DEFAULT else {}
        changed |= target_options(made.name, cpu_target(target))
    if "threads" in fields and threads is not None:
        changed["threads"] = threads
    given = item.normalize_parameter_names().parameters
    changed = {name: value for name, value in changed.items() if name not in given}
    return dataclasses.replace(made, **changed) if changed else made


@functools.lru_cache(1024)
def _parse(spec: str) -> tuple[ArgSpec, ...]:
    try:
        return tuple(parse_pipeline(spec.strip()))
    except ArgSpecParseError as error:
        # The third line of xDSL's message is the text, the fourth the carets, the fifth the reason.
        reason = str(error).strip().splitlines()[-1].strip()
        raise PipelineSpecError(f"cannot read the pass pipeline '{spec}': {reason[:1].lower()}{reason[1:]}") from None


def pass_called(name: str, passes: PassFactories, others: Iterable[str] = ()) -> type[ModulePass]:
    """Returns a pass by its name; raises `PipelineSpecError`, which may suggest one of `others`, where there is none."""
    factory = passes.get(name)
    if factory is None:
        hint = _suggest(name, [*passes, *others]) or ", expected one that relax-opt --list-passes lists"
        raise PipelineSpecError(f"unknown pass '{name}'{hint}")
    return factory()


def _instantiate(spec: str, position: int, passes: PassFactories, stages: Mapping[str, Sequence[str]]) -> ModulePass:
    item = _parse(spec)[position]
    pass_type = pass_called(item.name, passes, stages)
    with naming_owner("pass", item.name, pass_type):
        # A pass of another package may keep something from one run to the next.
        return copy(_instance(pass_type, spec, position))


@functools.lru_cache(1024)
def _instance(pass_type: type[ModulePass], spec: str, position: int) -> ModulePass:
    """Returns the pass at a position of a spec as it is made, of which each pipeline gets a copy."""
    item = _parse(spec)[position]
    options = {field.name for field in dataclasses.fields(pass_type) if field.init and field.name != "name"}
    for option in item.normalize_parameter_names().parameters:
        if option not in options:
            known = ", ".join(sorted(options)) if options else "none"
            hint = _suggest(option, options)
            raise PipelineSpecError(f"pass '{item.name}' has no option '{option}'{hint}; its options: {known}")
    try:
        return pass_type.from_spec(item)
    except ValueError as error:
        # xDSL's message about a type has the values, but not the name of the option.
        wrong = (name for name, values in item.parameters.items() if f"given {values}," in str(error))
        reason = next((f"{name} cannot be {_shown(item.parameters[name])}" for name in wrong), str(error))
        hints = get_type_hints(pass_type)
        types = ", ".join(f"{name}: {_type_words(hints[name])}" for name in sorted(options))
        raise PipelineSpecError(f"bad option of pass '{item.name}': {reason}; its options: {types}") from None


def _shown(values: Sequence[object]) -> str:
    return ",".join(map(str, values)) or "given without a value"


def _type_words(hint: Any) -> str:
    """Returns the type of an option as text: `int`, `keep | refuse`."""
    if get_origin(hint) is Literal:
        return " | ".join(map(str, get_args(hint)))
    return hint.__name__ if type(hint) is type else str(hint)


def _suggest(name: str, candidates: Sequence[str] | set[str]) -> str:
    close = get_close_matches(name, candidates, n=3, cutoff=0.6)
    return f" (did you mean {' or '.join(repr(match) for match in close)}?)" if close else ""
