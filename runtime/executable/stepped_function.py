"""A compiled function that is called step by step, as its memory depends on what it computes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...dialects.relax.device_label import HOST_LABEL
from ...interpreter.host.arrays import Convert
from ..interface.record import FunctionInterface, Interface, SteppedFunction, TransformPlan
from ..machine.jit import ForeignModule, NativeModule
from .boundary import Boundary
from .call_frame import call_frame
from .native_function import NativeFunction
from .prepared import Prepared
from .results import ResultMemory
from .workspaces import WorkspacePool

if TYPE_CHECKING:
    from ..profile.recorder import Recorder


class SteppedNativeFunction(NativeFunction):
    """A public function whose memory depends on data: each of its steps is called with memory for the sizes that those before it found."""

    def __init__(
        self,
        interface: Interface,
        function: SteppedFunction,
        module: NativeModule | ForeignModule,
        code: bytes,
        plan: TransformPlan | None,
        pool: WorkspacePool,
        results: ResultMemory,
        recorder: Recorder | None,
    ):
        host = (HOST_LABEL,)
        whole = FunctionInterface(function.signature, "", "", (), (), host)
        super().__init__(interface, whole, module, code, plan, pool, results, recorder)
        native = {native.signature.name: native for native in interface.functions}
        self._steps = [
            (
                NativeFunction(
                    interface,
                    step_interface(self._boundary, function, native[step.function]),
                    module,
                    code,
                    None,
                    pool,
                    results,
                    recorder,
                ),
                step,
            )
            for step in function.steps
        ]
        self._results = function.results
        last_use = {value: number for number, (_, step) in enumerate(self._steps) for value in step.arguments}
        self._dropped = [
            [value for value, last in last_use.items() if last == number and value not in function.results]
            for number in range(len(self._steps))
        ]
        """The values that no step behind this one reads."""

    def call_with_leaves(
        self,
        leaves: Sequence[np.ndarray[Any, Any]],
        convert: Convert | None = None,
        out: Any = None,
        prepared: Prepared | None = None,
    ) -> tuple[Any, ...]:
        values: list[Any] = [*leaves, *(() if prepared is None else prepared.arrays)]
        for _ in self._calls(values):
            pass
        return self._boundary.results_of_steps([values[number] for number in self._results], convert, out)

    def workspace_bytes(self, *args: Any) -> int:
        """Returns the bytes that the step with the largest need takes for what it computes on the way; calls the function to know."""
        with call_frame():
            return max(step.workspace_of_leaves(taken) for step, taken in self._calls(list(self.leaves_of(args))))

    def _calls(self, values: list[Any]) -> Iterator[tuple[NativeFunction, list[np.ndarray[Any, Any]]]]:
        """Yields each step with what it takes, then calls it and adds its results to the values; those that nothing reads become `None`."""
        for (step, called), dropped in zip(self._steps, self._dropped, strict=True):
            taken = [values[number] for number in called.arguments]
            yield step, taken
            values += map(np.asarray, step.call_with_leaves(taken))
            for number in dropped:
                values[number] = None


def step_interface(whole: Boundary, function: SteppedFunction, step: FunctionInterface) -> FunctionInterface:
    """Returns the interface of a step with the name and the arguments of the function that it is a step of, for errors to name."""
    called = next(called for called in function.steps if called.function == step.signature.name)
    arguments = step.signature.arguments
    if called is function.steps[0]:
        arguments = function.signature.arguments
    else:
        labels = whole.leaf_labels
        arguments = tuple(
            replace(argument, name=labels[number]) if number < len(labels) else argument
            for number, argument in zip(called.arguments, arguments, strict=True)
        )
    return replace(step, signature=replace(step.signature, name=function.signature.name, arguments=arguments))
