"""What the results of a program are compared with while passes change it: those that it had, but for what passes are said to change.

Winograd's convolutions may make NaN of all results of a tile whose window has a NaN or an infinity (docs/lifting.md#winograd): of finite
elements that become so behind a pass that brings them, none is at fault.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from ...dialects.relax.ops.nn.winograd import WinogradConv2DOp
from ...passes.lifting.use_winograd import UseWinogradPass
from ...passes.rewriting.rooted_walker import contains
from ..compare import TOLERANCE
from .case import Agrees, Case

SPREADING = (UseWinogradPass.name, "relax-to-linalg")
"""Passes behind which a NaN reaches more of a tile: the second one writes products by the zeros of Winograd's matrices out."""


class Reference:
    """The results of the interpreter for each run. Raises its errors."""

    def __init__(self, case: Case, agrees: Agrees):
        self.expected = case.expected()
        self.spread: dict[str, int] = {}
        """For each pass the elements that it may have made NaN or infinite."""
        self._agrees = agrees
        self._excused: dict[tuple[int, int], np.ndarray[Any, np.dtype[np.bool_]]] = {}
        values = [value for run in (*case.runs, *self.expected) for value in run]
        self._has_nonfinite = any(_nonfinite(value).any() for value in values)

    def disagreement(self, results: Sequence[Sequence[Any]]) -> str | None:
        """Returns how the results of the runs differ from those expected."""
        reasons = (self.of_run(run, values) for run, values in enumerate(results))
        return next((reason for reason in reasons if reason is not None), None)

    def of_run(self, run: int, results: Sequence[Any]) -> str | None:
        """Returns how the results of a run differ from those expected."""
        wanted = self.expected[run]
        if len(results) == len(wanted):
            results = [self._without_excused((run, index), value) for index, value in enumerate(results)]
        return self._agrees(results, wanted)

    def may_spread(self, pass_name: str) -> bool:
        """Returns whether behind a pass more elements may be NaN or infinite, as some are."""
        return pass_name in SPREADING and self._has_nonfinite

    def excuse(self, pass_name: str, before: ModuleOp, after: ModuleOp, results: Sequence[Sequence[Any]]) -> None:
        """Takes what a pass that brings Winograd's products has made NaN or infinite for what it may."""
        if not (
            self.may_spread(pass_name) and (contains(before, WinogradConv2DOp) or contains(after, WinogradConv2DOp))
        ):
            return
        for place, (got, want) in _pairs(results, self.expected).items():
            is_same = (got == want) | ((got != got) & (want != want))
            excused = self._excused.get(place, np.zeros(got.shape, np.bool_))
            changed = _nonfinite(got) & ~is_same & ~excused
            if changed.any():
                self._excused[place] = changed | excused
                self.spread[pass_name] = self.spread.get(pass_name, 0) + int(changed.sum())

    def _without_excused(self, place: tuple[int, int], value: Any) -> Any:
        """Returns a result with what is expected in place of excused elements; one that is finite all the same is compared."""
        excused = self._excused.get(place)
        if excused is None or np.shape(value) != excused.shape:
            return value
        return np.where(excused & _nonfinite(value), self.expected[place[0]][place[1]], value)


def _pairs(
    results: Sequence[Sequence[Any]], expected: Sequence[Sequence[Any]]
) -> Mapping[tuple[int, int], tuple[Any, Any]]:
    """Returns the results of runs that have the shape of those expected, with these."""
    return {
        (run, index): (got, want)
        for run, (values, wanted) in enumerate(zip(results, expected, strict=True))
        for index, (got, want) in enumerate(zip(values, wanted, strict=False))
        if isinstance(got, np.ndarray) and isinstance(want, np.ndarray) and got.shape == want.shape
    }


def _nonfinite(value: Any) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Returns where an array of floats is NaN or infinite."""
    # Winograd's convolutions are of f32, but what they make may be converted.
    if isinstance(value, np.ndarray) and value.dtype.name in TOLERANCE:
        return ~np.isfinite(value)
    return np.zeros(np.shape(value) if isinstance(value, np.ndarray) else (), np.bool_)
