"""`relax-run`: compile a program, call one of its functions, and say what came out."""

from __future__ import annotations

import argparse
import os
import sys
import time
import warnings
from collections.abc import Mapping, Sequence
from errno import ENOTDIR
from statistics import median
from typing import Any, TextIO

from ..collector import importing
from ..dialects.relax.vocabulary.attributes import PARAMS_FROM
from ..frontend.model.files import require_library
from ..interpreter.host.errors import ArgumentError
from ..runtime.cache.store import CacheWarning
from ..runtime.executable.arguments import Signature
from ..runtime.executable.executable import Executable
from ..runtime.inputs import parse_assignments, parse_sizes
from ..runtime.machine.jit import ForeignCodeError
from ..runtime.params.parameter_set import ParameterSet
from ..runtime.session import Call, Values, choose_entry, host_call, on_devices, param_source, save_results
from ..targets.cpu import cpu_target, lacking
from ..whole_file import require_writable
from .commands import run_command
from .report import Report, duration
from .run_options import CHECK, INTERPRETER, PROFILE, TABLE, parse_options
from .run_program import RunProgram
from .run_report import print_arguments, print_check, print_memory, print_results

EXIT_BAD = 1
PROFILED_CALLS = 10
"""The calls that a profile is of, unless --time says how many."""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the tool; returns 0, 1 for bad input and failed checks, or 2 for a defect of ours."""
    args = parse_options(argv)
    source: list[str] = []
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            return _run(args, source)
    except BrokenPipeError:
        # The reader has seen enough; keep Python from complaining about it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        # What runs well needs nothing of it.
        from .run_errors import report_error

        return report_error(error, args.file, "".join(source), debug=args.debug)


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    if issubclass(category, CacheWarning):
        print(f"relax-run: warning: {message}", file=sys.stderr)
    else:
        print(warnings.formatwarning(message, category, filename, lineno, line), file=file or sys.stderr, end="")


def _run(args: argparse.Namespace, source: list[str]) -> int:
    inputs = parse_assignments(args.input, "--input")
    sizes = parse_sizes(args.dim)
    _check_before_work(args)
    # Arguments are made and printed before anything is compiled: what is wrong with them is said at once.
    program = RunProgram(args, source, sizes)
    functions = program.functions
    entry = choose_entry(functions, args.entry)
    if args.bisect:
        return _bisect(args, program, entry, inputs, sizes)
    transformed = program.transformed
    choose_entry(transformed, entry.name)
    _check_transform_options(args, transformed[entry.name])
    values = Values(
        functions,
        transformed,
        entry.name,
        inputs=inputs,
        sizes=sizes,
        params=args.params or program.weights or (),
        seed=args.seed,
        transformed_given=args.transformed is not None,
        ranges=program.ranges(entry.name),
        known=program.state,
    )
    report = Report()
    print_arguments(report, args, entry, values)
    others = [name for name in functions if name != entry.name]
    if args.entry is None and others:
        report.line(f"  --entry runs another function: {', '.join(others)}")

    native: Executable | None = None
    if args.backend == "native":
        start = time.perf_counter()
        native = executable = program.executable()
        seconds = program.seconds + time.perf_counter() - start
        report.line(f"{'found in the cache' if program.is_cached else 'compiled'} in {duration(seconds)}", "green")
        if args.cache_info:
            report.line(f"cache: {program.cache_text}")
        call: Call = host_call(lambda name, *arguments: executable[name].call(*arguments), transformed)
        if transformed[entry.name].params_from is None:
            params = values.transformed_params(transformed, entry.name, call)
        else:
            params = [_parameter_set(executable, args, values, transformed, entry.name, report)]
    else:
        call = host_call(program.parsed.interpreted(), transformed)
        params = values.transformed_params(transformed, entry.name, call)
    arguments = [*values.inputs_with_state(call), *params]
    results = call(entry.name, *_lent(entry, arguments))
    print_results(report, results)
    if args.out is not None:
        paths = save_results(results, args.out)
        report.line(f"wrote {', '.join(map(str, paths)) or 'nothing: there are no results'}")
    if args.time is not None:
        lent = _lent(entry, arguments)
        times = [_time(call, entry.name, lent) for _ in range(args.time)]
        report.line(f"time of {args.time} calls: median {duration(median(times))}, minimum {duration(min(times))}")
    if args.profile is not None or args.report is not None:
        assert native is not None
        _profile(args, program, native, entry.name, call, _lent(entry, arguments), report)
    if args.memory:
        planned = program.parsed.activation_memory(entry.name, values.sizes)
        given = on_devices(transformed[entry.name], arguments)
        print_memory(report, planned, None if native is None else native[entry.name].workspace_bytes(*given))
    if args.check is None:
        return 0
    if args.check == INTERPRETER:
        oracle = host_call(program.parsed.oracle(), functions)
        expected = oracle(entry.name, *values.arguments(functions, entry.name, oracle))
        return 0 if print_check(report, results, expected, "the interpreter") else EXIT_BAD
    expected = program.parsed.run_original(values.inputs)
    return 0 if print_check(report, results, expected, args.check) else EXIT_BAD


def _profile(
    args: argparse.Namespace,
    program: RunProgram,
    native: Executable,
    name: str,
    call: Call,
    arguments: Sequence[Any],
    report: Report,
) -> None:
    """Calls a function that measures its kernels, and prints and writes what was asked for."""
    with importing():
        from .profile_report import print_profile, write_page

    with native.profiling() as profiling:
        for _ in range(args.time or PROFILED_CALLS):
            call(name, *arguments)
    print_profile(report, profiling.profile, args.profile or ())
    if args.report is not None:
        leaves = native[name].leaves_of(on_devices(native[name].signature, arguments))
        write_page(report, args.report, program.parsed.history, profiling.profile, name, leaves)


def _check_before_work(args: argparse.Namespace) -> None:
    """Raises an error for what would fail after compilation: a target that this machine is not, results that have no place, a library that
    does not run the model.
    """
    # Invariant: nothing is read but the names of files.
    if args.backend == "native" and args.target is not None:
        target = cpu_target(args.target)
        reason = lacking(target)
        if reason:
            raise ForeignCodeError(f"cannot run code for {target.name}: {reason}")
    if args.out is not None and args.out.exists() and not args.out.is_dir():
        raise NotADirectoryError(ENOTDIR, "--out takes a directory, this is a file", str(args.out))
    if args.profile is not None or args.report is not None:
        if args.backend != "native" or args.bisect:
            flag = PROFILE if args.report is None else "--report"
            raise ArgumentError(f"{flag} measures native code: it goes without --backend interpret and --bisect")
        if args.report is not None and args.report.exists() and not args.report.is_dir():
            raise NotADirectoryError(ENOTDIR, "--report takes a directory, this is a file", str(args.report))
        for file in args.profile or ():
            if file != TABLE:
                require_writable(file)
    if args.check in (None, INTERPRETER):
        return
    require_library(args.file, args.check)
    if args.params or args.bisect:
        flag = "--bisect compares with the interpreter" if args.bisect else "--params replaces the weights of the model"
        raise ArgumentError(f"{flag}, {CHECK}={args.check} runs the model as it is")


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


def _bisect(
    args: argparse.Namespace, program: RunProgram, entry: Signature, inputs: Mapping[str, str], sizes: Mapping[str, int]
) -> int:
    """Says where the results of a program go wrong; returns 1 if they do."""
    if not args.check or args.transformed is not None:
        raise ArgumentError("--bisect needs --check, and the parameters as they were")
    values = Values(
        program.functions,
        program.functions,
        entry.name,
        inputs=inputs,
        sizes=sizes,
        params=args.params or program.weights or (),
        seed=args.seed,
        ranges=program.ranges(entry.name),
    )
    report = Report()
    arguments = values.arguments(program.functions, entry.name, host_call(program.parsed.oracle(), program.functions))
    print_arguments(report, args, entry, values)
    return EXIT_BAD if program.parsed.bisect(report, entry.name, arguments) else 0


if __name__ == "__main__":
    sys.exit(run_command("relax-run", main))
