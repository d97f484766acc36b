"""The values of a graph while it is imported: tensors that are known, or computed by the program, and lists of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from xdsl.ir import Attribute, SSAValue

from ...dialects.relax.attrs import element_type_of
from ...dialects.symbolic.nodes import Known
from ..model.sizes import SizeArray, is_symbolic
from ..model.value_types import sizes_of
from .types import kind_of, kind_of_array, storage, stored


class Tensor:
    """A tensor: its elements, if they are known during the import, else the value that computes it.

    `weight` names the parameter that a known tensor is, and then `read` makes its elements.
    """

    def __init__(
        self,
        *,
        value: SSAValue | None = None,
        known: SizeArray | None = None,
        kind: int | None = None,
        weight: str | None = None,
        read: Callable[[], np.ndarray[Any, Any]] | None = None,
        shape: tuple[int, ...] = (),
        origin: frozenset[str] = frozenset(),
    ):
        self.value = value
        self.weight = weight
        self.origin = origin
        """The inputs of the model that it is computed from."""
        self._known = known
        self._read = read
        self._shape = shape
        if kind is None:
            kind = kind_of(element_type_of(value.type)) if value is not None else kind_of_array(np.asarray(known))
        self.kind = kind
        """ONNX's number of the element type."""

    @property
    def is_known(self) -> bool:
        """Returns whether the elements are known during the import."""
        return self._known is not None or self._read is not None

    @property
    def known(self) -> SizeArray:
        """The elements of a known tensor; those of a weight are not kept."""
        if self._known is not None:
            return self._known
        assert self._read is not None
        return self._read()

    @property
    def shape(self) -> tuple[Known, ...]:
        """The dims; raises `Unsupported` if one has no name."""
        if self._known is not None:
            return self._known.shape
        if self.value is None:
            return self._shape
        return sizes_of(self.value, "an operand")

    @property
    def element(self) -> Attribute:
        """The element type that it is kept in."""
        return storage(self.kind)

    @property
    def array(self) -> SizeArray:
        """The elements of a known tensor in the type that they are kept in."""
        known = self.known
        return known if is_symbolic(known) else stored(known, self.kind)

    @property
    def elements(self) -> int | None:
        """The number of elements of a known tensor, `None` for a computed one."""
        if not self.is_known:
            return None
        count = 1
        for size in self.shape:
            assert isinstance(size, int)
            count *= size
        return count


@dataclass
class Sequence:
    """A sequence of tensors, whose length is known."""

    items: list[Tensor]


@dataclass
class Optional:
    """An optional that holds a value or nothing."""

    item: Tensor | Sequence | None


@dataclass
class Failed:
    """A value that could not be imported; what reads it is left out."""

    reason: str = ""
    """Why there is none; empty where it has been noted."""


Value: TypeAlias = Tensor | Sequence | Optional | Failed
