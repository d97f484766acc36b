"""`relax-run --check --bisect` finds miscompiles that are planted after passes."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
import xdsl_relax
from harness.planted import PLANTS
from xdsl_relax.runtime.bisection.case import number_of_ops
from xdsl_relax.tools.relax_run import main


@pytest.mark.sweep
@pytest.mark.parametrize("name", PLANTS)
def test_a_planted_miscompile_is_found(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plant = PLANTS[name]
    source, reduced = tmp_path / "program.mlir", tmp_path / "reduced.mlir"
    source.write_text(plant.program)
    sizes = [word for symbol, size in plant.sizes.items() for word in ("--dim", f"{symbol}={size}")]
    command = [str(source), "--check", "--bisect", "--reduced", str(reduced), *plant.options, *sizes]
    with plant.planted():
        assert main(command) == 1
        lines = capsys.readouterr().out.splitlines()
        accused = [line for line in lines if "differs after" in line or "suspected" in line]
        assert len(accused) == 1 and plant.pass_name in accused[0], lines
        assert number_of_ops(xdsl_relax.load(reduced)) <= min(3, number_of_ops(xdsl_relax.load(source)) - 1)
        # The command that it prints shows what is wrong, and only with the plant. (Passes run twice, which may undo it in the end.)
        printed = shlex.split(lines[-1].removeprefix("bisect: "))
        assert printed[:2] == ["relax-run", str(reduced)]
        assert main([*printed[1:], "--bisect", "--reduced", str(tmp_path / "again.mlir")]) == 1
    assert main(printed[1:]) == 0


def test_a_right_program_is_said_to_be_right(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "program.mlir"
    source.write_text(PLANTS["loops, a tail less"].program)
    assert main([str(source), "--check", "--bisect", "--reduced", str(tmp_path / "reduced.mlir")]) == 0
    assert "agrees with the interpreter after each pass" in capsys.readouterr().out
    assert not (tmp_path / "reduced.mlir").exists()


def test_bisect_needs_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "program.mlir"
    source.write_text(PLANTS["loops, a tail less"].program)
    assert main([str(source), "--bisect"]) == 1
    assert "--bisect needs --check" in capsys.readouterr().err
