"""The values of a region while it is imported: tensors that are known, or computed by the program."""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.ir import Attribute, SSAValue

from ...dialects.relax.attrs import element_type_of
from ...dialects.symbolic.nodes import Known
from ..model.sizes import SizeArray
from ..model.value_types import sizes_of


class Tensor:
    """A tensor: its elements, if they are known during the import, else the value that computes it."""

    def __init__(
        self, *, value: SSAValue | None = None, known: SizeArray | None = None, element: Attribute | None = None
    ):
        self.value = value
        self.known = known
        """The elements; integers may be expressions of sizes."""
        if element is None:
            assert value is not None
            element = element_type_of(value.type)
        self.element = element
        self.weight: str | None = None
        """The parameter that a large constant is."""

    @property
    def shape(self) -> tuple[Known, ...]:
        """The dims; raises `Unsupported` if one has no name."""
        if self.known is not None:
            return self.known.shape
        assert self.value is not None
        return sizes_of(self.value, "an operand")

    @property
    def array(self) -> np.ndarray[Any, Any]:
        """The elements of a known tensor."""
        assert self.known is not None
        return self.known


class Failed:
    """A value that could not be imported; what reads it is left out."""


class Token:
    """A token: it orders effects, of which a program without them has none."""


Value = Tensor | Failed | Token | tuple["Tensor | Failed | Token", ...]
