"""What `xdsl-opt` and every other xDSL driver sees of this package, and what our own tools see of all packages.

Found through the entry point `xdsl.universe`. Everything in it is lazy: a driver that runs none of our passes imports
none of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

from xdsl.passes import ModulePass
from xdsl.universe import XDSL_UNIVERSE, Universe

from . import lowering, passes, targets
from .dialects import DIALECTS, EXTENDED_DIALECTS
from .extensions import PACKAGE, combined, installed_universes

RELAX_UNIVERSE = Universe(
    all_dialects=DIALECTS,
    all_passes={**passes.PASSES, **lowering.LOWERINGS},
    all_targets=targets.TARGETS,
)


def our_passes() -> Mapping[str, Callable[[], type[ModulePass]]]:
    """Returns our passes and those of other packages, without xDSL's own."""
    return {name: load for name, load in multiverse().all_passes.items() if name not in XDSL_UNIVERSE.all_passes}


@cache
def multiverse() -> Universe:
    """Returns the dialects, passes and targets of all installed packages and ours, whether ours is installed or not.

    Raises `ExtensionError` for a name that two packages have, and for a package that does not load.
    """
    universes = [*installed_universes(), (PACKAGE, RELAX_UNIVERSE)]
    dialects = combined("dialect", ((package, universe.all_dialects) for package, universe in universes))
    return Universe(
        all_dialects={**dialects, **EXTENDED_DIALECTS},
        all_passes={**combined("pass", ((package, universe.all_passes) for package, universe in universes))},
        all_targets={**combined("target", ((package, universe.all_targets) for package, universe in universes))},
    )
