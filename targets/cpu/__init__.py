"""What is known of a CPU: one record, detected for this machine or a row of a table. Knows nothing of programs."""

from .host import host_target, lacking, lacking_features
from .names import (
    DEFAULT,
    NATIVE,
    TARGET_VARIABLE,
    UnknownTargetError,
    cpu_target,
    default_target,
    target_names,
)
from .record import BUFFER_ALIGNMENT, DOT_PRODUCTS, Cache, CpuTarget, DotProduct

__all__ = [
    "BUFFER_ALIGNMENT",
    "DEFAULT",
    "DOT_PRODUCTS",
    "NATIVE",
    "TARGET_VARIABLE",
    "Cache",
    "CpuTarget",
    "DotProduct",
    "UnknownTargetError",
    "cpu_target",
    "default_target",
    "host_target",
    "lacking",
    "lacking_features",
    "target_names",
]
