"""Compiles Relax tensor programs to native code, in Python, on xDSL.

```python
import xdsl_relax

exe = xdsl_relax.compile(Path("model.mlir"))
y = exe["main"](x, w)
```
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .collector import importing

if TYPE_CHECKING:
    from . import builder as builder
    from .frontend.model.ahead_of_time import compile_library as compile_library
    from .frontend.model.compiled import CompiledModel as CompiledModel
    from .frontend.model.compiled import compile as compile
    from .frontend.torch import api as torch  # noqa: F401  # pyright: ignore[reportUnusedImport]
    from .interpreter.host.device import device as device
    from .interpreter.host.device import to_device as to_device
    from .interpreter.host.packed_functions import register_packed as register_packed
    from .runtime.compiler import load as load
    from .runtime.executable.executable import Executable as Executable
    from .runtime.library.folder import load_library as load_library
    from .runtime.link import link as link
    from .runtime.params.params import load_params as load_params

    __version__: str

_MODULES = {"torch": "frontend.torch.api"}
"""Modules under names of their own; they need packages that are optional, and are none of what `*` imports."""

_EXPORTS = {
    "CompiledModel": "frontend.model.compiled",
    "compile": "frontend.model.compiled",
    "compile_library": "frontend.model.ahead_of_time",
    "link": "runtime.link",
    "load": "runtime.compiler",
    "load_library": "runtime.library.folder",
    "device": "interpreter.host.device",
    "load_params": "runtime.params.params",
    "register_packed": "interpreter.host.packed_functions",
    "to_device": "interpreter.host.device",
    "Executable": "runtime.executable.executable",
}

__all__ = [
    "CompiledModel",
    "Executable",
    "builder",
    "compile",
    "compile_library",
    "device",
    "link",
    "load",
    "load_library",
    "load_params",
    "register_packed",
    "to_device",
]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_MODULES, "__version__"})


def __getattr__(name: str) -> Any:
    """Imports what is asked for, once; importing the package alone stays cheap."""
    if name == "__version__":
        return import_module(".version", __name__).package_version()
    if name not in __all__ and name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    with importing():
        module = import_module(f".{_MODULES.get(name) or _EXPORTS.get(name, name)}", __name__)
    value = globals()[name] = getattr(module, name) if name in _EXPORTS else module
    return value
