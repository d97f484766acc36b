"""Checks one program: compiled in several ways, printed and parsed, and after each pass of the graph stage."""

from __future__ import annotations

import os
import pickle
import signal
import traceback
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import xdsl_relax
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import PassPipeline
from xdsl_relax.dialects.relax.program import verify_program
from xdsl_relax.interpreter.engine import Interpreter
from xdsl_relax.interpreter.rule import InterpreterError
from xdsl_relax.runtime.compiler import available_passes, relax_context

from .conditioning import Expectation

CONFIGURATIONS = ((2, 1), (0, 1), (3, 1), (2, 2), (0, 2), (3, 2))
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
    "relax-reorder-permute-dims-after-concat",
    "relax-reorder-take-after-matmul",
    "relax-adjust-matmul-order",
    "relax-topological-sort",
)
"""Each leaves the results of a program as they are."""
SECONDS = 90


@dataclass(frozen=True)
class Failure:
    """What went wrong, and where: the kind is what a reducer keeps."""

    kind: str
    message: str


def _copied(args: Sequence[Any]) -> list[Any]:
    return [np.array(arg) if isinstance(arg, np.ndarray) else arg for arg in args]


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
        self.runs: list[tuple[Sequence[Any], Expectation | None]] = []
        for args in arguments:
            try:
                self.runs.append((args, Expectation(module, entry, _copied(args))))
            except InterpreterError:
                self.runs.append((args, None))

    def all(self, configurations: Sequence[tuple[int, int]], passes: Sequence[str]) -> Failure | None:
        """Returns the first failure."""
        text = str(self.module)
        checks: list[Callable[[], Failure | None]] = [lambda: self.round_trip(text)]
        checks += [lambda spec=spec: self.after(spec) for spec in passes]
        checks += [
            lambda level=level, threads=threads: self.native(text, level, threads) for level, threads in configurations
        ]
        return next((failure for check in checks if (failure := check()) is not None), None)

    def round_trip(self, text: str) -> Failure | None:
        """The text, parsed and printed, is the same."""
        try:
            again = str(xdsl_relax.load(text))
        except Exception as error:
            return _raised("text", error)
        return None if again == text else Failure("text", "the text changes when it is parsed and printed")

    def after(self, spec: str) -> Failure | None:
        """Passes leave a valid module with the same results."""
        module = self.module.clone()
        try:
            PassPipeline.parse_spec(available_passes(), spec).apply(relax_context(), module)
            verify_program(module)
            xdsl_relax.load(str(module))
        except Exception as error:
            return _raised(f"pass {spec}", error)
        return self._compare(
            f"pass {spec}", lambda *args: Interpreter(module).call(self.entry, *args), InterpreterError
        )

    def native(self, text: str, level: int, threads: int) -> Failure | None:
        """The compiled module has the same results, twice with the same bits, and leaves its arguments alone."""
        where = f"native -O{level} threads={threads}"
        try:
            executable = xdsl_relax.compile(text, opt_level=level, threads=threads)
        except Exception as error:
            return _raised(f"compile -O{level} threads={threads}", error)
        return self._compare(where, executable[self.entry].call, (ValueError, RuntimeError))

    def _compare(self, where: str, function: Callable[..., Sequence[Any]], refusal: Any) -> Failure | None:
        for index, (args, expectation) in enumerate(self.runs):
            given = [_laid_out(arg, (index + len(where)) % 4) for arg in _copied(args)]
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
            again = function(*given)
            if not all(map(_same_bits, results, again)):
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
    configurations: Sequence[tuple[int, int]] = CONFIGURATIONS,
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
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        signal.alarm(seconds)
        status = 1
        try:
            try:
                outcome = function()
            except Exception as error:
                outcome = Failure(f"fuzzer: {type(error).__name__}", traceback.format_exc(limit=-5))
            with os.fdopen(write, "wb") as pipe:
                pickle.dump(outcome, pipe)
            status = 0
        finally:
            os._exit(status)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        data = pipe.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return Failure("crash", signal.Signals(os.WTERMSIG(status)).name)
    return pickle.loads(data) if data else Failure("crash", "no result")
