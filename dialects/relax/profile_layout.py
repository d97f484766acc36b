"""Where a profile lies in memory: generated code writes it, the runtime reads it. Every entry is an integer of 64 bits.

header:  events | flops | bytes                           the number of events, and the work since a region last ended
regions: calls | ticks | flops | bytes                    one row for each region of the code
events:  region | begin | end | flops | bytes             one row for each time that a region ran; a last one for all beyond those kept
"""

from __future__ import annotations

from ...records import record

EVENTS, PENDING_FLOPS, PENDING_BYTES = 0, 1, 2
"""The entries of the header."""
HEADER = 4

CALLS, TICKS, FLOPS, BYTES = 0, 1, 2, 3
"""The columns of a region."""
REGION_COLUMNS = 4

REGION, BEGIN, END, EVENT_FLOPS, EVENT_BYTES = 0, 1, 2, 3, 4
"""The columns of an event."""
EVENT_COLUMNS = 5

MOST_EVENTS = 1 << 16
"""The events that are kept, 2.6 MB; regions count those beyond as well."""


@record
class ProfileLayout:
    """The layout for a number of regions."""

    regions: int

    def region(self, number: int) -> int:
        """Returns where the row of a region starts."""
        return HEADER + REGION_COLUMNS * number

    @property
    def first_event(self) -> int:
        """Where the rows of events start."""
        return self.region(self.regions)

    @property
    def size(self) -> int:
        """The number of entries, with a row at the end for events that are not kept."""
        return self.first_event + EVENT_COLUMNS * (MOST_EVENTS + 1)
