"""Scratch memory of native calls, kept from one call to the next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from ...interpreter.host.device import Device
from ...targets.cpu import BUFFER_ALIGNMENT
from .leaf import address

PAGE = 4096
"""The bytes by which processors compare addresses of loads and stores at first."""

PAGED = 1 << 20
"""The bytes from which on memory starts at a page."""

Workspaces: TypeAlias = "list[np.ndarray[tuple[int], np.dtype[np.uint8]]]"
"""The scratch memory of one call, one array a device."""


def aligned_empty(size: int) -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
    """Returns uninitialized bytes that start at a multiple of `BUFFER_ALIGNMENT`."""
    return aligned_array((size,), np.dtype(np.uint8), size)


def aligned_array(
    shape: tuple[int, ...], dtype: np.dtype[Any], size: int, memory: np.ndarray[Any, Any] | None = None
) -> np.ndarray[Any, Any]:
    """Returns an uninitialized array of so many bytes, that starts at a multiple of `BUFFER_ALIGNMENT`, a large one at one of `PAGE`.

    Its base is the memory that it is in: new memory, or that of an array that this made for as many bytes.

    Processors take a load for one of what was just stored where both are as far from the start of a page. The C library has arrays start
    a few bytes behind it, so that results that start a line behind it would be stored where the next elements are loaded.
    """
    alignment = BUFFER_ALIGNMENT if size < PAGED else PAGE
    if memory is None:
        memory = np.empty(size + alignment, np.uint8)
    return np.ndarray(shape, dtype, memory, -address(memory) % alignment)


class WorkspacePool:
    """What the functions of one executable keep between calls.

    All of them share it, so that it is as large as the largest workspace that a call has needed, times the calls that ran at once.
    """

    def __init__(self) -> None:
        self._kept: dict[tuple[Device, ...], list[Workspaces]] = {}

    def kept_for(self, devices: Sequence[Device]) -> list[Workspaces]:
        """Returns the workspaces on these devices that no call uses. list.append and list.pop are atomic."""
        return self._kept.setdefault(tuple(devices), [])

    @property
    def nbytes(self) -> int:
        """The bytes that are kept; those of calls that run are not counted."""
        return sum(array.nbytes for kept in self._kept.values() for workspaces in list(kept) for array in workspaces)

    def release(self) -> None:
        """Gives back what no call uses."""
        for kept in self._kept.values():
            kept.clear()


def take_workspaces(kept: list[Workspaces], devices: Sequence[Device], sizes: Sequence[int]) -> Workspaces:
    """Returns workspaces of these sizes: kept ones where they are large enough, which are given back where they are not."""
    try:
        workspaces = kept.pop()
    except IndexError:
        workspaces = None
    if workspaces is not None:
        for array, size in zip(workspaces, sizes, strict=True):
            if array.nbytes < size:
                break
        else:
            return workspaces
    # The smaller ones go first, or both would be in memory.
    del workspaces
    return [
        aligned_empty(size) if device.is_host else device.memory.empty(size)
        for device, size in zip(devices, sizes, strict=True)
    ]
