"""`compile` with a cache: what a process has compiled, the next one only links."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...collector import importing
from ...dialects.nearest_name import with_known_options
from ..executable.executable import Executable
from ..source import read_source
from .lookup import look_up

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from ...lowering.pipeline import Lift
    from ..compiler import Observer, Passes


@with_known_options
def compile(
    program: ModuleOp | str | Path,
    *,
    opt_level: int = 2,
    threads: int = 1,
    lift: Lift = False,
    target: str | None = None,
    bounds_checks: bool = True,
    profile: bool = False,
    passes: Passes | Mapping[str, Passes] = (),
    observer: Observer | None = None,
    cache: bool | str | Path | None = None,
) -> Executable:
    """Compiles a module, its text, or the file that holds it, to native code; or links what this or another process has compiled it to.

    The options are those of `runtime.compiler.compile`. `cache` is the folder in which compiled programs are kept, `False` for none; by
    default the environment says it (docs/cache.md). A program is found again if it, the options, the target and the compiler are the same.
    With an `observer`, or with passes that are objects, it is compiled anew.
    """
    options: dict[str, Any] = {
        "opt_level": opt_level,
        "threads": threads,
        "lift": lift,
        "bounds_checks": bounds_checks,
        "profile": profile,
        "passes": passes,
    }
    source = read_source(program) if isinstance(program, str | Path) else program
    lookup = look_up(source, options, target, cache if observer is None else False)
    if lookup.executable is not None:
        return lookup.executable
    # What a hit does not need is not imported.
    with importing():
        from ..compiler import compile as compile_program

    executable = compile_program(source, target=target, observer=observer, **options)
    lookup.keep(executable)
    return executable
