"""What an executable needs to be profiled; all that looks at profiles is imported when there is one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...interpreter.host.errors import ArgumentError

if TYPE_CHECKING:
    from ..profile.profile import Profile
    from ..profile.recorder import Recorder, Recording


class Profiling:
    """A profile that is being recorded."""

    recorded: Profile | None = None

    @property
    def profile(self) -> Profile:
        """What was recorded; raises `ArgumentError` while it still is."""
        if self.recorded is None:
            raise ArgumentError("the profile is there at the end of the with statement")
        return self.recorded


def require_recorder(recorder: Recorder | None) -> Recorder:
    """Returns the recorder; raises `ArgumentError` for a program that does not measure itself."""
    if recorder is None:
        raise ArgumentError("the program does not measure itself: compile it with profile=True")
    return recorder


def profile_of(recording: Recording, threads: int) -> Profile:
    """Returns the profile of a recording."""
    from ..profile.profile import Profile

    return Profile(recording, threads)
