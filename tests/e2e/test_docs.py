"""What the documentation shows is what the commands print, and its Python runs.

A block that starts with ```console holds a command after `$ ` and its output; one that starts with ```console-error holds a command that
fails. `python tests/e2e/test_docs.py` writes the outputs anew.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from xdsl_relax.targets.cpu import TARGET_VARIABLE

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
CONSOLE = re.compile(r"^```console(-error)?\n\$ (.*?)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
PYTHON = re.compile(r"(?<=^```python\n)(.*?)(?=^```$)", re.DOTALL | re.MULTILINE)
SHOWN = "x86-64"
"""Rounding depends on the CPU: pages show that of one which every x86 machine is."""


def run(command: str) -> tuple[str, int]:
    """Returns the output and the exit status of a shell command, run from the root of the project with the tools of this environment.

    A pipe fails where any of its commands does, but for one that is cut off by `head`.
    """
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        cwd=ROOT,
        env={**os.environ, "PATH": path, "COLUMNS": "120", TARGET_VARIABLE: SHOWN},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return trimmed(done.stdout), done.returncode


SEGMENT = re.compile(r"""(?:'[^']*'|"[^"]*"|[^|'"])+""")
"""What a pipe is made of."""


def run_here(command: str) -> tuple[str, int]:
    """Returns what `run` does, of pipes of which our tools are run in this process; what else a shell does, it does."""
    from harness.in_process_tools import run_tool, tools

    segments = [segment.strip() for segment in SEGMENT.findall(command)]
    if "&&" in command or not any(segment.split()[0] in tools() for segment in segments):
        return run(command)
    data, failed = b"", 0
    for segment in segments:
        words = shlex.split(segment)
        joined = words[-1] == "2>&1"
        if words[0] in tools():
            status, out, err = run_tool(tools()[words[0]], words[1 : len(words) - joined], data)
            data = out + (err if joined or segment == segments[-1] else b"")
        else:
            done = subprocess.run(["bash", "-c", segment], cwd=ROOT, input=data, stdout=subprocess.PIPE, check=False)
            status, data = done.returncode, done.stdout
        failed = status or failed
    return trimmed(data.decode()), failed


def trimmed(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.rstrip().splitlines()) + "\n"


def console_blocks() -> list[tuple[str, bool, str, str]]:
    return [
        (page.name, bool(fails), command, output)
        for page in PAGES
        for fails, command, output in CONSOLE.findall(page.read_text())
    ]


@pytest.mark.parametrize(("page", "fails", "command", "output"), console_blocks())
def test_command_prints_what_the_page_shows(page, fails, command, output, monkeypatch):
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv(TARGET_VARIABLE, SHOWN)
    assert output.strip(), f"{page}: the block of {command!r} shows nothing"
    if " cc " in command and shutil.which("cc") is None:
        pytest.skip("needs a C compiler: cc")
    printed, status = run_here(command)
    assert (status != 0) == fails, f"{page}: {command!r} exits with {status}: {printed}"
    assert printed == output, f"{page}: run python tests/e2e/test_docs.py to write it anew"


@pytest.mark.parametrize(
    "page",
    [
        "README.md",
        "docs/aot.md",
        "docs/builder.md",
        "docs/calls.md",
        "docs/nn.md",
        "docs/schedules.md",
        "docs/stages.md",
    ],
)
def test_python_runs(page, monkeypatch):
    monkeypatch.chdir(ROOT)
    blocks = PYTHON.findall((ROOT / page).read_text())
    assert blocks
    for block in blocks:
        exec(compile(block, page, "exec"), {})


def update() -> None:
    """Writes the output of every command into its page."""
    for page in PAGES:
        text = page.read_text()
        page.write_text(
            CONSOLE.sub(lambda block: f"```console{block[1] or ''}\n$ {block[2]}\n{run(block[2])[0]}```", text)
        )


if __name__ == "__main__":
    update()
