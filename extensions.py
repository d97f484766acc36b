"""Packages that add to the compiler, found through the entry points of what is installed; nothing registers itself by being imported.

A package offers a `Universe` of xDSL (group `xdsl.universe`: dialects, passes, targets), and what that has no place for in an
`Extension` (group `xdsl_relax.extensions`: interpreter rules, lowerings, passes of stages). Each kind of entry is combined with ours by
`combined`, into a mapping that nobody changes. docs/adding.md shows a whole package.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field
from functools import cache, wraps
from types import MappingProxyType
from typing import Any, Self, TypeAlias, TypeVar, cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Dialect, Operation
from xdsl.passes import ModulePass
from xdsl.universe import XDSL_UNIVERSE, Universe
from xdsl.utils.exceptions import DiagnosticException

from .dialects.upstream.op_error import OpError
from .entry_points import EXTENSIONS, UNIVERSES, offered, owner_of, package_of
from .records import record

PACKAGE = "xdsl-relax"
"""The name of this package among those that `combined` is given."""

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")
Loaded = TypeVar("Loaded")

Rules: TypeAlias = Mapping[type[Operation], Callable[..., Sequence[Any]]]
"""Rules by op class: see `interpreter/rule.py` and `lowering/relax_to_linalg/rule.py` for what they are called with."""


class ExtensionError(DiagnosticException, ImportError):
    """An installed package that cannot be used; the text names it."""


@record
class Extension:
    """What a package adds to the stages, beside the dialects, passes and targets of its universe."""

    interpreter_rules: Rules = field(default_factory=dict[type[Operation], Callable[..., Sequence[Any]]])
    """How the interpreter computes the package's ops: `rule(op, arrays, bindings)` returns the results."""
    lowerings: Rules = field(default_factory=dict[type[Operation], Callable[..., Sequence[Any]]])
    """How `relax-to-linalg` lowers them: `rule(op, operands, builder)` returns the lowered results."""
    stages: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """Passes that every compilation runs at the start of a stage, in the syntax of `relax-opt -p`."""


class AddedPipeline(str):
    """Passes of a stage in text, and the package that adds them, which errors about them name."""

    def __new__(cls, text: str, package: str) -> Self:
        made = super().__new__(cls, text)
        made.package = package
        return made

    package: str


@contextmanager
def naming_package(pipeline: str, refusal: type[Exception]) -> Generator[None, None, None]:
    """Raises `ExtensionError` in place of a refusal of passes that a package adds."""
    try:
        yield
    except refusal as error:
        if not isinstance(pipeline, AddedPipeline):
            raise
        raise ExtensionError(f"{pipeline.package} adds {str(pipeline)!r} to a stage: {error}") from None


@contextmanager
def naming_owner(kind: str, name: str, part: type) -> Generator[None, None, None]:
    """Raises `ExtensionError` in place of what a class of a package raises by accident; what is a diagnostic stays as it is."""
    try:
        yield
    except (DiagnosticException, RecursionError):
        raise
    except Exception as error:
        package = owner_of(part)
        if package is None:
            raise
        reason = f"{type(error).__name__}: {error}"
        raise ExtensionError(f"the {kind} {name!r} of {package} fails with {reason}") from error


def run_pass(item: ModulePass, ctx: Context, module: ModuleOp) -> None:
    """Applies a pass. Raises `ExtensionError` where a pass of a package fails by accident."""
    with naming_owner("pass", item.name, type(item)):
        item.apply(ctx, module)


def combined(kind: str, parts: Iterable[tuple[str, Mapping[Key, Value]]]) -> Mapping[Key, Value]:
    """Returns the union of what packages offer. Raises `ExtensionError` for a key that two of them have."""
    owners: dict[Key, str] = {}
    union: dict[Key, Value] = {}
    for package, entries in parts:
        for key, value in entries.items():
            if key in owners:
                name = getattr(key, "name", key)
                raise ExtensionError(
                    f"{owners[key]} and {package} both have the {kind} {name!r}: remove one of the packages"
                )
            owners[key], union[key] = package, value
    return MappingProxyType(union)


@cache
def installed_universes() -> tuple[tuple[str, Universe], ...]:
    """Returns the universes of all packages but this one, xDSL's included, each with the name of its package."""
    universes = [("xdsl", XDSL_UNIVERSE), *_load(UNIVERSES, Universe)]
    return tuple((package, _guarded(package, universe)) for package, universe in universes)


@cache
def installed_extensions() -> tuple[tuple[str, Extension], ...]:
    """Returns the extensions of all packages, each with the name of its package."""
    extensions = tuple(_load(EXTENSIONS, Extension))
    for package, extension in extensions:
        _verify_extension(package, extension)
    return extensions


def guarded_rules(package: str, kind: str, rules: Rules, refusal: type[Exception]) -> Rules:
    """Returns the rules of a package, each of which names the op and the package where it fails by accident.

    A refusal of the op, and an error that is a diagnostic, stay as they are.
    """
    return {op_type: _guarded_rule(package, kind, rule, refusal) for op_type, rule in rules.items()}


def _guarded_rule(
    package: str, kind: str, rule: Callable[..., Sequence[Any]], refusal: type[Exception]
) -> Callable[..., Sequence[Any]]:
    @wraps(rule)
    def run(op: Operation, *arguments: Any) -> Sequence[Any]:
        try:
            return rule(op, *arguments)
        except (DiagnosticException, refusal):
            raise
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
            raise OpError(op, f"the {kind} of {op.name} from {package} fails with {reason}") from error

    return run


def _verify_extension(package: str, extension: Extension) -> None:
    """Raises `ExtensionError` for rules that are no functions by op class, and passes of stages that are no lists of text."""
    for name in ("interpreter_rules", "lowerings"):
        rules = _mapping(package, name, getattr(extension, name))
        for op, rule in rules.items():
            if not (isinstance(op, type) and issubclass(op, Operation) and callable(rule)):
                raise ExtensionError(f"{package}: {name}: expected functions by op class, got {op!r}: {rule!r}")
    for stage, passes in _mapping(package, "stages", extension.stages).items():
        given = cast(object, passes)
        if not isinstance(given, tuple | list) or not all(
            isinstance(item, str) for item in cast("list[object]", given)
        ):
            raise ExtensionError(f"{package}: stages[{stage!r}]: expected a tuple of pipelines as text, got {given!r}")


def _mapping(package: str, name: str, value: object) -> Mapping[Any, Any]:
    if not isinstance(value, Mapping):
        raise ExtensionError(f"{package}: {name}: expected a mapping, got {type(value).__name__}")
    return cast("Mapping[Any, Any]", value)


def _load(group: str, expected: type[Loaded]) -> Iterator[tuple[str, Loaded]]:
    """Yields what the packages offer in a group, by the name of the package; `ExtensionError` for what is broken."""
    for entry in offered(group):
        package = package_of(entry)
        try:
            value = entry.load()
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            reason = f"{type(error).__name__}: {error}"
            raise ExtensionError(f"{package} cannot be loaded, {entry.value} fails with {reason}") from error
        if not isinstance(value, expected):
            raise ExtensionError(
                f"{package} offers {entry.value} in {group}: expected {expected.__name__}, got {type(value).__name__}"
            )
        yield package, value


def _guarded(package: str, universe: Universe) -> Universe:
    """Returns a universe whose dialects, passes and targets name the package where they cannot be loaded, or are something else."""

    def guard(
        kind: str, factories: Mapping[str, Callable[[], Loaded]], accepts: Callable[[object], bool]
    ) -> dict[str, Callable[[], Loaded]]:
        table = f"the {kind} table of the universe"
        known = _mapping(package, table, factories)
        for name, factory in known.items():
            if not isinstance(name, str) or not callable(factory):
                raise ExtensionError(f"{package}: {table}: expected functions by name, got {name!r}: {factory!r:.80}")
        return {name: _guard(package, kind, name, factory, accepts) for name, factory in known.items()}

    return Universe(
        all_dialects=guard("dialect", universe.all_dialects, lambda value: isinstance(value, Dialect)),
        all_passes=guard("pass", universe.all_passes, lambda value: _is_class(value, ModulePass)),
        all_targets=guard("target", universe.all_targets, lambda value: isinstance(value, type)),
    )


_EXPECTED = {"dialect": "a Dialect", "pass": "a class derived from ModulePass", "target": "a class"}


def _is_class(value: object, base: type) -> bool:
    return isinstance(value, type) and issubclass(value, base)


def _guard(
    package: str, kind: str, name: str, factory: Callable[[], Loaded], accepts: Callable[[object], bool]
) -> Callable[[], Loaded]:
    what = f"the {kind} {name!r} of {package}"

    def load() -> Loaded:
        try:
            loaded = factory()
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            reason = f"{type(error).__name__}: {error}"
            raise ExtensionError(f"{what} cannot be loaded: {reason}") from error
        if not accepts(loaded):
            raise ExtensionError(
                f"{what}: expected a function that returns {_EXPECTED[kind]}, it returns {loaded!r:.80}"
            )
        return loaded

    return load
