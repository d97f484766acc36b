"""Headers of safetensors files are accepted where the safetensors library accepts them, and nowhere else."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from safetensors import SafetensorError, safe_open
from xdsl_relax.interpreter.host.errors import ArgumentError
from xdsl_relax.runtime.params.safetensors_file import SafetensorsFile

GOOD = {
    "__metadata__": {"a": "b"},
    "x": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]},
    "e": {"dtype": "I8", "shape": [0], "data_offsets": [24, 24]},
    "y": {"dtype": "U8", "shape": [4], "data_offsets": [24, 28]},
}
DATA = bytes(28)


def written(path: Path, header: bytes, data: bytes = DATA) -> Path:
    path.write_bytes(len(header).to_bytes(8, "little") + header + data)
    return path


def names_by_library(path: Path) -> list[str] | None:
    try:
        with safe_open(path, "numpy") as file:
            return sorted(file.keys())
    except SafetensorError:
        return None


def names_by_us(path: Path) -> list[str] | None:
    try:
        return sorted(SafetensorsFile(path))
    except ArgumentError:
        return None


def changed(**entries: Any) -> bytes:
    return json.dumps({**GOOD, **entries}).encode()


@pytest.mark.parametrize(
    ("header", "data", "reason"),
    [
        (changed(y={"dtype": "U8", "shape": [4], "data_offsets": [20, 24]}), DATA[:24], "begins at byte 20"),
        (changed(y={"dtype": "U8", "shape": [3], "data_offsets": [25, 28]}), DATA, "begins at byte 25"),
        (changed(), bytes(30), "ends 2 bytes before the file"),
        (changed(), bytes(27), "does not fit its shape or the file"),
        (changed(y={"dtype": "U8", "shape": [4.0], "data_offsets": [24, 28]}), DATA, "does not fit its shape"),
        (changed(y={"dtype": "U8", "shape": [True, 4], "data_offsets": [24, 28]}), DATA, "does not fit its shape"),
        (changed(e={"dtype": "I8", "shape": [2**40, 2**40, 0], "data_offsets": [24, 24]}), DATA, "does not fit"),
        (changed(__metadata__={"a": 1}), DATA, "__metadata__ is no object of strings"),
        (changed(__metadata__=[]), DATA, "__metadata__ is no object of strings"),
        (json.dumps(GOOD).encode("utf-16"), DATA, "not JSON"),
        (changed(y={"dtype": "U8", "shape": [4], "data_offsets": [24, 28], "more": float("nan")}), DATA, "not JSON"),
        (b"[]", b"", "no JSON object"),
    ],
)  # fmt: skip
def test_a_header_that_does_not_describe_the_file_is_refused(
    header: bytes, data: bytes, reason: str, tmp_path: Path
) -> None:
    path = written(tmp_path / "a.safetensors", header, data)
    with pytest.raises(ArgumentError, match=reason):
        SafetensorsFile(path)
    assert names_by_library(path) is None


VALUES = (
    None, True, {}, [], [None], [0, 4], [24, 28], [4, 28], [0, 24], [28, 28], [0, 0], [1.0], [True], [2**64, 0], [0, 2**64],
    [2**63, 2, 0], [-1], [6], [2, 3], [3, 2], [28], "F16", "BOOL", "I64", "f32", "U8",
)  # fmt: skip


def mutant(rng: random.Random) -> tuple[bytes, bytes]:
    """Returns a header with a changed byte or a changed entry, and data of mostly the right size."""
    text = bytearray(json.dumps(GOOD).encode())
    position = rng.randrange(len(text))
    match rng.randrange(5):
        case 0:
            text[position] = rng.choice(b'0123456789"{}[],:. \x00eE\xff')
        case 1:
            del text[position]
        case 2:
            text.insert(position, rng.choice(b'0123456789"{}[],:. \x00'))
        case _:
            header = json.loads(text)
            header[rng.choice("xye")][rng.choice(("dtype", "shape", "data_offsets"))] = rng.choice(VALUES)
            text = bytearray(json.dumps(header).encode())
    return bytes(text), DATA[: rng.choice((28,) * 40 + (0, 24, 27))] + bytes(rng.choice((0,) * 40 + (1, 5)))


def test_mutated_headers_are_accepted_as_by_the_library(tmp_path: Path) -> None:
    rng = random.Random(0)
    accepted = 0
    for _ in range(1500):
        path = written(tmp_path / "mutant.safetensors", *mutant(rng))
        expected = names_by_library(path)
        assert names_by_us(path) == expected, path.read_bytes()
        accepted += expected is not None
    assert accepted > 50
