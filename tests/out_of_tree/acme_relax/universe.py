"""What every xDSL driver sees of this package; each part is imported when it is first needed."""

from __future__ import annotations

from xdsl.ir import Dialect
from xdsl.passes import ModulePass
from xdsl.universe import Universe


def _acme() -> Dialect:
    from .dialect import Acme

    return Acme


def _fuse_swish() -> type[ModulePass]:
    from .fuse_swish import FuseSwishPass

    return FuseSwishPass


ACME_UNIVERSE = Universe(all_dialects={"acme": _acme}, all_passes={"acme-fuse-swish": _fuse_swish})
