"""docs/adding.md names files that exist, and shows the code that tests run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "adding.md").read_text()

TEXT = re.sub(r"^```.*?^```$", "", PAGE, flags=re.DOTALL | re.MULTILINE)
FOLDERS = ("dialects", "interpreter", "passes", "lowering", "targets", "runtime", "frontend", "tools", "tests", "docs")
PATHS = sorted({path for path in re.findall(r"`([\w./<>-]+)`", TEXT) if path.split("/")[0] in FOLDERS and "/" in path})

BLOCKS = re.findall(r"^`([\w./]+)`:\n```\w+\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


def test_the_page_names_files():
    assert len(PATHS) > 25


@pytest.mark.parametrize("path", PATHS)
def test_a_path_exists(path: str):
    """`<family>` and the like stand for any name."""
    assert any(ROOT.glob(re.sub(r"<\w+>", "*", path.rstrip("/")))), f"docs/adding.md names {path}"


def test_a_family_has_every_file_of_its_row():
    """What the page says of every family holds for one that has all of it."""
    (row,) = [line for line in PAGE.splitlines() if line.startswith("| an op |")]
    paths = [path for path in re.findall(r"`([\w./<>]+/[\w./<>]+)`", row)]
    assert len(paths) == 7
    for family in ("binary", "reduction", "manipulate"):
        for path in paths:
            assert (ROOT / path.replace("<family>", family)).exists(), path


@pytest.mark.parametrize(("path", "code"), BLOCKS, ids=[path for path, _ in BLOCKS])
def test_a_block_is_the_whole_file(path: str, code: str):
    assert code == (ROOT / path).read_text()


def test_the_page_shows_each_module_of_the_package():
    modules = {path.name for path in (ROOT / "tests" / "out_of_tree").rglob("*.py")} - {"__init__.py"}
    assert {Path(path).name for path, _ in BLOCKS} == modules | {"pyproject.toml", "swish.mlir"}
