"""The IR in docs/lifting.md is what the passes make of the program at its start."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from xdsl_relax.tools.relax_opt import main

PAGE = Path(__file__).parents[3] / "docs" / "lifting.md"
BLOCK = re.compile(r"<!-- ([^>]*) -->\n```mlir\n(.*?)\n```", re.DOTALL)


def blocks() -> dict[str, str]:
    """The programs of the page by the pass that makes them; that at the start is `before`."""
    return {name: text for name, text in BLOCK.findall(PAGE.read_text())}


def result_of(pipeline: str, program: str, folder: Path) -> str:
    """What relax-opt prints, without the module around it."""
    source, target = folder / "in.mlir", folder / "out.mlir"
    source.write_text(program)
    assert main([str(source), "-p", pipeline, "-o", str(target)]) == 0
    lines = target.read_text().strip().split("\n")
    assert lines[0] == "builtin.module {" and lines[-1] == "}"
    return "\n".join(line.removeprefix("  ") for line in lines[1:-1])


@pytest.mark.parametrize("pipeline", [name for name in blocks() if name != "before"])
def test_the_page_shows_what_the_pass_does(pipeline: str, tmp_path: Path):
    programs = blocks()
    assert result_of(pipeline, programs["before"], tmp_path) == programs[pipeline]


def test_the_page_has_three_modes():
    assert len(blocks()) == 4


if __name__ == "__main__":
    # Writes the page anew after a change: python tests/unit/docs/test_lifting_page.py
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "/tmp")
    old_blocks = blocks()
    text = PAGE.read_text()
    for name, old in old_blocks.items():
        if name != "before":
            text = text.replace(
                f"<!-- {name} -->\n```mlir\n{old}",
                f"<!-- {name} -->\n```mlir\n{result_of(name, old_blocks['before'], folder)}",
            )
    PAGE.write_text(text)
