"""All converters, by the name of the op."""

from __future__ import annotations

from ..table import Table
from . import (
    activation,
    control_flow,
    conv,
    create,
    elementwise,
    encoder,
    indexing,
    linear_algebra,
    manipulate,
    norm,
    ordering,
    pool,
    recurrent,
    reduction,
)

CONVERTERS: Table = {
    **elementwise.TABLE,
    **activation.TABLE,
    **linear_algebra.TABLE,
    **encoder.TABLE,
    **conv.TABLE,
    **pool.TABLE,
    **norm.TABLE,
    **reduction.TABLE,
    **ordering.TABLE,
    **manipulate.TABLE,
    **indexing.TABLE,
    **create.TABLE,
    **recurrent.TABLE,
    **control_flow.TABLE,
}
"""An op that is not in here is taken apart by torch, if it has a decomposition."""
