"""Command lines of the tools: what does not fit is one line, with the nearest name of what is misspelled."""

from __future__ import annotations

import argparse
import re
from typing import NoReturn

from ..dialects.nearest_name import suggestion

_FLAG = re.compile(r"(?<![\w-])--[A-Za-z][\w-]*")
_CHOICE = re.compile(r"invalid choice: '?([^' ]*)'? \(choose from (.*)\)")
_EXIT_USAGE = 2


class CommandLineParser(argparse.ArgumentParser):
    """A parser of argparse, which would print all flags before its error."""

    def error(self, message: str) -> NoReturn:
        """Ends the tool with the exit status 2."""
        refuse(self, message)


def refuse(parser: argparse.ArgumentParser, message: str) -> NoReturn:
    """Ends a tool with an error of argparse in one line: `relax-run: error: unrecognized arguments: --dimm, did you mean '--dim'?`."""
    parser.exit(_EXIT_USAGE, f"{parser.prog}: error: {message}{_nearest(parser, message)}\n")


def _nearest(parser: argparse.ArgumentParser, message: str) -> str:
    """Returns `, did you mean 'NAME'?` for the first name in a message that is near to a known one."""
    choice = _CHOICE.search(message)
    if choice is not None:
        return suggestion(choice[1], re.findall(r"[\w.-]+", choice[2]))
    if not message.startswith("unrecognized arguments: "):
        return ""
    known = _FLAG.findall(parser.format_help())
    unknown = _FLAG.findall(message.partition(";")[0])
    hints = (suggestion(flag, known) for flag in unknown)
    return next(filter(None, hints), f" ({parser.prog} --help lists the options)" if unknown else "")
