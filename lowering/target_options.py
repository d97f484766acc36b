"""The options of passes that follow from the target, such as the bytes of a cache."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from ..targets.cpu import CpuTarget

Options: TypeAlias = Mapping[str, bool | int | str]
"""The values of options by name."""

NARROW_PANEL = 16
"""Columns of packed weights that lie together for targets with narrow register tiles. What a tile reads of panels of 64 lies four lines of
the cache apart, a quarter of its sets: products of 1024^3 take 4 % longer on a Zen 3."""

WIDE_PANEL = 64
"""The same for targets with wide ones."""

LEAST_WITH_LOOKUP = 14
"""Operations on a byte that take longer than an instruction that looks it up: those of a quantization, and four in between."""


def target_options(pass_name: str, target: CpuTarget) -> Options:
    """Returns the options of a pass for a target; of those of which nothing is said here there are none."""
    # Most passes do not know the target: a test may ask them for a cache or for panels that no processor has.
    match pass_name:
        case "schedule-linalg" | "expand-math":
            return {"target": target.name}
        case "relax-tabulate-bytes":
            return {} if target.lookup is None else {"least": LEAST_WITH_LOOKUP}
        case "relax-qnn-legalize" if target.dot_product("ui8", "i8") is not None:
            return {"target": "x86-vnni"}
        case "relax-pack-weights":
            return _packing(target)
        case "relax-use-winograd" if target.dot_product("i16", "i16") is not None:
            return {"panel": NARROW_PANEL if target.has_few_registers else WIDE_PANEL}
        case "relax-split-batches":
            return {"cache": (target.l3 or target.l2).size}
        case "tile-attention":
            return {"cache": target.l2.size // target.l2.cores}
        case "convert-to-llvm":
            bf16: Options = {} if target.knows_bf16 else {"bf16": "bits"}
            stores: Options = {"stores": "parts"} if target.splits_stores else {}
            return {"counter": target.counter, **bf16, **stores}
        case _:
            return {}


def has_byte_tiles(target: CpuTarget) -> bool:
    """Returns whether a target multiplies 8 bits in tile registers, where rows of pixels are rows of tiles anyway."""
    return target.tile_product("ui8", "i8") is not None


def _packing(target: CpuTarget) -> Options:
    halves: Options = {} if target.converts_f16 else {"widen_f16": True}
    multiplies = target.dot_product("ui8", "i8") is not None or target.dot_product("i16", "i16") is not None
    integers: Options = {"tiles": True} if has_byte_tiles(target) else {"dots": True} if multiplies else {}
    panel: Options = {"panel": NARROW_PANEL} if target.has_few_registers else {}
    return {**halves, **integers, **panel}
