"""Messages that begin with a position in the source."""

from __future__ import annotations

import re

POSITIONED = re.compile(r"(?P<file>.+?):(?P<line>\d+):(?P<column>\d+): error: (?P<message>.+)")
"""A message that `located` has written."""
