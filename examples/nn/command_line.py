"""Options from the fields of a configuration, and the program to a file or to standard output."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, BooleanOptionalAction, Namespace, RawDescriptionHelpFormatter
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, TypeVar

from xdsl_relax.frontend import nn

Config = TypeVar("Config")


def add_options(parser: ArgumentParser, defaults: object) -> None:
    """Adds an option for each field of a configuration, such as `--hidden-size 64`, or `--channels 8,16` for a tuple."""
    for field in fields(defaults):  # pyright: ignore[reportArgumentType]
        value = getattr(defaults, field.name)
        option: dict[str, Any] = {"type": type(value), "metavar": type(value).__name__.upper()}
        if isinstance(value, bool):
            option = {"action": BooleanOptionalAction}
        elif isinstance(value, tuple):
            option = {"type": lambda text: tuple(map(int, text.split(","))), "metavar": "INT,..."}
        parser.add_argument(f"--{field.name.replace('_', '-')}", default=value, help=f"default: {value}", **option)


def config_of(arguments: Namespace, kind: type[Config]) -> Config:
    """Returns the configuration of a class that the options say."""
    return kind(**{field.name: getattr(arguments, field.name) for field in fields(kind)})  # pyright: ignore[reportArgumentType]


def parsed(description: str | None, defaults: Config) -> tuple[Config, str]:
    """Returns the configuration of the command line, and the path of the file to write."""
    parser = ArgumentParser(description=description, formatter_class=RawDescriptionHelpFormatter)
    add_options(parser, defaults)
    parser.add_argument("file", nargs="?", default="-", help="the file to write (default: standard output)")
    arguments = parser.parse_args()
    return config_of(arguments, type(defaults)), arguments.file


def write(model: nn.Module, spec: Mapping[str, Any], path: str) -> None:
    """Writes the program of a model to a file, or to standard output for `-`."""
    program, _ = model.export(spec)
    if path == "-":
        print(program)
        return
    with open(path, "w") as file:
        print(program, file=file)
    print(f"{path}: {', '.join(spec)}", file=sys.stderr)
