"""The kernels whose native code computes something else than the interpreter, and the passes that may be at fault.

The interpreter runs the program at the end of the stage `fuse`; native code that is made for each kernel alone then gets the same
operands. Where all of them are right, what joins them is wrong, and the function itself is looked at in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from ...extensions import run_pass
from ...interpreter.engine import Interpreter
from ...lowering.cpu.loops.outline_parallel import OutlineParallelPass
from ...lowering.cpu.schedule.schedule_linalg import ScheduleLinalgPass
from ...passes.analysis.call_graph import call_graph, named_functions, reachable
from ...records import record
from ..compiler import available_passes, object_code, pipeline_of, relax_context
from ..interface.json_form import sealed
from ..interface.read_module import InterfaceReader
from ..link import link
from ..signatures import signatures
from .case import Case, arguments_of, copied
from .isolated import Returned, isolated
from .passes import NATIVE, Request, apply_step


@record
class Variant:
    """A pass that does less than it could, and which passes are suspected where a kernel is right with it."""

    item: ModulePass
    suspects: tuple[str, ...]


VARIANTS = (
    Variant(OutlineParallelPass(threads=1), ("outline-parallel",)),
    Variant(ScheduleLinalgPass(scalars=True), ("schedule-linalg", "linalg-to-loops")),
)


@record
class WrongKernel:
    """A kernel, what is wrong with its results, and the suspects: passes without which it is right, or else all that change it."""

    name: str
    reason: str
    suspects: tuple[str, ...]


def wrong_kernels(case: Case, request: Request, progress: Callable[[str], None] = lambda _: None) -> list[WrongKernel]:
    """Returns the kernels whose native code differs from the interpreter on what the program gives them, else the function itself."""
    module = case.module.clone()
    for step in request.steps():
        apply_step(step, module)
    recorder = _KernelCalls(module)
    original = signatures(case.module)[case.entry]
    whole: list[tuple[Sequence[Any], Sequence[Any]]] = []
    for run in case.runs:
        args = arguments_of(original, copied(run), module, recorder.call)
        whole.append((copied(args), recorder.call(case.entry, *args)))
    wrong: list[WrongKernel] = []
    for name, calls in [*recorder.calls.items(), (case.entry, whole)]:
        if wrong and name == case.entry:
            break
        progress(f"kernel {name}")
        alone = _alone(module, name)
        reason = _disagreement(alone, name, calls, request)
        if reason is not None:
            wrong.append(WrongKernel(name, reason, _suspects(alone, name, calls, request)))
    return wrong


class _KernelCalls(Interpreter):
    """Remembers what kernels take and give."""

    def __init__(self, module: ModuleOp):
        super().__init__(module)
        self.calls: dict[str, list[tuple[Sequence[Any], Sequence[Any]]]] = {}

    def _run_op(self, op: Operation, operands: Sequence[Any], env: Any, bindings: Any) -> Sequence[Any]:
        results = super()._run_op(op, operands, env, bindings)
        if isinstance(op, func.CallOp):
            self.calls.setdefault(op.callee.string_value(), []).append((copied(operands), results))
        return results


def _alone(module: ModuleOp, name: str) -> ModuleOp:
    """Returns a module with one public function and what it calls."""
    clone = module.clone()
    kept = reachable(call_graph(clone), [name])
    for label, function in named_functions(clone).items():
        if label not in kept:
            function.detach()
            function.erase()
    named_functions(clone)[name].sym_visibility = None
    return clone


def _suspects(
    module: ModuleOp, name: str, calls: Sequence[tuple[Sequence[Any], Sequence[Any]]], request: Request
) -> tuple[str, ...]:
    for variant in VARIANTS:
        if _disagreement(module, name, calls, request, variant.item) is None:
            return variant.suspects
    return _changing(module, request)


def _changing(module: ModuleOp, request: Request) -> tuple[str, ...]:
    """Returns the passes that change a kernel on its way to native code."""
    module, names = module.clone(), []
    for stage in NATIVE:
        for item in pipeline_of(request.settings.passes_of(stage), available_passes()):
            before = str(module)
            run_pass(item, relax_context(), module)
            if str(module) != before:
                names.append(item.name)
    return tuple(names)


def _disagreement(
    module: ModuleOp,
    name: str,
    calls: Sequence[tuple[Sequence[Any], Sequence[Any]]],
    request: Request,
    instead: ModulePass | None = None,
) -> str | None:
    def compute() -> str | None:
        function = _executable(module, request, instead)[name]
        for operands, expected in calls:
            args = [value if isinstance(value, np.ndarray) else np.asarray(value)[()] for value in copied(operands)]
            reason = request.agrees(function.call(*args), expected)
            if reason is not None:
                return reason
        return None

    outcome = isolated(compute, request.seconds)
    return outcome.value if isinstance(outcome, Returned) else str(outcome)


def _executable(module: ModuleOp, request: Request, instead: ModulePass | None) -> Any:
    """Compiles a module at the end of the stage `fuse`, with a pass in place of the one that has its name."""
    module = module.clone()
    reader = InterfaceReader()
    reader.read_relax(module)
    for stage in NATIVE:
        if stage == "llvm":
            reader.read_loops(module)
        for item in pipeline_of(request.settings.passes_of(stage), available_passes()):
            run_pass(instead if instead is not None and item.name == instead.name else item, relax_context(), module)
    interface = reader.finish(module, request.settings.target, request.settings.threads)
    code = object_code(module, request.settings)
    return link(sealed(interface, code), code)
