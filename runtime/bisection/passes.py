"""The first pass after which the results of a program differ.

The interpreter runs programs up to the end of the stage `fuse`, so each pass until then is judged by itself. What follows is judged by
native code: first as a whole, then kernel by kernel (`kernels`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import DiagnosticException, VerifyException

from ...dialects.relax.program import drop_stale_attributes, verify_program
from ...extensions import run_pass
from ...interpreter.rule import InterpreterError
from ...lowering.pipeline import STAGES, Settings
from ...records import record
from ..compiler import available_passes, pipeline_of, relax_context
from ..compiler import compile as compile_module
from ..interpreted import interpret
from ..session import host_call
from ..signatures import signatures
from .case import Agrees, Case, arguments_of, copied, first_disagreement, results_of
from .isolated import Returned, isolated
from .reference import Reference

INTERPRETED = ("optimize", "graph", "linalg", "fuse")
"""The stages whose programs the interpreter runs."""
NATIVE = tuple(stage for stage in STAGES if stage not in INTERPRETED)


@record
class Step:
    """A pass, and the stage that it belongs to; the stage is empty for passes that the caller asked for."""

    stage: str
    item: ModulePass

    def __str__(self) -> str:
        return str(self.item.pipeline_pass_spec())


@record
class Request:
    """How a program is compiled: passes that run first, and the settings of the stages."""

    first: tuple[ModulePass, ...] = ()
    settings: Settings = field(default_factory=Settings)
    agrees: Agrees = first_disagreement
    seconds: int = 120
    native: bool = True
    """Whether native code is judged too."""

    def steps(self) -> Iterator[Step]:
        """Yields the passes whose results the interpreter can run, in order."""
        for item in self.first:
            yield Step("", item)
        for stage in INTERPRETED if self.native else ():
            for item in pipeline_of(self.settings.passes_of(stage), available_passes()):
                if item.name != "check-legality":
                    yield Step(stage, item)

    def compiled(self, module: ModuleOp) -> Any:
        """Returns the executable of a module to which the first passes have been applied."""
        s = self.settings
        return compile_module(
            module, opt_level=s.opt_level, threads=s.threads, target=s.target, bounds_checks=s.bounds_checks
        )


@record
class Difference:
    """Where results first differ, and how: after a pass, or in native code alone (`step` is `None`)."""

    step: Step | None
    reason: str
    passed: int = 0
    """How many passes left the results as they are."""
    spread: Mapping[str, int] = field(default_factory=dict[str, int])
    """The elements that Winograd's products made NaN or infinite, as they may, behind which passes."""

    @property
    def culprit(self) -> str:
        """The pass, or what stands for the passes that only native code shows."""
        return "native code" if self.step is None else str(self.step)


def first_difference(
    case: Case, request: Request, reference: Reference, progress: Callable[[str], None] = lambda _: None
) -> Difference | None:
    """Returns where the results of a program first differ from those of the interpreter; `None` if they do nowhere."""
    module = case.module.clone()
    count = 0
    before = module.clone()
    for step in request.steps():
        progress(f"after {step}")
        reason = apply_step(step, module)
        # Running a large program takes longer than comparing it with what it was.
        if reason is None and not module.is_structurally_equivalent(before):
            reason = _disagreement_after(step, case, before, module, reference)
            before = module.clone()
        if reason is not None:
            return Difference(step, reason, count, reference.spread)
        count += 1
    if not request.native:
        return None
    progress("native code")
    reason = native_disagreement(case, request, reference)
    return None if reason is None else Difference(None, reason, count, reference.spread)


def differs_after(case: Case, request: Request, difference: Difference) -> bool:
    """Returns whether a program shows a difference: the results agree before the pass, and differ after it."""
    try:
        reference = Reference(case, request.agrees)
    except InterpreterError:
        return False
    module = case.module.clone()
    # Invariant: no pass so far but the culprit, where it ran before, has failed; a program on which another one fails shows something else.
    for step in request.steps():
        is_culprit = str(step) == difference.culprit
        if is_culprit and disagreement(case, module, reference) is not None:
            return False
        spreads = reference.may_spread(step.item.name)
        before = module.clone() if spreads else module
        reason = apply_step(step, module)
        if reason is None and (is_culprit or spreads):
            failed = _disagreement_after(step, case, before, module, reference) is not None
            if is_culprit and failed:
                return True
        elif reason is not None:
            return is_culprit
    if difference.step is not None or disagreement(case, module, reference) is not None:
        return False
    return native_disagreement(case, request, reference) is not None


def disagreement(case: Case, module: ModuleOp, reference: Reference) -> str | None:
    """Returns how the results of the interpreter on a module that passes made differ from those expected."""
    results = _interpreted(case, module)
    return results if isinstance(results, str) else reference.disagreement(results)


def _disagreement_after(step: Step, case: Case, before: ModuleOp, after: ModuleOp, reference: Reference) -> str | None:
    """Returns the same of what a pass made, but for what it may change."""
    results = _interpreted(case, after)
    if isinstance(results, str):
        return results
    reference.excuse(step.item.name, before, after, results)
    return reference.disagreement(results)


def _interpreted(case: Case, module: ModuleOp) -> list[Sequence[Any]] | str:
    """Returns the results of the interpreter for each run, or why there are none."""
    original = signatures(case.module)[case.entry]
    call = host_call(interpret(module), signatures(module))
    all_results: list[Sequence[Any]] = []
    for run in case.runs:
        try:
            results = call(case.entry, *arguments_of(original, copied(run), module, call))
        except InterpreterError as error:
            return f"the interpreter refuses the program: {error}"
        all_results.append(results_of(original, module, results))
    return all_results


def native_disagreement(case: Case, request: Request, reference: Reference) -> str | None:
    """Returns how the results of native code differ from those expected, or how the process ended that computes them."""

    def compute() -> str | None:
        module = case.module.clone()
        for step in request.steps():
            if step.stage:
                break
            apply_step(step, module)
        functions = signatures(module)
        original = signatures(case.module)[case.entry]
        executable = request.compiled(module)
        call = host_call(lambda name, *args: executable[name].call(*args), functions)
        for number, run in enumerate(case.runs):
            results = call(case.entry, *arguments_of(original, copied(run), module, call))
            reason = reference.of_run(number, results)
            if reason is not None:
                return reason
        return None

    outcome = isolated(compute, request.seconds)
    return outcome.value if isinstance(outcome, Returned) else str(outcome)


def apply_step(step: Step, module: ModuleOp) -> str | None:
    """Applies a pass; returns what is wrong with the program that it makes, or why it makes none."""
    try:
        run_pass(step.item, relax_context(), module)
        if step.stage in ("", "optimize", "graph"):
            drop_stale_attributes(module)
            verify_program(module)
    except VerifyException as error:
        return f"the program is not valid: {error}"
    except DiagnosticException as error:
        return f"the pass refuses the program: {error}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None
