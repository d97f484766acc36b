"""A sample of random programs; `python -m tests.fuzz` runs as many as one likes."""

import os
import random
import shlex
import signal
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
import xdsl_relax
from fuzz import control_flow, mutants, programs, worker
from fuzz.boundaries import check_boundaries
from fuzz.check import CONFIGURATIONS, PASSES, Failure, check, in_child
from fuzz.conditioning import Expectation
from fuzz.mutants import check_mutants, kinds, mutant_of
from fuzz.programs import Plan, check_seed, cut_seed
from fuzz.scope import Scope
from fuzz.session import Session
from fuzz.structure import generate
from fuzz.worker import Worker
from harness.planted import PLANTS
from harness.sampling import sampled
from rich.console import Console
from xdsl.dialects.builtin import ModuleOp, f32
from xdsl_relax.dialects.relax.attrs import tensor_type
from xdsl_relax.dialects.relax.ops.binary import AddOp
from xdsl_relax.interpreter.engine import Interpreter
from xdsl_relax.runtime.bisection.case import Case, computations
from xdsl_relax.runtime.bisection.cutter import cut
from xdsl_relax.tools.relax_run import main as relax_run


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(60))
def test_program(seed):
    rng = random.Random(seed)
    program = generate(seed, rng.choice((1, 2, 4, 7)))
    configuration = CONFIGURATIONS[seed % len(CONFIGURATIONS)]
    assert check(program.module, program.arguments, [configuration], rng.sample(PASSES, 2)) is None


def test_same_seed_same_program():
    assert str(generate(11).module) == str(generate(11).module)


def test_what_a_loop_carries_keeps_its_size_where_the_type_does_not_say_it():
    s = Scope(random.Random(0), Interpreter(ModuleOp([])), 1)
    unsaid = tensor_type([None], f32)
    short, long, other = (s.argument(unsaid, [np.zeros(size, np.float32)]) for size in (2, 4, 2))
    assert control_flow.alike(s, short) == [short, other]
    assert control_flow.alike(s, long) == [long]


def test_a_size_that_is_not_said_is_not_broadcast():
    s = Scope(random.Random(0), Interpreter(ModuleOp([])), 1)
    unsaid = tensor_type([None], f32)
    single, long, other = (s.argument(unsaid, [np.zeros(size, np.float32)]) for size in (1, 4, 4))
    s.loose.update(value.ssa for value in (single, long, other))
    assert s.apply(AddOp, single, long) is None
    assert s.apply(AddOp, long, other) is not None


@pytest.mark.parametrize("seed", range(20))
def test_a_program_is_checked_at_two_levels(seed: int):
    first, second = programs.plan_of(seed, False).configurations
    assert first.level == 2 != second.level


def test_a_worker_says_of_which_program_what_goes_wrong(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(worker, "SECONDS", 1)
    checked: list[int] = []

    def check_number(seed: int) -> Failure | None:
        checked.append(seed)
        match seed:
            case 3:
                os.kill(os.getpid(), signal.SIGKILL)
            case 5:
                return Failure("wrong", "a number")
            case 7 if len(checked) > 1:
                return Failure("wrong", "as others came before")
            case 8:
                raise KeyError("seed")
            case _:
                return None

    checker = Worker(check_number)
    failures = {seed: checker.failure_of(seed) for seed in range(10)}
    checker.close()
    assert {seed: failure.kind for seed, failure in failures.items() if failure is not None} == {
        3: "crash",
        5: "wrong",
        7: "fuzzer: wrong, alone nothing",
        8: "fuzzer: KeyError",
    }
    assert failures[3] is not None and failures[3].message == "SIGKILL"
    assert failures[7] is not None and failures[7].message == "after [4, 5, 6]: as others came before"
    assert checked == []


def test_a_worker_ends_what_does_not_end(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(worker, "SECONDS", 1)
    monkeypatch.setattr(worker, "in_child", lambda function: in_child(function, 1))

    def check_number(seed: int) -> Failure | None:
        while seed == 1:
            pass
        return None

    checker = Worker(check_number)
    failures = [checker.failure_of(seed) for seed in range(3)]
    checker.close()
    assert failures == [None, Failure("crash", "no end after 1 s"), None]


FLOOR = """
func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xi32>) {
  %e = relax.exp %x : (tensor<2xf32>) -> tensor<2xf32>
  %f = relax.floor %e : (tensor<2xf32>) -> tensor<2xf32>
  %i = relax.astype %f {dtype = i32} : (tensor<2xf32>) -> tensor<2xi32>
  return %e, %f, %i : tensor<2xf32>, tensor<2xf32>, tensor<2xi32>
}
"""


def test_only_what_rounding_decides_may_differ():
    module = xdsl_relax.load(FLOOR)
    # exp(ln 3) is 3 up to rounding, exp(1) is far from an integer.
    expectation = Expectation(module, "main", [np.array([np.log(3), 1], np.float32)])
    e, f, i = (np.array(array) for array in expectation.results)
    near = np.array([2, 2], np.float32), np.array([3, 2], np.float32)
    assert all(expectation.mismatch([e, array, array.astype(np.int32)]) is None for array in near)
    assert expectation.mismatch([e, np.array([f[0], 3], np.float32), i]) is not None
    assert expectation.mismatch([e, f, np.array([i[0], 1], np.int32)]) is not None
    assert expectation.mismatch([e * np.float32(1.001), f, i]) is not None
    assert expectation.mismatch([e, f]) is not None


def test_the_cutter_keeps_what_fails():
    program = generate(14, 20)
    whole = Case(program.module, "main", tuple(tuple(run) for run in program.arguments))
    names = [op.name for op in computations(whole.function)]
    last = next(name for name in reversed(names) if name.startswith("relax.") and name != "relax.dataflow")

    def fails(case: Case) -> bool:
        return any(op.name == last for op in case.function.walk())

    small = cut(whole, fails)
    assert len(computations(small.function)) <= 3 < len(names)
    assert fails(small) and check(small.module, small.runs, [], []) is None


MUTANTS = {"text": 4000, "optimized text": 1000, "graph": 5000, "safetensors": 9900, "tvm": 100}


@pytest.mark.parametrize("name", MUTANTS)
def test_mutated_files_are_read_or_refused(name: str):
    if name not in kinds():
        pytest.skip("tvm is not installed")
    assert check_mutants(name, sampled(range(MUTANTS[name]), lambda seed: f"{name} {seed}")) == []


def test_a_mutant_that_hangs_or_takes_memory_is_reported(monkeypatch: pytest.MonkeyPatch):
    def read(data: bytes) -> None:
        if data == mutant_of("text", 3):
            bytearray(2 * mutants.MEMORY)
        while data == mutant_of("text", 5):
            pass

    monkeypatch.setattr(mutants, "SECONDS", 1)
    monkeypatch.setitem(kinds(), "text", replace(kinds()["text"], read=read))  # pyright: ignore[reportArgumentType]
    failures = check_mutants("text", (5, 3, 4))
    assert [(seed, failure.kind) for seed, failure in failures] == [(5, "crash"), (3, "MemoryError")]
    assert "no end after 1 s" in failures[0][1].message


@pytest.mark.parametrize("seed", range(4))
def test_sizes_that_do_not_fit(seed: int):
    assert in_child(lambda: check_boundaries(seed)) is None


def test_a_failure_is_written_so_that_relax_run_reads_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    plant = PLANTS["inferred shapes, rows kept"]
    with plant.planted():
        seed = next(seed for seed in range(100) if "relax.tril" in str(generate(seed, 20).module))
        failure = Failure("pass relax-infer-shapes", "")
        with patch.object(programs, "plan_of", lambda seed, thorough: Plan((), ("relax-infer-shapes",))):
            if in_child(lambda: check_seed(seed, False, 20)) is None:
                pytest.skip("the rows of this program are alike")
            command = cut_seed(seed, failure, False, 20, tmp_path / "seed.mlir", lambda text: None)
        words = shlex.split(command)
        assert relax_run([str(tmp_path / words[1]), *words[2:]]) == 1
    assert relax_run([str(tmp_path / words[1]), *words[2:]]) == 0


def test_a_session_ends_with_a_table(capsys: pytest.CaptureFixture[str]):
    session = Session(0, None, size=3, console=Console(width=80))
    session.run(("programs", "mutants"), None, 2)
    session.print_table()
    assert session.checked["programs"] == 2 and "programs" in capsys.readouterr().out
