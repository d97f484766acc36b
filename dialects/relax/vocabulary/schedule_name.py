"""The kind of attribute that holds the schedule of an op."""

from __future__ import annotations

from xdsl.ir import Attribute

from ..schedule import Schedule
from ..schedule_attribute import ScheduleAttr
from .attribute_name import AttributeName


class ScheduleName(AttributeName[Schedule]):
    """How loops are written for an op."""

    expected = "a schedule (#relax.schedule<...>)"

    def read(self, attr: Attribute) -> Schedule | None:
        return attr.data if isinstance(attr, ScheduleAttr) else None

    def write(self, value: Schedule) -> Attribute:
        return ScheduleAttr(value)
