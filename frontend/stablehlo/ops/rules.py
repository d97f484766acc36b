"""All converters."""

from __future__ import annotations

from ..table import Table
from . import (
    cast,
    control_flow,
    conv,
    create,
    elementwise,
    gather,
    linear_algebra,
    manipulate,
    reduction,
    scatter,
    sorting,
    special,
    window,
)

CONVERTERS: Table = {
    **cast.TABLE,
    **control_flow.TABLE,
    **conv.TABLE,
    **create.TABLE,
    **elementwise.TABLE,
    **gather.TABLE,
    **linear_algebra.TABLE,
    **manipulate.TABLE,
    **reduction.TABLE,
    **scatter.TABLE,
    **sorting.TABLE,
    **special.TABLE,
    **window.TABLE,
}
