"""From a module at any stage to an executable."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import DiagnosticException

from ..collector import collector_paused
from ..dialects.nearest_name import with_known_options
from ..dialects.relax.program import verify_program
from ..dialects.upstream.known_elements import verify_known_elements
from ..dialects.upstream.located_parser import parse_module
from ..dialects.upstream.nesting import TOO_DEEP
from ..extensions import run_pass
from ..interpreter.evaluating_context import EvaluatingContext, Evaluator
from ..lowering.check_legality import verify_callees, verify_enters
from ..lowering.pipeline import STAGES, Lift, Settings
from ..lowering.pipeline_spec import PipelineSpecError, parse_pass_pipeline
from ..targets.cpu import NATIVE, cpu_target, default_target
from ..targets.llvm_ir.to_ir import print_llvm_ir
from ..universe import multiverse
from .executable.executable import Executable
from .interface.json_form import sealed
from .interface.read_module import InterfaceReader
from .interface.record import Interface
from .link import executable_of
from .machine.conversions import runtime_support
from .machine.jit import emit_object
from .source import Source, read_source

Observer = Callable[[str, ModuleOp, float], None]
"""Called after each pass with its name, the module, and the seconds it took."""


Passes: TypeAlias = str | Sequence[str | ModulePass]
"""A pipeline in the syntax of `relax-opt -p`, or a list of such and of passes."""


def relax_context() -> Context:
    """Returns a context with the dialects of all packages, in which passes compute large constants by native code."""
    ctx = EvaluatingContext(make_evaluator=constant_evaluator)
    for name, factory in multiverse().all_dialects.items():
        ctx.register_dialect(name, factory)
    return ctx


def constant_evaluator() -> Evaluator:
    """Returns what computes ops on constants, compiled by `compile` where they are large."""
    from .constant_evaluator import ConstantEvaluator

    return ConstantEvaluator(lambda module: compile(module, target=NATIVE))


def available_passes() -> dict[str, Callable[[], type[ModulePass]]]:
    """Returns the passes of all packages, by name."""
    return multiverse().all_passes


def load(program: str | Path | Source) -> ModuleOp:
    """Parses and verifies a module from its text or file; raises xDSL's `ParseError` or `VerifyException`.

    A string of one line that ends in `.mlir` is the name of a file.
    """
    source = program if isinstance(program, Source) else read_source(program)
    module = parse_module(relax_context(), source.text, source.file)
    verify_program(module)
    return module


@with_known_options
def compile(
    program: ModuleOp | str | Path | Source,
    *,
    opt_level: int = 2,
    threads: int = 1,
    lift: Lift = False,
    target: str | None = None,
    bounds_checks: bool = True,
    profile: bool = False,
    passes: Passes | Mapping[str, Passes] = (),
    observer: Observer | None = None,
) -> Executable:
    """Compiles a module, its text, or the file that holds it, to native code.

    The module may be at the relax stage, at the linalg stage, or mixed; it is not changed. `passes` run first: a pipeline in the
    syntax of `relax-opt -p`, whose passes are for `target` unless they name another CPU, or a list of pipelines and of xDSL's pass
    objects, which are as they were made. A mapping from stages says what runs before each: `{"graph": "relax-offload-blas"}`.
    `opt_level` is 0 to 3 (docs/stages.md). With `lift`, functions with `relax.num_input` take what
    `Executable.transform_params` makes of their parameters, and nothing that depends on parameters alone is computed in a call;
    with `lift="shared"` all of them take one set, for which they must have the same parameters.
    `threads` is the number of threads of one call; 0 leaves it to `OMP_NUM_THREADS` or the processors that this
    process may use, at the time of the call.
    With `profile` the code measures itself (docs/profile.md).
    Without `bounds_checks`, `tensor` ops of other front ends may read and write outside of their operands where the program is wrong.
    `target` names the CPU (docs/targets.md), by default this machine's; code for a CPU that this machine is not can be read from
    `Executable.code`, and calls of it raise `ForeignCodeError`. Raises xDSL's `ParseError`, `VerifyException` and
    `PassFailedException` for a bad program, `PipelineSpecError` for passes and stages that do not exist.
    """
    if target is not None and not isinstance(target, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(f"target: expected the name of a CPU, got {target!r}")
    if observer is not None and not callable(observer):  # pyright: ignore[reportUnnecessaryComparison]
        raise TypeError(f"observer: expected a function of a name, a module and seconds, got {observer!r}")
    with collector_paused():
        name = cpu_target(default_target() if target is None else target).name
        settings = Settings(
            opt_level=opt_level, threads=threads, lift=lift, bounds_checks=bounds_checks, profile=profile, target=name
        )
    return executable_of(*compile_code(program, settings, passes=passes, observer=observer))


def compile_code(
    program: ModuleOp | str | Path | Source,
    settings: Settings,
    *,
    passes: Passes | Mapping[str, Passes] = (),
    observer: Observer | None = None,
    exports: str | None = None,
) -> tuple[Interface, bytes]:
    """Returns the interface record and the object code of a program.

    With `exports` what the object defines for others has names of C that begin so, and all constants are in it, so that several objects
    can be linked into one program.
    """
    with collector_paused():
        try:
            return _compile(program, settings, passes, observer, exports)
        except RecursionError:
            # Not `from` the error: its traceback is a thousand frames of no use.
            raise DiagnosticException(TOO_DEEP) from None


def _compile(
    program: ModuleOp | str | Path | Source,
    settings: Settings,
    passes: Passes | Mapping[str, Passes],
    observer: Observer | None,
    exports: str | None,
) -> tuple[Interface, bytes]:
    module = program.clone() if isinstance(program, ModuleOp) else load(program)
    verify_enters(module)
    ctx = relax_context()
    known = available_passes()
    given = _by_stage(passes, known, settings)
    reader = InterfaceReader()
    # Lifting changes what functions take, until what depends on parameters alone is complete.
    boundary = "graph" if settings.lift else "optimize"
    for stage in STAGES:
        for item in given.get(stage, ()):
            _run(item, ctx, module, observer)
        if stage == "optimize":
            verify_known_elements(module)
            verify_callees(module)
        if stage == boundary:
            reader.read_relax(module)
        if stage == "llvm":
            reader.read_loops(module)
        for item in pipeline_of(settings.passes_of(stage), known):
            _run(item, ctx, module, observer)
    if exports is not None:
        for item in pipeline_of(f"export-functions{{prefix={exports}}}", known):
            _run(item, ctx, module, observer)
    interface = reader.finish(module, settings.target, settings.threads)
    if exports is not None:
        interface = replace(interface, constants=())
    code = object_code(module, settings, embed_constants=exports is not None)
    return sealed(interface, code), code


def optimized(
    program: ModuleOp | str | Path | Source, settings: Settings, passes: Passes | Mapping[str, Passes] = ()
) -> ModuleOp:
    """Returns a program after the stage `optimize`, as it enters the stages behind it."""
    module = program.clone() if isinstance(program, ModuleOp) else load(program)
    ctx, known = relax_context(), available_passes()
    for item in (
        *_by_stage(passes, known, settings).get("optimize", ()),
        *pipeline_of(settings.passes_of("optimize"), known),
    ):
        _run(item, ctx, module, None)
    return module


def object_code(module: ModuleOp, settings: Settings, *, embed_constants: bool = False) -> bytes:
    """Returns the object file of a module at the llvm stage."""
    ir = print_llvm_ir(module, embed_constants=embed_constants)
    # LLVM's mid-level pipeline brings nothing: what is emitted has its vectors and its order, which it took apart in convolutions.
    return emit_object(ir + runtime_support(ir), cpu_target(settings.target))


def _by_stage(
    passes: Passes | Mapping[str, Passes], known: Mapping[str, Callable[[], type[ModulePass]]], settings: Settings
) -> dict[str, list[ModulePass]]:
    """Returns the passes that run before each stage. Raises `PipelineSpecError` for a stage that does not exist."""
    by_stage = passes if isinstance(passes, Mapping) else {next(iter(STAGES)): passes}
    unknown = [stage for stage in by_stage if stage not in STAGES]
    if unknown:
        raise PipelineSpecError(f"there is no stage {unknown[0]!r}, expected one of {', '.join(STAGES)}")
    return {stage: pipeline_of(given, known, settings.target, settings.threads) for stage, given in by_stage.items()}


def pipeline_of(
    passes: Passes,
    known: Mapping[str, Callable[[], type[ModulePass]]],
    target: str | None = None,
    threads: int | None = None,
) -> list[ModulePass]:
    """Returns the passes that pipelines in text stand for, for `target` and so many threads unless told so, and those that are passes
    already, in order.
    """
    items = [passes] if isinstance(passes, str) else passes
    result: list[ModulePass] = []
    if not isinstance(items, Sequence) or not all(isinstance(item, str | ModulePass) for item in items):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(
            f"passes: expected a pipeline as text, or a list of such and of pass objects, got {passes!r:.60}"
        )
    for item in items:
        result += (item,) if isinstance(item, ModulePass) else parse_pass_pipeline(item, known, {}, target, threads)
    return result


def _run(item: ModulePass, ctx: Context, module: ModuleOp, observer: Observer | None) -> None:
    start = time.perf_counter()
    run_pass(item, ctx, module)
    if observer is not None:
        observer(str(item.pipeline_pass_spec()), module, time.perf_counter() - start)
