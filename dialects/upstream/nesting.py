"""How deeply a program may be nested: parser, verifier and passes recur into regions, types and attributes, by frames of Python."""

from __future__ import annotations

NESTED = 64
"""So many regions, and so many types and attributes, may stand inside of one another; what is deeper may be refused."""

TOO_DEEP = (
    f"the program is nested too deeply, expected at most {NESTED} regions, types or attributes inside of one another"
)
"""What an error says where no frames are left."""
