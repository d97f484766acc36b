"""The dialect to StableHLO: `module` walks functions, `emit` writes ops of StableHLO, `ops/` has what each op of ours becomes."""

from __future__ import annotations

from .module import to_stablehlo, to_stablehlo_bytecode

__all__ = ["to_stablehlo", "to_stablehlo_bytecode"]
