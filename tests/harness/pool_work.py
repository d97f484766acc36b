"""Work for the processes of a pool, which find it by the name of this module."""

from __future__ import annotations

from typing import Any

from xdsl_relax.runtime.executable.executable import Executable


def call_main(executable: Executable, *arguments: Any) -> Any:
    """Returns the result of the function `main`."""
    return executable["main"](*arguments)
