"""What the tools that take models print of an error, and their exit status."""

from __future__ import annotations

import sys
import traceback
from errno import ENOSPC

from xdsl.dialects.func import FuncOp

from ..dialects.symbolic.expressions import DivisorError
from ..frontend.model.problems import ModelImportError, OriginalModelError, ProgramExportError
from ..interpreter.host.errors import ArgumentError, FileError
from ..interpreter.host.packed_functions import UnregisteredError
from ..interpreter.rule import InterpreterError
from ..runtime.executable.native_function import ExecutionError
from ..runtime.machine.jit import ForeignCodeError
from ..runtime.machine.stacks import StackError
from .diagnostics import diagnose, is_diagnosable, operation_of, says_its_position

EXIT_BAD = 1
EXIT_INTERNAL = 2


def report_error(error: Exception, tool: str, file: str, source: str, *, debug: bool) -> int:
    """Prints an error of the program in a file, or of the process of a tool; returns 1 for bad input, 2 for a defect of ours."""
    # Invariant: whatever is printed starts with the name of what is at fault.
    if debug:
        traceback.print_exception(error)
    if isinstance(error, FileError):
        for name, reason in error.problems:
            print(f"{name}: error: {reason}", file=sys.stderr)
        return EXIT_BAD
    if isinstance(error, StackError):
        print(f"{tool}: error: {error.reason}: say '{error.command}' in the shell first", file=sys.stderr)
        return EXIT_BAD
    at_boundary = _is_boundary_error(error)
    if not (is_diagnosable(error) or at_boundary):
        message = f"internal error: {type(error).__name__}: {error}; run with --debug for the traceback"
        print(f"{file}: {message}", file=sys.stderr)
        return EXIT_INTERNAL
    about_call = isinstance(error, ValueError | ModuleNotFoundError) or isinstance(
        operation_of(error), (FuncOp, type(None))
    )
    if at_boundary and about_call and not says_its_position(error):
        for line in str(error).splitlines():
            print(f"{file}: error: {line}", file=sys.stderr)
    else:
        # A file that cannot be read or written need not be the program.
        at_fault = (error.filename or _without_name(error, file)) if isinstance(error, OSError) else file
        print(diagnose(error, str(at_fault), source), file=sys.stderr)
    return EXIT_BAD


def _without_name(error: OSError, file: str) -> str:
    """Returns what an error is about that names no file: where a disk is full, what the shell opened."""
    return "stdout" if error.errno == ENOSPC else file


def _is_boundary_error(error: Exception) -> bool:
    if isinstance(
        error,
        ArgumentError
        | InterpreterError
        | DivisorError
        | ModelImportError
        | OriginalModelError
        | ProgramExportError
        | ModuleNotFoundError,
    ):
        return True
    return isinstance(error, ExecutionError | UnregisteredError | ForeignCodeError)
