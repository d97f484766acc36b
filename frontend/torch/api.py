"""What `xdsl_relax.torch` offers: modules compiled in one call, and the importer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from .backend import FallbackWarning, compile_graph, verify_options
from .importer import from_exported_program, import_exported_program

__all__ = ["FallbackWarning", "compile", "from_exported_program", "import_exported_program"]


def compile(module: Callable[..., Any], *, dynamic: bool | None = None, **options: Any) -> Callable[..., Any]:
    """Returns a module, or a function of tensors, that runs compiled, for inference: `torch.compile` with this backend, without gradients.

    Each graph is compiled when it is first run. `dynamic` says whether sizes are symbolic from the first call on; by default they
    become so when they change. `options` are those of `xdsl_relax.compile` (`opt_level`, `threads`, ...), and `frozen`: weights never
    change, so that no call looks whether they have. Raises `ValueError` for a module in training, and for other options.
    """
    verify_options(options)
    if isinstance(module, torch.nn.Module) and module.training:
        raise ValueError(f"{type(module).__name__} is in training mode, call its eval() first")
    compiled = torch.compile(
        module, backend=lambda graph, inputs: compile_graph(graph, inputs, **options), dynamic=dynamic
    )

    def run(*args: Any, **kwargs: Any) -> Any:
        with torch.no_grad():
            return compiled(*args, **kwargs)

    return run
