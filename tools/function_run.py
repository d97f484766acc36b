"""The function that `relax-run` calls, step by step: its arguments, its code, the call, what is measured and compared."""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..collector import importing
from ..runtime.executable.arguments import Signature
from ..runtime.executable.executable import Executable
from ..runtime.params.parameter_set import ParameterSet
from ..runtime.session import Call, Values, host_call, on_devices, param_source, save_results
from .report import Report, bytes_text, duration
from .run_options import CALLS, INTERPRETER
from .run_program import RunProgram
from .run_report import QUANTIZED, print_arguments, print_check, print_memory, print_results


class FunctionRun:
    """A function of a program with the arguments of a command line. The steps follow each other: `prepare`, `call`, `measure`, `agrees`."""

    def __init__(
        self,
        args: argparse.Namespace,
        program: RunProgram,
        entry: Signature,
        inputs: Mapping[str, str],
        sizes: Mapping[str, int],
    ):
        self._args = args
        self._program = program
        self._entry = entry
        self._transformed = program.transformed
        self._values = Values(
            program.functions,
            self._transformed,
            entry.name,
            inputs=inputs,
            sizes=sizes,
            # What became of the weights takes their place.
            params=args.params or (program.weights if args.transformed is None else None) or (),
            seed=args.seed,
            transformed_given=args.transformed is not None,
            ranges=program.ranges(entry.name),
            known=program.state,
        )
        self._report = Report()
        self._native: Executable | None = None
        self._results: Sequence[Any] = ()

    def prepare(self) -> None:
        """Prints the arguments, compiles the program, and transforms its parameters."""
        # Arguments are printed before anything is compiled: what is wrong with them is said at once.
        print_arguments(self._report, self._args, self._entry, self._values)
        others = [name for name in self._program.functions if name != self._entry.name]
        if self._args.entry is None and others:
            self._report.line(f"  --entry runs another function: {', '.join(others)}")
        if self._args.backend == "native":
            native = self._native = self._compiled()
            call = host_call(lambda name, *arguments: native[name].call(*arguments), self._transformed)
        else:
            call = host_call(self._program.parsed.interpreted(), self._transformed)
        self._call = call
        self._arguments = [*self._values.inputs_with_state(call), *self._params()]

    def call(self) -> None:
        """Calls the function, and prints and writes its results."""
        self._results = self._call(self._entry.name, *self._lent())
        print_results(self._report, self._results)
        if self._args.out is not None:
            paths = save_results(self._results, self._args.out)
            self._report.line(f"wrote {', '.join(map(str, paths)) or 'nothing: there are no results'}")

    def measure(self) -> None:
        """Prints the time, the profile and the memory that are asked for."""
        args, name = self._args, self._entry.name
        if args.time is not None:
            lent = self._lent()
            times = [_time(self._call, name, lent) for _ in range(args.time)]
            self._report.line(
                f"time of {args.time} calls: median {duration(float(np.median(times)))}, minimum {duration(min(times))}"
            )
        if args.profile is not None or args.report is not None:
            self._profile()
        if args.memory:
            planned = self._program.parsed.activation_memory(name, self._values.sizes)
            given = on_devices(self._transformed[name], self._arguments)
            arena = None if self._native is None else self._native[name].workspace_bytes(*given)
            print_memory(self._report, planned, arena)

    def agrees(self) -> bool:
        """Compares the results with those of the interpreter or of another library; returns whether they agree, also where nobody asks."""
        name, check = self._entry.name, self._args.check
        if check is None:
            return True
        if check != INTERPRETER:
            parsed = self._program.parsed
            agrees = print_check(self._report, self._results, parsed.run_original(self._values.inputs), check)
            if not agrees and parsed.is_quantized:
                self._report.line(QUANTIZED.format(check))
            return agrees
        functions = self._program.functions
        oracle = host_call(self._program.parsed.oracle(), functions)
        expected = oracle(name, *self._values.arguments(functions, name, oracle))
        return print_check(self._report, self._results, expected, "the interpreter")

    def _compiled(self) -> Executable:
        program, start = self._program, time.perf_counter()
        executable = program.executable()
        seconds = program.seconds + time.perf_counter() - start
        self._report.line(
            f"{'found in the cache' if program.is_cached else 'compiled'} in {duration(seconds)}", "green"
        )
        if self._args.cache_info:
            self._report.line(f"cache: {program.cache_text}")
        return executable

    def _params(self) -> Sequence[Any]:
        """Returns the parameters as the function takes them."""
        name = self._entry.name
        if self._native is None or self._transformed[name].params_from is None:
            return self._values.transformed_params(self._transformed, name, self._call)
        return [self._parameter_set(self._native)]

    def _parameter_set(self, native: Executable) -> ParameterSet:
        """Returns the transformed parameters of the function: mapped from a file, or made, and written if asked for."""
        args, values = self._args, self._values
        source = param_source(self._transformed, self._entry.name)
        if args.transformed is not None:
            return native.load_params(args.transformed, transform=source.name)
        start = time.perf_counter()
        # Files are read part by part.
        given = {argument.label: values.params[argument.label] for argument in source.params}
        params = native.transform_params(args.params if values.params_are_files else given, transform=source.name)
        self._report.line(
            f"{source.name}: {len(given)} parameters to {len(params.values)}, {bytes_text(params.nbytes)}, "
            f"in {duration(time.perf_counter() - start)}",
            "green",
        )
        if args.save_transformed is not None:
            native.save_params(params, args.save_transformed)
            self._report.line(f"wrote {args.save_transformed}")
        return params

    def _lent(self) -> list[Any]:
        """Returns the arguments with copies of donated arrays, which a call overwrites."""
        donated = {argument.index for argument in self._entry.arguments if argument.donate is not None}
        return [value.copy() if index in donated else value for index, value in enumerate(self._arguments)]

    def _profile(self) -> None:
        """Calls the function, which measures its kernels, and prints and writes what was asked for."""
        with importing():
            from .profile_report import print_profile, write_page

        args, native, name, arguments = self._args, self._native, self._entry.name, self._lent()
        assert native is not None
        with native.profiling() as profiling:
            for _ in range(args.time or CALLS):
                self._call(name, *arguments)
        print_profile(self._report, profiling.profile, args.profile or ())
        if args.report is not None:
            leaves = native[name].leaves_of(on_devices(native[name].signature, arguments))
            write_page(self._report, args.report, self._program.parsed.history, profiling.profile, name, leaves)


def _time(call: Call, name: str, arguments: Sequence[Any]) -> float:
    start = time.perf_counter()
    call(name, *arguments)
    return time.perf_counter() - start
