"""The values of a region while it is imported: tensors that are known, or computed by the program."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
from xdsl.ir import Attribute, SSAValue

from ...dialects.relax.attrs import element_type_of
from ...dialects.symbolic.nodes import Known
from ..model.sizes import SizeArray
from ..model.value_types import sizes_of


class Tensor:
    """A tensor: its elements, if they are known during the import, else the value that computes it.

    Elements that stay in the file are not kept: `read` makes them, and `sizes` are the dims.
    """

    def __init__(
        self,
        *,
        value: SSAValue | None = None,
        known: SizeArray | None = None,
        read: Callable[[], np.ndarray[Any, Any]] | None = None,
        sizes: tuple[int, ...] = (),
        element: Attribute | None = None,
    ):
        self.value = value
        self._known = known
        self._read = read
        self._sizes = sizes
        if element is None:
            assert value is not None
            element = element_type_of(value.type)
        self.element = element
        self.weight: str | None = None
        """The parameter that a large constant is."""

    @property
    def is_known(self) -> bool:
        """Whether the elements are known during the import."""
        return self._known is not None or self._read is not None

    @property
    def count(self) -> int:
        """The number of elements of a known tensor."""
        return prod(self._sizes) if self._known is None else self._known.size

    @property
    def shape(self) -> tuple[Known, ...]:
        """The dims; raises `Unsupported` if one has no name."""
        if self._known is not None:
            return self._known.shape
        if self._read is not None:
            return self._sizes
        assert self.value is not None
        return sizes_of(self.value, "an operand")

    @property
    def array(self) -> SizeArray:
        """The elements of a known tensor; integers may be expressions of sizes."""
        if self._known is not None:
            return self._known
        assert self._read is not None
        return self._read()


class Failed:
    """A value that could not be imported; what reads it is left out."""


class Token:
    """A token: it orders effects, of which a program without them has none."""


Value = Tensor | Failed | Token | tuple["Tensor | Failed | Token", ...]
