"""What `xdsl-opt` and every other xDSL driver sees of this package: its dialects, passes and targets.

Found through the entry point `xdsl.universe`. Everything in it is lazy: a driver that runs none of our passes imports
none of them.
"""

from __future__ import annotations

from xdsl.universe import Universe

from . import lowering, passes, targets
from .dialects import DIALECTS

RELAX_UNIVERSE = Universe(
    all_dialects=DIALECTS,
    all_passes={**passes.PASSES, **lowering.LOWERINGS},
    all_targets=targets.TARGETS,
)
