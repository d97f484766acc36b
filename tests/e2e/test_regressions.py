"""Programs that once failed: compiled in every configuration, and after each graph pass, against the interpreter.

Each `regressions/*.mlir` says what was wrong in its first line. The lines `// relax-run FILE --check ...` are commands, each of which says with which
sizes and arguments the program is called; without one, it has no symbols, and its arguments are random. `make fuzz` writes such files.
"""

import shlex
from pathlib import Path

import pytest
import xdsl_relax
from fuzz.check import CONFIGURATIONS, PASSES, check
from fuzz.structure import register_functions
from xdsl_relax.runtime.bisection.case import Case
from xdsl_relax.runtime.bisection.written import Command
from xdsl_relax.runtime.inputs import parse_assignments, parse_sizes
from xdsl_relax.tools.relax_run import main
from xdsl_relax.tools.run_options import parse_options

FOLDER = Path(__file__).parent / "regressions"
FILES = sorted(FOLDER.glob("*.mlir"))
MARK = "// relax-run "


def commands(text: str) -> list[Command]:
    """Returns how a program is called."""
    lines = [line.removeprefix(MARK) for line in text.splitlines() if line.startswith(MARK)] or ["FILE"]
    parsed = [parse_options(shlex.split(line)) for line in lines]
    return [
        Command(
            parse_sizes(args.dim),
            {int(index): _beside(spec) for index, spec in parse_assignments(args.input, "--input").items()},
            args.seed,
        )
        for args in parsed
    ]


def _beside(spec: str) -> str:
    """Returns a spec with the path of the file that it names."""
    return str(FOLDER / Path(spec).name) if spec.endswith(".npy") else spec


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_regression(path: Path):
    register_functions()
    module = xdsl_relax.load(path)
    case = Case(module, "main", ())
    runs = [command.arguments(case) for command in commands(path.read_text())]
    assert check(module, runs, CONFIGURATIONS, PASSES) is None


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_first_command_of_a_regression_runs(path: Path, monkeypatch: pytest.MonkeyPatch):
    register_functions()
    monkeypatch.chdir(FOLDER)
    lines = [line.removeprefix("// ") for line in path.read_text().splitlines() if line.startswith(MARK)]
    assert main(shlex.split(lines[0])[1:] if lines else [path.name, "--check"]) == 0
