"""All rules from relax to linalg, by op class: ours, and those of installed packages."""

from __future__ import annotations

from functools import cache

from ....extensions import PACKAGE, combined, guarded_rules, installed_extensions
from ..builder import LoweringError
from ..rule import Rules
from . import (
    binary,
    collective,
    create,
    data_dependent,
    image,
    indexing,
    linear_algebra,
    manipulate,
    packing,
    qnn,
    reduction,
    scan,
    shape,
    sorting,
    unary,
    vdevice,
)
from .nn import activation as nn_activation
from .nn import attention as nn_attention
from .nn import conv as nn_conv
from .nn import conv_transpose as nn_conv_transpose
from .nn import loss as nn_loss
from .nn import norm as nn_norm
from .nn import pool as nn_pool
from .nn import softmax as nn_softmax
from .nn import winograd as nn_winograd

RULES: Rules = {
    **unary.RULES,
    **binary.RULES,
    **linear_algebra.RULES,
    **packing.RULES,
    **manipulate.RULES,
    **indexing.RULES,
    **reduction.RULES,
    **scan.RULES,
    **sorting.RULES,
    **data_dependent.RULES,
    **create.RULES,
    **shape.RULES,
    **nn_activation.RULES,
    **nn_softmax.RULES,
    **nn_norm.RULES,
    **nn_conv.RULES,
    **nn_conv_transpose.RULES,
    **nn_winograd.RULES,
    **nn_pool.RULES,
    **nn_attention.RULES,
    **nn_loss.RULES,
    **image.RULES,
    **qnn.RULES,
    **vdevice.RULES,
    **collective.RULES,
}


@cache
def all_rules() -> Rules:
    """Returns our rules and those of installed packages. Raises `ExtensionError` for an op that two of them have a rule for."""
    added = [
        (package, guarded_rules(package, "lowering", extension.lowerings, LoweringError))
        for package, extension in installed_extensions()
    ]
    return combined("lowering of", [(PACKAGE, RULES), *added])
