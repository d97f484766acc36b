"""What is known of a CPU: one record, detected for this machine or a row of a table. Knows nothing of programs."""

from .host import assembles, host_target, lacking, lacking_features
from .names import (
    DEFAULT,
    NATIVE,
    TARGET_VARIABLE,
    UnknownTargetError,
    cpu_target,
    default_target,
    target_names,
)
from .record import (
    BUFFER_ALIGNMENT,
    DOT_PRODUCTS,
    LOOKUPS,
    MOST_THREADS,
    TILE_PRODUCTS,
    TILE_REGISTERS,
    TILE_ROW_BYTES,
    TILE_ROWS,
    Cache,
    CpuTarget,
    DotProduct,
    Lookup,
    TileProduct,
)

__all__ = [
    "BUFFER_ALIGNMENT",
    "DEFAULT",
    "DOT_PRODUCTS",
    "LOOKUPS",
    "MOST_THREADS",
    "NATIVE",
    "TARGET_VARIABLE",
    "TILE_PRODUCTS",
    "TILE_REGISTERS",
    "TILE_ROWS",
    "TILE_ROW_BYTES",
    "Cache",
    "CpuTarget",
    "DotProduct",
    "Lookup",
    "TileProduct",
    "UnknownTargetError",
    "assembles",
    "cpu_target",
    "default_target",
    "host_target",
    "lacking",
    "lacking_features",
    "target_names",
]
