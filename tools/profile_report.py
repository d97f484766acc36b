"""What `relax-run --profile` prints and writes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..runtime.profile.profile import COLUMNS, Profile
from ..whole_file import write_text
from .history import History
from .report import Report
from .report_page import page
from .run_options import PROFILE_FORMS, TABLE, TRACE


def print_profile(report: Report, profile: Profile, files: Sequence[str]) -> None:
    """Prints the table of a profile, and writes files of it."""
    fastest = profile.fastest()
    for file in files:
        if file == TABLE:
            report.line(f"the fastest of {len(profile.recording.calls)}: {fastest.summary()}", "green")
            report.line(profile.peak.text)
            report.table(COLUMNS, fastest.table())
            continue
        # A trace shows all calls.
        source = profile if file.endswith(TRACE) else fastest
        getattr(source, PROFILE_FORMS[Path(file).suffix])(file)
        report.line(f"wrote {file}")


def write_page(
    report: Report,
    folder: Path,
    history: History,
    profile: Profile,
    entry: str,
    leaves: Sequence[np.ndarray[Any, Any]],
) -> None:
    """Writes the page of a program and of a function that was called with these arrays."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "report.html"
    write_text(path, page(history, profile.fastest(), entry, leaves))
    report.line(f"wrote {path}")
