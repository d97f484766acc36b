"""Types of what callers of a program pass and get, as they know them: an interface record and those who read it have no attributes.

`declared_types` returns those of a program's types. A text is that of the type in the program.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np

from ...dialects.relax.device_label import parse_device_label
from ...dialects.relax.numpy_dtypes import dtype_named
from ...dialects.symbolic.nodes import Dim
from ...records import record


@record
class TensorValue:
    """A tensor of known rank."""

    dims: tuple[Dim, ...]
    element: str
    """The name of the element type."""
    device: str | None = None
    """Where it lives, as `cpu:1`; `None` where nothing is said."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """The numpy dtype of the elements; raises `ValueError` where there is none."""
        return dtype_named(self.element)

    def __str__(self) -> str:
        sizes = "".join(f"{dim if isinstance(dim, int) else '?'}x" for dim in self.dims)
        open_dims = [dim for dim in self.dims if not isinstance(dim, int)]
        encodings: list[str] = []
        if any(dim is not None for dim in open_dims):
            encodings.append(f"#relax.sym<{dims_text(open_dims)}>")
        if self.device is not None:
            kind, index, scope = parse_device_label(self.device)
            encodings.append(f'#relax.vdevice<"{kind}", {index}, "{scope}">')
        encoding = f"[{', '.join(encodings)}]" if len(encodings) > 1 else "".join(encodings)
        return f"tensor<{sizes}{self.element}{f', {encoding}' if encoding else ''}>"


@record
class UnrankedValue:
    """A tensor whose rank is not known."""

    element: str

    @property
    def dtype(self) -> np.dtype[Any]:
        """The numpy dtype of the elements; raises `ValueError` where there is none."""
        return dtype_named(self.element)

    def __str__(self) -> str:
        return f"tensor<*x{self.element}>"


@record
class ShapeValue:
    """A shape, which is a tuple of sizes."""

    dims: tuple[Dim, ...]

    def __str__(self) -> str:
        return f"!relax.shape<[{dims_text(self.dims)}]>"


@record
class TupleValue:
    """A tuple."""

    fields: tuple[ValueType, ...]

    def __str__(self) -> str:
        return f"tuple<{', '.join(map(str, self.fields))}>"


@record
class ObjectValue:
    """An object of Python."""

    def __str__(self) -> str:
        return "!relax.object"


@record
class ScalarValue:
    """A number, or what has no other type here: callers have no value of it, and it has no dtype."""

    element: str
    dim: Dim = None
    """Of a size: which one it is, as the program declares; `None` where nothing is said."""

    @property
    def is_index(self) -> bool:
        """Whether it is a size."""
        return self.element == "index"

    @property
    def dtype(self) -> np.dtype[Any]:
        """The numpy dtype; raises `ValueError` where there is none."""
        return dtype_named(self.element)

    def __str__(self) -> str:
        return self.element


ValueType: TypeAlias = TensorValue | UnrankedValue | ShapeValue | TupleValue | ObjectValue | ScalarValue


def dims_text(dims: Sequence[Dim]) -> str:
    """Returns dims separated by commas, `?` for an unknown one."""
    return ", ".join("?" if dim is None else str(dim) for dim in dims)


def flat_values(value_types: Iterable[ValueType]) -> Iterator[ValueType]:
    """Yields types with the fields of tuples in the place of tuples."""
    for value_type in value_types:
        if isinstance(value_type, TupleValue):
            yield from flat_values(value_type.fields)
        else:
            yield value_type
