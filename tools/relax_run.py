"""`relax-run`: compile a program, call one of its functions, and say what came out."""

from __future__ import annotations

import argparse
import os
import sys
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from errno import ENOSPC, ENOTDIR
from pathlib import Path
from statistics import median
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from ..dialects.relax.program import drop_stale_attributes, verify_program
from ..dialects.relax.symbol_ranges import declared_ranges
from ..dialects.relax.vocabulary.attributes import PARAMS_FROM
from ..dialects.symbolic.expressions import DivisorError
from ..dialects.upstream.located_parser import parse_module
from ..frontend.graph_json import load_graph
from ..frontend.model.files import import_file, is_model_file
from ..frontend.model.problems import ModelError
from ..interpreter.host.errors import ArgumentError, FileError
from ..interpreter.host.packed_functions import UnregisteredError
from ..interpreter.rule import InterpreterError
from ..lowering.check_legality import verify_enters
from ..lowering.pipeline import Settings, pipelines
from ..lowering.pipeline_spec import parse_pass_pipeline
from ..passes.analysis.call_graph import named_functions
from ..passes.devices.plan_devices import PlanDevicesPass
from ..runtime.activation_memory import ActivationMemory, activation_memory
from ..runtime.bisection.case import Case
from ..runtime.bisection.passes import Request
from ..runtime.bisection.written import Command
from ..runtime.compare import compare
from ..runtime.compiler import compile as compile_module
from ..runtime.executable.arguments import Signature, signatures
from ..runtime.executable.executable import Executable, ExecutionError
from ..runtime.inputs import parse_assignments, parse_sizes
from ..runtime.machine.jit import ForeignCodeError
from ..runtime.params.parameter_set import ParameterSet
from ..runtime.session import Call, Values, choose_entry, host_call, interpret, param_source, save_results
from ..targets.cpu import cpu_target, default_target, lacking
from ..universe import multiverse
from ..version import package_version
from .bisection_report import kept, report_bisection
from .commands import run_command
from .diagnostics import diagnose, is_diagnosable, operation_of, says_its_position
from .multiverse import tool_context
from .report import Report, describe_type, duration, statistics

EXIT_BAD = 1
EXIT_INTERNAL = 2

SHOWN_PARAMS = 8

LIFTING_LEVEL = 2
"""The level from which parameters are transformed once before the calls, unless passes are given."""


def argument_parser() -> argparse.ArgumentParser:
    """Returns the parser of the command line."""
    parser = argparse.ArgumentParser(prog="relax-run", description=__doc__, allow_abbrev=False)
    add = parser.add_argument
    add("--version", action="version", version=f"relax-run {package_version()}")
    add("file", help="the program, in MLIR text ('-': standard input), a graph, in JSON, or a model, in ONNX")
    add("--entry", metavar="NAME", help="the function to call (default: main, or the only one)")
    add(
        "--input",
        action="append",
        default=[],
        metavar="ARG=SPEC",
        help="an argument, by name or position: a .npy file, random, zeros, ones, arange or a number (default: random)",
    )
    add("--dim", action="append", default=[], metavar="NAME=SIZE", help="the size of a symbolic dim (default: 4)")
    add(
        "--params",
        type=Path,
        action="append",
        metavar="FILE",
        help="parameters from a safetensors file, or several (default: random)",
    )
    add("--save-transformed", type=Path, metavar="FILE", help="write what the transform of parameters made")
    add("--transformed", type=Path, metavar="FILE", help="map such a file instead of running the transform")
    add("--seed", type=int, default=0, help="of the random values (default: 0)")
    add("--out", type=Path, metavar="DIR", help="write the results there, as result_0.npy, ...")
    add("--backend", choices=("native", "interpret"), default="native")
    add("--check", action="store_true", help="compare with the interpreter; exit 1 if they differ")
    add(
        "--bisect",
        action="store_true",
        help="with --check: name the pass and the kernels at fault, and write a small program",
    )
    add(
        "--reduced",
        type=Path,
        metavar="FILE",
        help="where --bisect writes it (default: FILE.reduced.mlir in this directory)",
    )
    add("--time", type=_positive, metavar="N", help="call N times; print the median and the minimum time")
    add("--memory", action="store_true", help="print the memory that intermediate tensors take")
    add("--threads", type=_positive, default=1, metavar="N", help="threads of one call (default: 1)")
    add(
        "-p",
        "--passes",
        metavar="PIPELINE",
        help="passes to run first, as for relax-opt (default for native code from -O 2 on: optimize, with parameters lifted)",
    )
    add("-O", dest="opt_level", type=int, choices=range(4), default=2, help="the level of optimization (default: 2)")
    add("--target", metavar="CPU", help="the CPU to compile for (default: native; docs/targets.md has the names)")
    add(
        "--no-bounds-checks",
        dest="bounds_checks",
        action="store_false",
        help="do not check that tensor ops of other front ends stay inside of their operands",
    )
    add("--debug", action="store_true", help="show the Python traceback of an error")
    return parser


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"expected a positive number, got {value}")
    return value


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the tool; returns 0, 1 for bad input and failed checks, or 2 for a defect of ours."""
    args = argument_parser().parse_args(argv)
    source: list[str] = []
    try:
        return _run(args, source)
    except BrokenPipeError:
        # The reader has seen enough; keep Python from complaining about it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        if args.debug:
            traceback.print_exception(error)
        if isinstance(error, FileError):
            for file, reason in error.problems:
                print(f"{file}: error: {reason}", file=sys.stderr)
            return EXIT_BAD
        at_boundary = _is_boundary_error(error)
        if not (is_diagnosable(error) or at_boundary):
            message = f"internal error: {type(error).__name__}: {error}; run with --debug for the traceback"
            print(f"{args.file}: {message}", file=sys.stderr)
            return EXIT_INTERNAL
        about_call = isinstance(error, ValueError | ModuleNotFoundError) or isinstance(
            operation_of(error), (FuncOp, type(None))
        )
        if at_boundary and about_call and not says_its_position(error):
            for line in str(error).splitlines():
                print(f"{args.file}: error: {line}", file=sys.stderr)
        else:
            # A file that cannot be read or written need not be the program.
            at_fault = (error.filename or _without_name(error, args.file)) if isinstance(error, OSError) else args.file
            print(diagnose(error, str(at_fault), "".join(source)), file=sys.stderr)
        return EXIT_BAD


def _without_name(error: OSError, file: str) -> str:
    """Returns what an error is about that names no file: where a disk is full, what the shell opened."""
    return "stdout" if error.errno == ENOSPC else file


def _is_boundary_error(error: Exception) -> bool:
    if isinstance(error, ArgumentError | InterpreterError | DivisorError | ModelError | ModuleNotFoundError):
        return True
    return isinstance(error, ExecutionError | UnregisteredError | ForeignCodeError)


def _run(args: argparse.Namespace, source: list[str]) -> int:
    inputs = parse_assignments(args.input, "--input")
    sizes = parse_sizes(args.dim)
    _check_before_work(args)
    ctx, original, weights = _load(args.file, source, sizes)
    if args.passes is None:
        # Compilation copies values between devices; the interpreter runs the same copies.
        PlanDevicesPass().apply(ctx, original)
    functions = signatures(original)
    entry = choose_entry(functions, args.entry)
    if args.bisect:
        return _bisect(args, original, entry, inputs, sizes, weights)
    module = original.clone()
    for item in _passes(args):
        item.apply(ctx, module)
        drop_stale_attributes(module)
        verify_program(module)
    transformed = signatures(module)
    choose_entry(transformed, entry.name)
    _check_transform_options(args, transformed[entry.name])
    values = Values(
        functions,
        transformed,
        entry.name,
        inputs=inputs,
        sizes=sizes,
        params=args.params or weights or (),
        seed=args.seed,
        transformed_given=args.transformed is not None,
        ranges=declared_ranges(named_functions(original)[entry.name]),
    )
    report = Report()
    _print_arguments(report, args, entry, values)
    others = [name for name in functions if name != entry.name]
    if args.entry is None and others:
        report.line(f"  --entry runs another function: {', '.join(others)}")

    arena: Callable[..., int] | None = None
    if args.backend == "native":
        start = time.perf_counter()
        executable = _compile(module, args)
        report.line(f"compiled in {duration(time.perf_counter() - start)}", "green")
        arena = executable[entry.name].workspace_bytes
        call: Call = host_call(lambda name, *arguments: executable[name].call(*arguments), transformed)
        if transformed[entry.name].params_from is None:
            params = values.transformed_params(transformed, entry.name, call)
        else:
            params = [_parameter_set(executable, args, values, transformed, entry.name, report)]
    else:
        call = host_call(interpret(module), transformed)
        params = values.transformed_params(transformed, entry.name, call)
    arguments = [*values.inputs, *params]
    results = call(entry.name, *_lent(entry, arguments))
    _print_results(report, results)
    if args.out is not None:
        paths = save_results(results, args.out)
        report.line(f"wrote {', '.join(map(str, paths)) or 'nothing: there are no results'}")
    if args.time is not None:
        lent = _lent(entry, arguments)
        seconds = [_time(call, entry.name, lent) for _ in range(args.time)]
        report.line(f"time of {args.time} calls: median {duration(median(seconds))}, minimum {duration(min(seconds))}")
    if args.memory:
        planned = activation_memory(module, entry.name, values.sizes, Settings(args.opt_level))
        _print_memory(report, planned, None if arena is None else arena(*arguments))
    if args.check:
        oracle = host_call(interpret(original), functions)
        expected = oracle(entry.name, *values.arguments(functions, entry.name, oracle))
        return _check(report, results, expected)
    return 0


def _check_before_work(args: argparse.Namespace) -> None:
    """Raises an error for what would fail after compilation: a target that this machine is not, results that have no place."""
    if args.backend == "native" and args.target is not None:
        target = cpu_target(args.target)
        reason = lacking(target)
        if reason:
            raise ForeignCodeError(f"cannot run code for {target.name}: {reason}")
    if args.out is not None and args.out.exists() and not args.out.is_dir():
        raise NotADirectoryError(ENOTDIR, "--out takes a directory, this is a file", str(args.out))


def _check_transform_options(args: argparse.Namespace, entry: Signature) -> None:
    """Raises `ArgumentError` for options about transformed parameters that cannot be followed."""
    given = {"--transformed": args.transformed, "--save-transformed": args.save_transformed}
    flags = [flag for flag, value in given.items() if value is not None]
    if not flags:
        return
    if args.backend != "native":
        raise ArgumentError(f"{flags[0]} needs --backend native")
    if entry.params_from is None:
        raise ArgumentError(f"{flags[0]}: {entry.name} takes no transformed parameters (it has no {PARAMS_FROM})")
    if args.transformed is not None:
        others = {"--save-transformed": args.save_transformed, "--params": args.params, "--check": args.check or None}
        for flag in (flag for flag, value in others.items() if value is not None):
            raise ArgumentError(
                f"{flag} needs the parameters as they were, but --transformed gives what became of them"
            )


def _load(file: str, source: list[str], sizes: dict[str, int]) -> tuple[Context, ModuleOp, Mapping[str, Any] | None]:
    """Returns a program, and the weights that come with it; sizes of a model are taken out of `sizes`."""
    if is_model_file(file):
        # Sizes are fixed in the import: a model may decide by them what it computes.
        model = import_file(file, sizes)
        sizes.clear()
        return tool_context(), model.module, model.params
    data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    source.append(data.decode("utf-8", "replace"))
    ctx = tool_context()
    if file.endswith(".json"):
        return ctx, load_graph(ctx, source[-1], file), None
    module = parse_module(ctx, data, file)
    verify_program(module)
    verify_enters(module)
    return ctx, module, None


def _passes(args: argparse.Namespace) -> tuple[ModulePass, ...]:
    """Returns the passes that run before compilation."""
    lifts = args.passes is None and args.backend == "native" and args.opt_level >= LIFTING_LEVEL
    spec = "optimize" if lifts else args.passes
    if not spec:
        return ()
    stages = pipelines(_settings(args, lift=lifts))
    return parse_pass_pipeline(spec, multiverse().all_passes, stages)


def _settings(args: argparse.Namespace, lift: bool = False) -> Settings:
    target = cpu_target(args.target or default_target()).name
    return Settings(
        opt_level=args.opt_level, lift=lift, threads=args.threads, target=target, bounds_checks=args.bounds_checks
    )


def _compile(module: ModuleOp, args: argparse.Namespace) -> Executable:
    return compile_module(
        module,
        opt_level=args.opt_level,
        threads=args.threads,
        target=args.target,
        bounds_checks=args.bounds_checks,
    )


def _parameter_set(
    executable: Executable,
    args: argparse.Namespace,
    values: Values,
    functions: Mapping[str, Signature],
    entry: str,
    report: Report,
) -> ParameterSet:
    """Returns the transformed parameters of a function: mapped from a file, or made, and written if asked for."""
    source = param_source(functions, entry)
    if args.transformed is not None:
        return executable.load_params(args.transformed, transform=source.name)
    start = time.perf_counter()
    # Files are read part by part.
    given = {argument.label: values.params[argument.label] for argument in source.params}
    params = executable.transform_params(args.params if values.params_are_files else given, transform=source.name)
    report.line(
        f"{source.name}: {len(given)} parameters to {len(params.values)}, {params.nbytes / 1e6:.1f} MB, "
        f"in {duration(time.perf_counter() - start)}",
        "green",
    )
    if args.save_transformed is not None:
        executable.save_params(params, args.save_transformed)
        report.line(f"wrote {args.save_transformed}")
    return params


def _lent(entry: Signature, arguments: Sequence[Any]) -> list[Any]:
    """Returns the arguments with copies of donated arrays, which a call overwrites."""
    donated = {argument.index for argument in entry.arguments if argument.donate is not None}
    return [value.copy() if index in donated else value for index, value in enumerate(arguments)]


def _time(call: Call, name: str, arguments: Sequence[Any]) -> float:
    start = time.perf_counter()
    call(name, *arguments)
    return time.perf_counter() - start


def _print_arguments(report: Report, args: argparse.Namespace, entry: Signature, values: Values) -> None:
    sizes = [
        f"{name} = {size}{' (default)' if name in values.default_sizes else ''}" for name, size in values.sizes.items()
    ]
    report.line(f"{args.file}: @{entry.name}{' with ' + ', '.join(sizes) if sizes else ''}", "bold")
    rows = [
        (argument.name, describe_type(value), spec, *statistics(value))
        for argument, value, spec in zip(entry.inputs, values.inputs, values.specs, strict=True)
    ]
    shown = list(values.params.items())
    if len(shown) > SHOWN_PARAMS:
        shown = shown[: SHOWN_PARAMS - 1]
    origins = values.param_origins
    rows += [(label, describe_type(value), origins[label], *statistics(value)) for label, value in shown]
    report.table(("argument", "type", "from", "min>", "mean>", "max>"), rows)
    if len(values.params) > len(shown):
        hidden = list(values.params.values())[len(shown) :]
        size = sum(getattr(value, "nbytes", 0) for value in hidden) / 1e6
        report.line(f"  and {len(hidden)} more parameters, {size:.1f} MB")


def _print_results(report: Report, results: Sequence[Any]) -> None:
    rows = [(f"result {i}", describe_type(value), *statistics(value)) for i, value in enumerate(results)]
    report.table(("result", "type", "min>", "mean>", "max>"), rows)


def _print_memory(report: Report, memory: ActivationMemory, arena: int | None) -> None:
    report.line(
        f"intermediate tensors: {memory.tensors}, {memory.unplanned / 1e6:.3f} MB; in {memory.storages} storages, "
        f"{memory.planned / 1e6:.3f} MB{'' if arena is None else f'; in the arena of native code, {arena / 1e6:.3f} MB'}"
    )


def _check(report: Report, results: Sequence[Any], expected: Sequence[Any]) -> int:
    if len(results) != len(expected):
        report.line(f"check: FAILED: {len(results)} results, the interpreter has {len(expected)}", "bold red")
        return EXIT_BAD
    status = 0
    for index, (got, want) in enumerate(zip(results, expected, strict=True)):
        verdict = compare(got, want)
        detail = verdict.reason or f"error {verdict.error:.2g}, tolerance {verdict.tolerance:.2g}"
        word, style = ("agrees with the interpreter", "green") if verdict.agrees else ("FAILED", "bold red")
        report.line(f"check: result {index} {word}: {detail}", style)
        status = status if verdict.agrees else EXIT_BAD
    return status


def _bisect(
    args: argparse.Namespace,
    original: ModuleOp,
    entry: Signature,
    inputs: Mapping[str, str],
    sizes: Mapping[str, int],
    weights: Mapping[str, Any] | None,
) -> int:
    """Says where the results of a program go wrong; returns 1 if they do."""
    if not args.check or args.transformed is not None:
        raise ArgumentError("--bisect needs --check, and the parameters as they were")
    functions = signatures(original)
    ranges = declared_ranges(named_functions(original)[entry.name])
    params = args.params or weights or ()
    values = Values(
        functions, functions, entry.name, inputs=inputs, sizes=sizes, params=params, seed=args.seed, ranges=ranges
    )
    arguments = values.arguments(functions, entry.name, host_call(interpret(original), functions))
    report = Report()
    _print_arguments(report, args, entry, values)
    case = Case(original, entry.name, (tuple(arguments),))
    request = Request(_passes(args), _settings(args), native=args.backend == "native")
    path = args.reduced or Path(f"{Path(args.file).stem if args.file != '-' else 'stdin'}.reduced.mlir")
    return EXIT_BAD if report_bisection(report, case, request, Command(seed=args.seed, options=kept(args)), path) else 0


if __name__ == "__main__":
    sys.exit(run_command("relax-run", main))
