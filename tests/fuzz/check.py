"""Checks one program: compiled in several ways, printed and parsed, and after passes of the graph stage.

What the interpreter computes of each set of arguments is expected, as far as rounding does not decide (`conditioning`). Then

- the text of the program is parsed, and prints as the same text;
- each pass, or list of passes, that is asked for leaves a valid module whose text is parsed, and of which the interpreter computes the
  expected results;
- each configuration that is asked for (level, threads, lifting, buffers between inaccessible pages) compiles, and computes the expected
  results.

The arguments lie in another layout than those of the interpreter, and are not changed by a call; a second call of compiled code has the same bits.
Where the interpreter refuses a set of arguments, so may the others, but they may not crash. `programs.plan_of` says which passes and configurations
a random program is checked with.
"""

from __future__ import annotations

import mmap
import resource
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import xdsl_relax
from harness.guard_pages import call_guarded
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import PassPipeline
from xdsl_relax.dialects.relax.program import verify_program
from xdsl_relax.interpreter.engine import Interpreter
from xdsl_relax.interpreter.rule import InterpreterError
from xdsl_relax.lowering.pipeline import Settings
from xdsl_relax.runtime.bisection.case import arguments_of, copied
from xdsl_relax.runtime.bisection.isolated import Raised, Returned, isolated
from xdsl_relax.runtime.compiler import available_passes, pipeline_of, relax_context
from xdsl_relax.runtime.executable.executable import Executable
from xdsl_relax.runtime.signatures import signatures

from .conditioning import Expectation


@dataclass(frozen=True)
class Configuration:
    """How a program is compiled and called."""

    level: int
    threads: int = 1
    lift: bool | Literal["shared"] = False
    guarded: bool = False
    """Whether buffers lie between inaccessible pages."""

    def __str__(self) -> str:
        extra = f"{f' lift={self.lift}' if self.lift else ''}{' guarded' if self.guarded else ''}"
        return f"-O{self.level} threads={self.threads}{extra}"

    @property
    def options(self) -> tuple[str, ...]:
        """What `relax-run` is told."""
        threads = ("--threads", str(self.threads)) if self.threads != 1 else ()
        return (*(("-O", str(self.level)) if self.level != 2 else ()), *threads)


DEFAULT_LEVEL = (
    Configuration(2),
    Configuration(2, 2),
    Configuration(2, lift=True),
    Configuration(2, guarded=True),
)
OTHER_LEVELS = (
    Configuration(0),
    Configuration(3),
    Configuration(0, 2),
    Configuration(3, 2),
    Configuration(1),
    Configuration(3, lift="shared"),
    Configuration(0, guarded=True),
)
CONFIGURATIONS = (*DEFAULT_LEVEL, *OTHER_LEVELS)
PASSES = (
    "relax-infer-shapes",
    "relax-simplify-inference",
    "cse",
    "dce",
    "relax-fuse-ops",
    "relax-fuse-ops{opt_level=0}",
    "relax-infer-shapes,relax-simplify-inference,cse,dce,relax-fuse-ops",
    "relax-canonicalize-bindings",
    "relax-combine-parallel-matmul",
    "relax-convert-to-dataflow",
    "relax-dead-code-elimination",
    "relax-eliminate-common-subexpr",
    "relax-expand-matmul-of-sum",
    "relax-fold-constant",
    "relax-fold-scale-axis",
    "relax-fuse-transpose-matmul",
    "relax-inline",
    "relax-remove-unused-functions",
    "relax-remove-unused-outputs",
    "relax-remove-unused-parameters",
    "relax-read-transposed-operands",
    "relax-recognize-norms",
    "relax-recognize-quantized,relax-convert-layout",
    "relax-reorder-permute-dims-after-concat",
    "relax-reorder-take-after-matmul",
    "relax-adjust-matmul-order",
    "relax-tabulate-bytes{least=1}",
    "relax-topological-sort",
)
"""Each leaves the results of a program as they are."""
SECONDS = 60
"""Of processor time, for all checks of a program."""
MEMORY = 2 << 30


@dataclass(frozen=True)
class Failure:
    """What went wrong, and where: the kind is what a reducer keeps."""

    kind: str
    message: str


def _laid_out(value: Any, kind: int) -> Any:
    """Returns an argument with the same elements in another layout: by columns, with gaps, backwards."""
    if not isinstance(value, np.ndarray) or not value.ndim or not kind:
        return value
    if kind == 1:
        return np.asfortranarray(value)
    if kind == 2:
        gaps = np.zeros((*value.shape[:-1], 2 * value.shape[-1] + 1), value.dtype)
        gaps[..., 1::2] = value
        return gaps[..., 1::2]
    return np.ascontiguousarray(value[::-1])[::-1]


def _same_bits(a: Any, b: Any) -> bool:
    if isinstance(a, tuple):
        return isinstance(b, tuple) and len(a) == len(b) and all(map(_same_bits, a, b))
    if a is None or b is None:
        return a is b
    x, y = np.asarray(a), np.asarray(b)
    return x.dtype == y.dtype and x.shape == y.shape and x.tobytes() == y.tobytes()


class Checker:
    """The checks of one module on some sets of arguments of one of its functions."""

    def __init__(self, module: ModuleOp, arguments: Sequence[Sequence[Any]], entry: str = "main"):
        self.module = module
        self.entry = entry
        self.text = str(module)
        self.texts = {self.text}
        """What the module and those that passes made of it are: a pass that changes nothing is checked by comparing texts."""
        self.codes: dict[Configuration, tuple[ModuleOp, Executable]] = {}
        self.runs: list[tuple[Sequence[Any], Expectation | None]] = []
        for args in arguments:
            try:
                self.runs.append((args, Expectation(module, entry, args)))
            except InterpreterError:
                self.runs.append((args, None))

    def all(self, configurations: Sequence[Configuration], passes: Sequence[str]) -> Failure | None:
        """Returns the first failure."""
        checks: list[Callable[[], Failure | None]] = [self.round_trip]
        checks += [lambda spec=spec: self.after(spec) for spec in passes]
        checks += [lambda c=c: self.native(c) for c in configurations]
        return next((failure for check in checks if (failure := check()) is not None), None)

    def round_trip(self) -> Failure | None:
        """The text, parsed and printed, is the same."""
        try:
            again = str(xdsl_relax.load(self.text))
        except Exception as error:
            return _raised("text", error)
        return None if again == self.text else Failure("text", "the text changes when it is parsed and printed")

    def after(self, spec: str) -> Failure | None:
        """Passes leave a valid module with the same results."""
        module = self.module.clone()
        try:
            PassPipeline.parse_spec(available_passes(), spec).apply(relax_context(), module)
            verify_program(module)
            text = str(module)
            if text in self.texts:
                return None
            self.texts.add(text)
            xdsl_relax.load(text)
        except Exception as error:
            return _raised(f"pass {spec}", error)
        interpreter = Interpreter(module)
        return self._compare(
            f"pass {spec}", lambda *args: interpreter.call(self.entry, *args), InterpreterError, twice=False
        )

    def native(self, configuration: Configuration) -> Failure | None:
        """The compiled module has the same results, twice with the same bits, and leaves its arguments alone."""
        c = configuration
        original = signatures(self.module)[self.entry]
        if c.lift and original.num_input == len(original.arguments):
            # There is nothing to lift, which is an error where functions were to share it.
            c = replace(c, lift=False)
        try:
            module, executable = self.compiled(replace(c, guarded=False))
        except Exception as error:
            return _raised(f"compile {c}", error)

        def call(name: str, *args: Any) -> tuple[Any, ...]:
            return call_guarded(executable[name], args) if c.guarded else executable[name].call(*args)

        def run(*args: Any) -> tuple[Any, ...]:
            return call(self.entry, *arguments_of(original, args, module, call))

        return self._compare(f"native {c}", run, (ValueError, RuntimeError))

    def compiled(self, c: Configuration) -> tuple[ModuleOp, Executable]:
        """Returns the module, with its parameters lifted where they are to be, and its code; that of calls which differ in their buffers alone is one."""
        if c not in self.codes:
            module = self.module.clone()
            if c.lift:
                lifted = Settings(opt_level=c.level, lift=c.lift)
                PassPipeline(tuple(pipeline_of(lifted.passes_of("optimize"), available_passes()))).apply(
                    relax_context(), module
                )
            self.codes[c] = module, xdsl_relax.compile(module, opt_level=c.level, threads=c.threads, cache=False)
        return self.codes[c]

    def _compare(
        self, where: str, function: Callable[..., Sequence[Any]], refusal: Any, twice: bool = True
    ) -> Failure | None:
        for index, (args, expectation) in enumerate(self.runs):
            given = [_laid_out(arg, (index + len(where)) % 4) for arg in copied(args)]
            try:
                results = function(*given)
            except refusal as error:
                if expectation is None:
                    continue
                return _raised(where, error)
            except Exception as error:
                return _raised(where, error)
            if not all(map(_same_bits, given, args)):
                return Failure(where + " arguments", "an argument was modified")
            if twice and not all(map(_same_bits, results, function(*given))):
                return Failure(where + " twice", "a second call yields other bits")
            if expectation is None:
                continue
            problem = expectation.mismatch(results)
            if problem is not None:
                return Failure(where, problem)
        return None


def _raised(where: str, error: Exception) -> Failure:
    return Failure(f"{where}: {type(error).__name__}", f"{error}")


def check(
    module: ModuleOp,
    arguments: Sequence[Sequence[Any]],
    configurations: Sequence[Configuration] = CONFIGURATIONS,
    passes: Sequence[str] = PASSES,
) -> Failure | None:
    """Checks a program in this process."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            checker = Checker(module, arguments)
        except Exception as error:
            return _raised("interpreter", error)
        return checker.all(configurations, passes)


def in_child(function: Callable[[], Failure | None], seconds: int = SECONDS) -> Failure | None:
    """Runs a check in a process of its own; a crash or an endless loop is a failure too."""
    outcome = isolated(function, seconds, limit_memory)
    if isinstance(outcome, Returned):
        return outcome.value
    if isinstance(outcome, Raised):
        return Failure(f"fuzzer: {outcome.kind}", outcome.message)
    return Failure("crash", outcome.reason)


def limit_memory(limit: int = MEMORY) -> None:
    """Lets this process take so much more memory than it has."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    # It may be called again, when the process has become larger.
    resource.setrlimit(resource.RLIMIT_AS, (pages * mmap.PAGESIZE + limit, hard))
