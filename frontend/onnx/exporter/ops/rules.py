"""The rules of all ops."""

from __future__ import annotations

from ..table import Rules
from . import (
    binary,
    create,
    image,
    indexing,
    linear_algebra,
    manipulate,
    nn,
    quantize,
    reduction,
    scalars,
    sorting,
    structure,
    unary,
    windows,
    winograd,
)

RULES: Rules = {
    **unary.RULES,
    **binary.RULES,
    **create.RULES,
    **manipulate.RULES,
    **indexing.RULES,
    **reduction.RULES,
    **sorting.RULES,
    **linear_algebra.RULES,
    **windows.RULES,
    **winograd.RULES,
    **nn.RULES,
    **image.RULES,
    **quantize.RULES,
    **structure.RULES,
    **scalars.RULES,
}
