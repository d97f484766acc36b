"""Looking for a program in the cache, and keeping what was compiled where it is not there."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any

from ...records import record
from ...targets.cpu import CpuTarget, cpu_target, default_target
from ..executable.executable import Executable
from ..link import executable_of
from ..machine.jit import CompileError
from ..source import Source
from .entry import DamagedEntryError, Entry, Header
from .identity import UnknownCompilerError, require_unchanged
from .key import Key, differences, key_of
from .settings import CacheOffError, NoFolderError, cache_folder, cache_size
from .store import Store, warn_not_kept

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp


@record(frozen=False)
class Lookup:
    """What the cache has of a program; where it has nothing, `keep` takes what was compiled."""

    text: str
    """What was found, or why nothing, as `relax-run --cache-info` prints it."""
    executable: Executable | None = None
    """The program, if it was found."""
    extra: str = ""
    """What was kept beside it."""
    _store: Store | None = None
    _key: Key | None = None
    _file: str = ""

    def keep(self, executable: Executable, extra: str = "") -> None:
        """Writes what was compiled where there is a cache, with what a tool knows of the program besides."""
        if self._store is None or self._key is None:
            return
        try:
            # What compiled it need not be what the key says: modules are imported when they are first used.
            require_unchanged()
        except UnknownCompilerError as error:
            self.text += f"; not kept: {error}"
            return
        is_known = bool(self._store.problem)
        kept = self._store.save(self._key, self._file, Entry(executable.interface, executable.code, extra))
        # Why nothing was read is said already.
        why = f": {self._store.problem}" if self._store.problem and not is_known else ""
        self.text += "; kept for the next time" if kept else f"; not kept{why}"


def look_up(
    program: ModuleOp | Source,
    options: Mapping[str, Any],
    target: str | None,
    cache: bool | str | Path | None,
    *,
    explains: bool = False,
) -> Lookup:
    """Looks for a program that was compiled with the same options for the same target, and says why it is not there if `explains`.

    `cache` is as in `compile`. Raises `UnknownTargetError`, and `ArgumentError` for settings of the environment that are wrong.
    """
    try:
        folder = cache_folder(cache)
    except NoFolderError as error:
        warn_not_kept("folder", str(error))
        return Lookup(f"off: {error}; not kept")
    except CacheOffError as error:
        return Lookup(f"off: {error}")
    try:
        store = Store(folder, cache_size())
        key = key_of(program, _plain(options), _record(target))
        require_unchanged()
    except (CacheOffError, UnknownCompilerError, LookupError) as error:
        return Lookup(f"off: {error}")
    except RecursionError:
        return Lookup("off: the program is nested too deeply")
    file = program.file if isinstance(program, Source) else ""
    try:
        entry = store.load(key)
        if entry is not None:
            # The digest of the file is that of the record and of the code.
            executable = executable_of(entry.interface, entry.code)
            return Lookup(f"hit: {store.path(key)}", executable, entry.extra)
        reason = store.problem or (_why_not(store, key, file) if explains else "")
    except (DamagedEntryError, CompileError) as error:
        reason = f"the entry was damaged, {error}"
    return Lookup(f"miss: {reason}", _store=store, _key=key, _file=file)


def _record(target: str | None) -> CpuTarget:
    if not isinstance(target, str | None):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise _unknown("the target")
    return cpu_target(default_target() if target is None else target)


def _plain(options: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns options as JSON has them; raises `CacheOffError` for passes that are objects, and for values that no option has."""
    plain = dict(options)
    given = plain.pop("passes", None) or ()
    try:
        stages = given if isinstance(given, Mapping) else {"": given}
        passes = {stage: [items] if isinstance(items, str) else [*items] for stage, items in stages.items()}
    except TypeError:
        raise _unknown("a pass") from None
    for stage, items in passes.items():
        if not all(isinstance(text, str) for text in (stage, *items)):
            raise _unknown("a pass")
    for name, value in plain.items():
        if type(value) not in (int, bool, str, NoneType):
            raise _unknown(name)
    return {**plain, "passes": passes}


def _unknown(what: str) -> CacheOffError:
    return CacheOffError(f"{what} is an object, of which nobody can tell what it does")


def _why_not(store: Store, key: Key, file: str) -> str:
    """Returns why there is no entry of a key, from those that there are."""
    others = [
        _reasons(header, key)
        for header in store.headers(key.prefix)
        if header.key["program"] == key.program and header.key["options"].get("tool") == key.options.get("tool")
    ]
    if others:
        return min(others, key=len)
    if file and any(header.source == file and header.key.get("program") != key.program for header in store.headers()):
        return f"{file} has changed"
    return "there is no entry of this program"


def _reasons(header: Header, key: Key) -> str:
    wanted, kept = {**key.parts}, {**header.key}
    names = [part.get("target", {}).get("name") for part in (kept, wanted)]
    if names[0] != names[1]:
        # What makes them differ is known by their names.
        kept["target"], wanted["target"] = ({"": name} for name in names)
    parts = {
        "options": "it was compiled with other options",
        "target": "it was compiled for another CPU",
        "compiler": "it was compiled by another compiler",
    }
    return "; ".join(
        f"{text}: {', '.join(difference)}"
        for part, text in parts.items()
        if (difference := differences(kept.get(part, {}), wanted[part]))
    )
