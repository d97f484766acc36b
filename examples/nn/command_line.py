"""What the scripts here share: options from the fields of a configuration, the program in a file, errors in one line."""

from __future__ import annotations

import sys
from argparse import (
    SUPPRESS,
    ArgumentParser,
    ArgumentTypeError,
    BooleanOptionalAction,
    Namespace,
    RawDescriptionHelpFormatter,
)
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from typing import Any, TypeVar

from xdsl_relax.frontend import nn
from xdsl_relax.whole_file import write_text

Config = TypeVar("Config")

DTYPES = ("float32", "float16", "bfloat16", "float64")
"""What states and parameters may be of."""


def size(text: str) -> int:
    """Returns a positive number."""
    if not text.isdecimal() or int(text) == 0:
        raise ArgumentTypeError(f"expected a positive number, got {text!r}")
    return int(text)


def sizes(text: str) -> tuple[int, ...]:
    """Returns positive numbers with commas between them."""
    return tuple(map(size, text.split(",")))


def add_options(parser: ArgumentParser, defaults: object) -> None:
    """Adds an option for each field of a configuration, such as `--hidden-size 64`, or `--channels 8,16` for a tuple.

    Those that are not given are not there when they are parsed.
    """
    for field in fields(defaults):  # pyright: ignore[reportArgumentType]
        value = getattr(defaults, field.name)
        match value:
            case str() if field.name == "dtype":
                option: dict[str, Any] = {"choices": DTYPES}
            case bool():
                option = {"action": BooleanOptionalAction}
            case int():
                option = {"type": size, "metavar": "SIZE"}
            case tuple():
                option = {"type": sizes, "metavar": "SIZE,..."}
            case _:
                option = {"type": type(value), "metavar": type(value).__name__.upper()}
        parser.add_argument(f"--{field.name.replace('_', '-')}", default=SUPPRESS, help=f"default: {value}", **option)


def config_of(arguments: Namespace, base: Config) -> Config:
    """Returns a configuration with what the options say."""
    given = {field.name: getattr(arguments, field.name) for field in fields(base) if field.name in arguments}  # pyright: ignore[reportArgumentType]
    return replace(base, **given)  # pyright: ignore[reportArgumentType]


def parsed(description: str | None, defaults: Config) -> tuple[Config, str]:
    """Returns the configuration of the command line, and the path of the file to write."""
    parser = ArgumentParser(description=description, formatter_class=RawDescriptionHelpFormatter)
    add_options(parser, defaults)
    parser.add_argument("file", nargs="?", default="-", help="the file to write (default: standard output)")
    arguments = parser.parse_args()
    return config_of(arguments, defaults), arguments.file


def write(model: nn.Module, spec: Mapping[str, Any], path: str) -> None:
    """Writes the program of a model to a file, or to standard output for `-`."""
    program, _ = model.export(spec)
    if path == "-":
        print(program)
        return
    write_text(path, str(program) + "\n")
    print(f"{path}: {', '.join(spec)}", file=sys.stderr)


def run(main: Callable[[], object]) -> None:
    """Calls the main function of a script; what a user gave that does not fit ends it with one line."""
    try:
        main()
    except nn.ModelError as error:
        sys.exit(str(error))
    except (ValueError, OSError) as error:
        sys.exit(f"error: {error}")
