"""The words of 64 bits that the caller of native code lends to a call, and what the C entry returns beside 0 and numbers of assertions."""

from __future__ import annotations

VALUES = 4
"""The first words: the values that the message of a failed assertion shows; of an assertion with more values the first ones."""
LOOKED = VALUES
"""The word that says when the call last looked for signals."""
LOOK = VALUES + 1
"""The word with the address of the C function that looks for signals, `int64_t look(void)`, or 0; the call goes on where it returns 0."""
WORDS = VALUES + 2

INTERRUPTED = -1
"""The status of a call that ended as `look` told it to."""
