"""Where the attributes of the vocabulary may stand."""

from __future__ import annotations

from enum import Flag, auto

from xdsl.ir import Operation


class Place(Flag):
    """What an attribute stands on; `Place.FUNCTION | Place.CALL` is both."""

    MODULE = auto()
    FUNCTION = auto()
    ARGUMENT = auto()
    RESULT = auto()
    CALL = auto()
    LOOP = auto()
    GLOBAL = auto()
    OP = auto()
    """Any other op."""

    @property
    def words(self) -> str:
        """The places as a sentence names them."""
        return " or ".join(_WORDS[place] for place in self)


_WORDS = {
    Place.MODULE: "a module",
    Place.FUNCTION: "a function",
    Place.ARGUMENT: "an argument",
    Place.RESULT: "a result",
    Place.CALL: "a call",
    Place.LOOP: "a loop",
    Place.GLOBAL: "a global",
    Place.OP: "an op",
}

_BY_NAME = {
    "builtin.module": Place.MODULE,
    **dict.fromkeys(("func.func", "llvm.func"), Place.FUNCTION),
    **dict.fromkeys(("func.call", "llvm.call", "relax.call_packed", "relax.call_dps_packed"), Place.CALL),
    **dict.fromkeys(("scf.for", "scf.parallel", "scf.while", "llvm.br", "llvm.cond_br"), Place.LOOP),
    **dict.fromkeys(("memref.global", "llvm.mlir.global"), Place.GLOBAL),
}


def place_of(op: Operation) -> Place:
    """Returns the place that an op is."""
    return _BY_NAME.get(op.name, Place.OP)
