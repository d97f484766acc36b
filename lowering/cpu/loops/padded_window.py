"""Windows of an image that read zeros around it, where there is no memory with these zeros.

    %p[y + i, x + j]    of a padded image    becomes    vector.maskedload %x[y + i - 1, x + j - 1]

Lanes before and behind a row are masked; rows above and below the image are checked in blocks that have such rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from xdsl.dialects import arith
from xdsl.dialects.builtin import i1
from xdsl.ir import SSAValue

from ....records import record
from ...emit.constructors import vector_type
from ...emit.emitter import Index
from ..schedule.padding import PaddedImage
from .builder import LoopBuilder
from .flat import FlatAccess, flatten
from .loop_nest import viewed
from .vector_access import load_apart


@record
class PaddedWindow:
    """An image that stands for a padded one, the input of a nest with this number."""

    number: int
    image: FlatAccess
    starts: tuple[int, ...]
    """Where it begins on each axis of the padded one."""
    padded: tuple[bool, ...]
    """Whether there are zeros on either side of an axis."""

    @property
    def shape(self) -> Sequence[int]:
        return self.image.access.type.get_shape()

    @property
    def checked(self) -> list[int]:
        """The axes with padding, but for the last, along which vectors lie."""
        return [axis for axis, padded in enumerate(self.padded[:-1]) if padded]

    def is_inside(
        self, b: LoopBuilder, address: Sequence[Index], offsets: Sequence[tuple[int, ...]]
    ) -> SSAValue | None:
        """Emits whether elements so far from an address of the padded image are inside on all axes but the last; None for no others."""
        conditions: list[SSAValue] = []
        for axis in self.checked:
            first = b.sub(b.add(address[axis], min(each[axis] for each in offsets)), self.starts[axis])
            last = b.sub(b.add(address[axis], max(each[axis] for each in offsets)), self.starts[axis])
            conditions.append(b.both(b.compare("sge", first, 0), b.less(last, self.shape[axis])))
        return reduce(b.both, conditions) if conditions else None


def windows_of(b: LoopBuilder, padding: Sequence[tuple[int, int, PaddedImage]]) -> dict[int, PaddedWindow]:
    """Emits views of the images that members of a group read in place; returns them by the number of the member."""
    return {
        member: PaddedWindow(number, flatten(b, viewed(b, image.image)), image.starts, image.padded)
        for member, number, image in padding
    }


class WindowReader:
    """Reads vectors of an image at one point; elements that several vectors have are loaded once."""

    def __init__(
        self,
        b: LoopBuilder,
        image: PaddedWindow,
        address: Sequence[Index],
        spread: int,
        lanes: int,
        exist: SSAValue | None,
        *,
        checks: bool,
        inside: bool,
    ):
        self.b = b
        self.image = image
        self.address = address
        self.spread = spread
        """How many elements lanes are apart."""
        self.lanes = lanes
        self.exist = exist
        """The lanes that exist, None for all."""
        self.checks = checks
        """Whether other axes than the last may be outside."""
        self.inside = inside
        """Whether all lanes are known to be inside along the vectors."""
        self.masks: dict[int, SSAValue | None] = {}
        self.rows: dict[tuple[int, ...], SSAValue | None] = {}
        self.loaded: dict[tuple[int, ...], SSAValue] = {}

    def load(self, offsets: tuple[int, ...]) -> SSAValue:
        """Emits the vector whose first lane is so far from the address."""
        b, lanes, spread = self.b, self.lanes, self.spread
        *rows, column = offsets
        phase = column % spread
        return load_apart(b, lambda offset: self._elements((*rows, column - phase + offset)), spread, lanes, phase)

    def _elements(self, offsets: tuple[int, ...]) -> SSAValue:
        """Emits the load of neighbors, zero where they are outside."""
        if offsets not in self.loaded:
            b, image = self.b, self.image
            at = [
                b.sub(b.add(place, offset), start)
                for place, offset, start in zip(self.address, offsets, image.starts, strict=True)
            ]
            inside = [each for each in (self._columns(offsets[-1]), self._rows(offsets[:-1])) if each is not None]
            mask = reduce(b.both, inside) if inside else None
            self.loaded[offsets] = b.vector_load(image.image.buffer, [image.image.at(b, at)], self.lanes, mask)
        return self.loaded[offsets]

    def _columns(self, offset: int) -> SSAValue | None:
        """Returns the mask of neighbors that are inside along the vectors."""
        b, image = self.b, self.image
        if self.inside or not image.padded[-1]:
            return self.exist
        if offset not in self.masks:
            first = b.sub(b.add(self.address[-1], offset), image.starts[-1])
            mask = b.mask(b.sub(image.shape[-1], first), self.lanes)
            if offset < image.starts[-1]:
                outside = b.mask(b.sub(0, first), self.lanes)
                everywhere = b.constant(True, vector_type(i1, self.lanes))
                mask = b.both(mask, b.insert(arith.XOrIOp(outside, everywhere)))
            self.masks[offset] = mask
        return self.masks[offset]

    def _rows(self, offsets: tuple[int, ...]) -> SSAValue | None:
        """Returns the mask of all lanes or none: whether other axes are inside."""
        b, image = self.b, self.image
        if not self.checks:
            return None
        if offsets not in self.rows:
            conditions: list[SSAValue] = []
            for axis in image.checked:
                index = b.sub(b.add(self.address[axis], offsets[axis]), image.starts[axis])
                conditions.append(b.both(b.compare("sge", index, 0), b.less(index, image.shape[axis])))
            self.rows[offsets] = b.splat(reduce(b.both, conditions), self.lanes) if conditions else None
        return self.rows[offsets]
